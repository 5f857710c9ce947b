"""Names inside BokehJS that static/js/bokeh.js leans on: what each one gives, what to do when it is gone."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.serving import ROOT

NAMES = {
    "views": "figures and controls are found no more: look for what has taken the place of index.roots",
    "modelsOf": "colours of the theme stay as Python sent them: see how a document lists its models",
    "shadowOf": "controls lose their names: see where a view keeps its shadow root",
    "areaOf": "the pointer is elsewhere on scaled pages: see which element a canvas listens on",
    "drawnBy": "marks run out of their frame: see where a figure keeps the views of its renderers",
    "clip": "marks run out of their frame: see what makes a renderer end at the frame",
    "isIdle": "pictures appear before they are painted: see how a document says that it is at rest",
    "takesVectors": "colours of glyphs stay as they were: see how a property says that it takes a vector",
}
GIVES = """async (name) => {
  const bokeh = await import(new URL("assets/js/bokeh.js", location.href));
  const view = bokeh.views().find(({ model }) => model.type === "Figure");
  const doc = Bokeh.documents[0];
  const line = bokeh.modelsOf(doc).find(({ type }) => type === "Line");
  const span = bokeh.drawnBy(view).find(({ model }) => model.type === "Span");
  const found = {
    views: () => bokeh.views().length > 20 && bokeh.views().some(({ model }) => model.type === "Slider"),
    modelsOf: () => bokeh.modelsOf(doc).length > 20 && bokeh.tagged(doc, "sight").length === 1,
    shadowOf: () => bokeh.shadowOf(view) instanceof ShadowRoot,
    areaOf: () => bokeh.areaOf(view) instanceof HTMLElement,
    drawnBy: () => bokeh.drawnBy(view).length >= 3 && span.model.level === "overlay",
    clip: () => "needs_clip" in span && (bokeh.clip({}), span.needs_clip === true),
    isIdle: () => bokeh.isIdle(doc) === true,
    takesVectors: () => bokeh.takesVectors(line, "line_color") && !bokeh.takesVectors(span.model, "location"),
  };
  return found[name]();
}"""


@pytest.fixture(scope="module")
def page(browser: Browser, lab: str) -> Iterator[Page]:
    made = browser.new_page(viewport={"width": 1100, "height": 1400})
    made.goto(f"{lab}?room=waves")
    expect(made.locator(".lab-figure-rows .lab-caption p")).to_be_visible()
    made.locator(".lab-figure-dots h2").scroll_into_view_if_needed()
    expect(made.locator(".lab-figure-dots .lab-caption p")).to_be_visible()
    yield made
    made.close()


@pytest.mark.parametrize("name", NAMES)
def test_a_name_gives_what_the_page_needs(page: Page, name: str) -> None:
    assert page.evaluate(GIVES, name), NAMES[name]


def test_every_function_has_its_test(page: Page) -> None:
    script = "async () => Object.keys(await import(new URL('assets/js/bokeh.js', location.href)))"
    assert {*page.evaluate(script)} - {"tagged"} == set(NAMES)


def test_nobody_else_reaches_inside() -> None:
    private = re.compile(r"_all_models|needs_clip|renderer_views|events_el|shadow_el|\.is_idle")
    users = {path.name for path in (ROOT / "static" / "js").glob("*.js") if private.search(path.read_text())}
    assert users == {"bokeh.js"}
