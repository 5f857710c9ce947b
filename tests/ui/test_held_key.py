"""Case ui-08: a key that is held on a slider sends many events, and the last one wins."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.conftest import OpenPage

PRESSES = 40


def test_the_picture_of_a_held_key_is_that_of_the_last_value(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=rope&m=0&reach=128")
    expect(page.locator(".lab-figure-hands .lab-caption p")).to_be_visible()
    slider = page.get_by_role("slider", name="m, position")
    slider.focus()
    for _ in range(PRESSES):
        page.keyboard.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", re.compile(rf"^{PRESSES}\b"))
    expect(page.locator(".lab-figure-hands .lab-caption p")).to_contain_text(f"q at position {PRESSES} ")
    page.wait_for_url(re.compile(rf"[?&]m={PRESSES}(&|$)"))
