"""The two pair layouts: what happens when code and vectors disagree, and the permutation that mends it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from lab.notation import FloatArray, IntArray, as_floats
from lab.positions.rope import Pairing, Rope, half_permutation


@dataclass(frozen=True, eq=False)
class Layouts:
    """One q and k scored under both pair layouts, at each distance.

    Attributes
    ----------
    own : numpy.ndarray
        Under the head's own layout, shape (n,).
    other : numpy.ndarray
        Under the other layout, q and k as they are, shape (n,).
    reconciled : numpy.ndarray
        Under the other layout, q and k both permuted by ``order``, shape (n,).
    order : numpy.ndarray
        The permutation, shape (d,): ``x_other = x_own[order]``.
    """

    own: FloatArray
    other: FloatArray
    reconciled: FloatArray
    order: IntArray


def other_layout(rope: Rope) -> tuple[Rope, IntArray]:
    """Return the same head in the other pair layout, and the permutation that leads there.

    Examples
    --------
    >>> half, order = other_layout(Rope(8))
    >>> half.pairing, order
    ('half', array([0, 2, 4, 6, 1, 3, 5, 7]))
    """
    pairing: Pairing = "half" if rope.pairing == "interleaved" else "interleaved"
    order = half_permutation(rope.d, rope.rotary_dim)
    same = Rope(
        rope.d,
        rope.base,
        pairing,
        rope.rotary_dim,
        lambda d, base: (rope.inv_freq, rope.attention_factor),
    )
    return same, order if pairing == "half" else np.argsort(order)


def compare_layouts(rope: Rope, q: ArrayLike, k: ArrayLike, distances: ArrayLike) -> Layouts:
    """Score q and k under both pair layouts: (d,), (d,), (n,) -> three times (n,).

    A checkpoint of one layout in code of the other gives ``other``. Permuting q and k (or the rows of Wq
    and Wk) mends it, because both layouts then pair the same numbers at the same frequency.

    Raises
    ------
    ValueError
        If q or k is not d finite numbers, or a distance is not an integer.

    Examples
    --------
    >>> q, k = np.random.default_rng(0).standard_normal((2, 8))
    >>> found = compare_layouts(Rope(8), q, k, [5])
    >>> [round(float(x[0]), 6) for x in (found.own, found.other, found.reconciled)]
    [-1.142699, -1.429814, -1.142699]
    """
    q, k = as_floats("q (d,)", q, (rope.d,)), as_floats("k (d,)", k, (rope.d,))
    other, order = other_layout(rope)
    mixed, reconciled = other.total_by_distance([q, q[order]], [k, k[order]], distances)
    return Layouts(rope.total_by_distance(q, k, distances), mixed, reconciled, order)
