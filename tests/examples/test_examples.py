"""Each recipe as a reader meets it: on a phone and a desk, light and dark, live, and walked through."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from playwright.sync_api import Page, expect

from tests.bench.heights import NO_PYTHON
from tests.chromium import Watched

pytestmark = pytest.mark.browser

Open = Callable[..., Watched]
PAPER = {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 22, 27)"}
LONG = 120_000
CANVAS = """element => {
  const parts = (node) => [...(node.shadowRoot?.children ?? []), ...node.children];
  const within = (node) => parts(node).flatMap((each) => [each, ...within(each)]);
  const edges = (each) => [each.getBoundingClientRect().left, each.getBoundingClientRect().right];
  const canvas = within(element).find((each) => each.localName === "canvas" && each.offsetWidth > 100);
  return [edges(canvas), edges(element)];
}"""
"""Left and right edge of the first canvas, and of the element."""
CAPTION = ".lab-shown .lab-caption p:visible"


@dataclass(frozen=True)
class Recipe:
    """A page of an example; ``theme`` is what it always is, where it does not follow the system."""

    path: str
    theme: str = ""
    frame: str = ""
    """The element's page is inside this frame."""


RECIPES = {
    "plain": Recipe("plain/"),
    "mkdocs": Recipe("mkdocs/"),
    "furo": Recipe("sphinx-furo/"),
    "pydata": Recipe("sphinx-pydata/"),
    "book": Recipe("sphinx-book/"),
    "quarto": Recipe("quarto/"),
    "slides": Recipe("slides/#/1", theme="light"),
    "platform": Recipe("platform/", frame="#item"),
    "notebook": Recipe("notebook/", theme="light"),
    "notebook, dark": Recipe("notebook-dark/", theme="dark"),
}


def inside(page: Page, recipe: Recipe) -> Any:
    """Where the recipe's element is."""
    return page.frame_locator(recipe.frame) if recipe.frame else page


def widths(page: Page) -> tuple[int, int]:
    """How wide a page is, and its window."""
    found = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    return found[0], found[1]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", list(RECIPES))
def test_it_fits_and_wears_the_pages_theme(open_example: Open, name: str, width: int, scheme: str) -> None:
    recipe = RECIPES[name]
    options: dict[str, Any] = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
    page = open_example(recipe.path, NO_PYTHON, **options).page
    element = inside(page, recipe).locator("embedding-lab").first
    expect(element.locator(".still svg")).to_be_visible(timeout=30_000)
    theme = recipe.theme or scheme
    expect(element).to_have_attribute("data-theme", theme)
    expect(element).to_have_css("background-color", PAPER[theme])
    # what stood there for readers without scripts is gone
    expect(element.get_by_role("link", name="Score against distance")).to_be_hidden()
    # as wide as its place: nothing sticks out
    assert element.locator(".still").evaluate("still => still.scrollWidth") <= element.evaluate(
        "element => element.offsetWidth"
    )


@pytest.mark.parametrize("name", ["plain", "mkdocs", "furo", "book", "quarto", "notebook"])
def test_a_phone_does_not_scroll_sideways(open_example: Open, name: str) -> None:
    """The theme pydata makes its header too wide for a phone, with a figure or without."""
    page = open_example(RECIPES[name].path, NO_PYTHON, viewport={"width": 390, "height": 900}).page
    page.locator("embedding-lab[data-state=still]").first.wait_for()
    wide, window = widths(page)
    assert wide <= window


@pytest.mark.parametrize("name", list(RECIPES))
def test_it_comes_to_life(open_example: Open, name: str) -> None:
    recipe = RECIPES[name]
    page = open_example(recipe.path, viewport={"width": 1280, "height": 900}).page
    element = inside(page, recipe).locator("embedding-lab").first
    element.get_by_role("button", name="Make it live").click()
    expect(element).to_have_attribute("data-state", "live", timeout=LONG)
    expect(element.locator(CAPTION)).to_contain_text("At distance 2 the score is 0.54")
    if name == "slides":
        return
    element.get_by_role("slider", name="m, position").press("ArrowRight")
    expect(element.locator(CAPTION)).to_contain_text("At distance 3 the score is 0.071")


def test_the_second_page_of_instant_navigation_has_its_styles(open_example: Open) -> None:
    page = open_example(
        "mkdocs/", NO_PYTHON, viewport={"width": 1280, "height": 900}, color_scheme="dark"
    ).page
    page.locator("embedding-lab[data-state=still]").wait_for()
    page.evaluate("window.stays = true")
    page.get_by_role("link", name="The next page").click()
    element = page.locator('embedding-lab[room="build"]')
    expect(element.locator(".still svg")).to_be_visible()
    assert page.evaluate("window.stays")
    expect(element).to_have_css("background-color", PAPER["dark"])
    # back, and the reader's own switch of the theme
    page.go_back()
    page.locator('embedding-lab[room="rope"][data-state=still]').wait_for()
    page.locator("label[title='Light']:visible").click()
    expect(page.locator("embedding-lab")).to_have_css("background-color", PAPER["light"])


