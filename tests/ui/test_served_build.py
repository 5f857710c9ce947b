"""The room `build` through `panel serve`, with eyes and hands: a real Chromium, no other host."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import OpenPage

CAPTION = ".lab-caption p:visible"


def caption(page: Page, words: str | re.Pattern[str]) -> None:
    expect(page.locator(CAPTION)).to_contain_text(words)


def test_the_page_shows_the_room_and_its_numbers(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=build")
    expect(page.locator("h1")).to_have_text("How does text become X?")
    expect(page).to_have_title("How does text become X? · Embedding Lab")
    expect(page.locator(".lab-chip-token")).to_have_text(["the", "␣cat", "␣climb", "ed", "␣the"])
    caption(page, "[1.5, −0.5, −0.5, −0.5]")
    expect(page.locator(".lab-matrix figcaption > b")).to_have_text(["E[ids]", "P", "X"])


def test_a_slider_changes_picture_caption_and_address(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=build")
    handle = page.get_by_role("slider", name="Step")
    handle.focus()
    handle.press("ArrowLeft")
    handle.press("ArrowLeft")
    caption(page, "Step 3 of 6, one-hot")
    expect(page.locator(".lab-matrix figcaption > b").first).to_have_text("one-hot(ids)")
    page.wait_for_url("**/main?room=build&step=3")


def test_a_deep_link_restores_the_state(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=build&scheme=learned&swap=2,3")
    expect(page.locator(".lab-chip.lab-marked .lab-chip-token")).to_have_text(["␣cat", "␣climb"])
    expect(page.locator(".lab-verdict").first).to_contain_text("‘␣cat’ at position 3 is [1, 0, 0, −1]")
    expect(page.get_by_label("First position to swap")).to_have_value("2")
    page.reload()
    expect(page.locator(".lab-verdict").first).to_contain_text("The largest change is 0.5")


def test_typed_text_is_shown_and_never_run(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=build&example=own&step=2")
    field = page.get_by_label("Text", exact=True)
    field.fill("<img src=x onerror=alert(1)> 🙂 قطة <pad>")
    field.press("Enter")
    expect(page.locator(".lab-chip-token").first).to_have_text("<")
    assert page.locator("img").count() == 0
    page.wait_for_url("**text=*")
    page.reload()
    # img is no word of the reduced table: im and ##g are
    expect(page.locator(".lab-chip-token").nth(1)).to_have_text("im")


def test_an_unknown_word_is_refused_with_the_tokens_there_are(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=build")
    field = page.get_by_label("Text", exact=True)
    field.fill("the zebra")
    field.press("Enter")
    expect(page.locator(".lab-error")).to_contain_text("zebra")
    expect(page.locator(".lab-error")).to_contain_text("␣roof")
    field.fill("the dog")
    field.press("Enter")
    expect(page.locator(".lab-error")).to_have_count(0)
    expect(page.locator(".lab-chip-token")).to_have_text(["the", "␣dog"])


def test_ten_thousand_characters(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=build&example=own")
    field = page.get_by_label("Text", exact=True)
    field.fill("the cat climbs " * 667)
    field.press("Enter")
    expect(page.locator(".lab-verdict.lab-warn").first).to_contain_text("tokens dropped")
    expect(page.locator(".lab-notices")).to_contain_text("too long for an address")


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("room=nosuch", "There is no room called nosuch"),
        ("room=build&room=rope", "The address names 2 rooms"),
        ("room=build&step=77", "step=77"),
        ("room=build&step=soon", "a whole number"),
        ("room=build&scheme=magic", "one of none, raw"),
        ("room=build&step=2&step=3", "given 2 times"),
        ("room=build&colour=<b>red</b>", "no setting of that name"),
        ("room=build&text=" + "x" * 10_000, "characters"),
    ],
)
def test_a_bad_address_is_named_and_the_page_works(
    lab: str, open_page: OpenPage, query: str, words: str
) -> None:
    page = open_page(f"{lab}?{query}")
    expect(page.locator(".lab-notices p, .lab-status").first).to_contain_text(words)
    expect(page.locator("h1")).to_be_visible()
    assert page.locator("main b b").count() == 0


def test_the_keyboard_alone_reaches_every_control(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=build")
    expect(page.locator(CAPTION)).to_be_visible()
    reached = set()
    for _ in range(90):
        page.keyboard.press("Tab")
        reached.add(page.evaluate(_FOCUSED))
    for name in (
        "Copy link",
        "Example",
        "Text",
        "Position scheme",
        "First position to swap",
        "Second position to swap",
        "Scale rows by √D",
        "Step",
        "Back",
        "Next",
        "Formula",
        "Numbers",
        "Code",
        "Check yourself",
    ):
        assert name in reached, (name, reached)


# the name a screen reader would say of the element in focus, through shadow roots
_FOCUSED = """() => {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  if (!at) return "";
  const group = at.closest("[role=radiogroup]");
  const labelled = at.getAttribute("aria-label") ?? at.labels?.[0]?.textContent?.trim();
  return group?.getAttribute("aria-label") ?? labelled ?? at.textContent.trim();
}"""


def test_the_keyboard_opens_and_closes_what_is_behind_a_figure(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=build")
    expect(page.locator("math").first).to_be_visible()
    page.get_by_role("checkbox", name="Formula").filter(visible=True).focus()
    page.keyboard.press("Space")
    expect(page.locator("math")).to_have_count(0)
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(page.locator(".lab-numbers h3").first).to_have_text("Tokens")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(page.locator(".lab-code code")).to_contain_text("result = X")
    page.get_by_role("checkbox", name="Check yourself").focus()
    page.keyboard.press("Space")
    expect(page.locator(".lab-question h3").first).to_contain_text("1.")


def test_a_question_is_answered_and_shown(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=build")
    page.get_by_role("checkbox", name="Check yourself").check(force=True)
    question = page.locator(".lab-question").first
    question.get_by_role("radio", name="Every row changes").check()
    question.get_by_role("button", name="Check").click()
    expect(question.locator(".lab-bad")).to_contain_text("Two rows trade places")
    question.get_by_role("button", name="Show me").click()
    swap = page.locator(".lab-figure-swap")
    expect(swap.locator(".lab-verdict.lab-warn").first).to_contain_text("blind to order")
    page.wait_for_url("**scheme=none**")


def test_csv_and_link_can_be_copied(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=build", permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("checkbox", name="Numbers").filter(visible=True).check(force=True)
    table = page.locator("section.lab-numbers").filter(has=page.get_by_role("heading", name="X", exact=True))
    table.get_by_role("button", name="Copy as CSV").click()
    expect(page.locator(".lab-toast")).to_have_text("CSV copied")
    assert page.evaluate("navigator.clipboard.readText()").startswith(
        "position,token,x1,x2,x3,x4\n1,the,-0.5"
    )
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator(".lab-toast")).to_have_text("Link copied")
    assert page.evaluate("navigator.clipboard.readText()") == page.url


def test_the_theme_changes_page_and_figures(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=build&example=own", color_scheme="light")
    expect(page.locator(CAPTION)).to_be_visible()
    paper = "getComputedStyle(document.body).backgroundColor"
    ticks = (
        "Bokeh.documents[0]._all_models.values().find(m => m.type === 'LinearAxis').major_label_text_color"
    )
    assert page.evaluate(paper) == "rgb(255, 255, 255)"
    page.wait_for_function(f"{ticks} === '#5b6270'")
    page.get_by_role("button", name="Switch between light and dark").click()
    assert page.evaluate(paper) == "rgb(20, 22, 27)"
    page.wait_for_function(f"{ticks} === '#a2a8b4'")
    page.reload()
    assert page.evaluate(paper) == "rgb(20, 22, 27)"


def test_embedded_there_is_no_shell_and_parts_can_be_hidden(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=build&embed=1&hide=controls,code,questions&theme=dark")
    # a page around has headings of its own
    expect(page.locator(".lab-h1")).to_have_text("How does text become X?")
    expect(page.get_by_role("heading")).to_have_count(0)
    expect(page.locator(".lab-header")).to_be_hidden()
    expect(page.locator(".lab-controls")).to_have_count(0)
    expect(page.get_by_role("radio")).to_have_count(0)
    expect(page.get_by_role("checkbox").filter(visible=True)).to_have_count(2)
    expect(page.locator(".lab-chip-token").first).to_have_text("the")
    expect(page.locator(".lab-matrix figcaption > b")).to_have_text(["E[ids]", "P", "X"])
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 22, 27)"


def test_two_readers_share_nothing(lab: str, open_page: OpenPage) -> None:
    one, other = open_page(f"{lab}?room=build"), open_page(f"{lab}?room=build")
    for page in (one, other):
        expect(page.locator(CAPTION)).to_contain_text("Step 5")
    one.get_by_role("button", name="Next").click()
    expect(one.locator(CAPTION).first).to_contain_text("Step 6")
    other.get_by_role("button", name="Back").click()
    expect(other.locator(CAPTION)).to_contain_text("Step 4")
    expect(one.locator(CAPTION).first).to_contain_text("Step 6")


@pytest.mark.parametrize("width", [360, 768, 1100, 1600])
def test_nothing_sticks_out_sideways(lab: str, open_page: OpenPage, width: int) -> None:
    for step in (3, 5, 6):
        page = open_page(f"{lab}?room=build&swap=2,3&step={step}", viewport={"width": width, "height": 800})
        expect(page.locator(CAPTION).first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_home_leads_to_the_rooms(lab: str, open_page: OpenPage) -> None:
    page = open_page(lab)
    expect(page.locator("h1")).to_contain_text("How text becomes vectors")
    page.get_by_role("link", name=re.compile("How does text become X")).click()
    expect(page.locator(".lab-chip-token").first).to_have_text("the")


def test_a_pane_keeps_its_styles_when_its_content_changes(lab: str, open_page: OpenPage) -> None:
    """Panel's own update of an HTML pane drops stylesheets that only its model has."""
    page = open_page(f"{lab}?room=build")
    chips = page.locator("ul.lab-chips")
    expect(chips).to_have_css("display", "flex")
    field = page.get_by_label("Text", exact=True)
    field.fill("the dog")
    field.press("Enter")
    expect(page.locator(".lab-chip-token")).to_have_text(["the", "␣dog"])
    expect(chips).to_have_css("display", "flex")
    expect(page.locator(".lab-matrix td.p").first).to_have_css("border-radius", "3px")


