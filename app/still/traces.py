"""Lines as SVG paths: no more points than show, each as a step from the one before."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from app.still.canvas import number

MANY = 200
"""Points up to which a line is not thinned pixel by pixel."""
NEAR = 0.12
"""How far in pixels a line may be from what it stands for."""


def trace(x: Any, y: Any, reach: tuple[float, float]) -> str:
    """A path through points in pixels; where one is not a number it is broken.

    Heights are kept between the two of ``reach``: far beyond the frame nothing changes.

    >>> trace([0, 1, 2, 3], [0, 0, 0, 5], (-9, 9))
    'M0 0h2l1 5'
    """
    points = np.column_stack([np.asarray(x, float), np.clip(np.asarray(y, float), *reach)])
    known = np.isfinite(points).all(axis=1)
    edges = np.flatnonzero(np.diff(known.astype(int))) + 1
    parts = np.split(points, edges)
    return "".join(
        _written(_simple(_thinned(part))) for part in parts if len(part) and np.isfinite(part).all()
    )


def _written(points: Any) -> str:
    # steps between rounded places: what rounding takes does not add up
    rounded = np.round(points, 1)
    d = f"M{number(rounded[0][0])} {number(rounded[0][1])}"
    steps = np.diff(rounded, axis=0)
    before = ""
    for across, down in steps:
        dx, dy = number(across), number(down)
        if dy == "0" or dx == "0":
            if dx != dy:
                d, before = d + (f"h{dx}" if dy == "0" else f"v{dy}"), ""
            continue
        link = "l" if before != "l" else "" if dx.startswith("-") else " "
        d += f"{link}{dx}{'' if dy.startswith('-') else ' '}{dy}"
        before = "l"
    # a line of one point is a dot
    return d if len(points) > 1 else f"{d}h0"


def _thinned(points: Any) -> Any:
    """Of more points than a pixel can show, the first, lowest, highest and last of each."""
    if len(points) <= MANY:
        return points
    cells = np.floor(points[:, 0])
    kept: list[int] = []
    for start, end in _stretches(cells):
        heights = points[start:end, 1]
        kept += sorted({start, start + int(heights.argmin()), start + int(heights.argmax()), end - 1})
    return points[kept]


def _stretches(cells: Any) -> Iterator[tuple[int, int]]:
    yield from pairwise([0, *(np.flatnonzero(cells[1:] != cells[:-1]) + 1).tolist(), len(cells)])


def _simple(points: Any) -> Any:
    """Without the points that lie on the line between their neighbours (Douglas and Peucker, 1973)."""
    kept = np.zeros(len(points), bool)
    kept[[0, -1]] = True
    waiting = [(0, len(points) - 1)]
    while waiting:
        start, end = waiting.pop()
        if end - start < 2:
            continue
        chord, inner = points[end] - points[start], points[start + 1 : end] - points[start]
        length = float(np.hypot(*chord))
        away = (
            np.abs(inner[:, 0] * chord[1] - inner[:, 1] * chord[0]) / length if length else np.hypot(*inner.T)
        )
        # a line that turns back goes farther than its chord
        along = inner @ chord / (length or 1.0)
        away = np.maximum(away, np.maximum(-along, along - length))
        farthest = int(away.argmax())
        if away[farthest] > NEAR:
            place = start + 1 + farthest
            kept[place] = True
            waiting += [(start, place), (place, end)]
    return points[kept]
