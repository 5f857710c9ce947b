"""The button that plays a step slider: its clock runs in the page, and stops at the last step."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.conftest import OpenPage

# a step may be shorter than the time between two looks at the page: the page itself keeps what it has said
KEEP = """() => {
  window.said = [];
  const pane = [...Bokeh.index.roots].flatMap(function all(view) {
    return [view, ...(view.children?.() ?? []).flatMap(all)];
  }).find(({ model }) => model.css_classes?.includes("lab-caption"));
  const keep = () => said.push(pane.shadow_el.querySelector("p")?.textContent.match(/Step (\\d+)/)?.[1]);
  new MutationObserver(keep).observe(pane.shadow_el, { childList: true, subtree: true, characterData: true });
}"""


def steps_said(page: Page) -> list[int]:
    return [int(step) for step in page.evaluate("said") if step]


def test_play_goes_to_the_last_step_and_then_begins_again(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=gradient&V=100&steps=4&step=2")
    caption, button = page.locator(".lab-figure-rows .lab-caption p"), page.locator(".lab-player button")
    expect(caption).to_contain_text("Step 2 of 4")
    expect(button).to_have_text("Play")
    page.evaluate(KEEP)
    button.click()
    expect(caption).to_contain_text("Step 4 of 4")
    expect(button).to_have_text("Play")
    assert 1 not in steps_said(page)
    button.click()
    page.wait_for_function("said.includes('1')")
    expect(caption).to_contain_text("Step 4 of 4")
    expect(button).to_have_text("Play")
    again = steps_said(page)
    assert sorted(set(again[again.index(1) :])) == [1, 2, 3, 4]


def test_play_can_be_held(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=gradient&V=100&steps=60&step=1")
    caption, button = page.locator(".lab-figure-rows .lab-caption p"), page.locator(".lab-player button")
    expect(caption).to_contain_text("Step 1 of 60")
    button.click()
    expect(button).to_have_text("Pause")
    expect(caption).not_to_contain_text("Step 1 of 60")
    button.click()
    expect(button).to_have_text("Play")
    expect(caption).not_to_contain_text("Step 60 of 60")
