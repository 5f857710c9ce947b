"""A penalty on each score that grows with the distance, no vector changed."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from lab.notation import FloatArray, as_floats, check_count
from lab.positions.base import Enters, NoPosition, signed_positions


def paper_slopes(H: int) -> FloatArray:
    """Return the slopes as the paper's sentence gives them, 2^(-8h/H) for h = 1 .. H: shape (H,).

    Raises
    ------
    ValueError
        If H is not a whole number of at least 1.

    References
    ----------
    Press et al. 2021, arXiv:2108.12409, section 3: a geometric sequence that starts at its own ratio.

    Examples
    --------
    >>> paper_slopes(4)
    array([0.25      , 0.0625    , 0.015625  , 0.00390625])
    """
    heads = np.arange(1, check_count("heads H", H) + 1)
    slopes: FloatArray = 2.0 ** (-8.0 * heads / H)
    return slopes


def slopes(H: int) -> FloatArray:
    """Return the slopes of the released code, for any number of heads: shape (H,).

    For a power of two this is the paper's sequence. Otherwise the code takes the sequence of the next lower
    power of two and fills up with every second slope of twice that many heads. The order is theirs and not
    monotone: head h of a released model has slope h of this list, so it must not be sorted.

    Raises
    ------
    ValueError
        If H is not a whole number of at least 1.

    References
    ----------
    Press et al. 2021, arXiv:2108.12409, section 3, and ``get_slopes`` of its released code.

    Examples
    --------
    >>> slopes(3)
    array([0.0625    , 0.00390625, 0.25      ])
    """
    power = 1 << (check_count("heads H", H).bit_length() - 1)
    return np.concatenate([paper_slopes(power), paper_slopes(2 * power)[0::2][: H - power]])


class Alibi(NoPosition):
    """Subtract slope times distance from each score, with a slope for each head.

    In causal use the distance is q_pos - k_pos, never negative. Here it is ``|q_pos - k_pos|``: the same
    there, and the symmetric form without a causal mask.

    Parameters
    ----------
    slopes : array_like
        Shape (H,), not negative; see ``slopes`` and ``paper_slopes``.

    Raises
    ------
    ValueError
        If the slopes are not a vector of finite numbers, none below 0.

    References
    ----------
    Press et al. 2021, arXiv:2108.12409, section 3.

    Examples
    --------
    >>> Alibi([0.5]).bias([2], [0, 1, 2])
    array([[[-1. , -0.5,  0. ]]])
    """

    key: ClassVar[str] = "alibi"
    title: ClassVar[str] = "ALiBi"
    formula: ClassVar[str] = r"s_{h,m,n} = \frac{q_{h,m} \cdot k_{h,n}}{\sqrt{d}} - a_h \left| m - n \right|"
    source: ClassVar[str] = "Press et al. 2021, arXiv:2108.12409, section 3"
    enters: ClassVar[Enters] = "scores"

    def __init__(self, slopes: ArrayLike) -> None:
        self.slopes = as_floats("slopes (H,)", slopes, (None,))
        check_count("heads H", self.slopes.size)
        if (self.slopes < 0).any():
            raise ValueError(
                f"slopes must not be negative: distance would be a reward; got {self.slopes.min()}"
            )

    @classmethod
    def build(
        cls, *, D: int, H: int, d: int, max_positions: int, rng: np.random.Generator | None = None
    ) -> Self:
        """Take the released slopes of H heads; the other sizes are not used."""
        return cls(slopes(H))

    @property
    def half_distances(self) -> FloatArray:
        """Distance at which each head's weight has halved, ln 2 / slope, in positions: shape (H,).

        The bias is added before the exponential of softmax, so exp(-slope * distance) multiplies the weight.

        Examples
        --------
        >>> Alibi(slopes(8)).half_distances.round(1)
        array([  1.4,   2.8,   5.5,  11.1,  22.2,  44.4,  88.7, 177.4])
        """
        with np.errstate(divide="ignore"):  # a slope of 0 never halves: its distance is infinite
            distances: FloatArray = np.log(2) / self.slopes
        return distances

    def bias(self, q_pos: ArrayLike, k_pos: ArrayLike) -> FloatArray:
        """Return the bias ``-slope * |q_pos - k_pos|``: (T,), (S,) -> (H, T, S)."""
        distance = np.abs(signed_positions(q_pos)[:, None] - signed_positions(k_pos))  # (T,), (S,) -> (T, S)
        biases: FloatArray = self.slopes[:, None, None] * -distance
        return biases
