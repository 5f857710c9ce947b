"""The element among other people's styles, themes, scales and attributes; Python never comes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.bench.heights import NO_PYTHON
from tests.export.server import SiteServer
from tests.export.visits import Open

pytestmark = [pytest.mark.export, pytest.mark.browser]

Show = Callable[..., Page]
HEAD = "<!doctype html><meta charset=utf-8><title>A course</title><link rel=icon href=data:,>"
SCRIPT = '<script src="/lab/static/js/embed.js"></script>'
STILL = "embedding-lab[data-state=still]"
LIGHT, DARK = "rgb(255, 255, 255)", "rgb(20, 22, 27)"


@pytest.fixture
def show(open_page: Open, site: Path, serve: Callable[..., SiteServer], tmp_path: Path) -> Show:
    """Opens a page of somebody else's making, in which Python never comes."""

    def start(body: str, **options: Any) -> Page:
        (tmp_path / "page.html").write_text(HEAD + SCRIPT + body)
        host = serve({"/lab/": site, "/": tmp_path})
        page = open_page(host.origin, **options).page
        page.add_init_script(NO_PYTHON)
        page.goto(f"{host.origin}/page.html")
        return page

    return start


def paper(page: Page, element: str = "embedding-lab") -> Any:
    return page.locator(element).first.evaluate("element => getComputedStyle(element).backgroundColor")


# --- whose numbers a picture shows


@pytest.mark.parametrize(
    "state",
    [
        'room="rope" view="hands" q="2, 1" k="0.5, -1" theta="0.3" m="7" n="2"',
        'room="build" step="2"',
        'room="count" state="V=128000"',
    ],
)
def test_no_picture_is_shown_of_another_state(show: Show, state: str) -> None:
    page = show(f'<embedding-lab {state} load="click"></embedding-lab>')
    element = page.locator("embedding-lab")
    expect(element).to_have_attribute("data-state", "blank", timeout=60_000)
    expect(element.locator(".frame")).to_be_visible()
    expect(element.locator("svg")).to_have_count(0)
    expect(element.get_by_role("button")).to_be_visible()
    assert page.evaluate("window.Bokeh === undefined")
    assert element.evaluate("element => element.offsetHeight > 400")


@pytest.mark.parametrize("state", ['step="5"', 'step="5.0" hide="code"', 'markdown="1" width="700"'])
def test_the_picture_is_shown_of_the_state_that_it_has(show: Show, site: Path, state: str) -> None:
    """Spelt another way, or with attributes that are none of the room's, it is the same state."""
    defaults = json.loads((site / "manifest.json").read_text())["settings"]["build"]
    assert defaults["step"] == "5"
    page = show(f'<embedding-lab room="build" {state} load="click"></embedding-lab>')
    expect(page.locator("embedding-lab")).to_have_attribute("data-state", "still", timeout=60_000)


def test_what_is_no_setting_is_told_the_teacher_and_not_the_student(show: Show) -> None:
    page = show("")
    with page.expect_console_message(lambda message: message.type == "warning") as said:
        page.evaluate(
            "document.body.insertAdjacentHTML('beforeend',"
            " '<embedding-lab room=build scheem=rope width=7></embedding-lab>')"
        )
    assert "scheem" in said.value.text
    assert page.evaluate("EmbeddingLab.embed.query(document.querySelector('embedding-lab'))") == ""


def test_a_capital_setting_may_be_an_attribute_where_it_is_the_only_one(show: Show, site: Path) -> None:
    settings = json.loads((site / "manifest.json").read_text())["settings"]["count"]
    assert "V" in settings
    assert "v" not in settings
    page = show('<embedding-lab room="count" V="7" load="click"></embedding-lab>')
    assert page.evaluate("EmbeddingLab.embed.query(document.querySelector('embedding-lab'))") == "V=7"


# --- what stood there before


def test_the_fallback_goes_when_there_is_a_picture(show: Show) -> None:
    page = show(
        '<embedding-lab room="build" load="click">words and <a id="link" href="#">a link</a></embedding-lab>'
    )
    page.wait_for_selector(STILL)
    expect(page.locator("#link")).to_be_hidden()
    assert page.evaluate("document.querySelector('embedding-lab').innerText.includes('words and')") is False
    page.evaluate("document.querySelector('embedding-lab').setAttribute('room', 'atlantis')")


def test_the_fallback_stays_when_there_is_none(show: Show) -> None:
    page = show('<embedding-lab room="atlantis"><a id="link" href="#">a link</a></embedding-lab>')
    page.wait_for_selector("embedding-lab[data-state=failed]")
    expect(page.locator("#link")).to_be_visible()


@pytest.mark.parametrize("width", [400, 800, 1100])
def test_nothing_below_moves_when_the_picture_comes(show: Show, width: int) -> None:
    page = show(
        '<embedding-lab room="build" load="click"></embedding-lab><p id="below">below</p>',
        viewport={"width": width, "height": 800},
    )
    top = "document.getElementById('below').offsetTop"
    page.wait_for_selector("embedding-lab[data-state]")
    before = page.evaluate(top)
    page.wait_for_selector(STILL)
    after = page.evaluate(top)
    assert before > 500
    assert after == before


# --- styles


