"""Sines and cosines of the position, one frequency a pair of columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Literal, NamedTuple, Self, get_args

import numpy as np
from numpy.typing import ArrayLike

from lab.notation import FloatArray, IntArray, as_floats, check_count, check_positive
from lab.positions.base import Enters, NoPosition, signed_positions

Variant = Literal["interleaved", "concatenated", "tensor2tensor"]
OddRule = Literal["trim", "pad"]


class Layout(NamedTuple):
    """Frequencies of the pairs, the columns of their sines and cosines, and what an odd width does."""

    frequencies: FloatArray
    sine_columns: IntArray
    cosine_columns: IntArray
    odd_rule: OddRule


def _paper_frequencies(D: int, base: float) -> FloatArray:
    return base ** (-2.0 * np.arange((D + 1) // 2) / D)


def _interleaved(D: int, base: float) -> Layout:
    columns = np.arange(D)
    return Layout(_paper_frequencies(D, base), columns[0::2], columns[1::2], "trim")


def _concatenated(D: int, base: float) -> Layout:
    sines = (D + 1) // 2
    columns = np.arange(D)
    return Layout(_paper_frequencies(D, base), columns[:sines], columns[sines:], "trim")


def _tensor2tensor(D: int, base: float) -> Layout:
    half = D // 2
    if half == 0:
        raise ValueError(
            f"width D = {D} holds no pair, so tensor2tensor would only pad; take D >= 2 or another variant"
        )
    columns = np.arange(D)
    # Counting to half - 1 makes the slowest pair exactly 1 / base; one pair alone would divide by zero.
    frequencies = base ** (-np.arange(half) / max(half - 1, 1))
    return Layout(frequencies, columns[:half], columns[half : 2 * half], "pad")


LAYOUTS: dict[str, Callable[[int, float], Layout]] = {
    "interleaved": _interleaved,
    "concatenated": _concatenated,
    "tensor2tensor": _tensor2tensor,
}


class Sinusoidal(NoPosition):
    """Fixed rows of sines and cosines, added to the token rows.

    Three layouts are in use. "interleaved" is the paper's: sin, cos, sin, cos. "concatenated" has the same
    frequencies with all sines first, a mere permutation of columns. "tensor2tensor" also puts sines first,
    but spaces its frequencies so that the last is 1 / base: no permutation turns it into the others.

    An odd width has a column too few for its last pair, and two rules are known: the first two variants
    keep ceil(D / 2) sines and trim the last cosine; tensor2tensor leaves the last column zero.

    Parameters
    ----------
    D : int
        Width of the rows.
    base : float
        The longest wavelength is near ``2 pi base``, in positions.
    variant : {"interleaved", "concatenated", "tensor2tensor"}
        Layout and frequencies, as above.

    Raises
    ------
    ValueError
        If the width is below 1, the base not above 0, the variant unknown, or no pair fits.

    References
    ----------
    Vaswani et al. 2017, arXiv:1706.03762, section 3.5.

    Examples
    --------
    >>> Sinusoidal(4).table([0, 1]).round(3)
    array([[0.   , 1.   , 0.   , 1.   ],
           [0.841, 0.54 , 0.01 , 1.   ]])
    """

    key: ClassVar[str] = "sinusoidal"
    title: ClassVar[str] = "Sinusoidal"
    formula: ClassVar[str] = (
        r"PE_{p,2i} = \sin\left(p \, b^{-2i/D}\right), \quad PE_{p,2i+1} = \cos\left(p \, b^{-2i/D}\right)"
    )
    source: ClassVar[str] = "Vaswani et al. 2017, arXiv:1706.03762, section 3.5"
    enters: ClassVar[Enters] = "input"

    def __init__(self, D: int, base: float = 10_000.0, variant: Variant = "interleaved") -> None:
        if variant not in LAYOUTS:
            raise ValueError(f"variant {variant!r} is unknown; choose one of {', '.join(get_args(Variant))}")
        self.D = check_count("width D", D)
        self.base = check_positive("base", base)
        self.variant = variant
        self._layout = LAYOUTS[variant](self.D, self.base)

    @classmethod
    def build(
        cls, *, D: int, H: int, d: int, max_positions: int, rng: np.random.Generator | None = None
    ) -> Self:
        """Make rows of width D in the paper's layout; the other sizes are not used."""
        return cls(D)

    @property
    def frequencies(self) -> FloatArray:
        """Angle per position of each pair in radians, shape (pairs,)."""
        return self._layout.frequencies

    @property
    def wavelengths(self) -> FloatArray:
        """Positions until each pair is back where it was, shape (pairs,).

        Examples
        --------
        >>> Sinusoidal(4).wavelengths.round(2)
        array([  6.28, 628.32])
        """
        return 2 * np.pi / self.frequencies

    @property
    def sine_columns(self) -> IntArray:
        """Column of each pair's sine, shape (pairs,)."""
        return self._layout.sine_columns

    @property
    def cosine_columns(self) -> IntArray:
        """Column of each pair's cosine, shape (pairs,), or (pairs - 1,) where the last is trimmed."""
        return self._layout.cosine_columns

    @property
    def lone_column(self) -> int | None:
        """The sine column whose cosine was trimmed, or None: see ``shift_matrix``."""
        sines, cosines = self._layout.sine_columns, self._layout.cosine_columns
        return int(sines[-1]) if len(sines) > len(cosines) else None

    @property
    def odd_rule(self) -> OddRule:
        """What this variant does with an odd width: "trim" the last cosine, or "pad" with a zero column."""
        return self._layout.odd_rule

    def table(self, pos: ArrayLike) -> FloatArray:
        """Return the rows PE(p): (T,) -> (T, D).

        Examples
        --------
        >>> Sinusoidal(4, variant="concatenated").table([1]).round(3)
        array([[0.841, 0.01 , 0.54 , 1.   ]])
        """
        angles = signed_positions(pos)[:, None] * self.frequencies  # (T,) -> (T, pairs)
        rows = np.zeros((len(angles), self.D))
        rows[:, self.sine_columns] = np.sin(angles)
        rows[:, self.cosine_columns] = np.cos(angles[:, : len(self.cosine_columns)])
        return rows

    def add_to_input(self, x: ArrayLike, pos: ArrayLike) -> FloatArray:
        """Add PE(p) to each token row: (..., T, D), (T,) -> (..., T, D)."""
        rows = self.table(pos)
        x = as_floats("x (..., T, D)", x, (..., *rows.shape))
        return x + rows.astype(x.dtype)

    def shift_matrix(self, k: int) -> FloatArray:
        """Return the matrix M of k places forward: PE(p + k) = PE(p) @ M for every p.

        Each pair turns by its own k w, so M is one fixed rotation, whatever p is. A padded zero column keeps
        a 1 on the diagonal. Where the last cosine is trimmed (``lone_column``) no such matrix exists:
        sin(w (p + k)) needs cos(w p), which is gone. That column then keeps cos(k w) on the diagonal,
        M is no rotation, and the column is off by sin(k w) cos(p w), at most ``|sin(k w)|``.

        Parameters
        ----------
        k : int
            Places, forwards or backwards.

        Returns
        -------
        numpy.ndarray
            Shape (D, D).

        Raises
        ------
        ValueError
            If k is not an integer.

        Examples
        --------
        >>> PE = Sinusoidal(8)
        >>> bool(np.allclose(PE.table([103]), PE.table([100]) @ PE.shift_matrix(3), atol=1e-12))
        True
        """
        return self.turn(np.eye(self.D), k)

    def turn(self, rows: ArrayLike, k: int) -> FloatArray:
        """Return rows times ``shift_matrix(k)``: (T, D) -> (T, D), pair by pair, as nearly all of it is 0.

        Raises
        ------
        ValueError
            If k is not an integer, or the rows are not finite numbers D wide.

        Examples
        --------
        >>> PE = Sinusoidal(4)
        >>> bool(np.allclose(PE.turn(PE.table([5]), 2), PE.table([7])))
        True
        """
        given = as_floats("rows (T, D)", rows, (None, self.D))
        angles = signed_positions([k])[0] * self.frequencies
        sines, cosines = self.sine_columns, self.cosine_columns
        paired, turn = sines[: len(cosines)], angles[: len(cosines)]
        turned = given.copy()
        turned[:, sines] = given[:, sines] * np.cos(angles)
        turned[:, paired] += given[:, cosines] * np.sin(turn)
        turned[:, cosines] = given[:, cosines] * np.cos(turn) - given[:, paired] * np.sin(turn)
        return turned
