"""The score of random queries and keys, on average, at each distance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from lab.notation import FloatArray, as_floats, check_count
from lab.positions.rope import PAIRS, Rope


def mean_pair(rope: Rope, q: ArrayLike, k: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return the one query and key whose score is the mean score of many, at every distance.

    A pair's share of a score is a cos + c sin, with a = q1 k1 + q2 k2 and c = q1 k2 - q2 k1. It is linear in
    a and c, so their means say it all; and (1, 0) against (a, c) has just these.

    Parameters
    ----------
    q, k : array_like
        Shape (n, d), before rotation.

    Returns
    -------
    tuple of numpy.ndarray
        A query and a key of shape (d,).

    Raises
    ------
    ValueError
        If q or k is not n rows of d finite numbers.

    Examples
    --------
    >>> mean_pair(Rope(2), [[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [1.0, 0.0]])
    (array([1., 0.]), array([ 0.5, -0.5]))
    """
    q = as_floats("q (n, d)", q, (None, rope.d))
    k = as_floats("k (n, d)", k, (len(q), rope.d))
    first, second = PAIRS[rope.pairing](rope.rotary_dim)
    still = slice(rope.rotary_dim, None)
    one_q, one_k = np.ones(rope.d), np.empty(rope.d)
    one_q[second] = 0.0
    one_k[first] = (q[:, first] * k[:, first] + q[:, second] * k[:, second]).mean(
        axis=0
    )  # (n, d) -> (pairs,)
    one_k[second] = (q[:, first] * k[:, second] - q[:, second] * k[:, first]).mean(axis=0)
    one_k[still] = (q[:, still] * k[:, still]).mean(axis=0)
    return one_q, one_k


@dataclass(frozen=True, eq=False)
class Average:
    """Mean score of many random queries, at each distance.

    Attributes
    ----------
    alike : numpy.ndarray
        Mean where the key is the query itself, shape (n,).
    apart : numpy.ndarray
        Mean where the key is drawn on its own, shape (n,).
    expected : numpy.ndarray
        What ``alike`` tends to with more draws, shape (n,); ``apart`` tends to 0.
    error : float
        Standard error of ``apart``: the standard deviation of one score, over the root of the draws.
    draws : int
        How many q and k were drawn.
    """

    alike: FloatArray
    apart: FloatArray
    expected: FloatArray
    error: float
    draws: int


def average_by_distance(
    rope: Rope, distances: ArrayLike, draws: int, rng: np.random.Generator | int
) -> Average:
    """Average the score over random q and k at each distance: (n,) -> (n,).

    The numbers of q and k are normal with variance 1, so one score of two of them has variance d.

    Parameters
    ----------
    distances : array_like of int
        Shape (n,).
    draws : int
        How many q and k are drawn.
    rng : numpy.random.Generator or int
        Draws them, all queries first. A number is a seed whose spawned generator draws: at the same seed
        ``draw_q_k`` draws others.

    Raises
    ------
    ValueError
        If there is no draw, or a distance is not an integer.

    References
    ----------
    Su et al. 2021, arXiv:2104.09864, section 3.4.3, which bounds the same decay.

    Examples
    --------
    >>> average = average_by_distance(Rope(64), [0, 100], 200, rng=0)
    >>> average.expected.round(1)
    array([64. , 35.7])
    """
    shape = (check_count("draws", draws), rope.d)
    if not isinstance(rng, np.random.Generator):
        (rng,) = np.random.default_rng(rng).spawn(1)
    q, k = rng.standard_normal(shape), rng.standard_normal(shape)
    # a unit vector in each dimension: the mean over these, times d, is what normal numbers tend to
    units = np.eye(rope.d) * np.sqrt(rope.d)
    pairs = [mean_pair(rope, *both) for both in ((q, q), (q, k), (units, units))]
    totals = rope.total_by_distance([q for q, _ in pairs], [k for _, k in pairs], distances)
    gain = rope.attention_factor**2
    variance = rope.rotary_dim * gain**2 + rope.d - rope.rotary_dim
    return Average(totals[0], totals[1], totals[2], float(np.sqrt(variance / draws)), draws)
