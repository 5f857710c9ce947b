"""Figures in a notebook's page: the kernel computes them, or the built site where there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from app.notebook import EmbeddingFigure
from tests.hosted import Host, tell_all

pytestmark = pytest.mark.browser

LIVE = ".lab-notebook[data-state=live]"
CAPTION = ".lab-caption p:visible"
LIGHT, DARK = "rgb(255, 255, 255)", "rgb(20, 22, 27)"
Open = Callable[..., Page]


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    tell_all(monkeypatch)
    made = Host()
    yield made
    made.close()


def score(host: Host, **more: Any) -> Any:
    return host.show(lambda: EmbeddingFigure("rope", figure="score", **more))


def open_notebook(open_page: Open, host: Host, query: str = "", live: int = 1) -> Page:
    page = open_page(f"{host.origin}/?{query}")
    expect(page.locator(LIVE)).to_have_count(live, timeout=30_000)
    return page


def theta(page: Page) -> Any:
    return page.locator(".lab-notebook .noUi-handle").first


def test_both_sides_follow_each_other(open_page: Open, host: Host) -> None:
    fig = score(host, theta=0.5)
    page = open_notebook(open_page, host)
    expect(page.locator(CAPTION)).to_contain_text("the score is 0.54")
    theta(page).press("ArrowRight")
    expect(page.locator(CAPTION)).to_contain_text("the score is 0.454")
    assert host.run(lambda: (fig.theta, fig.query)) == (0.55, "theta=0.55")
    host.run(lambda: setattr(fig, "theta", 1.0))
    expect(page.locator(CAPTION)).to_contain_text("the score is −0.416")
    expect(theta(page)).to_have_attribute("aria-valuenow", "1.0")
    # the sentence of the beginning is gone
    expect(page.locator(".lab-sentence")).to_be_hidden()


def test_several_figures_share_what_came_once(open_page: Open, host: Host) -> None:
    figs = [score(host), host.show(lambda: EmbeddingFigure("build")), score(host, theta=1.0)]
    page = open_notebook(open_page, host, live=3)
    asked = [told["view"] for fig in figs for told, _ in fig.comm.custom("content")]
    assert len(asked) == 6
    assert len(set(asked)) == 1
    assert page.evaluate("Bokeh.documents.length") == 3
    # the sheets stand once in the page, however many figures it has
    assert page.evaluate("document.adoptedStyleSheets.length") == 3


@pytest.mark.parametrize("query", ["", "shadow"])
def test_styles_and_theme_reach_every_root(open_page: Open, host: Host, query: str) -> None:
    fig = score(host)
    page = open_notebook(open_page, host, query)
    notebook = page.locator(LIVE)
    paper = "element => getComputedStyle(element).backgroundColor"
    curve = """() => [...Bokeh.documents[0]._all_models.values()]
      .filter((model) => model.tags?.some?.((tag) => String(tag).startsWith("paint:line_color")))
      .map((model) => JSON.stringify(model.line_color))"""
    assert notebook.evaluate(paper) == LIGHT
    before = page.evaluate(curve)
    assert before
    page.evaluate("document.body.dataset.jpThemeLight = 'false'")
    expect(notebook).to_have_attribute("data-theme", "dark")
    assert notebook.evaluate(paper) == DARK
    assert page.evaluate(curve) != before
    host.run(lambda: setattr(fig, "theme", "light"))
    expect(notebook).to_have_attribute("data-theme", "light")
    assert page.locator(".lab-stack").evaluate("stack => getComputedStyle(stack).display") == "grid"


def test_one_figure_in_two_places(open_page: Open, host: Host) -> None:
    score(host)
    page = open_notebook(open_page, host)
    page.evaluate("show(Object.keys(models)[0])")
    expect(page.locator(LIVE)).to_have_count(2)
    theta(page).press("ArrowRight")
    expect(page.locator(CAPTION).last).to_contain_text("the score is 0.454")
    page.evaluate("endings.pop()()")
    expect(page.locator(LIVE)).to_have_count(1)
    assert page.evaluate("Bokeh.documents.length") == 1
    theta(page).press("ArrowRight")
    expect(page.locator(CAPTION)).to_contain_text("the score is 0.362")


def test_a_figure_that_leaves_early_takes_nothing_along(open_page: Open, host: Host) -> None:
    """The first figure of a page asks for the scripts: if it goes, the next one asks."""
    for _ in range(2):
        score(host)
    open_notebook(open_page, host, "early")


def test_another_bokehjs_is_said(open_page: Open, host: Host) -> None:
    score(host)
    page = open_page(f"{host.origin}/?bokeh=2.4.3")
    expect(page.get_by_role("alert")).to_contain_text("This page has BokehJS 2.4.3 already, the lab needs")
    assert page.evaluate("Object.keys(Bokeh.Models).length") == 0


def test_without_a_kernel_it_says_what_to_do(open_page: Open, host: Host) -> None:
    score(host)
    page = open_page(f"{host.origin}/?deaf")
    expect(page.get_by_role("alert")).to_contain_text(
        "No kernel answers here. Run the cell again", timeout=15_000
    )


def test_the_menu_offers_files_alone(open_page: Open, host: Host) -> None:
    score(host)
    page = open_notebook(open_page, host)
    page.locator(".lab-menu summary").first.click()
    expect(page.locator("[data-figure=png]")).to_be_visible()
    expect(page.locator("[data-figure=link]")).to_be_hidden()
    expect(page.locator("[data-figure=embed]")).to_be_hidden()
