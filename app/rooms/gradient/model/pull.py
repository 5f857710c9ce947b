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
from numpy.typing import ArrayLike

from lab.embedding import RowGradient
from lab.notation import FloatArray, IntArray, as_matrix, check_count, check_ids
from lab.row_optimizers import RowOptimizer
from lab.zipf import rank_bins

WIDTH = 8
LEARNING_RATES = {"sgd": 1.0, "momentum": 1.0, "adam": 0.01, "adamw": 0.01, "lazy_adam": 0.01}
"""By key of the rule. SGD multiplies a gradient and Adam divides its size away: no one number serves both."""


class RowHistory(NamedTuple):
    """What happened to each of S followed rows in each step; every array has shape (steps, S)."""

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


def followed_rows(V: int, bins: int, each: int) -> tuple[IntArray, IntArray]:
    """Rows of every frequency: at most ``each`` of each bin of ranks, evenly spaced, and where a bin begins.

    Bin k holds ``rows[bounds[k] : bounds[k + 1]]``; rows have shape (S,), bounds (bins + 1,).

    >>> followed_rows(100, bins=4, each=2)
    (array([ 0,  1,  2,  5,  9, 20, 31, 65]), array([0, 2, 4, 6, 8]))
    """
    chosen = []
    for low, high in pairwise(rank_bins(V, bins)):
        count = min(each, int(high - low))
        chosen.append(low + (np.arange(count) * (high - low)) // count)
    return np.concatenate(chosen), np.cumsum([0, *map(len, chosen)])


def count_rows(ids_by_step: ArrayLike, rows: ArrayLike, V: int) -> IntArray:
    """How often each of S different rows occurs in each step, (steps, S).

    >>> count_rows([[0, 0, 3], [1, 2, 0]], rows=[0, 3], V=4)
    array([[2, 1],
           [1, 0]])
    """
    ids = check_ids(as_matrix("ids_by_step (steps, N)", ids_by_step), check_count("V", V))
    wanted = check_ids(rows, V)
    steps, S = len(ids), len(wanted)
    column = np.full(V, S, dtype=np.intp)  # column S gathers the rows that are not asked for
    column[wanted] = np.arange(S)
    cell = column[ids] + np.arange(steps)[:, None] * (S + 1)  # (steps, N)
    counted = np.bincount(cell.ravel(), minlength=steps * (S + 1))
    return counted.reshape(steps, S + 1)[:, :S]


def follow(
    counts: ArrayLike, tokens: int, rule: type[RowOptimizer], seed: int | Sequence[int] = 0
) -> RowHistory:
    """Let rows learn under an optimizer; counts (steps, S) say how often each occurs among N ``tokens``.

    A row that occurs c times in a step of N tokens has the gradient (c (row - target) - noise) / N, where
    the noise is a sum of c random vectors, each about as long as the first pull. Start, targets and noise
    depend on the seed alone, so rules can be compared row by row. How far a row moves under one rule says
    nothing about another rule: that is set by `LEARNING_RATES`.

    >>> from lab.row_optimizers import SGD
    >>> history = follow([[1, 0], [0, 0]], tokens=2, rule=SGD)
    >>> (history.norms > 0).tolist(), history.left[:, 1].tolist()
    ([[True, False], [False, False]], [1.0, 1.0])
    """
    often = as_matrix("counts (steps, S)", counts)
    if often.dtype.kind not in "iu" or not often.size or often.min() < 0:
        raise ValueError(f"counts must hold whole numbers from 0; got {often.dtype} of shape {often.shape}")
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
    return RowHistory(norms, moved, left)


def mean_by_rank(history: RowHistory, bounds: IntArray, upto: int) -> RankMeans:
    """Average the history of `followed_rows` over each bin of ranks, up to a step counted from 1.

    >>> from lab.row_optimizers import SGD
    >>> mean_by_rank(follow([[1, 0]], tokens=2, rule=SGD), [0, 1, 2], upto=1).left.round(3)[1]
    np.float64(1.0)
    """
    steps = len(history.norms)
    if not 1 <= check_count("step", upto) <= steps:
        raise ValueError(f"there is no step {upto}: the run has steps 1 to {steps}")
    norms = _bin_means(history.norms[:upto].mean(axis=0), bounds)
    return RankMeans(
        np.where(norms > 0, norms, np.nan),
        _bin_means(history.moved[upto - 1], bounds),
        _bin_means(history.left[upto - 1], bounds),
    )


def norm_range(history: RowHistory, bounds: IntArray) -> tuple[float, float]:
    """The smallest and the largest mean norm that `mean_by_rank` gives in any step: the range of an axis.

    >>> from lab.row_optimizers import SGD
    >>> low, high = norm_range(follow([[1, 1]], tokens=1, rule=SGD), [0, 1, 2])
    >>> 0 < low <= high
    True
    """
    until = np.arange(1, len(history.norms) + 1)[:, None]
    means = _bin_means(np.cumsum(history.norms, axis=0) / until, bounds)  # (steps, S) -> (steps, bins)
    positive = means[means > 0]
    return (float(positive.min()), float(positive.max())) if positive.size else (1.0, 1.0)


def _bin_means(values: FloatArray, bounds: IntArray) -> FloatArray:
    summed = np.add.reduceat(values, np.asarray(bounds)[:-1], axis=-1)  # (..., S) -> (..., bins)
    means: FloatArray = summed / np.diff(bounds)
    return means
