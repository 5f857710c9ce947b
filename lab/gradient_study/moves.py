"""Which rows of the table a step moves, and how many have been seen after so many steps."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lab.notation import FloatArray, as_matrix, check_count, check_distribution, readonly
from lab.row_optimizers import AdamW, RowOptimizer
from lab.zipf import rank_bins, touch_matrix
from lab.zipf.touch import check_edges, check_steps

GROUPS = 2048
"""Groups of neighbouring ranks in `expected_growth`; with so many the error stays below one row in 10,000."""


def generator(seed: int) -> np.random.Generator:
    """Return the generator a run draws its tokens from.

    Examples
    --------
    >>> generator(7).integers(100) == generator(7).integers(100)
    np.True_
    """
    return np.random.default_rng(seed)


def touched_rows(shares: ArrayLike, edges: ArrayLike) -> NDArray[np.intp]:
    """Return how many different rows each step touches, from the shares of all bins.

    Parameters
    ----------
    shares : array_like
        Of ``lab.zipf.touch_matrix``, shape (bins, steps).
    edges : array_like of int
        The bins' edges, shape (bins + 1,), over the whole table.

    Returns
    -------
    numpy.ndarray
        Shape (steps,): at most min(N, V) each.

    Raises
    ------
    ValueError
        If there is not one row of shares for each bin.

    Examples
    --------
    >>> touched_rows(touch_matrix([[0, 0, 3], [1, 2, 0]], [0, 1, 4]), [0, 1, 4])
    array([2, 3])
    """
    matrix, widths = as_matrix("shares (bins, steps)", shares), np.diff(edges)
    if len(matrix) != len(widths):
        raise ValueError(f"{len(widths)} bins need as many rows of shares; their shape is {matrix.shape}")
    # a share is a whole number of rows over a width: rounding takes back what the division left
    touched: NDArray[np.intp] = np.rint(widths @ matrix).astype(np.intp)
    return touched


def seen_matrix(ids_by_step: ArrayLike, edges: ArrayLike) -> FloatArray:
    """Return the share of each bin's rows that have been touched by the end of each step.

    Parameters
    ----------
    ids_by_step : array_like of int
        Row ids of each step, shape (steps, N).
    edges : array_like of int
        Rising row ids, shape (bins + 1,), as in ``lab.zipf.touch_matrix``.

    Returns
    -------
    numpy.ndarray
        Shape (bins, steps), values 0 .. 1, never falling along a row, read-only.

    Raises
    ------
    ValueError
        If there are no ids, or the edges do not rise from 0 or more.

    Examples
    --------
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
    return readonly(seen / np.diff(cuts)[:, None])


def moved_matrix(ids_by_step: ArrayLike, edges: ArrayLike, rule: type[RowOptimizer]) -> FloatArray:
    """Return the share of each bin's rows that a step of an optimizer moves.

    SGD and lazy Adam move the rows that occur in the step. Momentum and Adam also move every row that has
    occurred before: their memory of its gradients only fades. Decoupled weight decay moves all rows, unless
    they are 0.

    Parameters
    ----------
    ids_by_step : array_like of int
        Row ids of each step, shape (steps, N).
    edges : array_like of int
        Rising row ids, shape (bins + 1,).
    rule : type of RowOptimizer
        One of ``lab.row_optimizers.ROW_OPTIMIZERS``.

    Returns
    -------
    numpy.ndarray
        Shape (bins, steps), values 0 .. 1, read-only.

    Raises
    ------
    ValueError
        If there are no ids, or the edges do not rise from 0 or more.

    Examples
    --------
    >>> from lab.row_optimizers import SGD, Adam
    >>> moved_matrix([[0, 0], [1, 1]], range(3), SGD)
    array([[1., 0.],
           [0., 1.]])
    >>> moved_matrix([[0, 0], [1, 1]], range(3), Adam)
    array([[1., 1.],
           [0., 1.]])
    """
    if issubclass(rule, AdamW):
        return readonly(np.ones_like(touch_matrix(ids_by_step, edges)))
    return seen_matrix(ids_by_step, edges) if rule.moves_unseen else touch_matrix(ids_by_step, edges)


def moved_rows(touched: ArrayLike, seen: ArrayLike, V: int, rule: type[RowOptimizer]) -> NDArray[np.intp]:
    """Return how many rows each step of an optimizer moves; see `moved_matrix`.

    Parameters
    ----------
    touched : array_like of int
        Different rows of each step (`touched_rows`), shape (steps,).
    seen : array_like of int
        Different rows since the first step (``lab.zipf.distinct_seen``), shape (steps,).
    V : int
        Rows of the table.
    rule : type of RowOptimizer
        One of ``lab.row_optimizers.ROW_OPTIMIZERS``.

    Returns
    -------
    numpy.ndarray
        Shape (steps,).

    Raises
    ------
    ValueError
        If the counts are not whole numbers, or do not belong to the same steps.

    Examples
    --------
    >>> from lab.row_optimizers import LazyAdam, Momentum
    >>> moved_rows([2, 1], [2, 3], 9, LazyAdam), moved_rows([2, 1], [2, 3], 9, Momentum)
    (array([2, 1]), array([2, 3]))
    """
    now, so_far = np.asarray(touched), np.asarray(seen)
    if now.dtype.kind not in "iu" or so_far.dtype.kind not in "iu":
        raise ValueError(f"touched and seen count rows in whole numbers; got {now.dtype} and {so_far.dtype}")
    if now.shape != so_far.shape:
        raise ValueError(f"touched and seen must count the same steps: {now.shape} and {so_far.shape}")
    if issubclass(rule, AdamW):
        return np.full_like(now, check_count("V", V))
    return so_far if rule.moves_unseen else now


def expected_growth(p: ArrayLike, tokens: int, steps: int, groups: int = GROUPS) -> FloatArray:
    """Return how many different rows 1, 2, … steps of independent tokens are expected to touch.

    This is the sum of 1 - (1 - p_i)^(n N) for every n at once. Rows are summed in groups of neighbouring
    ranks, each with its mean probability, so that a curve over 128,000 rows stays quick; for one number take
    ``lab.zipf.expected_distinct``, which sums row by row.

    Parameters
    ----------
    p : array_like
        Probabilities by falling size, shape (V,).
    tokens : int
        N, the tokens of a step.
    steps : int
        Steps of the run.
    groups : int
        Groups of rows; V of them sum row by row, which p needs that does not fall.

    Returns
    -------
    numpy.ndarray
        Shape (steps,), rising, read-only.

    Raises
    ------
    ValueError
        If p is not a distribution, or tokens or steps is not a whole number of at least 1.

    Examples
    --------
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
    return readonly(-np.expm1(drawn[:, None] * missed) @ widths)  # (steps, groups) -> (steps,)
