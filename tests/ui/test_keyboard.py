"""The keyboard keeps its place, and a copy says what became of it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import OpenPage

REFUSED = "Object.defineProperty(navigator, 'clipboard', { value: undefined });"
COPIED = "document.addEventListener('copy', () => (window.copied = getSelection().toString()));"


@pytest.mark.parametrize(("step", "pressed", "then"), [(6, "Next", "Back"), (1, "Back", "Next")])
def test_a_button_that_ends_hands_the_focus_on(
    lab: str, open_page: OpenPage, step: int, pressed: str, then: str
) -> None:
    page = open_page(f"{lab}?room=build&step={step + (1 if step == 1 else -1)}")
    button = page.get_by_role("button", name=pressed, exact=True)
    button.press("Enter")
    expect(button).to_be_disabled()
    expect(page.get_by_role("button", name=then, exact=True)).to_be_focused()


def embed_dialog(page: Page, *before: str) -> Page:
    for script in before:
        page.evaluate(script)
    page.get_by_role("button", name="Embed").click()
    return page


def test_without_a_clipboard_the_old_way_copies_out_of_the_dialog(lab: str, open_page: OpenPage) -> None:
    page = embed_dialog(open_page(f"{lab}?room=build"), REFUSED, COPIED)
    button = page.locator("#lab-embed [data-copy]").filter(visible=True).first
    button.press("Enter")
    expect(page.locator("#lab-embed").get_by_role("status")).to_have_text("Code copied")
    assert page.evaluate("copied").startswith("<iframe")
    expect(button).to_be_focused()


def test_a_copy_that_fails_marks_the_code_and_says_so(lab: str, open_page: OpenPage) -> None:
    page = embed_dialog(open_page(f"{lab}?room=build"), REFUSED, "document.execCommand = () => false")
    button = page.locator("#lab-embed [data-copy]").filter(visible=True).first
    button.press("Enter")
    expect(page.locator("#lab-embed").get_by_role("status")).to_contain_text("Press")
    expect(button).to_be_focused()
    assert page.evaluate("getSelection().toString()").startswith("<iframe")


def test_controls_longer_than_the_window_scroll_by_themselves(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=gradient", viewport={"width": 1366, "height": 650})
    expect(page.locator(".lab-caption p").first).to_be_visible()
    page.mouse.wheel(0, 600)
    page.wait_for_function("scrollY === 600")
    controls = page.locator(".lab-controls")
    assert controls.evaluate("element => element.scrollHeight > element.clientHeight")
    controls.get_by_role("slider").last.focus()
    expect(controls.get_by_role("slider").last).to_be_in_viewport(ratio=1)
    assert page.evaluate("scrollY") == 600
