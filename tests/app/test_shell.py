"""The page around a room says only what is true for the door it stands in."""

from __future__ import annotations

import sys

import panel as pn
import pytest

from app.kit import door
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
