"""A run step by step: the tokens drawn, the rows they touch, and how to look at 128,000 rows at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import ArrayLike, NDArray

from lab.notation import FloatArray, IntArray, as_matrix, check_count, check_ids, readonly
from lab.zipf.law import sample

MAX_TOKENS = 2**22
"""The most tokens a run may draw: their ids take 32 MiB."""


def law_batches(
    rng: np.random.Generator,
    V: int,
    exponent: float,
    *,
    batch: int,
    length: int,
    steps: int,
    threshold: float = 0.0,
) -> NDArray[np.intp]:
    """Draw the row ids of a run from the bounded law, each token independent of the others.

    Parameters
    ----------
    rng : numpy.random.Generator
        Where the randomness comes from.
    V : int
        Rows of the table.
    exponent : float
        Zipf's s, at least 0.
    batch, length, steps : int
        Sequences of a step, tokens of a sequence, steps of the run.
    threshold : float
        Threshold t of ``keep_probability``; 0 for no subsampling.

    Returns
    -------
    numpy.ndarray
        Shape (steps, batch * length).

    Raises
    ------
    ValueError
        If a size is not a whole number of at least 1, the run is longer than ``MAX_TOKENS``, or V, the
        exponent or the threshold is not one that ``sample`` accepts.

    Examples
    --------
    >>> law_batches(np.random.default_rng(0), 1000, 1.0, batch=2, length=8, steps=3).shape
    (3, 16)
    """
    size = check_count("steps", steps), _tokens(batch, length, steps)
    return sample(rng, V, exponent, size, threshold)


def text_batches(
    rng: np.random.Generator, ids: ArrayLike, *, batch: int, length: int, steps: int
) -> NDArray[np.intp]:
    """Cut the batches of a run out of a text, as training does: passages at random places.

    Parameters
    ----------
    rng : numpy.random.Generator
        Draws the places.
    ids : array_like of int
        The text as row ids in reading order, shape (N,).
    batch, length, steps : int
        Passages of a step, words of a passage, steps of the run.

    Returns
    -------
    numpy.ndarray
        Shape (steps, batch * length).

    Raises
    ------
    ValueError
        If an id is negative or no whole number, the text is shorter than a passage, a size is not a whole
        number of at least 1, or the run is longer than ``MAX_TOKENS``.

    Examples
    --------
    >>> text_batches(np.random.default_rng(0), range(20), batch=1, length=4, steps=2).shape
    (2, 4)
    """
    text = check_ids(ids, np.iinfo(np.intp).max).astype(np.intp, copy=False)
    tokens = _tokens(batch, length, steps)
    if text.ndim != 1 or len(text) < length:
        raise ValueError(f"the text has shape {text.shape}; a passage needs {length} ids in one row")
    places = rng.integers(0, len(text) - length + 1, size=(steps, batch))
    return sliding_window_view(text, length)[places].reshape(steps, tokens)  # (steps, batch, length)


def rank_bins(V: int, bins: int) -> NDArray[np.intp]:
    """Cut the ranks 1 .. V into bins that are even on a logarithmic axis, as far as whole ranks can be.

    A logarithmic bin narrower than one rank would be empty or share a rank, so the lowest ranks get a bin
    each; what is left of the axis is then divided evenly, bin by bin, to the nearest rank.

    Parameters
    ----------
    V : int
        Rows of the table.
    bins : int
        Bins wanted. If there are as many as rows, or more, each row is a bin.

    Returns
    -------
    numpy.ndarray
        Edges as row ids, rising, shape (min(bins, V) + 1,): bin k holds the ids edges[k] .. edges[k + 1] - 1,
        that is the ranks edges[k] + 1 .. edges[k + 1]. Every row is in exactly one bin, no bin is empty.

    Raises
    ------
    ValueError
        If V or bins is not a whole number of at least 1.

    Examples
    --------
    >>> rank_bins(100, 8)
    array([  0,   1,   3,   6,  11,  19,  33,  58, 100])
    """
    top, count = check_count("V", V) + 1, min(check_count("bins", bins), V)
    rank = 1
    edges = [0]
    for left in range(count, 0, -1):
        even = rank * (top / rank) ** (1.0 / left)
        rank = top if left == 1 else min(max(rank + 1, round(even)), top - (left - 1))
        edges.append(rank - 1)
    return readonly(np.array(edges, dtype=np.intp))


def touch_matrix(ids_by_step: ArrayLike, edges: ArrayLike) -> FloatArray:
    """Return the share of each bin's rows that a step touches.

    A row touched twice in a step counts once: it gets one summed gradient.

    Parameters
    ----------
    ids_by_step : array_like of int
        Row ids of each step, shape (steps, N).
    edges : array_like of int
        Rising row ids, shape (bins + 1,), as of `rank_bins`. They may cover a part of the table only, to
        look closer: ids outside are left out. ``range(a, b + 1)`` shows the rows a .. b - 1 one by one.

    Returns
    -------
    numpy.ndarray
        Shape (bins, steps), values 0 .. 1, read-only.

    Raises
    ------
    ValueError
        If ids_by_step is no matrix of ids from 0 upwards, or the edges do not rise from 0 or more.

    Examples
    --------
    >>> touch_matrix([[0, 0, 3], [1, 2, 0]], [0, 1, 4])
    array([[1.        , 1.        ],
           [0.33333333, 0.66666667]])
    """
    ids, rows = check_steps(ids_by_step)
    cuts = check_edges(edges)
    bins, widths = len(cuts) - 1, np.diff(cuts)
    bin_of = np.full(max(rows, int(cuts[-1])), bins, dtype=np.intp)  # bin number `bins`: outside
    bin_of[cuts[0] : cuts[-1]] = np.repeat(np.arange(bins), widths)
    slot = np.empty(len(bin_of), dtype=np.intp)
    place = np.arange(ids.shape[1])
    shares = np.empty((bins, len(ids)))
    for step, drawn in enumerate(ids):
        # the last place that wrote to a row's slot speaks for it: the distinct rows without a sort
        slot[drawn] = place
        distinct = drawn[slot[drawn] == place]
        shares[:, step] = np.bincount(bin_of[distinct], minlength=bins + 1)[:bins] / widths
    return readonly(shares)


def distinct_seen(ids_by_step: ArrayLike) -> NDArray[np.intp]:
    """Return how many different rows have been touched after each step.

    Parameters
    ----------
    ids_by_step : array_like of int
        Row ids of each step, shape (steps, N).

    Returns
    -------
    numpy.ndarray
        Shape (steps,), never falling; compare it with ``expected_distinct(p, (step + 1) * N)``.

    Raises
    ------
    ValueError
        If ids_by_step is no matrix of ids from 0 upwards.

    Examples
    --------
    >>> distinct_seen([[0, 0, 3], [0, 3, 3], [1, 2, 0]])
    array([2, 2, 4])
    """
    ids, rows = check_steps(ids_by_step)
    steps = len(ids)
    first = np.full(rows, steps, dtype=np.intp)
    for step in range(steps - 1, -1, -1):
        first[ids[step]] = step
    return np.cumsum(np.bincount(first, minlength=steps + 1)[:steps])


class GradientBytes(NamedTuple):
    """Memory of one gradient of the table."""

    dense: int
    """V x D numbers, almost all of them zero."""
    sparse: int
    """One summed row and one index for each row touched."""


def gradient_bytes(V: int, D: int, rows: int, itemsize: int = 4, index_itemsize: int = 8) -> GradientBytes:
    """Return the bytes of a gradient kept whole, and kept as touched rows with their ids.

    Parameters
    ----------
    V, D : int
        Rows and width of the table.
    rows : int
        Different rows that the step touches, 0 .. V.
    itemsize : int
        Bytes of a number: 4 for float32.
    index_itemsize : int
        Bytes of a row id.

    Raises
    ------
    ValueError
        If a size is not a whole number of at least 1, or rows is not one of 0 .. V.

    Examples
    --------
    >>> gradient_bytes(50_257, 768, rows=1_891)
    GradientBytes(dense=154389504, sparse=5824280)
    """
    check_count("V", V), check_count("D", D)
    check_count("itemsize", itemsize), check_count("index_itemsize", index_itemsize)
    if rows != 0 and check_count("rows", rows) > V:
        raise ValueError(f"a step cannot touch {rows} rows of a table that has {V}")
    return GradientBytes(V * D * itemsize, int(rows) * (D * itemsize + index_itemsize))


def _tokens(batch: int, length: int, steps: int) -> int:
    tokens = check_count("batch", batch) * check_count("length", length)
    if tokens * check_count("steps", steps) > MAX_TOKENS:
        raise ValueError(
            f"{steps} steps of {batch} x {length} tokens are more than the {MAX_TOKENS:,} a run may hold"
        )
    return tokens


def check_steps(ids_by_step: ArrayLike) -> tuple[IntArray, int]:
    """Return the ids and how many rows they reach into, (steps, N) and max + 1, or raise a ValueError."""
    ids = as_matrix("ids_by_step (steps, N)", ids_by_step)
    if not ids.size:
        raise ValueError(f"ids_by_step must hold at least one id; its shape is {ids.shape}")
    rows = int(ids.max()) + 1 if ids.dtype.kind in "iu" else 0
    return check_ids(ids, rows), rows


def check_edges(edges: ArrayLike) -> IntArray:
    """Return rising row ids, (bins + 1,), or raise a ValueError."""
    cuts = np.asarray(edges)
    rising = cuts.ndim == 1 and len(cuts) >= 2 and cuts.dtype.kind in "iu" and bool((np.diff(cuts) > 0).all())
    if not rising or cuts[0] < 0:
        raise ValueError(f"edges must be two or more rising row ids from 0 upwards; got {edges!r}")
    return cuts.astype(np.intp)
