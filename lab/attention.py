"""Scores, masks, weights and output of self-attention, with the position scheme's hooks in their places."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lab.notation import Array, FloatArray, as_floats, as_positions, check_count
from lab.positions.base import NoPosition, Scheme

BoolArray = NDArray[np.bool_]


@dataclass(frozen=True)
class Attention:
    """One self-attention, step by step.

    Attributes
    ----------
    q, k : numpy.ndarray
        Projected queries and keys before any rotation, shape (H, T, d).
    scores : numpy.ndarray
        Rotated, scaled and biased, before the mask, shape (H, T, T).
    weights : numpy.ndarray
        After mask and softmax, shape (H, T, T).
    output : numpy.ndarray
        Heads side by side, shape (T, H * d).
    """

    q: FloatArray
    k: FloatArray
    scores: FloatArray
    weights: FloatArray
    output: FloatArray


def scores(
    q: ArrayLike,
    k: ArrayLike,
    scheme: Scheme | None = None,
    q_pos: ArrayLike | None = None,
    k_pos: ArrayLike | None = None,
) -> FloatArray:
    """Score each query against each key: (H, T, d), (H, S, d) -> (H, T, S).

    Parameters
    ----------
    q, k : array_like
        Shape (H, T, d) and (H, S, d), not yet rotated.
    scheme : Scheme, optional
        Its ``rotate`` and ``bias`` act here; ``NoPosition`` by default.
    q_pos, k_pos : array_like of int, optional
        Shape (T,) and (S,); counted from 0 by default. With a cache, ``q_pos`` starts where the cache ends.

    Returns
    -------
    numpy.ndarray
        Dot products over sqrt(d), plus the bias of the scheme.

    Raises
    ------
    ValueError
        If the shapes do not fit each other, the positions or the scheme.

    References
    ----------
    Vaswani et al. 2017, arXiv:1706.03762, equation 1.

    Examples
    --------
    >>> scores([[[1.0, 2.0, 0.0, 1.0]]], [[[3.0, 1.0, 5.0, 1.0]]])
    array([[[3.]]])
    """
    q = as_floats("q (H, T, d)", q, (None, None, None))
    H, T, d = q.shape
    k = as_floats("k (H, S, d)", k, (H, None, check_count("head width d", d)))
    S = k.shape[1]
    q_pos = as_positions(np.arange(T) if q_pos is None else q_pos, length=T)
    k_pos = as_positions(np.arange(S) if k_pos is None else k_pos, length=S)
    scheme = scheme or NoPosition()
    products = scheme.rotate(q, q_pos) @ scheme.rotate(k, k_pos).swapaxes(-1, -2)  # (H, T, d) -> (H, T, S)
    bias = np.asarray(scheme.bias(q_pos, k_pos))
    if bias.ndim and bias.shape != products.shape:
        raise ValueError(
            f"the bias of scheme {scheme.key!r} has shape {bias.shape}, the scores have {products.shape}; "
            f"build it for H = {H} heads"
        )
    scaled: FloatArray = products / np.sqrt(products.dtype.type(d)) + bias.astype(products.dtype)
    return scaled


def causal_mask(q_pos: ArrayLike, k_pos: ArrayLike) -> BoolArray:
    """Return True where a query may see a key, itself and what came before: (T,), (S,) -> (T, S).

    Order is read off the positions. Where positions restart, as in packed documents, pass places 0, 1, 2 ...
    instead, or combine with ``document_mask``.

    Raises
    ------
    ValueError
        If the positions are not integers of shape (T,) and (S,).

    Examples
    --------
    >>> causal_mask([0, 1], [0, 1])
    array([[ True, False],
           [ True,  True]])
    """
    visible: BoolArray = as_positions(k_pos) <= as_positions(q_pos)[:, None]
    return visible


def document_mask(q_doc: ArrayLike, k_doc: ArrayLike) -> BoolArray:
    """Return True where query and key belong to the same document: (T,), (S,) -> (T, S).

    Parameters
    ----------
    q_doc, k_doc : array_like of int
        Number of the document each token is part of.

    Raises
    ------
    ValueError
        If the numbers are not integers of shape (T,) and (S,).

    Examples
    --------
    >>> document_mask([0, 0, 1], [0, 1])
    array([[ True, False],
           [ True, False],
           [False,  True]])
    """
    q_numbers, k_numbers = np.asarray(q_doc), np.asarray(k_doc)
    for name, numbers in (("q_doc", q_numbers), ("k_doc", k_numbers)):
        if numbers.ndim != 1 or numbers.dtype.kind not in "iu":
            raise ValueError(
                f"{name} must be integers, one a token; got {numbers.dtype} of shape {numbers.shape}"
            )
    same: BoolArray = q_numbers[:, None] == k_numbers
    return same


def softmax(scores: ArrayLike, mask: ArrayLike | None = None) -> FloatArray:
    """Turn each row of scores into weights that add up to 1: (..., T, S) -> (..., T, S).

    A row with no key left to see gets weights of 0 throughout: its query attends to nothing and its output is
    0. This happens to the padding in front of a left-padded text.

    Parameters
    ----------
    scores : array_like
        Finite, or minus infinity for a key that is masked already.
    mask : array_like of bool, optional
        True where a key may be seen; of a shape that fits the scores, such as (T, S) for (H, T, S).

    Raises
    ------
    ValueError
        If a score is NaN or plus infinity, or the mask is not of booleans or does not fit.

    Examples
    --------
    >>> softmax([[0.0, 0.0], [5.0, 1000.0]], mask=[[True, True], [True, False]])
    array([[0.5, 0.5],
           [1. , 0. ]])
    """
    raw = np.asarray(scores)
    values = _visible(raw if raw.dtype.kind == "f" else raw.astype(np.float64), mask)
    if values.ndim == 0 or values.shape[-1] == 0:
        raise ValueError(f"softmax needs at least one key a row; the scores have shape {values.shape}")
    if np.isnan(values).any() or np.isposinf(values).any():
        raise ValueError(
            "scores must not be NaN or plus infinity; only minus infinity stands for a masked key"
        )
    highest = values.max(axis=-1, keepdims=True)
    # exp(x - max) cannot overflow. A fully masked row has -inf as its maximum: with 0 in its place it
    # becomes exp(-inf) = 0 instead of NaN.
    weights = np.exp(values - np.where(np.isneginf(highest), 0, highest))
    # in float16 the sum of 65,505 equal keys would be infinite
    total = weights.sum(axis=-1, keepdims=True, dtype=np.promote_types(weights.dtype, np.float32))
    normalised: FloatArray = (weights / np.where(total == 0, 1, total)).astype(weights.dtype, copy=False)
    return normalised


def _visible(values: Array, mask: ArrayLike | None) -> Array:
    if mask is None:
        return values
    seen = np.asarray(mask)
    if seen.dtype != np.bool_:
        raise ValueError(f"a mask holds True where a key may be seen; its dtype is {seen.dtype}")
    try:
        seen = np.broadcast_to(seen, values.shape)
    except ValueError as error:
        raise ValueError(
            f"a mask of shape {seen.shape} does not fit scores of shape {values.shape}"
        ) from error
    return np.where(seen, values, -np.inf).astype(values.dtype)


def attend(weights: ArrayLike, v: ArrayLike) -> FloatArray:
    """Average the values by their weights: (H, T, S), (H, S, d) -> (H, T, d).

    Raises
    ------
    ValueError
        If the shapes do not fit each other.

    Examples
    --------
    >>> attend([[[0.5, 0.5]]], [[[1.0, 0.0], [0.0, 1.0]]])
    array([[[0.5, 0.5]]])
    """
    weights = as_floats("weights (H, T, S)", weights, (None, None, None))
    v = as_floats("v (H, S, d)", v, (weights.shape[0], weights.shape[2], None))
    output: FloatArray = weights @ v  # (H, T, S) -> (H, T, d)
    return output


def split_heads(x: ArrayLike, H: int) -> FloatArray:
    """Cut the columns into H heads: (T, H * d) -> (H, T, d).

    Raises
    ------
    ValueError
        If the width does not split into H heads.

    Examples
    --------
    >>> split_heads([[1.0, 2.0, 3.0, 4.0]], H=2)
    array([[[1., 2.]],
    <BLANKLINE>
           [[3., 4.]]])
    """
    rows = as_floats("x (T, H * d)", x, (None, None))
    T, width = rows.shape
    d, rest = divmod(width, check_count("heads H", H))
    if rest or d == 0:
        raise ValueError(f"a width of {width} does not split into {H} heads; take a multiple of {H}")
    return rows.reshape(T, H, d).swapaxes(0, 1)  # (T, H * d) -> (H, T, d)


def self_attention(
    x: ArrayLike,
    Wq: ArrayLike,
    Wk: ArrayLike,
    Wv: ArrayLike,
    *,
    H: int,
    scheme: Scheme | None = None,
    pos: ArrayLike | None = None,
    mask: ArrayLike | None = None,
) -> Attention:
    """Attend from each token of one sequence to every token the mask lets it see.

    Parameters
    ----------
    x : array_like
        Token rows without positions, shape (T, D): the scheme's ``add_to_input`` acts here too.
    Wq, Wk, Wv : array_like
        Shape (D, H * d); the width of Wv may differ from that of the others.
    H : int
        Heads.
    scheme : Scheme, optional
        ``NoPosition`` by default.
    pos : array_like of int, optional
        Shape (T,), counted from 0 by default.
    mask : array_like of bool, optional
        Shape (T, T) or (H, T, T), True where a key may be seen. Everything is seen by default.

    Raises
    ------
    ValueError
        If the shapes do not fit each other, the positions or the scheme.

    References
    ----------
    Vaswani et al. 2017, arXiv:1706.03762, section 3.2.

    Examples
    --------
    Queries of 0 see all the past alike, so the mark on the first token thins out as 1 / t:

    >>> x = np.array([[1.0, 1.0], [0.0, 1.0], [0.0, 1.0], [0.0, 1.0]])
    >>> places = np.arange(4)
    >>> zero, value = np.zeros((2, 1)), np.array([[1.0], [0.0]])
    >>> self_attention(x, zero, zero, value, H=1, mask=causal_mask(places, places)).output[:, 0].round(3)
    array([1.   , 0.5  , 0.333, 0.25 ])
    """
    rows = as_floats("x (T, D)", x, (None, None))
    T, D = rows.shape
    pos = as_positions(np.arange(T) if pos is None else pos, length=T)
    scheme = scheme or NoPosition()
    rows = scheme.add_to_input(rows, pos)
    q, k, v = (
        split_heads(rows @ as_floats(f"{name} (D, H * d)", W, (D, None)), H)  # (T, D) -> (H, T, d)
        for name, W in (("Wq", Wq), ("Wk", Wk), ("Wv", Wv))
    )
    raw = scores(q, k, scheme, pos, pos)
    weights = softmax(raw, mask)
    output = attend(weights, v).swapaxes(0, 1).reshape(T, -1)  # (H, T, d) -> (T, H * d)
    return Attention(q, k, raw, weights, output)
