"""From the gradient of X back to the rows of the table."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lab.embedding.forward import one_hot
from lab.notation import FloatArray, IntArray, as_matrix, check_count, check_ids

FEW_RUNS = 32
"""When no more runs than this are left to sum, each is summed by itself. At 4,096 Zipf tokens 16 and 64 cost
up to a fifth more and 4 up to twice as much (tests/bench/gradient.py, figure "cut")."""


class RowGradient(NamedTuple):
    """The gradient of a table as the rows that have one; every other row's is zero."""

    rows: IntArray
    """Ids that occurred, rising and each once, shape (R,)."""
    summed: FloatArray
    """For each of them the sum over its occurrences, shape (R, D)."""

    def dense(self, V: int) -> FloatArray:
        """Return the whole gradient, shape (V, D), zero where no id occurred."""
        check_ids(self.rows, V)
        whole = np.zeros((V, self.summed.shape[1]), dtype=self.summed.dtype)
        whole[self.rows] = self.summed
        return whole


class TiedGradient(NamedTuple):
    """The gradient of a table that is both the input and the output layer, each of shape (V, D)."""

    input_part: FloatArray
    output_part: FloatArray
    total: FloatArray


def row_gradient(ids: ArrayLike, G: ArrayLike) -> RowGradient:
    """Return the gradient of the table as the rows that were used, repeats summed.

    A lookup copies rows, so the gradient of a row is the sum of the gradients of its copies:
    ``dE = one_hot(ids)ᵀ G``. Only rows that occurred can be other than zero, and only they are made:
    the cost depends on the tokens, not on V.

    Parameters
    ----------
    ids : array_like of int
        Any shape.
    G : array_like
        Gradient of the looked-up rows, shape ``ids.shape + (D,)``.

    Returns
    -------
    RowGradient
        ``rows`` (R,) and ``summed`` (R, D), in G's dtype.

    Raises
    ------
    ValueError
        If G does not have one row for each id, or an id is negative or no integer.

    Examples
    --------
    >>> row_gradient([3, 1, 3], [[1.0], [2.0], [4.0]])
    RowGradient(rows=array([1, 3]), summed=array([[2.],
           [5.]]))
    """
    # Measured by tests/bench/gradient.py (4,096 Zipf tokens, one thread, V 1k to 128k): np.add.at takes 2
    # to 4 times as long at D = 64 and 7 to 16 times at 768, sorting with np.add.reduceat .9 to 1.4 and 3 to
    # 10 times. Only where rows are narrow or tokens few (D = 16, or 128 tokens) is reduceat ahead, by
    # hundredths of a millisecond.
    return sort_reduce(ids, G)


def sort_reduce(ids: ArrayLike, G: ArrayLike) -> RowGradient:
    """Return the row gradient by sorting the ids and summing each run of equal ones.

    The sort is stable, so the terms of a row are added in the order of the text and the result does not
    depend on the other rows: it equals that of `scatter_add` bit for bit, unless D is 1, where NumPy adds a
    long run in pairs. Parameters, result and errors as `row_gradient`.

    Examples
    --------
    >>> sort_reduce([0, 0, 1, 1, 2], np.ones((5, 1))).summed.ravel()
    array([2., 2., 1.])
    """
    flat, grads = _flatten(ids, G)
    if flat.size == 0:
        return RowGradient(flat, grads)
    order = np.argsort(flat, kind="stable")
    by_id = flat[order]
    starts = np.flatnonzero(np.concatenate(([True], by_id[1:] != by_id[:-1])))
    return RowGradient(by_id[starts], _sum_runs(grads, order, starts))


def _sum_runs(grads: FloatArray, order: IntArray, starts: IntArray) -> FloatArray:
    """Sum each run of ``grads[order]`` that begins at one of ``starts``: (N, D) -> (R, D)."""
    # np.add.reduceat along the first axis walks column by column, which costs most of its time. Whole rows
    # are added instead: the second term of every run that has one at once, then the third, and so on.
    lengths = np.diff(starts, append=order.size)
    summed = grads[order[starts]]  # (N, D) -> (R, D)
    added = 1
    longer = np.flatnonzero(lengths > added)
    while longer.size > FEW_RUNS:
        summed[longer] += grads[order[starts[longer] + added]]
        added += 1
        longer = longer[lengths[longer] > added]
    # the few longest runs (the commonest words) would take as many rounds as they have terms
    for run in longer:
        terms = order[starts[run] : starts[run] + lengths[run]]
        np.add.reduce(grads[terms], axis=0, out=summed[run])
    return summed


