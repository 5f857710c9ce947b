"""Cosines, nearest rows, analogies, and what random pairs of rows look like."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lab.notation import Array, FloatArray, IntArray, as_matrix, check_count, check_ids, readonly

UNDEFINED = "undefined (zero vector)"
"""What is said where there is no cosine: a zero vector has no direction."""


class Neighbours(NamedTuple):
    """Rows nearest to a query, the nearest first."""

    ids: IntArray
    """Shape (k,)."""
    cosines: FloatArray
    """Shape (k,), falling."""


class Isotropy(NamedTuple):
    """Cosines of random pairs of different rows: near 0 where the rows point everywhere alike."""

    mean: float
    sd: float
    cosines: FloatArray
    """One for each pair, shape (pairs,)."""


def cosine(a: ArrayLike, b: ArrayLike) -> float:
    """Return the cosine of the angle between two vectors.

    Parameters
    ----------
    a, b : array_like
        Shape (D,).

    Returns
    -------
    float
        In [-1, 1]: rounding alone could reach 1.0000001, of which arccos is not a number.

    Raises
    ------
    ValueError
        If the shapes differ, an entry is not finite, or a vector is zero ("undefined (zero vector)").

    Examples
    --------
    >>> round(cosine([0.9, 0.7, 0.1], [0.9, 0.6, 0.3]), 3)
    0.981
    """
    first, second = (np.asarray(v, dtype=np.float64) for v in (a, b))
    if first.ndim != 1 or first.shape != second.shape:
        raise ValueError(
            f"cosine takes two vectors of one width; got shapes {first.shape} and {second.shape}"
        )
    value = float(cosine_matrix(first[None], second[None])[0, 0])
    if np.isnan(value):
        which = "both vectors are" if not (first.any() or second.any()) else "one vector is"
        raise ValueError(f"the cosine is {UNDEFINED}: {which} zero, and zero has no direction")
    return value


def cosine_matrix(A: ArrayLike, B: ArrayLike | None = None) -> NDArray[np.float64]:
    """Return the cosine of every row of A with every row of B.

    Parameters
    ----------
    A : array_like
        Shape (M, D).
    B : array_like, optional
        Shape (N, D); by default A itself.

    Returns
    -------
    ndarray
        Shape (M, N), float64, in [-1, 1]. NaN marks the cosines of a zero row, which are undefined: show
        `UNDEFINED` there, not 0.

    Raises
    ------
    ValueError
        If the widths differ or an entry is not finite.

    Examples
    --------
    >>> cosine_matrix([[1.0, 0.0], [0.0, 2.0]])
    array([[1., 0.],
           [0., 1.]])
    """
    left = _directions(as_matrix("A (M, D)", A))
    right = left if B is None else _directions(as_matrix("B (N, D)", B, columns=left.shape[1]))
    cosines: NDArray[np.float64] = np.clip(left @ right.T, -1, 1)  # (M, D) (D, N) -> (M, N)
    return cosines


def unit_rows(E: ArrayLike) -> NDArray[np.float32]:
    """Return the rows of a table scaled to length 1, in float32, for `neighbours` and `analogy`.

    Make it once for a table and keep it. A zero row becomes NaN, and is nobody's neighbour.

    Parameters
    ----------
    E : array_like
        Shape (V, D).

    Returns
    -------
    ndarray
        Shape (V, D), float32, read-only.

    Raises
    ------
    ValueError
        If E is no matrix or an entry is not finite.

    Examples
    --------
    >>> unit_rows([[3.0, 4.0]])
    array([[0.6, 0.8]], dtype=float32)
    """
    table = as_matrix("E (V, D)", E)
    if table.dtype != np.float32:
        return readonly(_directions(table).astype(np.float32))
    return readonly(_directions(table, np.float32))


def neighbours(E: ArrayLike, query: ArrayLike, k: int = 10, exclude: Iterable[int] = ()) -> Neighbours:
    """Return the k rows whose direction is nearest to the query's.

    Parameters
    ----------
    E : array_like
        Rows of length 1, shape (V, D), as `unit_rows` makes them: the search is then one matrix-vector
        product, quick enough for every key press.
    query : array_like
        Any length but zero, shape (D,).
    k : int
        How many; fewer come back if the table has fewer.
    exclude : iterable of int
        Ids that may not come back, such as the query's own.

    Returns
    -------
    Neighbours
        Equal cosines come in the order of their ids.

    Raises
    ------
    ValueError
        If the rows do not have length 1, the query does not fit or is zero, or an id is not in the table.

    Examples
    --------
    >>> E = unit_rows([[1.0, 0.0], [2.0, 0.1], [0.0, 1.0]])
    >>> neighbours(E, [1.0, 0.0], k=2, exclude=[0]).ids
    array([1, 2])
    """
    table = as_matrix("E (V, D)", E)
    _check_unit(table)
    direction = _directions(as_matrix("query (1, D)", np.asarray(query)[None], columns=table.shape[1]))[0]
    if np.isnan(direction).any():
        raise ValueError(f"the query has no nearest row: its cosine is {UNDEFINED}")
    cosines = np.clip(table @ direction.astype(table.dtype), -1, 1)  # (V, D) (D,) -> (V,)
    cosines[check_ids(list(exclude), len(table))] = np.nan
    candidates = np.flatnonzero(~np.isnan(cosines))
    count = min(check_count("k", k), candidates.size)
    # a stable sort of all V cosines costs less than the product that made them
    order = candidates[np.argsort(-cosines[candidates], kind="stable")[:count]]
    return Neighbours(order, cosines[order])


def analogy(E: ArrayLike, a: int, b: int, c: int, exclude_inputs: bool, k: int = 10) -> Neighbours:
    """Return the rows nearest to ``E[b] - E[a] + E[c]``: a is to b as c is to the nearest.

    Parameters
    ----------
    E : array_like
        Rows of length 1, shape (V, D), as `unit_rows` makes them.
    a, b, c : int
        Ids of the three words.
    exclude_inputs : bool
        Leave a, b and c out. Without that the answer is mostly b or c itself, because the
        sum holds both of them; published accuracies exclude the three.
    k : int
        How many.

    Raises
    ------
    ValueError
        If an id is not in the table, the rows do not have length 1, or the sum is zero.

    References
    ----------
    Mikolov, Yih and Zweig 2013, Linguistic regularities in continuous space word representations,
    section 4; Linzen 2016, arXiv:1606.07736 (why the inputs come first).

    Examples
    --------
    >>> E = unit_rows([[1.0, 0.0], [1.0, 1.0], [-1.0, 0.0], [-1.0, 1.0]])
    >>> analogy(E, 0, 1, 2, exclude_inputs=True, k=1).ids
    array([3])
    """
    table = as_matrix("E (V, D)", E)
    first, second, third = table[check_ids([a, b, c], len(table))].astype(np.float64)
    return neighbours(table, second - first + third, k, (a, b, c) if exclude_inputs else ())


def isotropy(E: ArrayLike, rng: np.random.Generator, pairs: int = 10_000, centred: bool = False) -> Isotropy:
    """Return the mean and the standard deviation of the cosines of random pairs of different rows.

    Parameters
    ----------
    E : array_like
        Shape (V, D).
    rng : numpy.random.Generator
        Draws the pairs, with replacement.
    pairs : int
        How many.
    centred : bool
        Take the mean row away first. Rows that share a large common part look alike until then.

    Raises
    ------
    ValueError
        If the table has fewer than two rows, or a row is zero.

    References
    ----------
    Mu, Bhat and Viswanath 2018, arXiv:1702.01417, section 2.1;
    Ethayarajh 2019, arXiv:1909.00512, section 3.3.

    Examples
    --------
    >>> isotropy(np.eye(4), np.random.default_rng(0), pairs=10).mean
    0.0
    """
    table = as_matrix("E (V, D)", E)
    V = len(table)
    if V < 2:
        raise ValueError(f"a pair needs two rows; the table has {V}")
    rows = _directions(table - table.mean(axis=0) if centred else table, np.float32)
    if np.isnan(rows).any():
        raise ValueError(f"row {int(np.argmax(np.isnan(rows).any(axis=1)))} has no cosine: {UNDEFINED}")
    first = rng.integers(V, size=check_count("pairs", pairs))
    second = (first + rng.integers(1, V, size=pairs)) % V  # another row, each as likely
    cosines = np.einsum("nd,nd->n", rows[first], rows[second], dtype=np.float64)
    return Isotropy(float(cosines.mean()), float(cosines.std()), readonly(np.clip(cosines, -1, 1)))


def _directions(rows: Array, dtype: type[np.floating] = np.float64) -> Array:
    """Rows scaled to length 1, NaN where a row is zero: (R, D) -> (R, D)."""
    values = rows.astype(dtype)
    if not np.isfinite(values).all():
        raise ValueError(
            f"vectors must be finite; row {int(np.argmax(~np.isfinite(values).all(axis=1)))} is not"
        )
    # dividing by the largest entry first: squares of tiny or huge entries would underflow or overflow
    largest = np.abs(values).max(axis=1, keepdims=True, initial=0)
    with np.errstate(invalid="ignore"):
        values = values / largest
    directions: Array = values / np.sqrt(np.einsum("rd,rd->r", values, values))[:, None]
    return directions


def _check_unit(table: Array) -> None:
    """Look at a few rows: looking at all would cost as much as the search."""
    sample = table[:: max(1, len(table) // 16)].astype(np.float64)
    squares = np.einsum("rd,rd->r", sample, sample)
    if np.any(np.abs(squares - 1) > 1e-4):
        raise ValueError("the rows of E must have length 1; make them with unit_rows(E)")
