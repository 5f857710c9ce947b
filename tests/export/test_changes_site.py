"""What a reader changes on the built site: nothing she chooses or types ends a room."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from lab.mistakes import MISTAKES, SYMPTOM_SENTENCES, SYMPTOMS
from tests.chromium import Watched
from tests.export.server import SiteServer

pytestmark = [pytest.mark.export, pytest.mark.browser]

Open = Callable[..., Watched]


def live(page: Page, address: str) -> None:
    page.goto(address)
    page.wait_for_selector("#lab-root[data-state=live]", timeout=90_000)


def field(page: Page, label: str) -> Locator:
    return page.locator(".lab-shown").get_by_label(label, exact=True)


def test_every_symptom_leads_to_mistakes_that_can_be_chosen(open_page: Open, server: SiteServer) -> None:
    """Options that follow another control: the last of each list is chosen, and the caption names it."""
    page = open_page().page
    live(page, f"{server.origin}/some/where/mistakes/")
    symptoms = page.locator(".lab-shown select").first
    titles = page.locator(".lab-shown .lab-mistakes-list label")
    for sentence in SYMPTOM_SENTENCES.values():
        symptoms.select_option(label=sentence)
        fitting = [MISTAKES[key].title for key in SYMPTOMS[sentence]]
        expect(titles).to_have_text(fitting)
        titles.last.locator("input").check(force=True)
        caption = page.locator(".lab-shown .lab-caption").filter(visible=True)
        expect(caption).to_contain_text(fitting[-1])
    assert page.locator("#lab-root").get_attribute("data-state") == "live"


@pytest.mark.parametrize(
    ("room", "label"), [("waves", "Base b"), ("order", "Seed"), ("context", "Position p, from 0")]
)
def test_a_number_field_survives_whatever_is_typed(
    open_page: Open, server: SiteServer, room: str, label: str
) -> None:
    page = open_page().page
    live(page, f"{server.origin}/some/where/{room}/")
    number = field(page, label)
    before = number.input_value()
    for typed in ("", "abc", "-1", "1e99", "<b>"):
        number.fill(typed)
        number.press("Tab")
        expect(number).to_have_value(before)
        if typed:
            expect(page.locator(".lab-shown .lab-notices")).to_contain_text(f"stays at {int(before):,}")
    number.fill("1 0 0")
    number.press("Enter")
    expect(number).to_have_value("100")
    number.press("ArrowUp")
    expect(number).to_have_value("101")
    expect(page).to_have_url(re.compile("=101"))
    number.locator(":scope + .lab-steppers span").first.click()
    expect(number).to_have_value("102")
    assert page.locator("#lab-root").get_attribute("data-state") == "live"
