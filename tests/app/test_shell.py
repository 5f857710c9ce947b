"""The page around a room says only what is true for the door it stands in."""

from __future__ import annotations

import sys
from html import escape

import panel as pn
import pytest

from app.kit import door
from app.path import PATH
from app.rooms import ROOMS
from app.rooms.geometry.room import GeometryRoom
from app.shell import chrome


@pytest.mark.parametrize(("platform", "browser"), [("linux", False), ("emscripten", True)])
def test_where_typed_text_goes_is_said_as_it_is(
    monkeypatch: pytest.MonkeyPatch, platform: str, browser: bool
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    assert door.in_browser() is browser
    _, footer = chrome("build", lambda key: key)
    panes = GeometryRoom().layout.select(pn.pane.HTML)
    note = next(str(pane.object) for pane in panes if "safetensors" in str(pane.object))
    for said in (footer, note):
        assert ("server" in said) is not browser
        assert ("leaves this page" in said or "stays in this page" in said) is browser


def test_rooms_stand_in_the_order_of_the_path() -> None:
    steps = list(PATH)
    places = [steps.index(room.place) for room in ROOMS.values()]
    assert places == sorted(places)


def test_each_step_of_the_path_leads_to_its_room() -> None:
    header, _ = chrome("build", lambda key: f"?room={key}")
    for place in PATH.values():
        assert place.room in ROOMS
        assert f'href="{escape(place.address(lambda key: f"?room={key}"))}"' in header
        room = ROOMS[place.room](place.state)
        assert not room._notices
    assert PATH["ids"].address(lambda key: f"../{key}/") == "../build/?step=2"
    assert list(ROOMS["build"](PATH["ids"].state).view) == ["ids"]
