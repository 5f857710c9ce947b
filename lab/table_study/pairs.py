"""Cosines of many pairs: how alike are two rows that were not chosen?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from lab.geometry import UNDEFINED
from lab.notation import Array, FloatArray, as_floats, check_count, readonly
from lab.table_study.table import TableStudy

_CHUNK = 256
"""Pairs at once: all of them in float64 would take as much memory as a large table."""


@dataclass(frozen=True, eq=False)
class PairStudy:
    """Random pairs of different rows, as they are and with the mean row taken away."""

    pairs: int
    raw: FloatArray
    """Cosines, shape (pairs,)."""
    centred: FloatArray
    """Cosines of the same pairs after centring, shape (pairs,)."""
    left_out: int
    """Zero rows, which have no cosine."""
    common: float
    """Length of the mean row over the mean length of the rows."""


def study_pairs(study: TableStudy, seed: int | np.random.Generator, pairs: int = 4000) -> PairStudy:
    """Return the cosines of random pairs of different rows, raw and centred.

    Parameters
    ----------
    study : TableStudy
        The table.
    seed : int or numpy.random.Generator
        Draws the pairs, with replacement, as `lab.geometry.isotropy` does.
    pairs : int
        How many.

    Raises
    ------
    ValueError
        If fewer than two rows have a direction.

    References
    ----------
    Mu, Bhat and Viswanath 2018, arXiv:1702.01417, section 2.1;
    Ethayarajh 2019, arXiv:1909.00512, section 3.3.

    Examples
    --------
    >>> from lab.vocab import RUNNING
    >>> found = study_pairs(TableStudy(RUNNING), 0, 50)
    >>> found.raw.shape, found.left_out
    ((50,), 0)
    """
    rows = np.delete(np.arange(study.V), study.zero_rows)
    V = len(rows)
    if V < 2:
        raise ValueError(
            f"A pair needs two rows with a direction; the table has {V}: a cosine is {UNDEFINED}."
        )
    rng = np.random.default_rng(seed)
    first = rng.integers(V, size=check_count("pairs", pairs))
    second = (first + rng.integers(1, V, size=pairs)) % V  # another row, each as likely
    first, second = rows[first], rows[second]
    dots, centred = np.empty(pairs), np.empty(pairs)
    for start in range(0, pairs, _CHUNK):
        some = slice(start, start + _CHUNK)
        # in float64: an own table may hold 1e20, and a large common part would drown what centring leaves
        one, other = (study.table.E[ids[some]].astype(np.float64) for ids in (first, second))
        np.einsum("nd,nd->n", one, other, out=dots[some])
        np.einsum("nd,nd->n", one - study.mean, other - study.mean, out=centred[some])
    return PairStudy(
        pairs=pairs,
        raw=_cosines(dots, study.norms[first], study.norms[second]),
        centred=_cosines(centred, study.centred_norms[first], study.centred_norms[second]),
        left_out=study.V - V,
        common=float(np.linalg.norm(study.mean) / study.norms.mean()),
    )


def histogram(values: ArrayLike, low: float, high: float, bins: int) -> tuple[FloatArray, FloatArray]:
    """Return the middles of equal bins and the share of all values in each.

    Values outside are counted in the outermost bins, so the shares always add up to 1.

    Parameters
    ----------
    values : array_like
        Shape (N,).
    low, high : float
        Ends of the axis, low below high.
    bins : int
        How many.

    Raises
    ------
    ValueError
        If a value is not finite, low is not below high, or bins is not a whole number of at least 1.

    Examples
    --------
    >>> middles, shares = histogram([0.1, 0.2, 0.9, 7.0], 0.0, 1.0, 2)
    >>> middles.tolist(), shares.tolist()
    ([0.25, 0.75], [0.5, 0.5])
    """
    given = as_floats("values (N,)", values, (None,))
    if not low < high:
        raise ValueError(f"an axis needs a low end below its high end; got {low} to {high}")
    width = (high - low) / check_count("bins", bins)
    place = ((np.clip(given, low, high) - low) / width).astype(np.intp).clip(0, bins - 1)
    shares = np.bincount(place, minlength=bins) / max(given.size, 1)
    return readonly(low + width * (np.arange(bins) + 0.5)), readonly(shares)


def _cosines(dots: Array, first: Array, second: Array) -> FloatArray:
    """Dot products over lengths, (N,); a row that equals the mean has no direction left and gives 0."""
    lengths = first * second
    cosines: FloatArray = np.divide(dots, lengths, out=np.zeros_like(dots), where=lengths > 0)
    return readonly(np.clip(cosines, -1, 1))
