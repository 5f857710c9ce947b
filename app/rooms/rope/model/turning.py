"""One query and one key under RoPE: their hands, the mean of many, both pair layouts, stored positions.

A pair of dimensions is a hand, the complex number x1 + i x2: to turn it by an angle is to multiply it by
e^(i angle), and a pair adds Re(q conj(k)) to the score.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lab.notation import Array, FloatArray, IntArray, as_positions, check_count
from lab.positions.precision import Precision, cast_positions
from lab.positions.rope import PAIRS, DistanceScores, Pairing, Rope, half_permutation

Vector = tuple[float, ...]


KEPT = lru_cache(maxsize=16)
"""What does not depend on the two positions is kept while they move."""


@lru_cache(maxsize=64)
def one_pair(theta: float, pairing: Pairing = "interleaved") -> Rope:
    """A head of width 2 whose only pair turns by ``theta`` radians per position.

    >>> one_pair(0.5).rotate([[1.0, 0.0]], [2]).round(3)
    array([[0.54 , 0.841]])
    """
    return Rope(2, pairing=pairing, extension=lambda d, base: ([theta], 1.0))


@lru_cache(maxsize=64)
def of_base(base: float, d: int, pairing: Pairing) -> Rope:
    """A head of d / 2 pairs whose angles follow from a base."""
    return Rope(d, base, pairing)


@lru_cache(maxsize=64)
def of_angles(angles: Vector, pairing: Pairing) -> Rope:
    """A head whose pairs turn by these angles."""
    return Rope(2 * len(angles), pairing=pairing, extension=lambda d, base: (angles, 1.0))


@KEPT
def curve(rope: Rope, q: Vector, k: Vector, distances: range) -> DistanceScores:
    """Score q and k at each distance, whole and pair by pair."""
    return rope.score_by_distance(q, k, distances)


def _hands(rope: Rope, x: Array) -> Array:
    first, second = PAIRS[rope.pairing](rope.d)
    return x[..., first] + 1j * x[..., second]  # (..., d) -> (..., pairs)


class Meeting(NamedTuple):
    """A turned query and a turned key, (d,), and their hands, (pairs,)."""

    q: FloatArray
    k: FloatArray
    q_angles: FloatArray
    k_angles: FloatArray
    q_lengths: FloatArray
    k_lengths: FloatArray
    between: FloatArray
    """Angle from the key's hand to the query's, in (-pi, pi]; 0 where there is none."""
    angled: NDArray[np.bool_]
    """Whether both hands have a length: a hand of length 0 points nowhere."""
    pairs: FloatArray
    """What each pair adds to the score: lengths times the cosine of the angle between."""
    score: float


def meet(rope: Rope, q: ArrayLike, k: ArrayLike, m: int, n: int) -> Meeting:
    """Turn a query to position m and a key to position n, and measure each pair.

    >>> met = meet(one_pair(0.5), [1.0, 0.0], [1.0, 0.0], 3, 1)
    >>> met.between, round(met.score, 3)
    (array([1.]), 0.54)
    """
    q_turned, k_turned = (rope.rotate(np.asarray(x)[None], [at])[0] for x, at in ((q, m), (k, n)))
    of_q, of_k = _hands(rope, q_turned), _hands(rope, k_turned)
    # products of very small numbers are 0: the angle is taken between hands of length 1
    unit_q, unit_k = (hands / np.where(hands == 0, 1, abs(hands)) for hands in (of_q, of_k))
    return Meeting(
        q_turned,
        k_turned,
        np.angle(of_q),
        np.angle(of_k),
        abs(of_q),
        abs(of_k),
        np.angle(unit_q * unit_k.conj()),
        (of_q != 0) & (of_k != 0),
        (of_q * of_k.conj()).real,
        float(q_turned @ k_turned),
    )


def rotation_error(rope: Rope, m: int, n: int) -> float:
    """The largest entry of R_m^T R_n - R_(n - m): 0 but for rounding, and why only the distance is left.

    >>> rotation_error(one_pair(0.5), 503, 501) < 1e-12
    True
    """
    # row j of a turned identity is R e_j, so it is R transposed
    back, on, step = (rope.rotate(np.eye(rope.d), np.full(rope.d, at)) for at in (m, n, n - m))
    return float(abs(back @ on.T - step.T).max())


class Means(NamedTuple):
    """Mean score of many random queries at each distance, (n,) each."""

    alike: FloatArray
    """Where the key is the query itself."""
    apart: FloatArray
    """Where the key is drawn on its own; with more draws it tends to 0."""
    expected: FloatArray
    """What ``alike`` tends to with more draws."""
    error: float
    """Standard error of ``apart``: the standard deviation of one score, over the root of the draws."""
    draws: int


@KEPT
def average_by_distance(rope: Rope, distances: range, draws: int, seed: int) -> Means:
    """Average the score over q and k of normal numbers, all queries drawn first.

    Their generator is spawned by the seed's own, which draws the room's q and k. One score of two of them has
    variance d. Su et al. 2021, section 3.4.3, bound the same decay.

    >>> average_by_distance(Rope(64), range(0, 200, 100), 200, seed=0).expected.round(1)
    array([64. , 35.7])
    """
    (rng,) = np.random.default_rng(seed).spawn(1)
    q, k = (_hands(rope, rng.standard_normal((check_count("draws", draws), rope.d))) for _ in range(2))
    turns = np.exp(1j * np.outer(distances, rope.inv_freq))  # (n, pairs)
    # scores are linear in the products of hands: their mean over the draws comes first
    alike, apart = ((turns @ (q * x.conj()).mean(axis=0)).real for x in (q, k))
    return Means(alike, apart, 2 * turns.real.sum(axis=1), float(np.sqrt(rope.d / draws)), draws)


class BothLayouts(NamedTuple):
    """One q and k scored under both pair layouts at each distance, (n,) each."""

    own: FloatArray
    other: FloatArray
    """Under the other layout, q and k as they are."""
    reconciled: FloatArray
    """Under the other layout, q and k both permuted by ``order``."""
    order: IntArray
    """The permutation, (d,): ``x_other = x_own[order]``."""


def other_layout(rope: Rope) -> tuple[Rope, IntArray]:
    """The same head in the other pair layout, and the permutation that leads there.

    >>> half, order = other_layout(Rope(8))
    >>> half.pairing, order
    ('half', array([0, 2, 4, 6, 1, 3, 5, 7]))
    """
    pairing: Pairing = "half" if rope.pairing == "interleaved" else "interleaved"
    order = half_permutation(rope.d)
    same = Rope(rope.d, rope.base, pairing, extension=lambda d, base: (rope.inv_freq, 1.0))
    return same, order if pairing == "half" else np.argsort(order)


@KEPT
def compare_layouts(rope: Rope, q: Vector, k: Vector, distances: range) -> BothLayouts:
    """Score q and k under both pair layouts: (d,), (d,), (n,) -> three times (n,).

    A checkpoint of one layout in code of the other gives ``other``. Permuting q and k (or the rows of Wq
    and Wk) mends it, because both layouts then pair the same numbers at the same frequency.

    >>> q, k = (tuple(x) for x in np.random.default_rng(0).standard_normal((2, 8)))
    >>> found = compare_layouts(Rope(8), q, k, range(5, 6))
    >>> [round(float(x[0]), 6) for x in (found.own, found.other, found.reconciled)]
    [-1.142699, -1.429814, -1.142699]
    """
    other, order = other_layout(rope)
    both_q, both_k = (np.stack([x, np.asarray(x)[order]]) for x in (q, k))
    mixed, reconciled = other.total_by_distance(both_q, both_k, distances)
    return BothLayouts(rope.total_by_distance(q, k, distances), mixed, reconciled, order)


def stored_positions(pos: ArrayLike, precision: Precision | None) -> IntArray:
    """Positions as they come back from a number format, still integers; None stands for no cast.

    >>> stored_positions([256, 257, 258, 259], "bfloat16")
    array([256, 256, 258, 260])
    """
    if precision is None:
        return as_positions(pos)
    cast = cast_positions(pos, precision)
    if not np.isfinite(cast).all():
        lost = int(as_positions(pos)[~np.isfinite(cast)][0])
        raise ValueError(f"position {lost:,} is infinite in {precision}; positions must stay below 65,520")
    return cast.astype(np.int64)


def score_along(
    rope: Rope, q: ArrayLike, k: ArrayLike, distance: int, length: int, precision: Precision | None
) -> FloatArray:
    """Score q and k at one distance while both move, (length,): entry p has the nearer one at position p.

    With exact positions every entry is the same. Stored in half precision, positions round, and the
    distance changes from position to position.

    >>> score_along(one_pair(0.5), [1.0, 0.0], [1.0, 0.0], 2, 258, "bfloat16")[-3:].round(3)
    array([ 0.878,  0.54 , -0.416])
    """
    near = np.arange(check_count("length", length))
    q_pos, k_pos = (stored_positions(near + max(ahead, 0), precision) for ahead in (distance, -distance))
    # few distances are left after rounding: each is scored once
    kept, index = np.unique(q_pos - k_pos, return_inverse=True)
    scores: FloatArray = rope.total_by_distance(q, k, kept)[index]
    return scores
