"""The button that plays a step slider: its clock runs in the page, and stops at the last step."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.conftest import OpenPage


def test_play_goes_to_the_last_step_and_then_begins_again(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=gradient&V=100&steps=4&step=1")
    caption, button = page.locator(".lab-caption p"), page.locator(".lab-player button")
    expect(caption).to_contain_text("Step 1 of 4")
    expect(button).to_have_text("Play")
    button.click()
    expect(caption).to_contain_text("Step 4 of 4")
    expect(button).to_have_text("Play")
    button.click()
    expect(button).to_have_text("Pause")
    expect(caption).to_contain_text("Step 2 of 4")
    button.click()
    expect(button).to_have_text("Play")
