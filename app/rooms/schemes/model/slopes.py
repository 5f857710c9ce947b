"""ALiBi's slopes: what the released code does beside what the paper's sentence says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lab.notation import FloatArray, as_floats, readonly
from lab.positions.alibi import Alibi, paper_slopes, slopes


@dataclass(frozen=True, eq=False)
class SlopeTable:
    """Slopes of H heads by both rules, in the order of the heads.

    Attributes
    ----------
    released, paper : numpy.ndarray
        Shape (H,).
    half_distances : numpy.ndarray
        Positions after which a head's weight has halved, by the released slopes, shape (H,).
    largest_ratio : float
        Of the two rules for the same head, the larger over the smaller: 1 where they agree.
    falling : bool
        Whether each released slope is below the one before it.
    given : numpy.ndarray or None
        Slopes that follow neither rule, shape (H,); the half distances are then theirs.
    """

    H: int
    released: FloatArray
    paper: FloatArray
    half_distances: FloatArray
    largest_ratio: float
    falling: bool
    given: FloatArray | None = None

    @property
    def agree(self) -> bool:
        """Whether both rules give the same slopes."""
        return self.largest_ratio < 1 + 1e-12


def slope_table(H: int, given: Sequence[float] = ()) -> SlopeTable:
    """Return the slopes of H heads by both rules.

    Parameters
    ----------
    H : int
        Heads.
    given : sequence of float
        Slopes of H heads to stand beside them, if any.

    Raises
    ------
    ValueError
        If H is not a whole number of at least 1.

    References
    ----------
    Press et al. 2021, arXiv:2108.12409, section 3, and ``get_slopes`` of its released code.

    Examples
    --------
    >>> slope_table(3).released
    array([0.0625    , 0.00390625, 0.25      ])
    >>> slope_table(3).agree, slope_table(8).agree
    (False, True)
    """
    released, paper = slopes(H), paper_slopes(H)
    own = readonly(as_floats("slopes (H,)", given, (H,))) if given else None
    ratio = np.maximum(released / paper, paper / released).max()
    return SlopeTable(
        H=H,
        released=readonly(released),
        paper=readonly(paper),
        half_distances=readonly(Alibi(released if own is None else own).half_distances),
        largest_ratio=float(ratio),
        falling=bool((np.diff(released) < 0).all()),
        given=own,
    )


def agreeing_head_counts(most: int) -> tuple[int, ...]:
    """Return the head counts up to ``most`` for which both rules agree.

    Examples
    --------
    >>> agreeing_head_counts(20)
    (1, 2, 4, 8, 16)
    """
    return tuple(H for H in range(1, most + 1) if slope_table(H).agree)
