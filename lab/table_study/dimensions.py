"""What a single dimension says: how far a dot product is spread, and which words are large in one of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lab.notation import FloatArray, IntArray, as_floats, check_count, readonly
from lab.table_study.table import TableStudy


class Spread(NamedTuple):
    """How a sum is spread over its terms, by their magnitude."""

    first: int
    """The term of the largest magnitude."""
    share: float
    """Its magnitude over the sum of all magnitudes; 0 where all are 0."""
    half: int
    """The fewest terms that together have half of the sum of magnitudes."""
    terms: int


def spread(products: ArrayLike) -> Spread:
    """Return over how many dimensions a dot product is spread.

    Parameters
    ----------
    products : array_like
        The products of two rows, dimension by dimension, shape (D,).

    Raises
    ------
    ValueError
        If there is no dimension, or an entry is not finite.

    Examples
    --------
    >>> spread([0.81, 0.42, 0.03])
    Spread(first=0, share=0.6428571428571429, half=1, terms=3)
    """
    sizes = np.abs(as_floats("products (D,)", products, (None,)).astype(np.float64))
    if not sizes.size:
        raise ValueError("a dot product needs at least one dimension; there is none")
    order = np.argsort(-sizes, kind="stable")
    total = float(sizes.sum())
    if total == 0:
        return Spread(int(order[0]), 0.0, 0, sizes.size)
    reached = np.cumsum(sizes[order]) >= total / 2 * (1 - 1e-12)
    return Spread(int(order[0]), float(sizes[order[0]] / total), int(reached.argmax()) + 1, sizes.size)


def largest_words(study: TableStudy, dimension: int, k: int) -> IntArray:
    """Return the words with the largest numbers in one dimension, by the row's own length.

    Numbers are taken from rows of length 1, so that long rows do not lead every list.

    Parameters
    ----------
    study : TableStudy
        The table.
    dimension : int
        0 to D - 1.
    k : int
        How many words.

    Returns
    -------
    numpy.ndarray
        Ids of at most k rows, the largest first.

    Raises
    ------
    ValueError
        If there is no such dimension, or k is not a whole number of at least 1.

    Examples
    --------
    >>> from lab.vocab import FINANCE
    >>> study = TableStudy(FINANCE)
    >>> study.names(largest_words(study, 2, 2))
    ['cash', 'save']
    """
    if not 0 <= dimension < study.D:
        raise ValueError(f"dimension {dimension} is none of the {study.D} of this table, 0 to {study.D - 1}")
    rows = study.words if len(study.words) >= check_count("k", k) else np.arange(study.V)
    values = study.unit[rows, dimension]
    defined = np.flatnonzero(~np.isnan(values))
    order = defined[np.argsort(-values[defined], kind="stable")][:k]
    return readonly(rows[order])


def cosine_error(E: ArrayLike, roundings: int = 1) -> float:
    """Return how far a cosine may be off because the rows are stored in 8 bits: its standard deviation.

    A number that was rounded to steps of max|row| / 127 is off by up to half a step, anywhere with the same
    probability: variance step squared over 12. Errors of different numbers are taken as independent, and the
    rows as nearly at right angles, where a cosine moves most.

    Parameters
    ----------
    E : array_like
        Rows, shape (V, D).
    roundings : int
        How often they were rounded so.

    Raises
    ------
    ValueError
        If E is no matrix, no row has a length, or roundings is not a whole number of at least 1.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> E = rng.standard_normal((200, 400))
    >>> step = abs(E).max(axis=1, keepdims=True) / 127
    >>> round(cosine_error(np.rint(E / step) * step), 4)
    0.0005
    """
    rows: FloatArray = as_floats("E (V, D)", E, (None, None)).astype(np.float64)
    lengths = np.linalg.norm(rows, axis=1)
    kept = lengths > 0
    if not kept.any():
        raise ValueError("no row has a length, so none has a cosine")
    step = np.abs(rows[kept]).max(axis=1) / 127
    # relative to the row's length, one direction at right angles to it: the other row's
    off = step / np.sqrt(12) / lengths[kept]
    return float(np.sqrt(2 * check_count("roundings", roundings)) * np.median(off))
