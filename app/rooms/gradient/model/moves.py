"""Which rows of the table a step moves, and how many have been seen after so many steps."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lab.notation import Array, FloatArray, IntArray, check_count, check_distribution
from lab.row_optimizers import AdamW, RowOptimizer
from lab.zipf import rank_bins, touch_matrix
from lab.zipf.touch import check_edges, check_steps

GROUPS = 2048
"""Groups of neighbouring ranks in `expected_growth`; with so many the error stays below one row in 10,000."""


def touched_rows(shares: Array, edges: IntArray) -> NDArray[np.intp]:
    """How many different rows each step touches, (steps,), from the shares of bins over the whole table.

    >>> touched_rows(touch_matrix([[0, 0, 3], [1, 2, 0]], [0, 1, 4]), [0, 1, 4])
    array([2, 3])
    """
    # a share is a whole number of rows over a width: rounding takes back what the division left
    touched: NDArray[np.intp] = np.rint(np.diff(edges) @ shares).astype(np.intp)
    return touched


def seen_matrix(ids_by_step: ArrayLike, edges: ArrayLike) -> FloatArray:
    """Share of each bin's rows that have been touched by the end of each step, (bins, steps).

    Ids have shape (steps, N), rising edges (bins + 1,), as in ``lab.zipf.touch_matrix``.

    >>> seen_matrix([[0, 0, 3], [1, 2, 0]], [0, 1, 4])
    array([[1.        , 1.        ],
           [0.33333333, 1.        ]])
    """
    ids, rows = check_steps(ids_by_step)
    cuts = check_edges(edges)
    steps, bins = len(ids), len(cuts) - 1
    first = np.full(max(rows, int(cuts[-1])), steps, dtype=np.intp)
    for step in range(steps - 1, -1, -1):
        first[ids[step]] = step
    shown = first[cuts[0] : cuts[-1]]
    bin_of = np.repeat(np.arange(bins), np.diff(cuts))
    # column `steps` gathers the rows that are never touched
    fresh = np.bincount(bin_of * (steps + 1) + shown, minlength=bins * (steps + 1))
    seen = np.cumsum(fresh.reshape(bins, steps + 1)[:, :steps], axis=1)
    return seen / np.diff(cuts)[:, None]


def moved_matrix(ids_by_step: ArrayLike, edges: ArrayLike, rule: type[RowOptimizer]) -> FloatArray:
    """Share of each bin's rows that a step of an optimizer moves, (bins, steps).

    SGD and lazy Adam move the rows that occur in the step. Momentum and Adam also move every row that has
    occurred before: their memory of its gradients only fades. Decoupled weight decay moves all rows, unless
    they are 0.

    >>> from lab.row_optimizers import SGD, Adam
    >>> moved_matrix([[0, 0], [1, 1]], range(3), SGD)
    array([[1., 0.],
           [0., 1.]])
    >>> moved_matrix([[0, 0], [1, 1]], range(3), Adam)
    array([[1., 1.],
           [0., 1.]])
    """
    if issubclass(rule, AdamW):
        return np.ones_like(touch_matrix(ids_by_step, edges))
    return seen_matrix(ids_by_step, edges) if rule.moves_unseen else touch_matrix(ids_by_step, edges)


def moved_rows(touched: IntArray, seen: IntArray, V: int, rule: type[RowOptimizer]) -> IntArray:
    """How many of V rows each step moves, (steps,), from the rows touched and those seen so far.

    >>> from lab.row_optimizers import LazyAdam, Momentum
    >>> moved_rows([2, 1], [2, 3], 9, LazyAdam), moved_rows([2, 1], [2, 3], 9, Momentum)
    ([2, 1], [2, 3])
    """
    if issubclass(rule, AdamW):
        return np.full_like(touched, V)
    return seen if rule.moves_unseen else touched


def expected_growth(p: ArrayLike, tokens: int, steps: int, groups: int = GROUPS) -> FloatArray:
    """How many different rows 1, 2, … steps of independent tokens are expected to touch, (steps,).

    This is the sum of 1 - (1 - p_i)^(n N) for every n at once. Rows are summed in groups of neighbouring
    ranks, each with its mean probability, so that a curve over 128,000 rows stays quick; for one number take
    ``lab.zipf.expected_distinct``. As many groups as rows sum row by row, which p needs that does not fall.

    >>> expected_growth([0.5, 0.5], tokens=2, steps=2)
    array([1.5  , 1.875])
    """
    shares = check_distribution("p (V,)", p)
    edges = rank_bins(len(shares), check_count("groups", groups))
    widths = np.diff(edges)
    mean = np.add.reduceat(shares, edges[:-1]) / widths  # (V,) -> (groups,)
    drawn = check_count("tokens", tokens) * np.arange(1, check_count("steps", steps) + 1)
    with np.errstate(divide="ignore"):
        missed = np.log1p(-np.minimum(mean, 1.0))
    grown: FloatArray = -np.expm1(drawn[:, None] * missed) @ widths  # (steps, groups) -> (steps,)
    return grown