def test_the_lines_for_a_frame_are_written_and_work(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=build&step=3&scheme=rope")
    expect(page.locator(CAPTION)).to_contain_text("Step 3")
    page.get_by_role("button", name="Embed").click()
    recipe = page.locator("[data-recipe=frame]")
    expect(recipe).to_contain_text("step=3&scheme=rope&embed=1".replace("&", "&amp;"))
    expect(page.locator("[data-recipe=element]")).to_be_hidden()
    lines = recipe.inner_text()
    course = open_page(f"{lab}?room=nothing")  # any page: its content is replaced by the copied lines
    course.set_content(f"<h1>Course</h1>{lines}")
    inside = course.frame_locator("iframe")
    expect(inside.locator(CAPTION)).to_contain_text("Step 3")
    expect(inside.locator(".lab-header")).to_be_hidden()


def test_each_figure_stands_alone(lab: str, open_page: OpenPage) -> None:
    """A figure is open by its address whatever the step, with the controls that it uses and no steps."""
    for key, absent in (
        ("ids", "Position scheme"),
        ("lookup", "Position scheme"),
        ("batch", "First position"),
    ):
        page = open_page(f"{lab}?room=build&figure={key}&text=the+dog")
        expect(page.locator(f".lab-figure-{key} {CAPTION}")).to_have_count(1)
        expect(page.locator(".lab-figure")).to_have_count(1)
        expect(page.get_by_label("Text", exact=True)).to_have_value("the dog")
        expect(page.get_by_label(absent)).to_have_count(0)
        expect(page.get_by_role("slider")).to_have_count(0)
    page = open_page(f"{lab}?room=build&figure=swap&swap=1,2&text=the+dog")
    expect(page.locator(".lab-verdict").first).to_contain_text("position 2")


def test_the_figures_of_the_last_step_come_one_after_the_other(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=build&step=6&swap=2,3")
    figures = page.locator(".lab-figure").filter(visible=True)
    expect(figures).to_have_count(2)
    expect(page.locator(".lab-figure-swap .lab-matrix")).to_have_count(3)
    page.locator(".lab-figure-batch h2").scroll_into_view_if_needed()
    expect(page.locator(f".lab-figure-batch {CAPTION}")).to_contain_text("(1, 5, 4)")


def test_large_matrices_become_pictures_and_small_ones_numbers_again(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=build")
    plots = page.locator(".lab-plot").filter(visible=True)
    expect(page.locator(".lab-matrix")).to_have_count(3)
    expect(plots).to_have_count(0)
    page.get_by_label("Example").select_option("Own text, real table")
    expect(plots).to_have_count(3)
    expect(page.locator(".lab-matrix")).to_have_count(0)
    page.get_by_label("Example").select_option("Twelve course tokens")
    expect(page.locator(".lab-matrix")).to_have_count(3)
    expect(plots).to_have_count(0)
