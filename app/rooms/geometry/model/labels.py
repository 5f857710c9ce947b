"""Places for the labels of a map, so that none covers another or a point."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lab.notation import Array, FloatArray, as_floats, check_positive

_SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))
"""Directions from a point in which its label may lie, the preferred ones first."""
_RINGS = (1.0, 2.5)
"""Distances at which they are tried, in gaps; further away a reader would take it for another's."""


class Labels(NamedTuple):
    """Where labels go."""

    corners: FloatArray
    """Lower left corner of each label, relative to its point, shape (N, 2)."""
    shown: Array
    """Whether there is room for it, shape (N,)."""


def place_labels(
    points: ArrayLike,
    sizes: ArrayLike,
    frame: tuple[float, float],
    gap: float = 7.0,
    dot: float = 4.0,
    above: bool = False,
) -> Labels:
    """Place one label beside each point, the first points first.

    The first free place is taken, in one fixed order of sides, so the same map always looks the same. A
    label that would cover another label or any point, or leave the frame, is left out.

    Parameters
    ----------
    points : array_like
        Positions in pixels, y upwards, shape (N, 2); the important ones first.
    sizes : array_like
        Width and height of the labels in pixels, shape (N, 2).
    frame : tuple of float
        Width and height of the picture in pixels.
    gap : float
        Pixels from a point to its label.
    dot : float
        Radius of a point's dot in pixels; below ``gap``.
    above : bool
        Try above and below a point before right and left of it.

    Raises
    ------
    ValueError
        If the shapes differ, a number is not finite, the frame is empty, or a dot reaches over the gap.

    References
    ----------
    Christensen, Marks and Shieber 1995, An empirical study of algorithms for point-feature label placement,
    section 3.1 (greedy placement over fixed positions).

    Examples
    --------
    >>> labels = place_labels([[10.0, 50.0], [20.0, 50.0]], [[30.0, 10.0], [30.0, 10.0]], (100.0, 100.0))
    >>> labels.corners.tolist(), labels.shown.tolist()
    ([[7.0, 7.0], [7.0, -5.0]], [True, True])
    """
    at = as_floats("points (N, 2)", points, (None, 2)).astype(np.float64)
    size = as_floats("sizes (N, 2)", sizes, (len(at), 2)).astype(np.float64)
    edge = np.array([check_positive("width of the frame", frame[0]), check_positive("height", frame[1])])
    if not 0 <= dot < gap:
        raise ValueError(f"a dot's radius must be at least 0 and below the gap of {gap}; got {dot}")
    offsets = _offsets(size, gap, above)
    low = at[:, None] + offsets  # (N, 2) -> (N, candidates, 2)
    boxes = np.concatenate([low, low + size[:, None]], axis=-1)  # left, bottom, right, top
    free = np.asarray((low >= 0).all(axis=-1) & (boxes[..., 2:] <= edge).all(axis=-1))
    free &= ~_overlap(boxes, np.hstack([at - dot, at + dot])).any(axis=-1)
    taken = np.empty((len(at), 4))
    chosen = np.full(len(at), -1)
    count = 0
    for i in range(len(at)):
        open_places = np.flatnonzero(free[i])
        clear = open_places[~_overlap(boxes[i, open_places], taken[:count]).any(axis=-1)]
        if clear.size:
            chosen[i] = clear[0]
            taken[count] = boxes[i, clear[0]]
            count += 1
    shown = chosen >= 0
    return Labels(np.where(shown[:, None], offsets[np.arange(len(at)), chosen], 0.0), shown)


def _offsets(size: Array, gap: float, above: bool) -> Array:
    """Lower left corners relative to the points: (N, 2) -> (N, candidates, 2)."""
    sides = np.array([*_SIDES[2:4], *_SIDES[:2], *_SIDES[4:]] if above else _SIDES, dtype=float)
    # a label at a corner starts where the dot ends, along both axes
    away = np.concatenate([sides * gap * ring for ring in _RINGS])
    sides = np.concatenate([sides] * len(_RINGS))
    offsets: Array = away + (sides - 1) / 2 * size[:, None]
    return offsets


def _overlap(boxes: Array, others: Array) -> Array:
    """Whether boxes (..., 4) and (O, 4) share more than an edge: (..., O)."""
    left, bottom, right, top = (boxes[..., None, side] for side in range(4))
    overlap: Array = (
        (left < others[:, 2]) & (others[:, 0] < right) & (bottom < others[:, 3]) & (others[:, 1] < top)
    )
    return overlap
