"""Subsampling of frequent words: fewer of those that every batch holds anyway, more room for the rest."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lab.notation import FloatArray, check_distribution, check_ids, readonly


def keep_probability(p: ArrayLike, threshold: float) -> FloatArray:
    """Return with which probability a running token is kept, by its row: min(1, sqrt(t / p_i)).

    Parameters
    ----------
    p : array_like
        Share of each row among the running tokens, shape (V,).
    threshold : float
        Threshold t, above 0; word2vec's authors use about 1e-5. Rows rarer than that are always kept.

    Returns
    -------
    numpy.ndarray
        Shape (V,), above 0 and at most 1.

    Raises
    ------
    ValueError
        If p is not a distribution, or the threshold is not a finite number above 0.

    References
    ----------
    Mikolov, Sutskever, Chen, Corrado and Dean 2013, arXiv:1310.4546, equation 5. The released word2vec.c
    keeps a little more: (1 + sqrt(p / t)) t / p.

    Examples
    --------
    >>> keep_probability([0.9, 0.09, 0.01], 0.01).round(3)
    array([0.105, 0.333, 1.   ])
    """
    shares = check_distribution("p (V,)", p)
    t = check_threshold(threshold)
    # the same as min(1, sqrt(t / p)), without dividing by the 0 of a row that never comes
    return readonly(np.sqrt(t / np.maximum(shares, t)))


def subsampled(p: ArrayLike, threshold: float) -> FloatArray:
    """Return the share of each row among the tokens that are kept, shape (V,): p_i keep_i over their sum.

    Raises
    ------
    ValueError
        If p is not a distribution, or the threshold is not a finite number above 0.

    Examples
    --------
    >>> subsampled([0.9, 0.09, 0.01], 0.01).round(3)
    array([0.703, 0.222, 0.074])
    """
    kept = check_distribution("p (V,)", p) * keep_probability(p, threshold)
    return readonly(kept / kept.sum())


def thin(rng: np.random.Generator, ids: ArrayLike, keep: ArrayLike) -> NDArray[np.intp]:
    """Return a text without the tokens that are dropped, each kept with the probability of its row.

    What is left closes up before passages are cut, as in word2vec: a passage then reaches further.

    Parameters
    ----------
    rng : numpy.random.Generator
        Draws what is kept.
    ids : array_like of int
        The text as row ids, shape (N,).
    keep : array_like
        Of `keep_probability`, shape (V,).

    Raises
    ------
    ValueError
        If an id is not one of the V rows.

    Examples
    --------
    >>> thin(np.random.default_rng(0), [0, 1, 0, 1, 0, 1], [0.0, 1.0])
    array([1, 1, 1])
    """
    chances = np.asarray(keep, dtype=np.float64)
    text = check_ids(ids, len(chances)).astype(np.intp, copy=False)
    return text[rng.random(len(text)) < chances[text]]


def shares(ids: ArrayLike, V: int) -> FloatArray:
    """Return the share of each row among the tokens of a text, shape (V,): what a draw of one of them gives.

    Raises
    ------
    ValueError
        If there are no ids, or one is not one of the V rows.

    Examples
    --------
    >>> shares([0, 2, 2, 0], 3)
    array([0.5, 0. , 0.5])
    """
    text = check_ids(ids, V)
    if not text.size:
        raise ValueError("an empty text has no shares; it holds no id")
    return readonly(np.bincount(text, minlength=V) / text.size)


def check_threshold(threshold: float) -> float:
    """Return the threshold, or raise a ValueError if it is not a finite number above 0."""
    if isinstance(threshold, bool) or not math.isfinite(threshold) or threshold <= 0:
        raise ValueError(f"the threshold t must be a finite number above 0, such as 1e-5; got {threshold!r}")
    return float(threshold)
