"""Bundles of lines with marks: assigned and never made anew."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from app.kit.bundle import Bundle, Line, Mark, apart, even


@settings(deadline=None, max_examples=50)
@given(st.lists(st.floats(-100, 100), max_size=12), st.floats(0.01, 10))
def test_words_are_pushed_apart_and_keep_their_order(heights: list[float], gap: float) -> None:
    moved = apart(heights, gap)
    order = sorted(range(len(heights)), key=lambda index: heights[index])
    steps = np.diff([moved[index] for index in order])
    assert (steps >= gap - 1e-9).all()
    # what has room enough stays where it is
    for place, index in enumerate(order):
        neighbours = [heights[order[p]] for p in (place - 1, place + 1) if 0 <= p < len(order)]
        if all(abs(heights[index] - other) > gap * len(heights) for other in neighbours):
            assert moved[index] == heights[index]


@settings(deadline=None, max_examples=50)
@given(st.floats(1e-6, 1e9))
def test_an_axis_ends_evenly_and_not_far_above(size: float) -> None:
    end = even(size)
    assert size <= end <= 2.5 * size
    assert f"{end:.6e}"[:3] in {"1.0", "2.0", "2.5", "5.0"}


def test_lines_are_one_glyph_with_room_for_words() -> None:
    bundle = Bundle(label="lines", ends="pair")
    x = np.arange(3)
    bundle.set(x, [Line(x * 1.0, "0"), Line(x * -1.0, "1", 0.5, 1.0)], top=2.0)
    data = bundle.lines.data
    assert (data["name"], data["alpha"], data["width"]) == (["0", "1"], [1.0, 0.5], [2.0, 1.0])
    np.testing.assert_array_equal(data["ys"], [[0, 1, 2], [0, -1, -2]])
    assert bundle.figure.y_range.end > 2
    assert bundle.figure.y_range.start < -2
    assert bundle._ends.major_label_overrides == {2.0: "0", -2.0: "1"}
    assert bundle._ends.ticker.ticks == [2.0, -2.0]
    # several lines get no dots, a single one on few places does
    assert len(bundle.points.data["x"]) == 0
    bundle.set(x, [Line(x * 1.0)], top=2.0, bottom=0.0)
    np.testing.assert_array_equal(bundle.points.data["x"], x)


def test_setting_lines_makes_no_new_model() -> None:
    """A new model would make Bokeh walk the whole document."""
    bundle = Bundle(label="lines", ends="pair")
    before = {model.id for model in bundle.figure.references()}
    x = np.arange(100)
    bundle.set(x, [Line(x * 1.0, "0"), Line(x * -1.0, "1")], top=99.0)
    bundle.set_marks([Mark(3, "here", 3.0)])
    assert {model.id for model in bundle.figure.references()} == before


def test_marks_keep_out_of_each_others_way() -> None:
    bundle = Bundle(label="lines")
    x = np.arange(101)
    bundle.set(x, [Line(x * 0.0)], top=1.0)
    bundle.set_marks([Mark(0, "q"), Mark(5, "k", 0.5)])
    assert bundle.marks.data["drop"] == [0, 15]
    assert bundle.marks.data["align"] == ["left", "left"]
    assert bundle.dots.data == {"x": [5], "y": [0.5]}
    bundle.set_marks([Mark(0, "q"), Mark(100, "k")])
    assert bundle.marks.data["drop"] == [0, 0]
    assert bundle.marks.data["align"] == ["left", "right"]
    assert bundle.marks.data["shift"] == [5, -5]


def test_a_logarithmic_axis_starts_at_its_first_place() -> None:
    bundle = Bundle(label="lines", x_type="log")
    x = np.arange(1, 2_048)
    bundle.set(x, [Line(x * 1.0)], top=2_047.0, bottom=0.0)
    assert (bundle.figure.x_range.start, bundle.figure.x_range.end) == (1.0, 2_047.0)
