"""The same gradient of the table in several ways: that they agree, and what each costs."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lab.embedding import (
    dense_gradient,
    lookup,
    one_hot_product,
    one_hot_product_gradient,
    scatter_add,
    sort_reduce,
)
from lab.notation import FloatArray, IntArray, check_count, check_ids, readonly
from lab.zipf import sample

MOST_CELLS = 2**23
"""A one-hot matrix of more cells than this is not made for a timing."""
SHORTEST = 0.008
"""Seconds a way is repeated for: clocks in browsers tick in steps of up to .1 ms."""
FEWEST = 3
LONG = 0.05
"""Seconds after which one run of a way is enough."""

Way = Callable[[IntArray, FloatArray, int], object]
WAYS: dict[str, tuple[str, Way]] = {
    "sort": ("sort and reduce", lambda ids, G, V: sort_reduce(ids, G)),
    "scatter": ("scatter-add, rows touched", lambda ids, G, V: scatter_add(ids, G)),
    "whole": ("scatter-add, whole table", dense_gradient),
    "product": ("one-hotᵀ G", one_hot_product_gradient),
}
"""By key: what the way is called, and the way itself, given ids (N,), G (N, D) and V."""
Lookup = Callable[[IntArray, FloatArray], object]
LOOKUPS: dict[str, tuple[str, Lookup]] = {
    "rows": ("E[ids], rows copied", lambda ids, E: lookup(E, ids)),
    "product": ("one-hot E", lambda ids, E: one_hot_product(E, ids)),
}
"""The same for the way forward: what it is called, and the way itself, given ids (N,) and E (V, D)."""


class WayTimes(NamedTuple):
    """Median seconds of one way at each V; NaN where it was left out."""

    key: str
    seconds: FloatArray


def random_gradient(tokens: int, width: int, seed: int = 0) -> FloatArray:
    """Return a gradient to try the ways on: random numbers of shape (N, D), float32.

    Raises
    ------
    ValueError
        If a size is not a whole number of at least 1.

    Examples
    --------
    >>> random_gradient(3, 2).shape
    (3, 2)
    """
    shape = check_count("tokens", tokens), check_count("width", width)
    return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)


def assign_add(ids: ArrayLike, G: ArrayLike, V: int) -> FloatArray:
    """Return what ``grad[ids] += G`` leaves: of several gradients of a row only the last. It is wrong.

    Kept to be looked at: NumPy reads each row once, adds, and writes once per occurrence.

    Raises
    ------
    ValueError
        If an id is not one of the V rows.

    Examples
    --------
    >>> assign_add([0, 0, 1, 1, 2], np.ones((5, 1)), V=3).ravel()
    array([1., 1., 1.])
    """
    grads = np.asarray(G)
    wrong = np.zeros((check_count("V", V), grads.shape[-1]), dtype=grads.dtype)
    wrong[check_ids(ids, V)] += grads
    return wrong


def largest_difference(ids: ArrayLike, G: ArrayLike) -> float:
    """Return the largest difference between any two of the ways, over all entries.

    Rows that no token touches are 0 in every way, so the ways are compared on a table of the touched rows.

    Raises
    ------
    ValueError
        If G does not have one row for each id.

    Examples
    --------
    >>> largest_difference([7, 7, 9], np.ones((3, 2)))
    0.0
    """
    rows, place = np.unique(check_ids(ids, np.iinfo(np.intp).max), return_inverse=True)
    grads = np.asarray(G)
    results = np.stack(
        [
            sort_reduce(place, grads).summed,
            scatter_add(place, grads).summed,
            dense_gradient(place, grads, len(rows)),
            one_hot_product_gradient(place, grads, len(rows)),
        ]
    )
    return float(np.ptp(results, axis=0).max())


def time_ways(
    vocabularies: Sequence[int],
    *,
    tokens: int,
    width: int,
    exponent: float = 1.0,
    clock: Callable[[], float] = time.perf_counter,
) -> tuple[WayTimes, ...]:
    """Time every way of the gradient on this machine, now.

    Beside `time_lookups` the only function of the lab whose result does not follow from its arguments.

    Parameters
    ----------
    vocabularies : sequence of int
        V, the rows of the table; the tokens are drawn from the law over as many ranks.
    tokens, width : int
        N and D.
    exponent : float
        s of the law.
    clock : callable
        Seconds; exchanged in tests.

    Returns
    -------
    tuple of WayTimes
        One for each of `WAYS`, its seconds of shape (len(vocabularies),). The product is left out, as NaN,
        where its one-hot matrix would have more than `MOST_CELLS` cells.

    Raises
    ------
    ValueError
        If a size is not a whole number of at least 1.

    Examples
    --------
    >>> [times.key for times in time_ways([8, 16], tokens=4, width=2)]
    ['sort', 'scatter', 'whole', 'product']
    """
    G = random_gradient(tokens, width)
    batches = [(sample(np.random.default_rng(0), V, exponent, tokens), V) for V in vocabularies]
    cells = [tokens * V for V in vocabularies]
    return tuple(
        _timed(key, [partial(way, ids, G, V) for ids, V in batches], cells, clock)
        for key, (_, way) in WAYS.items()
    )


def time_lookups(
    vocabularies: Sequence[int],
    *,
    tokens: int,
    width: int,
    exponent: float = 1.0,
    clock: Callable[[], float] = time.perf_counter,
) -> tuple[WayTimes, ...]:
    """Time both ways forward on this machine, now: copying rows, and the product with one-hot rows.

    Parameters
    ----------
    vocabularies : sequence of int
        V, the rows of the table; the tokens are drawn from the law over as many ranks.
    tokens, width : int
        N and D.
    exponent : float
        s of the law.
    clock : callable
        Seconds; exchanged in tests.

    Returns
    -------
    tuple of WayTimes
        One for each of `LOOKUPS`; NaN as in `time_ways`.

    Raises
    ------
    ValueError
        If a size is not a whole number of at least 1.

    Examples
    --------
    >>> [times.key for times in time_lookups([8, 16], tokens=4, width=2)]
    ['rows', 'product']
    """
    E = random_gradient(max(vocabularies), width)
    batches = [(sample(np.random.default_rng(0), V, exponent, tokens), V) for V in vocabularies]
    cells = [tokens * V for V in vocabularies]
    return tuple(
        _timed(key, [partial(way, ids, E[:V]) for ids, V in batches], cells, clock)
        for key, (_, way) in LOOKUPS.items()
    )


def _timed(
    key: str, runs: Sequence[Callable[[], object]], cells: Sequence[int], clock: Callable[[], float]
) -> WayTimes:
    """Time one way at each V; ``cells`` are those of the one-hot matrix that the product makes."""
    left_out = [key == "product" and count > MOST_CELLS for count in cells]
    seconds = [math.nan if skip else _seconds(run, clock) for skip, run in zip(left_out, runs, strict=True)]
    return WayTimes(key, readonly(np.array(seconds)))


def _seconds(run: Callable[[], object], clock: Callable[[], float]) -> float:
    start = clock()
    run()
    first = clock() - start
    if first > LONG:
        return first
    taken: list[float] = []
    while len(taken) < FEWEST or sum(taken) < SHORTEST:
        start = clock()
        run()
        taken.append(clock() - start)
    return statistics.median(taken)
