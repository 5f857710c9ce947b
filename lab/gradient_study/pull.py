"""Rows that learn: a stand-in for a model in which each token pulls its row towards a point of its own.

The loss of a step is the mean over its N tokens of half the squared distance between the token's row and a
noisy view of that row's target. Its gradient is real and needs no network, and no row depends on another,
so a few hundred rows of a large table can be followed exactly, without the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lab.embedding import RowGradient
from lab.notation import FloatArray, IntArray, as_matrix, check_count, check_ids, readonly
from lab.row_optimizers import RowOptimizer
from lab.zipf import rank_bins

WIDTH = 8
LEARNING_RATES = {"sgd": 1.0, "momentum": 1.0, "adam": 0.01, "adamw": 0.01, "lazy_adam": 0.01}
"""By key of the rule. SGD multiplies a gradient and Adam divides its size away: no one number serves both."""


class RowHistory(NamedTuple):
    """What happened to each followed row in each step; every array has shape (steps, S)."""

    norms: FloatArray
    """Norm of the row's summed gradient; 0 where its token did not occur."""
    moved: FloatArray
    """Distance from where the row started, after the step."""
    left: FloatArray
    """Distance to the row's target, after the step; it was 1 before the first."""


class RankMeans(NamedTuple):
    """The same, averaged over the rows of each bin of ranks, up to one step; shape (bins,) each."""

    norms: FloatArray
    """Mean over rows and steps; NaN in a bin where no followed row has occurred yet."""
    moved: FloatArray
    left: FloatArray


