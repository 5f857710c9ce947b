"""Figures of a served room: made when they come into sight, shown alone, with a menu of their own."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.conftest import OpenPage


def made(page: Page) -> list[str]:
    """Keys of the figures that Python has made."""
    return list(
        page.evaluate(
            """() => [...Bokeh.documents[0]._all_models.values()]
              .filter((one) => one.tags?.some?.((tag) => String(tag).startsWith("figure:")))
              .filter((one) => one.children.some(
                (part) => part.css_classes?.includes("lab-picture") && part.children.length))
              .map((one) => one.tags[0].slice(7))"""
        )
    )


def test_a_figure_is_made_when_it_comes_into_sight(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=waves")
    expect(page.locator(".lab-figure-rows .lab-caption p")).to_be_visible()
    expect(page.locator(".lab-figure-layouts h2")).to_have_count(1)
    assert "layouts" not in made(page)
    page.locator(".lab-figure-layouts h2").scroll_into_view_if_needed()
    expect(page.locator(".lab-figure-layouts .lab-caption p")).to_contain_text("tensor2tensor")
    assert "layouts" in made(page)


def test_what_was_scrolled_away_follows(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=waves")
    page.locator(".lab-figure-layouts h2").scroll_into_view_if_needed()
    expect(page.locator(".lab-figure-layouts .lab-caption p")).to_contain_text("D = 8 is even")
    page.locator("h1").scroll_into_view_if_needed()
    slider = page.get_by_role("slider", name="Width D")
    slider.focus()
    slider.press("ArrowRight")
    expect(page.locator(".lab-figure-rows .lab-caption p")).to_contain_text("9 wide")
    # nobody scrolls: it follows by itself
    expect(page.locator(".lab-figure-layouts .lab-caption p")).to_contain_text("D = 9 is odd")


def test_one_figure_alone(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=waves&figure=wavelengths&d=4")
    expect(page.locator(".lab-caption p")).to_contain_text("1 of 2 pairs complete a turn")
    expect(page.locator("h2", has_text="Wavelengths")).to_have_count(1)
    expect(page.locator(".lab-figure")).to_have_count(1)
    expect(page.get_by_role("slider", name="Shift k")).to_have_count(0)
    slider = page.get_by_role("slider", name="Width D")
    slider.focus()
    slider.press("ArrowRight")
    expect(page.locator(".lab-caption p")).to_contain_text("frequencies")
    # the address keeps the figure
    page.wait_for_url("**figure=wavelengths*d=5*")
    page.reload()
    expect(page.locator(".lab-figure")).to_have_count(1)


def test_the_menu_of_a_figure(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=waves&d=4", permissions=["clipboard-read", "clipboard-write"])
    dots = page.locator(".lab-figure-dots")
    dots.locator("h2").scroll_into_view_if_needed()
    expect(dots.locator(".lab-caption p")).to_be_visible()
    summary = dots.locator("details.lab-menu summary")
    summary.click()
    expect(dots.get_by_role("button", name="PNG")).to_be_visible()
    dots.get_by_role("button", name="Copy link").click()
    assert re.search(r"room=waves&d=4&figure=dots$", page.evaluate("navigator.clipboard.readText()"))
    for kind, begins in (("PNG", b"\x89PNG"), ("SVG", b"<svg")):
        summary.click()
        with page.expect_download() as download:
            dots.get_by_role("button", name=kind).click()
        assert download.value.suggested_filename == f"waves-dots.{kind.lower()}"
        with open(str(download.value.path()), "rb") as file:
            assert file.read(4) == begins
    summary.click()
    dots.get_by_role("button", name="Embed").click()
    expect(page.locator("[data-recipe=frame]")).to_contain_text("figure=dots")
    page.keyboard.press("Escape")
    # tables alone have no picture to save
    page.locator(".lab-figure-layouts h2").scroll_into_view_if_needed()
    expect(page.locator(".lab-figure-layouts .lab-caption p")).to_be_visible()
    page.locator(".lab-figure-layouts details.lab-menu summary").click()
    expect(page.locator(".lab-figure-layouts").get_by_role("button", name="Copy link")).to_be_visible()
    expect(page.locator(".lab-figure-layouts").get_by_role("button", name="PNG")).to_be_hidden()


def test_a_hidden_drawer(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=waves&figure=dots&hide=controls,formula,numbers,code,questions&embed=1")
    expect(page.locator(".lab-caption p")).to_be_visible()
    expect(page.get_by_role("checkbox")).to_have_count(0)
    expect(page.get_by_role("slider")).to_have_count(0)


def test_a_tab_opens_one_figure(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=schemes")
    figures = page.locator(".lab-figure").filter(visible=True)
    expect(page.locator(".lab-figure-scores .lab-caption p")).to_be_visible()
    expect(figures).to_have_count(1)
    assert made(page) == ["scores"]
    page.get_by_role("radio", name="Real tables").check(force=True)
    expect(page.locator(".lab-figure-tables .lab-caption p")).to_contain_text("The distance explains 77 %")
    expect(figures).to_have_count(1)
    expect(page.get_by_role("slider", name="Position looked at")).to_be_visible()
    expect(page.get_by_role("slider", name="Heads H")).to_have_count(0)
    # a question opens the tab of its figure, which stands at the top of its room
    page.get_by_role("checkbox", name="Check yourself").check(force=True)
    question = page.locator(".lab-question").nth(2)
    question.get_by_role("radio").first.check()
    question.get_by_role("button", name="Check").click()
    question.get_by_role("button", name="Show me").click()
    expect(page.locator(".lab-figure-compare h2")).to_be_in_viewport()
    expect(figures).to_have_count(1)


def test_an_address_leads_to_a_figure_of_its_room(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=waves&d=4#dots")
    expect(page.locator(".lab-figure-dots .lab-caption p")).to_contain_text("PE(7) · PE(10)")
    expect(page.locator(".lab-figure-dots h2")).to_be_in_viewport()
    page.evaluate("location.hash = '#rotation'")
    expect(page.locator(".lab-figure-rotation h2")).to_be_in_viewport()
