"""The site's stills: one of every figure, listed with its digest and its size."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from app.export.pack import integrity
from app.shell import ROOMS
from app.still import draw_still

pytestmark = pytest.mark.export

WEIGHT = 16_000
"""Bytes of a still as a host sends it."""


def test_every_figure_has_its_still_and_no_other(site: Path) -> None:
    listed = json.loads((site / "manifest.json").read_text())["stills"]
    assert {room: list(figures) for room, figures in listed.items()} == {
        room: [made.key for made in kind.kinds] for room, kind in ROOMS.items()
    }
    named = {one["file"] for figures in listed.values() for one in figures.values()}
    assert named == {path.relative_to(site).as_posix() for path in (site / "stills").rglob("*.svg")}


def test_a_still_is_what_the_manifest_says_and_small(site: Path) -> None:
    listed = json.loads((site / "manifest.json").read_text())["stills"]
    for figures in listed.values():
        for one in figures.values():
            content = (site / one["file"]).read_bytes()
            assert integrity(content) == one["integrity"]
            assert f'viewBox="0 0 {one["width"]} {one["height"]}"'.encode() in content
            assert len(gzip.compress(content)) < WEIGHT


def test_it_is_the_default_state_s(site: Path) -> None:
    assert (site / "stills/rope/score.svg").read_text(encoding="utf-8") == draw_still("rope", "score").svg
