"""A room in somebody's Panel app: styled and painted, in the page's theme, and nothing else is touched."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from lab.places import STATIC
from tests.serving import ROOT, Lab

APP = """
import panel as pn
from app.notebook import EmbeddingRoom
pn.extension()
room = EmbeddingRoom("rope", "figure=score&theta=.9&hide=code")
mine = pn.widgets.FloatSlider(label="mine", start=0, end=3, value=.9)
mine.link(room.room.state, value="theta")
told = pn.pane.HTML(pn.bind(lambda theta: f"<p id=told>theta is {theta}</p>", room.room.state.param.theta))
pn.Column(pn.Row(mine, told), room, sizing_mode="stretch_width").servable()
"""
CAPTION = ".lab-caption p:visible"
DARK = "rgb(20, 22, 27)"
CURVE = """() => Bokeh.documents.flatMap((doc) => [...doc._all_models.values()])
  .filter(({ tags }) => tags?.some?.((tag) => String(tag).startsWith("paint:line_color")))
  .map(({ line_color: colour }) => JSON.stringify(colour)).join()"""


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    script = tmp_path / "main.py"
    script.write_text(APP)
    command = ("panel", "serve", str(script), "--static-dirs", f"assets={STATIC}")
    served = Lab(command=command, PYTHONPATH=str(ROOT))
    yield served.address
    served.stop()


def test_a_room_among_other_peoples_components(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(address)
    expect(page.locator(CAPTION)).to_contain_text("the score is −0.227")
    # the app sets the room, and hears of it
    page.locator(".noUi-handle").first.press("Home")
    expect(page.locator(CAPTION)).to_contain_text("the score is 1")
    page.locator(".lab-theme .noUi-handle").first.press("ArrowRight")
    expect(page.locator("#told")).to_have_text("theta is 0.05")
    home, before = page.locator(".lab-theme"), page.evaluate(CURVE)
    expect(home).to_have_attribute("data-theme", "light")
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    expect(home).to_have_attribute("data-theme", "dark")
    assert home.evaluate("element => getComputedStyle(element).backgroundColor") == DARK
    assert page.evaluate(CURVE) != before
    # colours and address are the page's own
    assert page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--paper')") == ""
    assert page.evaluate("location.search") == ""
