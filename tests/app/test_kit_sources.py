"""Columns go to the page where they have changed, and only there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from bokeh.models import ColumnDataSource

from app.kit.figures import Curves
from app.kit.sources import assign


def changes(source: ColumnDataSource) -> list[str]:
    seen: list[str] = []
    source.on_change("data", lambda attr, old, new: seen.append(attr))
    return seen


@pytest.mark.parametrize(
    ("first", "second", "sent"),
    [
        ([1, 2], [1, 2], 1),
        ([1, 2], [1, 3], 2),
        ([1, 2], [1, 2, 3], 2),
        (np.arange(3.0), np.arange(3.0), 1),
        (np.arange(3.0), np.arange(4.0), 2),
        (np.array([1.0]), np.array([2.0]), 2),
        (["a"], ["b"], 2),
        # a gap in a line is not known to be the same gap
        (np.array([np.nan]), np.array([np.nan]), 2),
    ],
)
def test_only_what_has_changed_is_sent(first: Any, second: Any, sent: int) -> None:
    source = ColumnDataSource({"x": []})
    seen = changes(source)
    for column in (first, second):
        assign(source, x=column)
        np.testing.assert_array_equal(source.data["x"], column)
    assert len(seen) == sent


def test_a_list_that_grows_in_place_is_sent_again() -> None:
    source = ColumnDataSource({"x": [], "y": []})
    seen, steps = changes(source), [1]
    for step in (2, 3):
        assign(source, x=steps, y=[0] * len(steps))
        steps.append(step)
    assert len(seen) == 2
    assert source.data["x"] == [1, 2]


def test_one_column_that_changes_sends_all() -> None:
    plot = Curves({"a": ("A", "accent")}, label="x")
    seen = changes(plot.sources["a"])
    plot.set("a", [0, 1], [1.0, 2.0])
    plot.set("a", [0, 1], [1.0, 2.0])
    plot.set("a", [0, 1], [1.0, 3.0])
    assert len(seen) == 2


def test_a_mark_lies_over_everything_so_that_the_rest_is_not_drawn_again() -> None:
    assert Curves({"a": ("A", "accent")}, label="x").mark(x=1.0).level == "overlay"
