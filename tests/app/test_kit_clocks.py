"""Clocks: hands at their angles, arcs the right way round, and nothing typed gets through unescaped."""

from __future__ import annotations

import math
import re

import pytest

from app.kit.clocks import RADIUS, Clock, Hand, clocks, degrees, face


def tip(markup: str) -> tuple[float, float]:
    found = re.search(r'<line x2="([-\d.]+)" y2="([-\d.]+)"', markup)
    assert found
    return float(found[1]), float(found[2])


@pytest.mark.parametrize("angle", [0.0, 1.0, math.pi / 2, 3.0, -2.0, 41.0])
def test_a_hand_ends_at_cosine_and_sine(angle: float) -> None:
    """The y axis of SVG points down, so the sine is drawn with a minus."""
    x, y = tip(face(Clock((Hand(angle, length=0.5),))))
    assert x == pytest.approx(0.5 * RADIUS * math.cos(angle), abs=0.01)
    assert y == pytest.approx(-0.5 * RADIUS * math.sin(angle), abs=0.01)


def test_arcs_sweep_from_the_first_angle_to_the_second() -> None:
    """Anticlockwise is sweep 0 in SVG; more than half a turn is the large arc; a full turn is a disc."""
    flags = {(0.0, 1.0): "0 0 0", (0.0, -1.0): "0 0 1", (0.0, 4.0): "0 1 0", (6.0, 7.0): "0 0 0"}
    for arc, expected in flags.items():
        assert f"24.2 24.2 {expected} " in face(Clock((Hand(0.0),), arc=arc))
    assert 'd="M0 0L' not in face(Clock((Hand(0.0),), arc=(0.0, 7.0)))


def test_angles_as_they_are_printed() -> None:
    assert [degrees(angle) for angle in (0.0, math.pi, -math.pi / 2, 7.0, 2 * math.pi)] == [
        "0°",
        "180°",
        "270°",
        "41°",
        "0°",
    ]


def test_lines_and_names_are_escaped() -> None:
    shown = clocks([Clock((Hand(0.0, name='"<i>'),), ("<b>x", "{0}"), marked=True)], 'a"b')
    assert "<i>" not in shown
    assert "&lt;b&gt;x" in shown
    assert "<span>{0}</span>" in shown
    assert 'class="lab-clock lab-marked"' in shown
    assert shown.count("<svg") == shown.count("</svg>") == 1
