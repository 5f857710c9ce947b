"""Stills of states drawn from the parameters of each room: those that a room can show have a true one."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.shell import ROOMS
from app.still import draw_still
from app.still.still import draw
from tests import stills
from tests.sweep.states import states


@pytest.mark.parametrize("room", list(ROOMS))
@settings(
    max_examples=5, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)
@given(data=st.data())
def test_a_state_that_can_be_shown_has_a_still(room: str, data: Any) -> None:
    figure = data.draw(st.sampled_from(ROOMS[room].keys()))
    values = data.draw(states(ROOMS[room]))
    width = data.draw(st.sampled_from([360, 720]))
    try:
        still = draw(room, figure, values, width=width)
    except ValueError:
        # what the room refuses, in its own words; tests/sweep reads them
        return
    root = stills.tree(still.svg)
    assert root.find(f"{stills.SVG}desc").text
    drawing = re.sub(r">[^<]*<|base64,[^\"]*", "><", still.svg.partition("</desc>")[2])
    assert not re.search(r"\b(nan|inf|None)\b", drawing)
    for one in stills.said(root):
        assert one.turned or -1 <= one.left <= one.right <= still.width + 1, one


def test_the_same_state_has_the_same_still() -> None:
    assert draw_still("rope", "score", "theta=0.3") == draw("rope", "score", {"theta": 0.3})