def test_text_below_a_figure_stays_where_it_is(open_example: Open) -> None:
    """From the empty place to the picture, for a room that has one."""
    page = open_example("mkdocs/second/", NO_PYTHON, viewport={"width": 1280, "height": 900}).page
    top = "document.getElementById('below').offsetTop"
    page.wait_for_selector("embedding-lab[data-state]")
    before = page.evaluate(top)
    page.wait_for_selector("embedding-lab[data-state=still]")
    assert page.evaluate(top) == before


@pytest.mark.parametrize("theme", ["furo", "pydata", "book"])
def test_a_readers_switch_of_sphinx_themes_is_followed(open_example: Open, theme: str) -> None:
    page = open_example(f"sphinx-{theme}/", NO_PYTHON, viewport={"width": 1280, "height": 900}).page
    element = page.locator("embedding-lab")
    expect(element).to_have_css("background-color", PAPER["light"])
    if theme == "furo":
        page.locator(".theme-toggle:visible").first.click()
    else:
        page.locator(".theme-switch-button:visible").first.click()
        page.locator(".theme-switch-container .dropdown-menu [data-mode=dark]:visible").first.click()
    expect(element).to_have_css("background-color", PAPER["dark"])


def test_a_figure_behind_a_tab_is_drawn_when_it_opens(open_example: Open) -> None:
    page = open_example("quarto/", viewport={"width": 1280, "height": 900}).page
    hidden = page.locator('embedding-lab[room="build"]')
    expect(hidden).to_have_attribute("data-state", "still")
    page.get_by_role("tab", name="As a figure").click()
    expect(hidden.locator(".still svg")).to_be_visible()
    hidden.get_by_role("button", name="Make it live").click()
    expect(hidden).to_have_attribute("data-state", "live", timeout=LONG)
    assert hidden.evaluate("element => element.querySelector('.lab-room').offsetWidth") > 600


def test_slides_out_of_sight_do_not_wake_python(open_example: Open) -> None:
    page = open_example("slides/", viewport={"width": 1280, "height": 800}).page
    expect(page.locator("embedding-lab[data-state=still]")).to_have_count(2)
    page.keyboard.press("ArrowRight")
    expect(page.locator("#first")).to_be_in_viewport()
    assert page.evaluate("EmbeddingLab.client === undefined && window.Bokeh === undefined")


def test_canvases_on_scaled_slides_are_as_wide_as_their_figure(open_example: Open) -> None:
    page = open_example("slides/#/1", viewport={"width": 1600, "height": 1000}).page
    element = page.locator("#first")
    element.evaluate("element => element.wake()")
    expect(element).to_have_attribute("data-state", "live", timeout=LONG)
    (left, right), (begins, ends) = element.evaluate(CANVAS)
    assert begins <= left < right <= ends + 1
    assert right - left > 0.8 * (ends - begins)


@pytest.mark.parametrize("name", ["plain", "furo", "mkdocs"])
def test_on_paper_a_figure_is_whole_and_has_nothing_to_press(open_example: Open, name: str) -> None:
    """Drawn for a desk that is wider than the paper: no curve reaches the right edge, no offer is printed."""
    page = open_example(RECIPES[name].path, viewport={"width": 1280, "height": 900}).page
    page.locator("embedding-lab").first.evaluate("element => element.wake()")
    expect(page.locator("embedding-lab").first).to_have_attribute("data-state", "live", timeout=LONG)
    if name == "plain":
        page.locator("embedding-lab[data-state=blank]").wait_for()
    paper = pypdfium2.PdfDocument(page.pdf(format="A4", margin={"left": "1cm", "right": "1cm"}))
    printed = "".join(sheet.get_textpage().get_text_range() for sheet in paper)
    assert "Score against distance" in printed
    assert "Make it live" not in printed
    reddish = 0
    for sheet in paper:
        drawn = sheet.render(scale=2, rev_byteorder=True).to_numpy()[..., :3].astype(int)
        curve = (drawn[..., 0] - drawn[..., 1] > 100) & (drawn[..., 0] - drawn[..., 2] > 60)
        reddish += int(curve.sum())
        # the margin, at two pixels a point
        assert not curve[:, -50:].any()
    assert reddish > 500


def test_no_page_names_another_host_in_what_it_loads(examples: Path) -> None:
    """Links to read on may lead anywhere; what is loaded comes from here, whatever a page does later."""
    loads = re.compile(
        r"<(?:script|img|iframe)[^>]+src=\"(https?:)?//|<link[^>]+stylesheet[^>]+href=\"(https?:)?//"
    )
    for path in examples.glob("*/**/*.html"):
        if "lab" not in path.relative_to(examples).parts[:1]:
            assert not loads.search(path.read_text(encoding="utf-8")), path