def scatter_add(ids: ArrayLike, G: ArrayLike) -> RowGradient:
    """Return the row gradient by adding each gradient to its row, one after the other.

    ``out[ids] += G`` looks the same and is wrong: it reads every row once and keeps the last of its
    repeats. ``np.add.at`` adds them all. The sum has G's dtype, because np.add.at falls back to a path
    some twenty times slower when it has to cast. Parameters, result and errors as `row_gradient`.

    Examples
    --------
    >>> scatter_add([0, 0, 1, 1, 2], np.ones((5, 1))).summed.ravel()
    array([2., 2., 1.])
    """
    flat, grads = _flatten(ids, G)
    rows, place = np.unique(flat, return_inverse=True)
    summed = np.zeros((rows.size, grads.shape[1]), dtype=grads.dtype)
    np.add.at(summed, place, grads)
    return RowGradient(rows, summed)


def one_hot_product_gradient(ids: ArrayLike, G: ArrayLike, V: int) -> FloatArray:
    """Return the whole gradient as one_hot(ids)ᵀ G, shape (V, D): the definition.

    Raises
    ------
    ValueError
        If G does not have one row for each id, or an id is not in ``0 .. V - 1``.

    Examples
    --------
    >>> one_hot_product_gradient([2, 2], [[1.0], [3.0]], V=3).ravel()
    array([0., 0., 4.])
    """
    flat, grads = _flatten(ids, G)
    product: FloatArray = one_hot(flat, V, dtype=grads.dtype).T @ grads  # (V, N) (N, D) -> (V, D)
    return product


def dense_gradient(ids: ArrayLike, G: ArrayLike, V: int) -> FloatArray:
    """Return the whole gradient by adding into a table of zeros, shape (V, D).

    Raises
    ------
    ValueError
        If G does not have one row for each id, or an id is not in ``0 .. V - 1``.

    Examples
    --------
    >>> dense_gradient([2, 2], [[1.0], [3.0]], V=3).ravel()
    array([0., 0., 4.])
    """
    flat, grads = _flatten(ids, G)
    whole = np.zeros((check_count("V", V), grads.shape[1]), dtype=grads.dtype)
    np.add.at(whole, check_ids(flat, V), grads)
    return whole


def mask_padding_row(gradient: RowGradient, padding_id: int) -> RowGradient:
    """Return a row gradient without the padding row: what ``padding_idx`` does in training.

    It masks the gradient and nothing else: the row is looked up as it is, weight decay still moves it, and
    attention still sees it.

    Examples
    --------
    >>> mask_padding_row(row_gradient([0, 1], [[1.0], [1.0]]), padding_id=0).rows
    array([1])
    """
    keep = gradient.rows != padding_id
    return RowGradient(gradient.rows[keep], gradient.summed[keep])


def tied_gradient(ids: ArrayLike, G: ArrayLike, hidden: ArrayLike, dlogits: ArrayLike) -> TiedGradient:
    """Return both parts of the gradient of a table that also makes the logits, ``logits = hidden Eᵀ``.

    The input part has rows only where a token occurred; the output part ``dlogitsᵀ hidden`` touches every
    row, because the softmax pushes every token that was not the target down a little.

    Parameters
    ----------
    ids : array_like of int
        Input tokens, any shape.
    G : array_like
        Gradient of their rows, shape ``ids.shape + (D,)``.
    hidden : array_like
        What the last block hands to the output layer, shape (N, D).
    dlogits : array_like
        Gradient of the logits, shape (N, V).

    Returns
    -------
    TiedGradient
        ``input_part``, ``output_part`` and their ``total``, each (V, D).

    Raises
    ------
    ValueError
        If the shapes do not belong together.

    References
    ----------
    Press and Wolf 2017, arXiv:1608.05859, section 3 (input, output and tied embeddings).

    Examples
    --------
    >>> tied = tied_gradient([0], [[1.0]], hidden=[[2.0]], dlogits=[[-0.5, 0.5]])
    >>> tied.total.ravel()
    array([0., 1.])
    """
    states, errors = as_matrix("hidden (N, D)", hidden), as_matrix("dlogits (N, V)", dlogits)
    if len(states) != len(errors):
        raise ValueError(f"hidden and dlogits must have as many rows: {states.shape} and {errors.shape}")
    input_part = dense_gradient(ids, G, errors.shape[1])
    if input_part.shape[1] != states.shape[1]:
        raise ValueError(f"G and hidden must be equally wide: {input_part.shape[1]} and {states.shape[1]}")
    output_part = errors.T @ states  # (V, N) (N, D) -> (V, D)
    return TiedGradient(input_part, output_part, input_part + output_part)


def _flatten(ids: ArrayLike, G: ArrayLike) -> tuple[IntArray, FloatArray]:
    """Ids (N,) and their gradients (N, D), checked against each other."""
    grads = np.asarray(G)
    # the table's height is unknown here: only the lower bound of an id can be checked
    checked = check_ids(ids, np.iinfo(np.intp).max)
    if grads.ndim == 0 or grads.shape[:-1] != checked.shape:
        raise ValueError(
            f"G needs one gradient row for each id: ids have shape {checked.shape}, so G must have shape "
            f"{checked.shape} + (D,); it has {grads.shape}"
        )
    return checked.ravel(), grads.reshape(checked.size, grads.shape[-1])
