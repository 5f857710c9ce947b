"""What holds for every room behind `panel serve`: no complaint, nothing sticks out, controls have names."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from app.rooms import NAMES, ROOMS
from tests.conftest import OpenPage

CAPTION = ".lab-caption p:visible"
REFUSAL = ".lab-errors .lab-error"

# every control in sight, by kind and by the name a screen reader says, through shadow roots
CONTROLS = """() => {
  const found = [];
  const walk = (node) => {
    for (const child of node.querySelectorAll("*")) {
      if (child.shadowRoot) walk(child.shadowRoot);
      const isControl = child.matches("input:not([type=radio]), select, textarea, .noUi-handle");
      const isGroup = child.matches(".bk-input-group") && child.querySelector("input[type=radio]");
      if ((!isControl && !isGroup) || !child.checkVisibility()) continue;
      const name = child.getAttribute("aria-label") ?? child.labels?.[0]?.textContent?.trim() ?? "";
      found.push([child.className || child.tagName, name]);
    }
  };
  walk(document.querySelector("main"));
  return found;
}"""


@pytest.mark.parametrize("key", NAMES)
@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1600, "light")])
def test_a_room_fits_its_page(lab: str, open_page: OpenPage, key: str, width: int, scheme: str) -> None:
    page = open_page(f"{lab}?room={key}", viewport={"width": width, "height": 860}, color_scheme=scheme)
    expect(page.locator("h1")).to_have_text(ROOMS[key].title)
    expect(page.locator(CAPTION).first).to_be_visible()
    expect(page.locator(REFUSAL)).to_have_count(0)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("key", NAMES)
def test_controls_have_names_and_what_is_behind_the_figure_opens(
    lab: str, open_page: OpenPage, key: str
) -> None:
    page = open_page(f"{lab}?room={key}")
    expect(page.locator("math").first).to_be_visible()
    page.wait_for_function("window.EmbeddingLab?.started && Bokeh.index.roots.length")
    page.evaluate("EmbeddingLab.paint()")
    controls = page.evaluate(CONTROLS)
    assert controls
    assert [kind for kind, name in controls if not name or name == "value"] == []
    open_tab(page, "Numbers")
    expect(page.locator(".lab-numbers table").first).to_be_visible()
    open_tab(page, "Code")
    expect(page.locator(".lab-panel .lab-code code")).to_contain_text("result")


@pytest.mark.parametrize("key", NAMES)
def test_a_question_is_answered_shown_and_cited(lab: str, open_page: OpenPage, key: str) -> None:
    questions = ROOMS[key].asked
    place = next(place for place, asked in enumerate(questions) if asked.show)
    page = open_page(f"{lab}?room={key}")
    open_tab(page, "Check yourself")
    question = page.locator(".lab-question").nth(place)
    group = question.get_by_role("radiogroup")
    expect(group).to_have_attribute("aria-label", questions[place].prompt, timeout=20_000)
    question.get_by_role("radio").first.check()
    question.get_by_role("button", name="Check").click()
    expect(question.locator(".lab-good, .lab-bad").first).to_be_visible()
    question.get_by_role("button", name="Show me").click()
    page.wait_for_url(f"**room={key}&*")
    figure = questions[place].figure
    # the first figure of a room has the room's heading
    head = page.locator(f".lab-figure-{figure} :is(h2, .lab-picture)" if figure else "h1").first
    expect(head).to_be_in_viewport()
    expect(page.locator(REFUSAL)).to_have_count(0)
    # behind tabs that were open before there are other captions
    caption = page.locator(CAPTION).filter(visible=True).first
    page.wait_for_function("Bokeh.documents.every((one) => one.is_idle)")
    said = caption.inner_text()
    page.reload()
    expect(caption).to_have_text(said)
    expect(page.locator(".lab-notices p")).to_have_count(0)


def open_tab(page: Page, name: str) -> None:
    tab = page.get_by_role("radio", name=name, exact=True).or_(
        page.get_by_role("checkbox", name=name, exact=True)
    )
    tab.first.check(force=True)
