"""Three widths that are easily taken for one another: the tokenizer's, the table's, the store's."""

from __future__ import annotations

import math
from typing import NamedTuple

from numpy.typing import ArrayLike

from lab.given import given
from lab.notation import FloatArray, as_floats, check_count


class PaddedVocabulary(NamedTuple):
    """A vocabulary, and the rows of the table that holds it."""

    tokens: int
    """Tokens that the tokenizer knows."""
    rows: int
    """Rows of the table, and as many logits."""

    @property
    def phantoms(self) -> int:
        """Rows that no token id ever picks; their logits still take part in the softmax."""
        return self.rows - self.tokens


def padded_vocabulary(V: int, multiple: int) -> PaddedVocabulary:
    """Round a vocabulary up to a multiple, as is done for the speed of the output product.

    Parameters
    ----------
    V : int
        Tokens.
    multiple : int
        What the rows must be divisible by.

    Raises
    ------
    ValueError
        If one of them is not a whole number of at least 1.

    Examples
    --------
    >>> padded = padded_vocabulary(50_257, 64)
    >>> padded, padded.phantoms
    (PaddedVocabulary(tokens=50257, rows=50304), 47)
    """
    tokens, step = check_count("V", V), check_count("multiple", multiple)
    return PaddedVocabulary(tokens, -(-tokens // step) * step)


def phantom_mass(padded: PaddedVocabulary, real_logit: float = -2.0, phantom_logit: float = 0.0) -> float:
    """Return the share of the softmax that falls on rows without a token.

    Every real token has one logit here and every phantom another. Phantoms that training never pushed down,
    or that were added after it, keep a logit near 0: the share is what sampling then loses to no token.

    Parameters
    ----------
    padded : PaddedVocabulary
        Tokens and rows.
    real_logit, phantom_logit : float
        The logit of each real token, and of each phantom.

    Raises
    ------
    ValueError
        If a logit is not finite, or there are fewer rows than tokens.

    Examples
    --------
    >>> round(phantom_mass(padded_vocabulary(50_257, 64)), 6)
    0.006863
    """
    gap = real_logit - phantom_logit
    if not (math.isfinite(real_logit) and math.isfinite(phantom_logit) and math.isfinite(gap)):
        raise ValueError(f"logits must be finite; got {given(real_logit)} and {given(phantom_logit)}")
    tokens, rows = padded
    if check_count("tokens", tokens) > rows:
        raise ValueError(f"{rows} rows cannot hold {tokens} tokens")
    # the larger of both exponents becomes 0, so that neither overflows
    top = max(gap, 0.0)
    phantoms = (rows - tokens) * math.exp(-top)
    return phantoms / (tokens * math.exp(gap - top) + phantoms)


def check_dimension(store_dimension: int, vectors: ArrayLike) -> FloatArray:
    """Return vectors that fit a store, whose every vector has ``store_dimension`` numbers.

    Cutting or padding a vector of another model would give a number for every search and a meaning for none,
    so a wrong width is refused.

    Parameters
    ----------
    store_dimension : int
        The width that the store was made with.
    vectors : array_like
        One vector, shape (D,), or several, shape (N, D).

    Raises
    ------
    ValueError
        If the width is another one, or a vector is not finite, or there is nothing to check.

    Examples
    --------
    >>> check_dimension(3, [[1.0, 2.0, 3.0]]).shape
    (1, 3)
    >>> check_dimension(384, [1.0, 2.0])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ValueError: the store holds vectors of dimension 384; these have 2 numbers each: ...
    """
    if isinstance(store_dimension, bool) or not isinstance(store_dimension, int) or store_dimension < 1:
        raise ValueError(f"dimension must be a whole number of at least 1; got {given(store_dimension)}")
    width = store_dimension
    array = as_floats("vectors (..., D)", vectors, (..., None))
    if array.ndim not in (1, 2) or not len(array):
        raise ValueError(f"vectors must have shape (D,) or (N, D) with N at least 1; got {array.shape}")
    if array.shape[-1] != width:
        raise ValueError(
            f"the store holds vectors of dimension {given(width)}; these have {array.shape[-1]:,} number"
            f"{'' if array.shape[-1] == 1 else 's'} each: embed them with the model that filled the store, "
            "or make a new store for this model"
        )
    return array
