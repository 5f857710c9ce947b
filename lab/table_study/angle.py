"""Two vectors, with every step from their numbers to the angle between them; and the plane they span."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from lab.geometry import cosine
from lab.notation import Array, FloatArray, IntArray, as_floats, readonly


@dataclass(frozen=True, eq=False)
class Angle:
    """The cosine of two vectors and what it is made of."""

    products: FloatArray
    """Entry by entry, shape (D,); their sum is the dot product."""
    dot: float
    norm_a: float
    norm_b: float
    cosine: float | None
    """None where a vector is zero: there is then no angle."""
    largest: IntArray
    """Dimensions by the magnitude of their product, the largest first, shape (D,)."""

    @property
    def degrees(self) -> float | None:
        """The angle in degrees, 0 to 180."""
        return None if self.cosine is None else math.degrees(math.acos(self.cosine))


def angle_between(a: ArrayLike, b: ArrayLike) -> Angle:
    """Return the cosine of two vectors with every step on the way.

    Parameters
    ----------
    a, b : array_like
        Shape (D,).

    Raises
    ------
    ValueError
        If the shapes differ or an entry is not finite.

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


@dataclass(frozen=True, eq=False)
class Planar:
    """Points of a high-dimensional space seen on one plane."""

    points: FloatArray
    """Shape (N, 2)."""
    height: FloatArray
    """How far each point lies above or below the plane, shape (N,)."""


def parallelogram(a: ArrayLike, b: ArrayLike, c: ArrayLike, others: ArrayLike) -> Planar:
    """Return a, b, c, b - a + c and further points on the plane that the first four lie on exactly.

    The x axis points from a to b; a lies at the origin and c above or on the axis, so the picture is the
    same on every machine.

    Parameters
    ----------
    a, b, c : array_like
        Shape (D,).
    others : array_like
        Further points, shape (M, D).

    Returns
    -------
    Planar
        Of the 4 + M points; the first four have height 0.

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
