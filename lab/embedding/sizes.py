"""How large a token row is beside the position that is added to it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from lab.embedding.forward import scale
from lab.notation import FloatArray, check_count
from lab.positions import Sinusoidal

DRAWN = 200
"""Rows whose mean length is taken."""


def lengths(rows: ArrayLike) -> FloatArray:
    """Return the length of each row: (T, D) -> (T,).

    Examples
    --------
    >>> lengths([[3.0, 4.0], [0.0, 0.0]])
    array([5., 0.])
    """
    found: FloatArray = np.linalg.norm(np.asarray(rows, dtype=np.float64), axis=-1)
    return found


@dataclass(frozen=True)
class Drowned:
    """Mean lengths at a width D: of a token row, of the row times the root of D, of a position.

    Attributes
    ----------
    row : float
        Numbers of variance 1 / D: about 1.
    scaled : float
        The same row times the root of D.
    position : float
        A sinusoidal one: the root of D / 2, as each pair has length 1.
    """

    D: int
    row: float
    scaled: float
    position: float

    @property
    def times(self) -> float:
        """How many times as long as the row the position is."""
        return self.position / self.row


def drowned(D: int, seed: int = 0) -> Drowned:
    """Measure what a sinusoidal position is to a token row of variance 1 / D, and to one times the root of D.

    Raises
    ------
    ValueError
        If D is not a whole number of at least 1.

    References
    ----------
    Vaswani et al. 2017, arXiv:1706.03762, section 3.4, which multiplies by the root of D and gives no reason.

    Examples
    --------
    >>> found = drowned(512)
    >>> round(found.row, 2), round(found.scaled, 1), found.position, round(found.times)
    (1.0, 22.6, 16.0, 16)
    """
    rows = np.random.default_rng(seed).standard_normal((DRAWN, check_count("width D", D))) / np.sqrt(D)
    return Drowned(
        D=D,
        row=float(lengths(rows).mean()),
        scaled=float(lengths(scale(rows, D)).mean()),
        position=float(lengths(Sinusoidal(D).table(np.arange(DRAWN))).mean()),
    )
