"""The same gradient of the table in several ways: that they agree, and what each costs."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial

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
from lab.notation import FloatArray, IntArray, check_count, check_ids
from lab.zipf import sample

MOST_CELLS = 2**23
"""A one-hot matrix of more cells than this is not made for a timing."""
SHORTEST = 0.008
"""Seconds a way is repeated for: clocks in browsers tick in steps of up to .1 ms."""
FEWEST = 3
LONG = 0.05
"""Seconds after which one run of a way is enough."""

Way = Callable[[IntArray, FloatArray, FloatArray], object]
BACKWARD: Mapping[str, tuple[str, Way]] = {
    "sort": ("sort and reduce", lambda ids, G, E: sort_reduce(ids, G)),
    "scatter": ("scatter-add, rows touched", lambda ids, G, E: scatter_add(ids, G)),
    "whole": ("scatter-add, whole table", lambda ids, G, E: dense_gradient(ids, G, len(E))),
    "product": ("one-hotᵀ G", lambda ids, G, E: one_hot_product_gradient(ids, G, len(E))),
}
"""By key: what a way is called, and the way itself, given ids (N,), G (N, D) and E (V, D)."""
FORWARD: Mapping[str, tuple[str, Way]] = {
    "rows": ("E[ids], rows copied", lambda ids, G, E: lookup(E, ids)),
    "product": ("one-hot E", lambda ids, G, E: one_hot_product(E, ids)),
}
"""The same for the lookup."""


def random_gradient(tokens: int, width: int, seed: int = 0) -> FloatArray:
    """A gradient to try the ways on: random numbers of shape (N, D), float32.

    >>> random_gradient(3, 2).shape
    (3, 2)
    """
    shape = check_count("tokens", tokens), check_count("width", width)
    return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)


def assign_add(ids: ArrayLike, G: ArrayLike, V: int) -> FloatArray:
    """What ``grad[ids] += G`` leaves: of several gradients of a row only the last. It is wrong.

    Kept to be looked at: NumPy reads each row once, adds, and writes once per occurrence.

    >>> assign_add([0, 0, 1, 1, 2], np.ones((5, 1)), V=3).ravel()
    array([1., 1., 1.])
    """
    grads = np.asarray(G)
    wrong = np.zeros((check_count("V", V), grads.shape[-1]), dtype=grads.dtype)
    wrong[check_ids(ids, V)] += grads
    return wrong


def touched_gradients(ids: IntArray, G: FloatArray) -> dict[str, FloatArray]:
    """The gradient of the touched rows in every way, (rows, D): all other rows are 0 in each of them."""
    rows, place = np.unique(check_ids(ids, np.iinfo(np.intp).max), return_inverse=True)
    return {
        "sort": sort_reduce(place, G).summed,
        "scatter": scatter_add(place, G).summed,
        "whole": dense_gradient(place, G, len(rows)),
        "product": one_hot_product_gradient(place, G, len(rows)),
    }


def largest_difference(gradients: Mapping[str, FloatArray]) -> float:
    """The largest difference between any two of the ways, over all entries.

    >>> largest_difference(touched_gradients(np.array([7, 7, 9]), np.ones((3, 2))))
    0.0
    """
    return float(np.ptp(np.stack(list(gradients.values())), axis=0).max())


def time_ways(
    ways: Mapping[str, tuple[str, Way]],
    vocabularies: Sequence[int],
    *,
    tokens: int,
    width: int,
    exponent: float = 1.0,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, list[float]]:
    """Median seconds of each way on this machine, now, for tokens of the law over each vocabulary.

    The product is left out, as NaN, where its one-hot matrix would have more than `MOST_CELLS` cells; the
    clock is exchanged in tests.

    >>> [*time_ways(BACKWARD, [8, 16], tokens=4, width=2)], [*time_ways(FORWARD, [8], tokens=4, width=2)]
    (['sort', 'scatter', 'whole', 'product'], ['rows', 'product'])
    """
    G, E = random_gradient(tokens, width), random_gradient(max(vocabularies), width)
    seconds: dict[str, list[float]] = {key: [] for key in ways}
    for V in vocabularies:
        ids = sample(np.random.default_rng(0), V, exponent, tokens)
        for key, (_, way) in ways.items():
            fits = key != "product" or tokens * V <= MOST_CELLS
            seconds[key].append(_seconds(partial(way, ids, G, E[:V]), clock) if fits else math.nan)
    return seconds


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