def followed_rows(V: int, bins: int, each: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Choose rows of every frequency: at most ``each`` from each bin of ranks, evenly spaced.

    Parameters
    ----------
    V : int
        Rows of the table.
    bins : int
        Bins, even on a logarithmic axis of ranks (``lab.zipf.rank_bins``).
    each : int
        Rows of a bin; a smaller bin gives all of its rows.

    Returns
    -------
    rows : numpy.ndarray
        Row ids, rising, shape (S,).
    bounds : numpy.ndarray
        Bin k holds ``rows[bounds[k] : bounds[k + 1]]``, shape (bins + 1,).

    Raises
    ------
    ValueError
        If a number is not a whole one of at least 1.

    Examples
    --------
    >>> followed_rows(100, bins=4, each=2)
    (array([ 0,  1,  2,  5,  9, 20, 31, 65]), array([0, 2, 4, 6, 8]))
    """
    edges = rank_bins(V, bins)
    most = check_count("rows of a bin", each)
    chosen = []
    for low, high in pairwise(edges):
        count = min(most, int(high - low))
        chosen.append(low + (np.arange(count) * (high - low)) // count)
    bounds = np.cumsum([0, *map(len, chosen)])
    return readonly(np.concatenate(chosen)), readonly(bounds)


def count_rows(ids_by_step: ArrayLike, rows: ArrayLike, V: int) -> NDArray[np.intp]:
    """Return how often each of some rows occurs in each step.

    Parameters
    ----------
    ids_by_step : array_like of int
        Row ids of each step, shape (steps, N).
    rows : array_like of int
        Different row ids, shape (S,).
    V : int
        Rows of the table.

    Returns
    -------
    numpy.ndarray
        Shape (steps, S).

    Raises
    ------
    ValueError
        If an id or a row is not one of the V rows.

    Examples
    --------
    >>> count_rows([[0, 0, 3], [1, 2, 0]], rows=[0, 3], V=4)
    array([[2, 1],
           [1, 0]])
    """
    ids = check_ids(as_matrix("ids_by_step (steps, N)", ids_by_step), check_count("V", V))
    wanted = check_ids(rows, V)
    steps, S = len(ids), len(wanted)
    place = np.full(V, S, dtype=np.intp)  # place S gathers the rows that are not asked for
    place[wanted] = np.arange(S)
    cell = place[ids] + np.arange(steps)[:, None] * (S + 1)  # (steps, N)
    counted = np.bincount(cell.ravel(), minlength=steps * (S + 1))
    return readonly(counted.reshape(steps, S + 1)[:, :S])


def follow(
    counts: ArrayLike, tokens: int, rule: type[RowOptimizer], seed: int | Sequence[int] = 0
) -> RowHistory:
    """Let rows learn under an optimizer and return what happened to them.

    A row that occurs c times in a step of N tokens has the gradient (c (row - target) - noise) / N, where
    the noise is a sum of c random vectors, each about as long as the first pull. Start, targets and noise
    depend on the seed alone, so rules can be compared row by row.

    Parameters
    ----------
    counts : array_like of int
        How often each row occurs in each step, shape (steps, S).
    tokens : int
        N, the tokens of a step.
    rule : type of RowOptimizer
        One of ``lab.row_optimizers.ROW_OPTIMIZERS``; its rate is in `LEARNING_RATES`.
    seed : int or sequence of int
        Where the randomness comes from.

    Returns
    -------
    RowHistory
        Arrays of shape (steps, S), read-only.

    Raises
    ------
    ValueError
        If counts is no matrix of whole numbers from 0, or tokens is not a whole number of at least 1.

    Notes
    -----
    The size of a movement under one rule says nothing about another rule's: it is set by the rates.

    Examples
    --------
    >>> from lab.row_optimizers import SGD
    >>> history = follow([[1, 0], [0, 0]], tokens=2, rule=SGD)
    >>> (history.norms > 0).tolist(), history.left[:, 1].tolist()
    ([[True, False], [False, False]], [1.0, 1.0])
    """
    often = _check_counts(counts)
    steps, S = often.shape
    rng = np.random.default_rng(seed)
    start = rng.standard_normal((S, WIDTH)) / np.sqrt(WIDTH)
    pull = rng.standard_normal((S, WIDTH))
    target = start + pull / np.linalg.norm(pull, axis=1, keepdims=True)
    noise = rng.standard_normal((steps, S, WIDTH)) / np.sqrt(WIDTH)
    noise *= np.sqrt(often)[:, :, None]
    E, optimizer = start.copy(), rule(lr=LEARNING_RATES[rule.key])
    norms, after = np.zeros((steps, S)), np.empty((steps, S, WIDTH))
    for step, c in enumerate(often):
        rows = np.flatnonzero(c)
        g = (c[rows, None] * (E[rows] - target[rows]) - noise[step, rows]) / check_count("tokens", tokens)
        optimizer.step(E, RowGradient(rows, g))
        norms[step, rows] = np.linalg.norm(g, axis=1)
        after[step] = E
    moved = np.linalg.norm(after - start, axis=2)  # (steps, S, WIDTH) -> (steps, S)
    left = np.linalg.norm(after - target, axis=2)
    return RowHistory(readonly(norms), readonly(moved), readonly(left))


def mean_by_rank(history: RowHistory, bounds: ArrayLike, upto: int) -> RankMeans:
    """Average a history over the rows of each bin of ranks.

    Parameters
    ----------
    history : RowHistory
        Of the rows of `followed_rows`.
    bounds : array_like of int
        Where each bin begins among them, shape (bins + 1,).
    upto : int
        The last step that counts, from 1.

    Returns
    -------
    RankMeans
        Of shape (bins,) each, read-only.

    Raises
    ------
    ValueError
        If ``upto`` is not one of the steps.

    Examples
    --------
    >>> from lab.row_optimizers import SGD
    >>> mean_by_rank(follow([[1, 0]], tokens=2, rule=SGD), [0, 1, 2], upto=1).left.round(3)[1]
    np.float64(1.0)
    """
    steps = len(history.norms)
    if not 1 <= check_count("step", upto) <= steps:
        raise ValueError(f"there is no step {upto}: the run has steps 1 to {steps}")
    norms = _bin_means(history.norms[:upto].mean(axis=0), bounds)
    return RankMeans(
        readonly(np.where(norms > 0, norms, np.nan)),
        readonly(_bin_means(history.moved[upto - 1], bounds)),
        readonly(_bin_means(history.left[upto - 1], bounds)),
    )


def norm_range(history: RowHistory, bounds: ArrayLike) -> tuple[float, float]:
    """Return the smallest and largest mean norm that `mean_by_rank` gives in any step: the range of an axis.

    Examples
    --------
    >>> from lab.row_optimizers import SGD
    >>> low, high = norm_range(follow([[1, 1]], tokens=1, rule=SGD), [0, 1, 2])
    >>> 0 < low <= high
    True
    """
    until = np.arange(1, len(history.norms) + 1)[:, None]
    means = _bin_means(np.cumsum(history.norms, axis=0) / until, bounds)  # (steps, S) -> (steps, bins)
    positive = means[means > 0]
    return (float(positive.min()), float(positive.max())) if positive.size else (1.0, 1.0)


def _bin_means(values: FloatArray, bounds: ArrayLike) -> FloatArray:
    edges = np.asarray(bounds)
    means: FloatArray = np.add.reduceat(values, edges[:-1], axis=-1) / np.diff(
        edges
    )  # (..., S) -> (..., bins)
    return means


def _check_counts(counts: ArrayLike) -> IntArray:
    often = as_matrix("counts (steps, S)", counts)
    if often.dtype.kind not in "iu" or not often.size or often.min() < 0:
        raise ValueError(f"counts must hold whole numbers from 0; got {often.dtype} of shape {often.shape}")
    return often
