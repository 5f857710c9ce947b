"""One query and one key turned to their places: the hands of each pair, and the angle between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lab.notation import FloatArray, IntArray, as_floats, as_positions, readonly
from lab.positions.rope import PAIRS, Pairing, Rope


def one_pair(theta: float, pairing: Pairing = "interleaved") -> Rope:
    """Return a head of width 2 whose only pair turns by ``theta`` radians a position.

    Raises
    ------
    ValueError
        If theta is negative or not finite.

    Examples
    --------
    >>> one_pair(0.5).rotate([[1.0, 0.0]], [2]).round(3)
    array([[0.54 , 0.841]])
    """
    return Rope(2, pairing=pairing, extension=lambda d, base: ([theta], 1.0))


def pair_places(rope: Rope) -> tuple[IntArray, IntArray]:
    """Return which dimensions are the first and which the second of each pair, shape (pairs,) both.

    Examples
    --------
    >>> pair_places(Rope(8, pairing="half"))
    (array([0, 1, 2, 3]), array([4, 5, 6, 7]))
    """
    first, second = PAIRS[rope.pairing](rope.rotary_dim)
    order = np.arange(rope.d)
    return order[first], order[second]


def draw_q_k(d: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """Draw a query and a key of ``d`` normal numbers each, the query first.

    Examples
    --------
    >>> draw_q_k(8, seed=0)[0].round(3)[:3]
    array([ 0.126, -0.132,  0.64 ])
    """
    rng = np.random.default_rng(seed)
    return readonly(rng.standard_normal(d)), readonly(rng.standard_normal(d))


@dataclass(frozen=True, eq=False)
class Meeting:
    """A turned query and a turned key, pair by pair.

    Attributes
    ----------
    q, k : numpy.ndarray
        The turned vectors, shape (d,).
    q_angles, k_angles : numpy.ndarray
        Direction of each pair in radians, shape (pairs,).
    q_lengths, k_lengths : numpy.ndarray
        Length of each pair, shape (pairs,).
    between : numpy.ndarray
        Angle from the key's hand to the query's, in (-pi, pi], shape (pairs,); 0 where ``angled`` is False.
    angled : numpy.ndarray
        Whether both hands of a pair have a length, shape (pairs,): a hand of length 0 points nowhere.
    pairs : numpy.ndarray
        Contribution of each pair, ``q_lengths * k_lengths * cos(between)``, shape (pairs,).
    score : float
        The dot product of the two turned vectors.
    """

    q: FloatArray
    k: FloatArray
    q_angles: FloatArray
    k_angles: FloatArray
    q_lengths: FloatArray
    k_lengths: FloatArray
    between: FloatArray
    angled: NDArray[np.bool_]
    pairs: FloatArray
    score: float


def meet(rope: Rope, q: ArrayLike, k: ArrayLike, m: int, n: int) -> Meeting:
    """Turn a query to position m and a key to position n, and measure each pair.

    Parameters
    ----------
    q, k : array_like
        Shape (d,), before rotation.
    m, n : int
        Positions of the query and of the key.

    Raises
    ------
    ValueError
        If q or k is not d finite numbers, or a position is not an integer.

    References
    ----------
    Su et al. 2021, arXiv:2104.09864, equations 14 to 16.

    Examples
    --------
    >>> met = meet(one_pair(0.5), [1.0, 0.0], [1.0, 0.0], 3, 1)
    >>> met.between, round(met.score, 3)
    (array([1.]), 0.54)
    """
    q_turned = rope.rotate(np.asarray(q)[None], [m])[0]
    k_turned = rope.rotate(np.asarray(k)[None], [n])[0]
    first, second = PAIRS[rope.pairing](rope.rotary_dim)
    q1, q2, k1, k2 = q_turned[first], q_turned[second], k_turned[first], k_turned[second]
    q_lengths, k_lengths = np.hypot(q1, q2), np.hypot(k1, k2)
    # products of very small numbers are 0: angles are taken between hands of length 1
    u1, u2, v1, v2 = *_units(q1, q2, q_lengths), *_units(k1, k2, k_lengths)
    return Meeting(
        q_turned,
        k_turned,
        np.arctan2(q2, q1),
        np.arctan2(k2, k1),
        q_lengths,
        k_lengths,
        np.arctan2(v1 * u2 - v2 * u1, u1 * v1 + u2 * v2),
        (q_lengths > 0) & (k_lengths > 0),
        q1 * k1 + q2 * k2,
        float(q_turned @ k_turned),
    )


def _units(first: FloatArray, second: FloatArray, lengths: FloatArray) -> tuple[FloatArray, FloatArray]:
    safe = np.where(lengths > 0, lengths, 1.0)
    return first / safe, second / safe


def terms(rope: Rope, q: ArrayLike, k: ArrayLike, distance: int) -> tuple[float, ...]:
    """Return what each number of q adds to the score: its product with k turned by minus the distance.

    Both turns are left to k here, q^T R_(n - m) k, so the terms know m - n and no position.

    Raises
    ------
    ValueError
        If q or k is not d finite numbers, or the distance is not an integer.

    Examples
    --------
    >>> [round(term, 3) for term in terms(one_pair(0.5), [1.0, 0.5], [0.8, 0.2], -2)]
    [0.264, 0.391]
    """
    q = as_floats("q (d,)", q, (rope.d,))
    turned = rope.rotate(np.asarray(k)[None], [-distance])[0]  # (d,)
    return tuple((rope.attention_factor * q * turned).tolist())


def scores_at(rope: Rope, q: ArrayLike, k: ArrayLike, q_pos: ArrayLike, k_pos: ArrayLike) -> FloatArray:
    """Score one query and one key at many pairs of places: (d,), (d,), (n,), (n,) -> (n,).

    Both vectors are turned to each place, so the result shows what rounding does where the distance is
    the same.

    Raises
    ------
    ValueError
        If q or k is not d finite numbers, or the positions are not two equally long rows of integers.

    Examples
    --------
    >>> scores_at(one_pair(1.0), [1.0, 0.0], [1.0, 0.0], [3, 503], [1, 501]).round(3)
    array([-0.416, -0.416])
    """
    q, k = as_floats("q (d,)", q, (rope.d,)), as_floats("k (d,)", k, (rope.d,))
    q_pos = as_positions(q_pos)
    k_pos = as_positions(k_pos, length=q_pos.size)
    q_turned = rope.rotate(np.broadcast_to(q, (q_pos.size, rope.d)), q_pos)  # (d,) -> (n, d)
    k_turned = rope.rotate(np.broadcast_to(k, (k_pos.size, rope.d)), k_pos)
    scores: FloatArray = (q_turned * k_turned).sum(axis=-1)
    return scores


def rotation_error(rope: Rope, m: int, n: int) -> float:
    """Return the largest entry of R_m^T R_n - R_(n - m): 0 but for rounding.

    This identity is why only the distance is left of two positions.

    Raises
    ------
    ValueError
        If a position is not an integer.

    Examples
    --------
    >>> rotation_error(one_pair(0.5), 503, 501) < 1e-12
    True
    """
    units = np.eye(rope.d)

    def turned(position: int) -> FloatArray:
        # row j is R e_j, so this is R transposed
        return rope.rotate(units, np.full(rope.d, position))

    gain = rope.attention_factor
    product = turned(m) @ turned(n).T  # (d, d)
    return float(np.abs(product - gain * turned(n - m).T).max())
