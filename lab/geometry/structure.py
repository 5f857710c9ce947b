"""The shape of a table: principal components, cosine by distance, rank correlation, reading sums back."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lab.notation import Array, FloatArray, IntArray, as_floats, as_matrix, check_count, readonly


class PCA(NamedTuple):
    """Principal components of a table."""

    mean: FloatArray
    """The mean row, shape (D,)."""
    components: FloatArray
    """Directions of largest variance, orthonormal, shape (k, D)."""
    scores: FloatArray
    """Coordinates of the rows along them, shape (N, k)."""
    explained: FloatArray
    """Share of the whole variance along each, falling, shape (k,)."""


class ReadBack(NamedTuple):
    """Which token and which position a sum is nearest to."""

    tokens: IntArray
    positions: IntArray
    distances: FloatArray
    """Euclidean distance of the sum from ``E[token] + P[position]``."""


def pca(X: ArrayLike, k: int = 2) -> PCA:
    """Return the first k principal components of the rows of X.

    A component's sign is free; here its entry of largest magnitude is positive, so the same table gives
    the same map on every machine.

    Parameters
    ----------
    X : array_like
        Shape (N, D).
    k : int
        At most ``min(N, D)``.

    Raises
    ------
    ValueError
        If k is too large, an entry is not finite, or all rows are equal.

    References
    ----------
    Jolliffe and Cadima 2016, Principal component analysis: a review, section 2.

    Examples
    --------
    >>> pca([[0.0, 0.0], [-1.0, 0.0], [1.0, 0.0]], k=1).components
    array([[1., 0.]])
    """
    rows = as_floats("X (N, D)", X, (None, None)).astype(np.float64)
    N, D = rows.shape
    if check_count("k", k) > min(N, D):
        raise ValueError(f"a table of shape {rows.shape} has {min(N, D)} components; k is {k}")
    mean = rows.mean(axis=0)
    centred = rows - mean
    # R of a QR has the same singular values and right vectors, and is only D x D for a tall table
    _, singular, components = np.linalg.svd(np.linalg.qr(centred, mode="r"), full_matrices=False)
    variances = singular**2
    if not variances.sum() > 0 or np.ptp(rows, axis=0).max() == 0:
        raise ValueError(f"all {N} rows are equal: there is no direction of variance")
    components = components[:k]
    largest = np.abs(components).argmax(axis=1)
    components = components * np.sign(components[np.arange(k), largest])[:, None]
    explained = variances[:k] / variances.sum()
    return PCA(*(readonly(a) for a in (mean, components, centred @ components.T, explained)))


def cosine_by_lag(cosines: ArrayLike) -> NDArray[np.float64]:
    """Return the mean cosine of positions a given distance apart.

    Parameters
    ----------
    cosines : array_like
        Cosine of every position with every other, shape (T, T), symmetric.

    Returns
    -------
    ndarray
        Entry ``m`` is the mean over all pairs ``m`` apart, shape (T,); entry 0 is the diagonal's.

    Raises
    ------
    ValueError
        If the matrix is not square or not symmetric.

    Examples
    --------
    >>> cosine_by_lag([[1.0, 0.5, 0.1], [0.5, 1.0, 0.3], [0.1, 0.3, 1.0]])
    array([1. , 0.4, 0.1])
    """
    matrix = _symmetric(cosines)
    return np.array([np.diagonal(matrix, m).mean() for m in range(len(matrix))])


def variance_explained_by_lag(cosines: ArrayLike) -> float:
    """Return the share of the cosine's variance over pairs of positions that their distance explains.

    All pairs of different positions count, each once. 1 means that the cosine is a function of the
    distance alone, as it is for sinusoidal positions.

    Parameters
    ----------
    cosines : array_like
        Shape (T, T), symmetric.

    Returns
    -------
    float
        Between-lag sum of squares over total sum of squares, in [0, 1].

    Raises
    ------
    ValueError
        If the matrix is not square or not symmetric, has fewer than three positions, or all cosines of
        different positions are equal: there is then no variance to explain.

    References
    ----------
    Fisher 1925, Statistical methods for research workers, section 45 (the correlation ratio).

    Examples
    --------
    >>> variance_explained_by_lag([[1.0, 0.5, 0.1], [0.5, 1.0, 0.5], [0.1, 0.5, 1.0]])
    1.0
    """
    matrix = _symmetric(cosines)
    if len(matrix) < 3:
        raise ValueError(f"two distances need three positions; there are {len(matrix)}")
    near, far = np.triu_indices(len(matrix), 1)
    values, lags = matrix[near, far], far - near
    total = np.sum((values - values.mean()) ** 2)
    if total == 0:
        raise ValueError("all cosines are equal: there is no variance to explain")
    means = cosine_by_lag(matrix)
    return float(1 - np.sum((values - means[lags]) ** 2) / total)


def spearman(x: ArrayLike, y: ArrayLike) -> float:
    """Return the rank correlation of two lists; equal values share their mean rank.

    Parameters
    ----------
    x, y : array_like
        Shape (N,).

    Raises
    ------
    ValueError
        If the lengths differ, there are fewer than two values, or one list is constant.

    References
    ----------
    Spearman 1904, The proof and measurement of association between two things.

    Examples
    --------
    >>> round(spearman([1, 2, 3], [10, 1000, 20]), 6)
    0.5
    """
    first, second = (as_floats(name, v, (None,)) for name, v in (("x (N,)", x), ("y (N,)", y)))
    if first.shape != second.shape or first.size < 2:
        raise ValueError(
            f"two lists of one length, at least 2, are needed; got {first.size} and {second.size}"
        )
    ranks = [_mean_ranks(v) for v in (first, second)]
    a, b = (r - r.mean() for r in ranks)
    spread = np.sqrt((a @ a) * (b @ b))
    if spread == 0:
        raise ValueError("the rank correlation of a constant list is undefined")
    return float(np.clip(a @ b / spread, -1, 1))


def read_back(E: ArrayLike, P: ArrayLike, sums: ArrayLike) -> ReadBack:
    """Return the token and the position whose sum ``E[t] + P[p]`` is nearest to each given sum.

    If this finds what went in, adding positions lost nothing, although V + T rows share one space.

    Parameters
    ----------
    E : array_like
        Token rows, shape (V, D).
    P : array_like
        Position rows, shape (T, D).
    sums : array_like
        Shape (N, D).

    Returns
    -------
    ReadBack
        Shapes (N,). Of equally near pairs the lowest position, then the lowest token, is named.

    Raises
    ------
    ValueError
        If the widths differ, a table is empty, or an entry is not finite.

    Examples
    --------
    >>> back = read_back([[1.0, 0.0], [0.0, 1.0]], [[0.0, 0.0], [0.25, 0.25]], [[0.25, 1.25]])
    >>> back.tokens, back.positions
    (array([1]), array([1]))
    """
    tokens = as_floats("E (V, D)", E, (None, None))
    places = as_floats("P (T, D)", P, (None, tokens.shape[1]))
    targets = as_floats("sums (N, D)", sums, (None, tokens.shape[1]))
    if not len(tokens) or not len(places):
        raise ValueError(f"reading back needs rows in both tables; E has {len(tokens)}, P {len(places)}")
    # |s - e - p|² = |s - p|² + |e|² - 2 e·s + 2 e·p: two products in all, never a V x T x D array. What all
    # tokens share is taken away first, in float64: beside it the differences would be lost
    shared = tokens.mean(axis=0, dtype=np.float64)
    tokens, targets = tokens - shared, targets - shared
    lengths = np.einsum("vd,vd->v", tokens, tokens)
    with_sums = lengths - 2 * (targets @ tokens.T)  # (N, D) (D, V) -> (N, V)
    with_places = 2 * (places @ tokens.T)  # (T, D) (D, V) -> (T, V)
    best = np.full(len(targets), np.inf)
    token, place = np.zeros((2, len(targets)), dtype=np.intp)
    for p, row in enumerate(places):
        part = with_sums + with_places[p]  # (N, V)
        nearest = part.argmin(axis=1)
        left = targets - row
        found = part[np.arange(len(left)), nearest] + np.einsum("nd,nd->n", left, left)
        better = found < best
        best[better], token[better], place[better] = found[better], nearest[better], p
    distances = np.linalg.norm(targets - tokens[token] - places[place], axis=1)
    return ReadBack(token, place, distances)


def _symmetric(cosines: ArrayLike) -> Array:
    matrix = as_matrix("cosines (T, T)", as_floats("cosines (T, T)", cosines, (None, None)))
    if matrix.shape[0] != matrix.shape[1] or not np.allclose(matrix, matrix.T, rtol=0, atol=1e-6):
        raise ValueError(f"cosines must be a symmetric matrix; its shape is {matrix.shape}")
    return matrix.astype(np.float64)


def _mean_ranks(values: Array) -> Array:
    """Ranks from 0; equal values get the mean of the ranks they cover."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks: Array = (ends - (counts + 1) / 2)[place]
    return ranks