def test_a_page_that_renews_its_head_keeps_the_styles(show: Show) -> None:
    """As MkDocs Material does when it brings the next page by itself."""
    page = show('<main><embedding-lab room="build" theme="dark" load="click"></embedding-lab></main>')
    page.wait_for_selector(STILL)
    page.evaluate(
        """() => {
          for (const node of document.head.querySelectorAll("style, link[rel=stylesheet]")) node.remove();
          document.querySelector("main").innerHTML =
            '<embedding-lab id="next" room="build" theme="dark" load="click"></embedding-lab>';
        }"""
    )
    page.wait_for_selector(f"#next{STILL.removeprefix('embedding-lab')}")
    assert paper(page, "#next") == DARK


def test_a_shadow_root_has_styles_of_its_own(show: Show) -> None:
    page = show('<div id="host"></div>')
    page.evaluate(
        "document.getElementById('host').attachShadow({ mode: 'open' }).innerHTML ="
        """ '<embedding-lab room="build" theme="dark" load="eager"></embedding-lab>'"""
    )
    stack = page.locator(".lab-stack")
    expect(stack).to_have_css("display", "grid")
    assert paper(page) == DARK


# --- themes


@pytest.mark.parametrize(
    ("around", "wanted"),
    [
        ('document.documentElement.dataset.theme = "dark"', DARK),
        ('document.body.dataset.mdColorScheme = "slate"', DARK),
        ('document.body.dataset.theme = "auto"', LIGHT),
        ('document.documentElement.className = "dark"', DARK),
        ('document.documentElement.style.colorScheme = "dark"', DARK),
        ('document.body.style.background = "#101010"', DARK),
        ('document.body.style.background = "#fafafa"', LIGHT),
    ],
)
def test_colours_follow_the_page_as_it_changes(show: Show, around: str, wanted: str) -> None:
    page = show('<embedding-lab room="build" load="click"></embedding-lab>')
    page.wait_for_selector(STILL)
    assert paper(page) == LIGHT
    page.evaluate(around)
    page.wait_for_function(
        "wanted => getComputedStyle(document.querySelector('embedding-lab')).backgroundColor === wanted",
        arg=wanted,
    )


def test_the_systems_theme_counts_where_the_page_allows_both(show: Show) -> None:
    page = show(
        '<style>:root { color-scheme: light dark }</style><embedding-lab room="build" load="click">'
        "</embedding-lab>",
        color_scheme="dark",
    )
    page.wait_for_selector(STILL)
    assert paper(page) == DARK
    page.emulate_media(color_scheme="light")
    page.wait_for_function(
        f"getComputedStyle(document.querySelector('embedding-lab')).backgroundColor === '{LIGHT}'"
    )


def test_the_elements_own_theme_goes_before_the_pages(show: Show) -> None:
    page = show('<embedding-lab room="build" theme="light" load="click"></embedding-lab>')
    page.wait_for_selector(STILL)
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.evaluate("new Promise(requestAnimationFrame)")
    assert paper(page) == LIGHT


# --- scales

MOVED = """(id) => {
  const found = [];
  const walk = (view) => {
    if (view.model.type === "Figure") found.push(view);
    for (const child of view.children?.() ?? []) walk(child);
  };
  for (const root of Bokeh.index.roots) if (root.el.closest("embedding-lab")?.id === id) walk(root);
  const [view] = found.filter(({ el }) => el.offsetWidth);
  window.moves = [];
  const bus = view.canvas_view.ui_event_bus;
  const whole = bus._trigger_bokeh_event;
  bus._trigger_bokeh_event = function (plot, event) {
    moves.push([event.type, event.sx, event.sy]);
    whole.call(this, plot, event);
  };
  view.el.scrollIntoView({ block: "center" });
  const canvas = view.canvas_view.events_el;
  const { left, top, width, height } = Element.prototype.getBoundingClientRect.call(canvas);
  return { own: view.el.offsetWidth, canvas: view.canvas_view.bbox.width, left, top, width, height };
}"""


def test_a_scaled_page_is_measured_and_pointed_at_right(
    open_page: Open, site: Path, serve: Callable[..., SiteServer], tmp_path: Path
) -> None:
    scales = (1, 1.37, 0.6)
    body = "".join(
        f'<div style="transform: scale({scale}); transform-origin: 0 0; width: 700px; margin-bottom: 400px">'
        f'<embedding-lab id="at{at}" room="waves" figure="curves" load="eager"></embedding-lab></div>'
        for at, scale in enumerate(scales)
    )
    (tmp_path / "page.html").write_text(HEAD + SCRIPT + body)
    host = serve({"/lab/": site, "/": tmp_path})
    page = open_page(host.origin, viewport={"width": 1200, "height": 900}).page
    page.goto(f"{host.origin}/page.html")
    expect(page.locator("embedding-lab[data-state=live]")).to_have_count(3, timeout=90_000)
    for at, scale in enumerate(scales):
        figure = page.evaluate(MOVED, f"at{at}")
        assert abs(figure["canvas"] - figure["own"]) <= 2
        assert abs(figure["width"] - scale * figure["own"]) <= 2 * scale
        share = 0.4
        page.mouse.move(figure["left"] + share * figure["width"], figure["top"] + share * figure["height"])
        page.wait_for_function("moves.some(([type]) => type === 'move')")
        _, sx, sy = page.evaluate("moves.at(-1)")
        assert abs(sx - share * figure["width"] / scale) < 2
        assert abs(sy - share * figure["height"] / scale) < 2
