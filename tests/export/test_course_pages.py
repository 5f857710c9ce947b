"""What course pages do to an element: styles that reach into it, and paper."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.export.server import SiteServer
from tests.export.visits import Open

pytestmark = [pytest.mark.export, pytest.mark.browser]

Show = Callable[[str], Page]
HEAD = "<!doctype html><meta charset=utf-8><title>A course</title><link rel=icon href=data:,>"
LIVE = "embedding-lab[data-state=live] .lab-shown"
SCRIPT = '<script src="/lab/static/js/embed.js"></script>'
CANVASES = """() => {
  const parts = (node) => [...(node.shadowRoot?.children ?? []), ...node.children];
  const within = (node) => parts(node).flatMap((each) => [each, ...within(each)]);
  const canvases = within(document.body).filter((each) => each.localName === "canvas");
  return canvases.map((each) => getComputedStyle(each).maxWidth);
}"""


@pytest.fixture
def show(open_page: Open, site: Path, serve: Callable[..., SiteServer], tmp_path: Path) -> Show:
    """Opens a page with elements in it."""

    def start(body: str) -> Page:
        (tmp_path / "page.html").write_text(HEAD + SCRIPT + body)
        host = serve({"/lab/": site, "/": tmp_path})
        page = open_page(host.origin, viewport={"width": 390, "height": 900}).page
        page.goto(f"{host.origin}/page.html")
        return page

    return start


def test_a_room_is_as_wide_as_its_place_where_box_sizing_is_inherited(show: Show) -> None:
    """As in MkDocs Material, where rooms were 40 px too wide."""
    style = "<style>html { box-sizing: border-box } *, ::before, ::after { box-sizing: inherit }</style>"
    page = show(f'{style}<embedding-lab room="build" load="eager"></embedding-lab>')
    page.locator(f"{LIVE} .lab-room").wait_for(timeout=60_000)
    assert page.evaluate("document.querySelector('.lab-room').offsetWidth") <= page.evaluate(
        "document.querySelector('embedding-lab').offsetWidth"
    )


def test_a_page_that_centres_its_text_leaves_a_figure_alone(show: Show) -> None:
    """As slides of reveal.js do."""
    page = show(
        '<div style="text-align: center"><embedding-lab room="build" load="eager"></embedding-lab></div>'
    )
    room = page.locator(f"{LIVE} .lab-room")
    room.wait_for(timeout=60_000)
    expect(room).to_have_css("text-align", "start")


def test_on_paper_nothing_is_offered_and_no_place_is_kept(show: Show) -> None:
    page = show(
        '<embedding-lab room="waves" load="eager"></embedding-lab>'
        '<embedding-lab id="blank" room="build" step="2" load="click"></embedding-lab>'
    )
    page.locator(f"{LIVE} .lab-room").wait_for(timeout=60_000)
    page.locator("#blank[data-state=blank]").wait_for()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    expect(page.get_by_role("button", name="Make it live")).to_have_count(0)
    assert page.locator("#blank").evaluate("element => element.offsetHeight") < 300
    # a canvas that was drawn for a wider screen is shown smaller
    drawn = page.evaluate(CANVASES)
    assert drawn
    assert set(drawn) == {"100%"}
