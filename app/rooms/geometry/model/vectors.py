"""Two vectors, with every step from their numbers to the angle between them; and the plane they span."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from app.rooms.geometry.model.study import TableStudy
from lab.geometry import cosine
from lab.notation import Array, FloatArray, IntArray, as_floats, check_count, readonly


class Spread(NamedTuple):
    """How a sum is spread over its terms, by their magnitude."""

    first: int
    """The term of the largest magnitude."""
    share: float
    """Its magnitude over the sum of all magnitudes; 0 where all are 0."""
    half: int
    """The fewest terms that together have half of the sum of magnitudes."""
    terms: int


def spread(products: ArrayLike) -> Spread:
    """Over how many dimensions a dot product is spread, from its products dimension by dimension, (D,).

    Examples
    --------
    >>> spread([0.81, 0.42, 0.03])
    Spread(first=0, share=0.6428571428571429, half=1, terms=3)
    """
    sizes = np.abs(as_floats("products (D,)", products, (None,)).astype(np.float64))
    if not sizes.size:
        raise ValueError("a dot product needs at least one dimension; there is none")
    order = np.argsort(-sizes, kind="stable")
    total = float(sizes.sum())
    if total == 0:
        return Spread(int(order[0]), 0.0, 0, sizes.size)
    reached = np.cumsum(sizes[order]) >= total / 2 * (1 - 1e-12)
    return Spread(int(order[0]), float(sizes[order[0]] / total), int(reached.argmax()) + 1, sizes.size)


@dataclass(frozen=True, eq=False)
class Angle:
    """The cosine of two vectors and what it is made of."""

    products: FloatArray
    """Entry by entry, (D,); their sum is the dot product."""
    dot: float
    norm_a: float
    norm_b: float
    cosine: float | None
    """None where a vector is zero: there is then no angle."""
    largest: IntArray
    """Dimensions by the magnitude of their product, the largest first, (D,)."""

    @property
    def degrees(self) -> float | None:
        """The angle in degrees, 0 to 180."""
        return None if self.cosine is None else math.degrees(math.acos(self.cosine))

    @property
    def lengths(self) -> float:
        """What the dot product is divided by."""
        return self.norm_a * self.norm_b


def angle_between(a: ArrayLike, b: ArrayLike) -> Angle:
    """The cosine of two vectors, (D,), with every step on the way.

    Examples
    --------
    >>> angle = angle_between([0.9, 0.7, 0.1], [0.9, 0.6, 0.3])
    >>> angle.products.round(2).tolist(), round(angle.dot, 2), round(angle.cosine, 3)
    ([0.81, 0.42, 0.03], 1.26, 0.981)
    """
    first = as_floats("a (D,)", a, (None,)).astype(np.float64)
    second = as_floats("b (D,)", b, (len(first),)).astype(np.float64)
    products = first * second
    return Angle(
        products=readonly(products),
        dot=float(products.sum()),
        norm_a=float(np.linalg.norm(first)),
        norm_b=float(np.linalg.norm(second)),
        cosine=cosine(first, second) if first.any() and second.any() else None,
        largest=readonly(np.argsort(-np.abs(products), kind="stable")),
    )


def largest_words(study: TableStudy, dimension: int, k: int) -> IntArray:
    """Ids of the k words with the largest numbers in one dimension, the largest first.

    Numbers are taken from rows of length 1, so that long rows do not lead every list.

    Examples
    --------
    >>> from lab.vocab import FINANCE
    >>> study = TableStudy(FINANCE)
    >>> study.names(largest_words(study, 2, 2))
    ['cash', 'save']
    """
    if not 0 <= dimension < study.D:
        raise ValueError(f"dimension {dimension} is none of the {study.D} of this table, 0 to {study.D - 1}")
    rows = study.words if len(study.words) >= check_count("k", k) else np.arange(study.V)
    values = study.unit[rows, dimension]
    defined = np.flatnonzero(~np.isnan(values))
    order = defined[np.argsort(-values[defined], kind="stable")][:k]
    return readonly(rows[order])


def cosine_error(E: ArrayLike, roundings: int = 1) -> float:
    """How far a cosine may be off because rows (V, D) are stored in 8 bits: its standard deviation.

    A number that was rounded to steps of max|row| / 127 is off by up to half a step, anywhere with the same
    probability: variance step squared over 12. Errors of different numbers are taken as independent, and the
    rows as nearly at right angles, where a cosine moves most. ``roundings`` is how often they were rounded.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> E = rng.standard_normal((200, 400))
    >>> step = abs(E).max(axis=1, keepdims=True) / 127
    >>> round(cosine_error(np.rint(E / step) * step), 4)
    0.0005
    """
    rows: FloatArray = as_floats("E (V, D)", E, (None, None)).astype(np.float64)
    lengths = np.linalg.norm(rows, axis=1)
    kept = lengths > 0
    if not kept.any():
        raise ValueError("no row has a length, so none has a cosine")
    step = np.abs(rows[kept]).max(axis=1) / 127
    # relative to the row's length, one direction at right angles to it: the other row's
    off = step / np.sqrt(12) / lengths[kept]
    return float(np.sqrt(2 * check_count("roundings", roundings)) * np.median(off))


@dataclass(frozen=True, eq=False)
class Planar:
    """Points of a high-dimensional space seen on one plane."""

    points: FloatArray
    """(N, 2)."""
    height: FloatArray
    """How far each point lies above or below the plane, (N,)."""


def parallelogram(a: ArrayLike, b: ArrayLike, c: ArrayLike, others: ArrayLike) -> Planar:
    """a, b, c, b - a + c and further points (M, D) on the plane that the first four lie on exactly.

    The x axis points from a to b; a lies at the origin and c above or on the axis, so the picture is the
    same on every machine.

    Raises
    ------
    ValueError
        If the widths differ, an entry is not finite, or a and b are equal: their difference says nothing.

    Examples
    --------
    >>> parallelogram([0.0, 0.0], [2.0, 0.0], [0.0, 1.0], [[2.0, 1.5]]).points.tolist()
    [[0.0, 0.0], [2.0, 0.0], [0.0, 1.0], [2.0, 1.0], [2.0, 1.5]]
    """
    start = as_floats("a (D,)", a, (None,)).astype(np.float64)
    end, third = (as_floats(name, v, (len(start),)).astype(np.float64) for name, v in (("b", b), ("c", c)))
    rest = as_floats("others (M, D)", others, (None, len(start))).astype(np.float64)
    along = end - start
    if not along.any():
        raise ValueError("a and b are equal, so the step from one to the other is zero and says nothing")
    x = along / np.linalg.norm(along)
    y = _across(third - start, x)
    points = np.vstack([start, end, third, end - start + third, rest]) - start  # (4 + M, D)
    flat = points @ np.stack([x, y], axis=1)  # (4 + M, D) (D, 2) -> (4 + M, 2)
    height = np.linalg.norm(points - flat @ np.stack([x, y]), axis=1)
    return Planar(readonly(flat), readonly(height))


def _across(direction: Array, x: Array) -> Array:
    """The unit part of a direction that is square to x; zero where there is none."""
    across = direction - (direction @ x) * x
    size = np.linalg.norm(across)
    part: Array = across / size if size > 1e-9 else np.zeros_like(x)
    return part
