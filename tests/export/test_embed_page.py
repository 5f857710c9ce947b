"""Rooms inside plain pages of other people: as elements that share one Python, and as frames."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.chromium import Watched
from tests.export.conftest import PAGES
from tests.export.server import SiteServer
from tests.export.visits import SPY

pytestmark = [pytest.mark.export, pytest.mark.browser]

Open = Callable[..., Watched]
SHADOW_TEXT = ".lab-shown .lab-caption p:visible"


def visit(open_page: Open, server: SiteServer, name: str) -> Page:
    page = open_page().page
    page.add_init_script(SPY)
    page.goto(f"{server.origin}/{name}.html")
    return page


def test_two_elements_share_one_python_and_nothing_else(open_page: Open, server: SiteServer) -> None:
    page = visit(open_page, server, "embed")
    address = page.url
    page.evaluate(
        "window.told = []; document.addEventListener('embedding-lab-state',"
        " (event) => told.push([event.target.id, event.detail.room, event.detail.query]))"
    )
    first, second = page.locator("#first"), page.locator("#second")
    for element in (first, second):
        expect(element).to_have_attribute("data-state", "live", timeout=60_000)
    assert page.evaluate("workers.length") == 1
    assert server.count("*.wasm") == 1
    expect(second.locator(SHADOW_TEXT)).to_contain_text("Step 2")
    beside = second.locator(SHADOW_TEXT).inner_text()
    first.locator(".lab-shown .noUi-handle").first.press("Home")
    expect(first.locator(SHADOW_TEXT)).to_contain_text("Step 1")
    assert second.locator(SHADOW_TEXT).inner_text() == beside
    page.wait_for_function("told.length")
    assert page.evaluate("told.at(-1)") == ["first", "build", "step=1"]
    assert page.url == address


def test_what_is_hidden_is_hidden_in_that_element_alone(open_page: Open, server: SiteServer) -> None:
    page = visit(open_page, server, "embed")
    for name in ("first", "second"):
        expect(page.locator(f"#{name}")).to_have_attribute("data-state", "live", timeout=60_000)
    expect(page.locator("#first .lab-shown").get_by_text("Code", exact=True)).to_be_visible()
    expect(page.locator("#second .lab-shown").get_by_text("Code", exact=True)).to_have_count(0)


def test_the_page_around_keeps_its_looks(open_page: Open, server: SiteServer) -> None:
    page = visit(open_page, server, "embed")
    expect(page.locator("#first")).to_have_attribute("data-state", "live", timeout=60_000)
    assert page.evaluate("getComputedStyle(document.querySelector('h1')).fontFamily") == "serif"
    assert page.evaluate("getComputedStyle(document.body).maxWidth") == "900px"


def test_an_element_may_wait_for_a_click_or_for_the_reader_to_come(
    open_page: Open, server: SiteServer
) -> None:
    page = visit(open_page, server, "click")
    asleep, below = page.locator("#asleep"), page.locator("#below")
    for element in (asleep, below):
        expect(element).to_have_attribute("data-state", "still", timeout=30_000)
        expect(element.locator(".still svg")).to_be_visible()
    assert page.evaluate("workers") == []
    asleep.get_by_role("button", name="Make it live").click()
    expect(asleep).to_have_attribute("data-state", "live", timeout=60_000)
    expect(below).to_have_attribute("data-state", "still")
    below.scroll_into_view_if_needed()
    expect(below).to_have_attribute("data-state", "live", timeout=60_000)
    assert page.evaluate("workers.length") == 1


def test_an_elements_theme_is_its_own(open_page: Open, server: SiteServer) -> None:
    page = visit(open_page, server, "click")
    paper = "element => getComputedStyle(element).getPropertyValue('color')"
    expect(page.locator("#asleep")).to_have_attribute("data-state", "still", timeout=30_000)
    assert page.locator("#asleep").evaluate(paper) == "rgb(232, 233, 236)"
    assert page.locator("#below").evaluate(paper) == "rgb(29, 33, 41)"


def test_a_room_that_does_not_exist_is_said_inside_the_element(open_page: Open, server: SiteServer) -> None:
    page = visit(open_page, server, "click")
    wrong = page.locator("#wrong")
    expect(wrong.get_by_role("alert")).to_contain_text('There is no room called "atlantis"')
    expect(wrong.get_by_role("alert")).to_contain_text("build")
    expect(page.locator("#asleep")).to_have_attribute("data-state", "still")


def test_an_attribute_that_changes_changes_the_state(open_page: Open, server: SiteServer) -> None:
    page = visit(open_page, server, "embed")
    second = page.locator("#second")
    expect(second).to_have_attribute("data-state", "live", timeout=60_000)
    second.evaluate("element => element.setAttribute('step', '3')")
    expect(second.locator(SHADOW_TEXT)).to_contain_text("Step 3")


def test_settings_with_capitals_go_into_one_attribute(open_page: Open, server: SiteServer) -> None:
    page = visit(open_page, server, "embed")
    page.evaluate(
        "document.body.insertAdjacentHTML('beforeend',"
        ' \'<embedding-lab id="table" room="count" state="V=128000&d=4096" load="eager"></embedding-lab>\')'
    )
    table = page.locator("#table")
    expect(table).to_have_attribute("data-state", "live", timeout=60_000)
    expect(table.locator(SHADOW_TEXT)).to_contain_text("524,288,000")


def test_an_element_that_leaves_the_page_frees_its_document(open_page: Open, server: SiteServer) -> None:
    page = visit(open_page, server, "embed")
    for name in ("first", "second"):
        expect(page.locator(f"#{name}")).to_have_attribute("data-state", "live", timeout=60_000)
    page.evaluate("document.getElementById('first').remove()")
    page.wait_for_function("Bokeh.documents.length === 1")
    # which of the two came first is left to the browser
    said = page.evaluate(
        """Promise.all(["embedded-1", "embedded-2"].map((widget) =>
          EmbeddingLab.client.request("patch", { widget, patch: { events: [] } }).catch(String)))"""
    )
    (refused,) = [answer for answer in said if answer]
    assert "embedded-" in refused
    page.locator("#second .lab-shown .noUi-handle").first.press("Home")
    expect(page.locator("#second").locator(SHADOW_TEXT)).to_contain_text("Step 1")


def test_an_element_that_moves_within_the_page_stays_live(open_page: Open, server: SiteServer) -> None:
    page = visit(open_page, server, "embed")
    first = page.locator("#first")
    expect(first).to_have_attribute("data-state", "live", timeout=60_000)
    page.evaluate("document.body.append(document.getElementById('first'))")
    first.locator(".lab-shown .noUi-handle").first.press("Home")
    expect(first.locator(SHADOW_TEXT)).to_contain_text("Step 1")
    assert page.evaluate("workers.length") == 1


def test_one_retry_wakes_every_element_that_failed(open_page: Open, server: SiteServer) -> None:
    watched = open_page()
    page = watched.page
    with server.failing("*/python-*.pack"):
        page.goto(f"{server.origin}/embed.html")
        for name in ("first", "second"):
            expect(page.locator(f"#{name}").get_by_role("alert")).to_be_visible(timeout=30_000)
        watched.complaints.clear()
    page.locator("#first").get_by_role("button", name="Retry").click()
    for name in ("first", "second"):
        expect(page.locator(f"#{name}")).to_have_attribute("data-state", "live", timeout=60_000)


def test_a_page_of_another_host_may_use_the_element(
    open_page: Open, site: Path, serve: Callable[..., SiteServer], tmp_path: Path
) -> None:
    lab = serve({"/": site}, open_to_all=True)
    text = (PAGES / "embed.html").read_text().replace("/some/where/", f"{lab.origin}/")
    (tmp_path / "course.html").write_text(text)
    course = serve({"/": tmp_path})
    page = open_page(lab.origin, course.origin).page
    page.goto(f"{course.origin}/course.html")
    for name in ("first", "second"):
        expect(page.locator(f"#{name}")).to_have_attribute("data-state", "live", timeout=60_000)
    assert lab.count("*.wasm") == 1


def test_a_frame_keeps_its_height_right(open_page: Open, server: SiteServer) -> None:
    page = visit(open_page, server, "frame")
    inside = page.frame_locator("iframe[title^=Embedding]")
    inside.locator("#lab-root[data-state=live]").wait_for(timeout=60_000)
    expect(inside.locator(".lab-header")).to_be_hidden()
    expect(inside.locator(SHADOW_TEXT)).to_contain_text("Step 2")
    expect(inside.locator(".lab-shown .lab-controls")).to_have_count(0)
    wanted = inside.locator("html").evaluate("html => Math.ceil(html.getBoundingClientRect().height)")
    assert wanted > 200
    frame = page.locator("iframe[title^=Embedding]")
    page.wait_for_function(
        "wanted => document.querySelector('iframe').getBoundingClientRect().height === wanted", arg=wanted
    )
    assert inside.locator("html").evaluate("html => html.dataset.theme") == "dark"
    assert frame.evaluate("frame => frame.scrollHeight <= frame.clientHeight")


def test_a_height_from_anybody_else_is_not_heard(open_page: Open, server: SiteServer) -> None:
    """The page itself says a height, and a marked frame that has gone to another origin than its address."""
    elsewhere = server.origin.replace("127.0.0.1", "lab.example")
    page = open_page(elsewhere).page
    page.goto(f"{server.origin}/frame.html")
    before = page.locator("iframe[title^=Embedding]").bounding_box()
    page.evaluate(
        """(elsewhere) => new Promise((resolve) => {
          const heard = new Set();
          addEventListener("message", ({ data, origin }) => {
            if (origin === elsewhere || data.height === 7) heard.add(data.height);
            if (heard.has(7) && heard.has(9)) setTimeout(resolve);
          });
          document.getElementById("other").contentWindow.location = `${elsewhere}/shout.html`;
          postMessage({ type: "embedding-lab:height", height: 7 }, "*");
        })""",
        elsewhere,
    )
    assert before is not None
    now = page.locator("iframe[title^=Embedding]").bounding_box()
    assert now is not None
    assert now["height"] != 7
    assert page.locator("#other").evaluate("frame => frame.style.height") == "50px"


@pytest.mark.parametrize("by", ["key", "picture"])
def test_the_offer_is_in_sight_and_the_keyboard_stays_with_the_room(
    open_page: Open, server: SiteServer, by: str
) -> None:
    page = visit(open_page, server, "click")
    asleep = page.locator("#asleep")
    expect(asleep).to_have_attribute("data-state", "still", timeout=30_000)
    button = asleep.get_by_role("button", name="Make it live")
    assert asleep.evaluate("element => element.offsetHeight > innerHeight")
    expect(button).to_be_in_viewport(ratio=1)
    if by == "key":
        button.press("Enter")
    else:
        asleep.click(position={"x": 300, "y": 300})
    expect(asleep).to_be_focused()
    expect(asleep).to_have_attribute("data-state", "live", timeout=60_000)
    expect(asleep).to_be_focused()


def test_a_room_is_laid_out_by_its_own_width(open_page: Open, server: SiteServer) -> None:
    page = visit(open_page, server, "embed")
    first = page.locator("#first")
    expect(first).to_have_attribute("data-state", "live", timeout=60_000)
    first.evaluate("element => { element.style.width = '1100px'; }")
    controls, main = first.locator(".lab-controls"), first.locator(".lab-main")
    beside = "([one, two]) => one.getBoundingClientRect().right <= two.getBoundingClientRect().left + 12"
    both = [controls.element_handle(), main.element_handle()]
    page.wait_for_function(beside, arg=both)
    first.evaluate("element => { element.style.width = '600px'; }")
    assert not page.evaluate(beside, both)


def test_what_was_copied_is_said_in_the_elements_own_colours(open_page: Open, server: SiteServer) -> None:
    page = visit(open_page, server, "click")
    asleep = page.locator("#asleep")
    expect(asleep).to_have_attribute("data-state", "still", timeout=30_000)
    asleep.get_by_role("button", name="Make it live").click()
    expect(asleep).to_have_attribute("data-state", "live", timeout=60_000)
    asleep.get_by_role("checkbox", name="Code").filter(visible=True).check(force=True)
    asleep.locator("[data-copy]").first.click()
    said = asleep.locator("> .lab-toast")
    expect(said).to_have_text("Code copied")
    expect(said).to_have_css("position", "fixed")
    expect(said).to_have_css("background-color", "rgb(232, 233, 236)")
