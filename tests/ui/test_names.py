"""What a screen reader says of the controls that Bokeh and Panel leave without words."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.conftest import OpenPage


def test_a_slider_over_a_list_says_its_value(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=rope&turn=base")
    slider = page.get_by_role("slider", name="Base", exact=True)
    expect(slider).to_have_attribute("aria-valuetext", "10,000")
    slider.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", re.compile(r"^[\d,]+$"))
    expect(slider).not_to_have_attribute("aria-valuetext", "10,000")


def test_every_slider_says_what_it_shows(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=schemes&shift=500")
    stops = page.get_by_role("slider", name="Shift of the whole sequence")
    expect(stops).to_have_attribute("aria-valuetext", "500")
    stops.press("Home")
    expect(stops).to_have_attribute("aria-valuetext", "0")
    heads = page.get_by_role("slider", name="Heads H")
    expect(heads).to_have_attribute("aria-valuetext", "8")
    heads.press("ArrowRight")
    expect(heads).to_have_attribute("aria-valuetext", "9")


def test_suggestions_are_a_list_of_options(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=geometry&table=minilm&look=near")
    field = page.get_by_role("combobox", name="Word", exact=True)
    expect(field).to_have_attribute("aria-expanded", "false")
    field.press("Control+a")
    field.type("cat")
    expect(field).to_have_attribute("aria-expanded", "true")
    options = page.get_by_role("listbox").get_by_role("option")
    expect(options.first).to_have_attribute("aria-selected", "true")
    expect(field).to_have_attribute("aria-activedescendant", "suggestion-0")
    field.press("ArrowDown")
    expect(field).to_have_attribute("aria-activedescendant", "suggestion-1")
    expect(options.nth(1)).to_have_attribute("aria-selected", "true")
    expect(options.first).to_have_attribute("aria-selected", "false")
    field.press("Escape")
    expect(field).to_have_attribute("aria-expanded", "false")


def test_no_tab_stop_is_without_a_name(lab: str, open_page: OpenPage) -> None:
    """Buttons beside a number field repeat its arrow keys, and a picture has nothing to press."""
    page = open_page(f"{lab}?room=gradient")
    field = page.get_by_role("spinbutton", name="Seed", exact=True)
    expect(field).to_have_attribute("aria-valuemin", "0")
    steppers = page.locator(".lab-steppers")
    expect(steppers.first).to_have_attribute("aria-hidden", "true")
    assert steppers.locator("button, [tabindex]").count() == 0
    expect(page.locator(".bk-events").first).to_have_attribute("tabindex", "-1")
    assert page.locator(".bk-spin-btn, .bk-events:not([tabindex='-1'])").count() == 0
