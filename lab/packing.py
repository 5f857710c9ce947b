"""Documents packed into one sequence: their positions, their mask, and what leaks across."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lab.attention import BoolArray, causal_mask, document_mask
from lab.notation import FloatArray, IntArray, as_floats, as_positions, check_count


class Packed(NamedTuple):
    """Documents one behind the other in one sequence."""

    pos: IntArray
    """Position of each token, shape (T,)."""
    documents: IntArray
    """Number of the document it belongs to, shape (T,)."""


def pack(lengths: Sequence[int], *, restart: bool) -> Packed:
    """Number the tokens of documents that share a sequence.

    Parameters
    ----------
    lengths : sequence of int
        Tokens of each document.
    restart : bool
        Positions begin at 0 in each document, or run on through all of them.

    Raises
    ------
    ValueError
        If there is no document, or one has no token.

    Examples
    --------
    >>> pack([3, 2], restart=True)
    Packed(pos=array([0, 1, 2, 0, 1]), documents=array([0, 0, 0, 1, 1]))
    >>> pack([3, 2], restart=False).pos
    array([0, 1, 2, 3, 4])
    """
    check_count("number of documents", len(lengths))
    counts = [check_count(f"length of document {i}", length) for i, length in enumerate(lengths)]
    documents = np.repeat(np.arange(len(counts)), counts)
    pos = np.concatenate([np.arange(count) for count in counts]) if restart else np.arange(sum(counts))
    return Packed(pos, documents)


def packed_mask(documents: ArrayLike, *, causal: bool, separate: bool) -> BoolArray:
    """Return True where a token of packed documents may see another: (T,) -> (T, T).

    Parameters
    ----------
    documents : array_like of int
        Number of each token's document, shape (T,).
    causal : bool
        Hide what stands later in the sequence; places decide, as positions may restart.
    separate : bool
        Hide the other documents.

    Raises
    ------
    ValueError
        If the numbers are not integers of shape (T,).

    Examples
    --------
    >>> packed_mask([0, 0, 1], causal=True, separate=True).astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [0, 0, 1]])
    """
    numbers = as_positions(documents)
    places = np.arange(len(numbers))
    mask = np.ones((len(numbers), len(numbers)), dtype=np.bool_)
    if causal:
        mask &= causal_mask(places, places)
    if separate:
        mask &= document_mask(numbers, numbers)
    return mask


def attention_across(weights: ArrayLike, documents: ArrayLike) -> FloatArray:
    """Return the share of each token's attention that goes to other documents: (H, T, T) -> (H, T).

    Raises
    ------
    ValueError
        If the shapes do not fit each other.

    Examples
    --------
    >>> attention_across([[[1.0, 0.0], [0.25, 0.75]]], [0, 1])
    array([[0.  , 0.25]])
    """
    numbers = as_positions(documents)
    T = len(numbers)
    weights = as_floats("weights (H, T, T)", weights, (None, T, T))
    shares: FloatArray = (weights * ~document_mask(numbers, numbers)).sum(axis=-1)  # (H, T, T) -> (H, T)
    return shares
