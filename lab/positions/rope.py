"""Rotary positions: queries and keys turn, so that their product knows only the distance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike

from lab.notation import FloatArray, IntArray, as_floats, check_even, check_positive, readonly
from lab.positions.base import Enters, NoPosition, signed_positions

Pairing = Literal["interleaved", "half"]
Extension = Callable[[int, float], tuple[ArrayLike, float]]

PAIRS: dict[str, Callable[[int], tuple[slice, slice]]] = {
    "interleaved": lambda width: (slice(0, width, 2), slice(1, width, 2)),
    "half": lambda width: (slice(0, width // 2), slice(width // 2, width)),
}


def plain_frequencies(d: int, base: float) -> tuple[FloatArray, float]:
    """Return the frequencies base^(-2i/d) of the d / 2 pairs, and a factor of 1: the extension that is none.

    Raises
    ------
    ValueError
        If d is odd or below 2, or the base not above 0.

    References
    ----------
    Su et al. 2021, arXiv:2104.09864, section 3.2.2.

    Examples
    --------
    >>> plain_frequencies(4, 10_000.0)
    (array([1.  , 0.01]), 1.0)
    """
    pair = np.arange(check_even("width of rotation", d) // 2)
    return check_positive("base", base) ** (-2.0 * pair / d), 1.0


def half_permutation(d: int, rotary_dim: int | None = None) -> IntArray:
    """Return the order that turns interleaved pairs into halves: ``x_half = x_interleaved[order]``.

    Permute the rows of Wq and Wk by it (never Wv or the output matrix), and a checkpoint of one layout gives
    the same scores in code of the other. ``np.argsort`` of it leads back.

    Parameters
    ----------
    d : int
        Width of a head.
    rotary_dim : int, optional
        Number of leading dimensions that turn, all by default; the others keep their place.

    Raises
    ------
    ValueError
        If a width is odd or below 2, or ``rotary_dim`` above d.

    Examples
    --------
    >>> half_permutation(8)
    array([0, 2, 4, 6, 1, 3, 5, 7])
    """
    width = _rotary_width(d, rotary_dim)
    order = np.arange(d)
    return np.concatenate([order[0:width:2], order[1:width:2], order[width:]])


def _rotary_width(d: int, rotary_dim: int | None) -> int:
    check_even("head width d", d)
    width = d if rotary_dim is None else check_even("rotary_dim", rotary_dim)
    if width > d:
        raise ValueError(f"rotary_dim {width} is wider than the head, d = {d}; take at most {d}")
    return width


@dataclass(frozen=True)
class DistanceScores:
    """Score of one query and one key at each distance q_pos - k_pos, and what it is made of.

    ``total`` is the sum of the rows of ``pairs`` and of ``constant``. Scores are plain dot products:
    attention divides them by sqrt(d).

    Attributes
    ----------
    distances : numpy.ndarray
        Shape (n,).
    pairs : numpy.ndarray
        Contribution of each rotated pair, shape (pairs, n).
    constant : float
        Contribution of the dimensions that do not turn.
    total : numpy.ndarray
        Shape (n,).
    """

    distances: IntArray
    pairs: FloatArray
    constant: float
    total: FloatArray


class Rope(NoPosition):
    """Turn each pair of dimensions of q and k by position times the frequency of that pair.

    Rotating is linear: ``rotate(grad, -pos)`` is the backward pass of ``rotate(x, pos)``, and without an
    attention factor also its inverse. The factor multiplies cos and sin, hence q and k alike: scores
    grow by its square.

    Parameters
    ----------
    d : int
        Width of a head, even.
    base : float
        Frequencies fall from 1 towards 1 / base.
    pairing : {"interleaved", "half"}
        Which dimensions form pair i: (2i, 2i + 1), or (i, i + rotary_dim / 2).
    rotary_dim : int, optional
        Only the first ``rotary_dim`` dimensions turn; the exponent runs over them alone. All by default.
    extension : callable, optional
        ``(rotary_dim, base) -> (inv_freq, attention_factor)``, one frequency a pair. Plain RoPE by default.

    Raises
    ------
    ValueError
        If a width is odd, the base not above 0, the pairing unknown, or the extension returns frequencies of
        another number, not finite or negative, or a factor not above 0.

    References
    ----------
    Su et al. 2021, arXiv:2104.09864, equations 14 to 16.

    Examples
    --------
    >>> Rope(2).rotate([[1.0, 0.0]], [1]).round(3)
    array([[0.54 , 0.841]])
    """

    key: ClassVar[str] = "rope"
    title: ClassVar[str] = "RoPE"
    formula: ClassVar[str] = r"(R_m q) \cdot (R_n k) = q \cdot (R_{n-m} k)"
    source: ClassVar[str] = "Su et al. 2021, arXiv:2104.09864, equations 14 to 16"
    enters: ClassVar[Enters] = "qk"

    def __init__(
        self,
        d: int,
        base: float = 10_000.0,
        pairing: Pairing = "interleaved",
        rotary_dim: int | None = None,
        extension: Extension | None = None,
    ) -> None:
        if pairing not in PAIRS:
            raise ValueError(f"pairing {pairing!r} is unknown; choose one of {', '.join(get_args(Pairing))}")
        self.rotary_dim = _rotary_width(d, rotary_dim)
        self.d = d
        self.base = check_positive("base", base)
        self.pairing = pairing
        inv_freq, factor = (extension or plain_frequencies)(self.rotary_dim, self.base)
        checked = as_floats("inv_freq (pairs,)", inv_freq, (self.rotary_dim // 2,))
        self.inv_freq: FloatArray = readonly(np.array(checked, dtype=np.float64))
        if (self.inv_freq < 0).any():
            raise ValueError(f"inv_freq must not be negative; got {self.inv_freq.min()}")
        self.attention_factor = check_positive("attention factor", factor)
        self._first, self._second = PAIRS[pairing](self.rotary_dim)

    @classmethod
    def build(
        cls, *, D: int, H: int, d: int, max_positions: int, rng: np.random.Generator | None = None
    ) -> Self:
        """Turn heads of width d; the other sizes are not used."""
        return cls(d)

    @property
    def wavelengths(self) -> FloatArray:
        """Positions until each pair is back where it was, shape (pairs,); infinite near frequency 0."""
        with np.errstate(divide="ignore", over="ignore"):
            lengths: FloatArray = 2 * np.pi / self.inv_freq
        return lengths

    def pair_angles(self, pos: ArrayLike) -> FloatArray:
        """Return the angle of each pair in radians: (T,) -> (T, pairs).

        Always in float64: in half precision neighbouring positions, and so their angles, are the same.
        """
        angles: FloatArray = signed_positions(pos)[:, None] * self.inv_freq
        return angles

    def rotate(self, qk: ArrayLike, pos: ArrayLike) -> FloatArray:
        """Turn queries or keys by their position: (..., T, d), (T,) -> (..., T, d)."""
        angles = self.pair_angles(pos)
        x = as_floats("q or k (..., T, d)", qk, (..., len(angles), self.d))
        cos = (self.attention_factor * np.cos(angles)).astype(x.dtype)
        sin = (self.attention_factor * np.sin(angles)).astype(x.dtype)
        first, second = x[..., self._first], x[..., self._second]
        turned = x.copy()
        turned[..., self._first] = first * cos - second * sin
        turned[..., self._second] = first * sin + second * cos
        return turned

    def _coefficients(self, q: FloatArray, k: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        # pair by pair, (R_m q) . (R_n k) = q . k cos((m - n) w) + (q_1 k_2 - q_2 k_1) sin((m - n) w)
        q1, q2, k1, k2 = q[..., self._first], q[..., self._second], k[..., self._first], k[..., self._second]
        gain = self.attention_factor**2
        constant = (q[..., self.rotary_dim :] * k[..., self.rotary_dim :]).sum(axis=-1)
        return gain * (q1 * k1 + q2 * k2), gain * (q1 * k2 - q2 * k1), constant

    def score_by_distance(self, q: ArrayLike, k: ArrayLike, distances: ArrayLike) -> DistanceScores:
        """Score one query against one key at each distance q_pos - k_pos, and split it by pair.

        Parameters
        ----------
        q, k : array_like
            Shape (d,), before rotation.
        distances : array_like of int
            Shape (n,); negative where the key is ahead.

        Returns
        -------
        DistanceScores
            Totals of shape (n,) and contributions of shape (pairs, n).

        Raises
        ------
        ValueError
            If q or k is not d finite numbers, or a distance is not an integer.

        Examples
        --------
        >>> half_a_radian = Rope(2, extension=lambda d, base: ([0.5], 1.0))
        >>> half_a_radian.score_by_distance([1.0, 0.0], [1.0, 0.0], [2, 3]).total.round(3)
        array([0.54 , 0.071])
        """
        q, k = as_floats("q (d,)", q, (self.d,)), as_floats("k (d,)", k, (self.d,))
        aligned, crossed, constant = self._coefficients(q, k)
        steps = signed_positions(distances)
        angles = np.outer(self.inv_freq, steps)  # (pairs, n)
        pairs = aligned[:, None] * np.cos(angles) + crossed[:, None] * np.sin(angles)
        return DistanceScores(steps, pairs, float(constant), pairs.sum(axis=0) + constant)

    def total_by_distance(self, q: ArrayLike, k: ArrayLike, distances: ArrayLike) -> FloatArray:
        """Score many query-key pairs at each distance: (..., d), (..., d), (n,) -> (..., n).

        The same totals as ``score_by_distance``, as two matrix products and without the split by pair.

        Raises
        ------
        ValueError
            If q or k is not d finite numbers wide, or a distance is not an integer.

        Examples
        --------
        >>> Rope(2).total_by_distance([[1.0, 0.0], [0.0, 1.0]], [1.0, 0.0], [0, 1]).round(3)
        array([[ 1.   ,  0.54 ],
               [ 0.   , -0.841]])
        """
        q, k = as_floats("q (..., d)", q, (..., self.d)), as_floats("k (..., d)", k, (..., self.d))
        aligned, crossed, constant = self._coefficients(q, k)
        angles = np.outer(self.inv_freq, signed_positions(distances))  # (pairs, n)
        totals: FloatArray = aligned @ np.cos(angles) + crossed @ np.sin(angles) + constant[..., None]
        return totals
