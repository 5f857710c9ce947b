"""Labels of a map: none covers another, a point, or the edge."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.rooms.geometry.model.labels import place_labels

FRAME = (300.0, 200.0)
places = st.tuples(st.floats(0, 300), st.floats(0, 200))


def test_a_lone_label_stands_to_the_right() -> None:
    """Gap 7, height 10 centred on the point: from (7, -5)."""
    labels = place_labels([[50, 50]], [[30, 10]], FRAME)
    np.testing.assert_array_equal(labels.corners, [[7, -5]])
    assert labels.shown.all()


def test_at_the_right_edge_it_moves_to_the_left() -> None:
    """30 wide and 7 away to the left: from x = -37."""
    labels = place_labels([[295, 50]], [[30, 10]], FRAME)
    np.testing.assert_array_equal(labels.corners, [[-37, -5]])


def test_above_comes_first_where_it_is_asked_for() -> None:
    labels = place_labels([[50, 50]], [[30, 10]], FRAME, above=True)
    np.testing.assert_array_equal(labels.corners, [[-15, 7]])


def test_the_first_points_keep_their_labels() -> None:
    """Twenty points in one place have sixteen places around them; the first ones get them."""
    labels = place_labels([[150, 100]] * 20, [[40, 15]] * 20, FRAME)
    assert labels.shown[0]
    assert not labels.shown[-1]
    assert labels.shown.tolist() == sorted(labels.shown.tolist(), reverse=True)


@settings(max_examples=50, deadline=None)
@given(points=st.lists(places, max_size=25), width=st.floats(1, 120), above=st.booleans())
def test_no_label_covers_a_label_a_point_or_the_edge(
    points: list[tuple[float, float]], width: float, above: bool
) -> None:
    at = np.array(points, dtype=float).reshape(-1, 2)
    sizes = np.tile([width, 12.0], (len(at), 1))
    labels = place_labels(at, sizes, FRAME, above=above)
    again = place_labels(at, sizes, FRAME, above=above)
    np.testing.assert_array_equal(labels.corners, again.corners)
    low = (at + labels.corners)[labels.shown]
    high = low + sizes[labels.shown]
    assert (low >= 0).all()
    assert (high <= FRAME).all()
    for i in range(len(low)):
        others = np.arange(len(low)) != i
        apart = ((low[i] >= high[others]) | (high[i] <= low[others])).any(axis=1)
        assert apart.all()
        clear = ((low[i] >= at + 4) | (high[i] <= at - 4)).any(axis=1)
        assert clear.all()


@pytest.mark.parametrize(
    ("points", "sizes", "frame", "dot", "message"),
    [
        ([[1, 2]], [[1, 2], [1, 2]], FRAME, 4, r"sizes \(N, 2\) must have shape \(1, 2\)"),
        ([[1, 2, 3]], [[1, 2]], FRAME, 4, r"points \(N, 2\)"),
        ([[1, np.nan]], [[1, 2]], FRAME, 4, "finite"),
        ([[1, 2]], [[1, 2]], (0, 10), 4, "width of the frame"),
        ([[1, 2]], [[1, 2]], FRAME, 7, "below the gap of 7"),
    ],
)
def test_what_does_not_fit_is_named(points, sizes, frame, dot, message) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=message):
        place_labels(points, sizes, frame, dot=dot)


EDGES = {
    "right": ((263, 100), (7, -5)),  # 263 + 7 + 30 = 300
    "bottom": ((100, 5), (7, -5)),  # 5 - 5 = 0
    "top": ((100, 195), (7, -5)),  # 195 - 5 + 10 = 200
    "left": ((37, 100), (-37, -5)),  # 37 - 37 = 0, with the right side taken
}


@pytest.mark.parametrize("edge", EDGES)
def test_a_label_may_touch_the_frame(edge: str) -> None:
    """Size 30 x 10 in a frame of 300 x 200: what ends on the edge is inside, what passes it is not."""
    (x, y), corner = EDGES[edge]
    # a point in the way on the right makes the left side the first free one
    blocked = [(x + 20, y)] if edge == "left" else []
    sizes = [[30, 10]] * (1 + len(blocked))
    labels = place_labels([(x, y), *blocked], sizes, FRAME)
    np.testing.assert_array_equal(labels.corners[0], corner)
    out = {"right": (1, 0), "left": (-1, 0), "top": (0, 1), "bottom": (0, -1)}[edge]
    beyond = place_labels([(x + out[0], y + out[1]), *blocked], sizes, FRAME)
    assert beyond.corners[0].tolist() != list(corner)
