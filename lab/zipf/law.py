"""The bounded law p_i ~ i^-s, sampling from it, and what to expect of N tokens."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lab.notation import FloatArray, check_count, check_distribution, readonly
from lab.zipf.subsample import check_threshold, subsampled

Float64 = NDArray[np.float64]

MAX_RANKS = 2**20
"""The largest vocabulary that is drawn from: its cumulative sum takes 8 MiB."""

CELLS, STEPS = 2**16, 4
"""Cells of the table that guides a draw to its id, and ids tried from there before a binary search."""


def probabilities(V: int, exponent: float) -> Float64:
    """Return p_i = i^-s / (1^-s + ... + V^-s) for the ranks i = 1 .. V.

    The sum is finite, so every exponent from 0 (all tokens alike) upwards is a law; the unbounded law, which
    ``Generator.zipf`` draws from, needs s > 1.

    Parameters
    ----------
    V : int
        Ranks, 1 to ``MAX_RANKS``.
    exponent : float
        Zipf's s, at least 0.

    Returns
    -------
    numpy.ndarray
        Shape (V,), falling, read-only; entry i - 1 belongs to rank i. It sums to 1.

    Raises
    ------
    ValueError
        If V is not a whole number in range, or the exponent is negative or not finite.

    References
    ----------
    Zipf 1949, Human Behavior and the Principle of Least Effort, chapter 2.

    Examples
    --------
    >>> probabilities(3, 1.0).round(3)
    array([0.545, 0.273, 0.182])
    """
    return _probabilities(_check_ranks(V), _check_exponent(exponent))


def sample(
    rng: np.random.Generator,
    V: int,
    exponent: float,
    size: int | tuple[int, ...],
    threshold: float = 0.0,
) -> NDArray[np.intp]:
    """Draw row ids (rank - 1) from the bounded law, subsampled or not.

    Each draw is one uniform number looked up in the cumulative sum, from a table of starting points; both are
    kept for the next call. Drawing in pieces gives the same ids as drawing at once.

    Parameters
    ----------
    rng : numpy.random.Generator
        Where the randomness comes from.
    V : int
        Ranks, 1 to ``MAX_RANKS``.
    exponent : float
        Zipf's s, at least 0.
    size : int or tuple of int
        Shape of the result.
    threshold : float
        Threshold t of ``lab.zipf.keep_probability``; 0 for no subsampling.

    Returns
    -------
    numpy.ndarray
        Integers of 0 .. V - 1, of shape ``size``.

    Raises
    ------
    ValueError
        If V or the exponent is not one that `probabilities` accepts, or the threshold is not one of
        ``keep_probability``.

    Examples
    --------
    >>> ids = sample(np.random.default_rng(0), 50_257, 1.0, 4_000)
    >>> ids.shape, int(ids.max()) < 50_257
    ((4000,), True)
    """
    ranks, s = _check_ranks(V), _check_exponent(exponent)
    t = check_threshold(threshold) if threshold else 0.0
    uniform = rng.random(size)
    return _invert(_cumulative(ranks, s, t), _guide(ranks, s, t), uniform.ravel()).reshape(uniform.shape)


def expected_counts(p: ArrayLike, draws: int) -> FloatArray:
    """Return N p_i, how often each row is expected among N tokens.

    Parameters
    ----------
    p : array_like
        Probabilities, shape (V,).
    draws : int
        N, the tokens of one step or of a whole run; 0 or more.

    Raises
    ------
    ValueError
        If p is not a distribution or N is not a whole number of at least 0.

    Examples
    --------
    >>> expected_counts([0.75, 0.25], 8)
    array([6., 2.])
    """
    return check_distribution("p (V,)", p) * _check_draws(draws)


def unseen_probability(p: ArrayLike, draws: int) -> FloatArray:
    """Return (1 - p_i)^N: how likely it is that a row got no gradient from N tokens.

    After n steps of B sequences of T tokens N is n B T. The logarithm keeps tiny p exact, where
    1 - p would round to 1.

    Parameters
    ----------
    p : array_like
        Probabilities, shape (V,).
    draws : int
        N, 0 or more.

    Raises
    ------
    ValueError
        If p is not a distribution or N is not a whole number of at least 0.

    Examples
    --------
    >>> unseen_probability([0.75, 0.25], 2)
    array([0.0625, 0.5625])
    """
    return np.exp(_log_unseen(check_distribution("p (V,)", p), _check_draws(draws)))


def expected_distinct(p: ArrayLike, draws: int) -> float:
    """Return the sum of 1 - (1 - p_i)^N: how many different rows N independent tokens touch.

    Parameters
    ----------
    p : array_like
        Probabilities, shape (V,).
    draws : int
        N, 0 or more.

    Returns
    -------
    float
        At most min(N, V).

    Raises
    ------
    ValueError
        If p is not a distribution or N is not a whole number of at least 0.

    Notes
    -----
    Words of a real text are not independent: they come in bursts, so a batch of whole passages touches
    fewer rows than this (``lab.zipf.text_batches`` shows by how much).

    Examples
    --------
    >>> expected_distinct([0.5, 0.5], 2)
    1.5
    >>> round(expected_distinct(probabilities(50_257, 1.0), 4_000))
    1891
    """
    return float(-np.expm1(_log_unseen(check_distribution("p (V,)", p), _check_draws(draws))).sum())


def mean_wait(p: ArrayLike, tokens: int) -> FloatArray:
    """Return 1 / (1 - (1 - p_i)^N): steps of N tokens from one update of a row to the next, on average.

    Parameters
    ----------
    p : array_like
        Probabilities, shape (V,).
    tokens : int
        N, the tokens of one step; at least 1.

    Returns
    -------
    numpy.ndarray
        Steps, at least 1; infinite where p_i is 0.

    Raises
    ------
    ValueError
        If p is not a distribution or N is not a whole number of at least 1.

    Examples
    --------
    >>> mean_wait([0.75, 0.25], 1).round(3)
    array([1.333, 4.   ])
    """
    touched = -np.expm1(_log_unseen(check_distribution("p (V,)", p), check_count("tokens of a step", tokens)))
    with np.errstate(divide="ignore", over="ignore"):
        return 1.0 / touched


@lru_cache(maxsize=4)
def _probabilities(V: int, exponent: float) -> Float64:
    weights = np.power(np.arange(1, V + 1, dtype=np.float64), -exponent)
    return readonly(weights / weights.sum())


@lru_cache(maxsize=4)
def _cumulative(V: int, exponent: float, threshold: float) -> Float64:
    p: FloatArray = _probabilities(V, exponent)
    total = np.cumsum(subsampled(p, threshold) if threshold else p)
    # rounding may leave the last entry below 1, and a uniform number above it would be row V
    return readonly(total / total[-1])


@lru_cache(maxsize=4)
def _guide(V: int, exponent: float, threshold: float) -> NDArray[np.intp]:
    """The id at the lower end of each cell of [0, 1): where to start looking for a uniform number."""
    total = _cumulative(V, exponent, threshold)
    return readonly(np.searchsorted(total, np.arange(CELLS) / CELLS, side="right"))


def _invert(cumulative: Float64, guide: NDArray[np.intp], uniform: Float64) -> NDArray[np.intp]:
    # A binary search in 128,000 entries misses the cache at every step; most cells hold one or two ids. An
    # entry equal to the number belongs to the next rank, so that rank i gets exactly p_i.
    ids = guide[(uniform * CELLS).astype(np.intp)]
    late = np.flatnonzero(cumulative[ids] <= uniform)
    for _ in range(STEPS):
        if not late.size:
            return ids
        ids[late] += 1
        late = late[cumulative[ids[late]] <= uniform[late]]
    # the far tail: many ids in one cell, and few numbers there
    ids[late] = np.searchsorted(cumulative, uniform[late], side="right")
    return ids


def _log_unseen(p: FloatArray, draws: int) -> FloatArray:
    if draws == 0:
        return np.zeros_like(p)
    with np.errstate(divide="ignore"):
        return draws * np.log1p(-p)


def _check_ranks(V: int) -> int:
    if check_count("V", V) > MAX_RANKS:
        raise ValueError(f"V must be at most {MAX_RANKS:,}, so that the law fits in memory; got {V:,}")
    return int(V)


def _check_exponent(exponent: float) -> float:
    if isinstance(exponent, bool) or not math.isfinite(exponent) or exponent < 0:
        raise ValueError(f"the exponent must be a finite number of at least 0; got {exponent!r}")
    return float(exponent)


def _check_draws(draws: int) -> int:
    if isinstance(draws, bool) or not isinstance(draws, (int, np.integer)) or draws < 0:
        raise ValueError(f"the number of tokens N must be a whole number of at least 0; got {draws!r}")
    return int(draws)
