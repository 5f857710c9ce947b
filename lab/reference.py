"""The definitions, one entry at a time.

Slow on purpose. A loop here is what the fast code elsewhere has to agree with, and what a reader sees
when asking how a quantity is defined. Nothing is checked: the fast versions do that.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence

import numpy as np

from lab.notation import FloatArray, IntArray


def lookup(E: FloatArray, ids: IntArray) -> FloatArray:
    """Copy row ``ids[t]`` of the table to place t: (V, D), (T,) -> (T, D).

    Examples
    --------
    >>> lookup(np.array([[0.0, 1.0], [2.0, 3.0]]), np.array([1, 0]))
    array([[2., 3.],
           [0., 1.]])
    """
    X = np.zeros((len(ids), E.shape[1]), dtype=E.dtype)
    for t, i in enumerate(ids):
        for c in range(E.shape[1]):
            X[t, c] = E[i, c]
    return X


def sinusoidal(pos: IntArray, D: int, base: float = 10_000.0) -> FloatArray:
    """Fill the paper's table entry by entry: (T,) -> (T, D).

    An odd width ends with the sine of its last pair.

    References
    ----------
    Vaswani et al. 2017, arXiv:1706.03762, section 3.5.

    Examples
    --------
    >>> sinusoidal(np.array([1]), 4).round(3)
    array([[0.841, 0.54 , 0.01 , 1.   ]])
    """
    table = np.zeros((len(pos), D))
    for t, p in enumerate(pos):
        for c in range(D):
            pair = c // 2
            angle = p / base ** (2 * pair / D)
            table[t, c] = math.sin(angle) if c % 2 == 0 else math.cos(angle)
    return table


def rotate(
    x: FloatArray, pos: IntArray, inv_freq: Sequence[float] | FloatArray, pairs: Sequence[tuple[int, int]]
) -> FloatArray:
    """Turn each pair of dimensions with its own 2 x 2 matrix: (T, d), (T,) -> (T, d).

    Parameters
    ----------
    x : numpy.ndarray
        Queries or keys of one head, shape (T, d).
    pos : numpy.ndarray
        Shape (T,).
    inv_freq : sequence of float
        Radians per position, one a pair.
    pairs : sequence of (int, int)
        The two dimensions of each pair: (2i, 2i + 1) if interleaved, (i, i + d / 2) by halves.

    References
    ----------
    Su et al. 2021, arXiv:2104.09864, equation 15.

    Examples
    --------
    >>> rotate(np.array([[1.0, 0.0]]), np.array([1]), [1.0], [(0, 1)]).round(3)
    array([[0.54 , 0.841]])
    """
    turned = x.copy()
    for t, p in enumerate(pos):
        for theta, (a, b) in zip(inv_freq, pairs, strict=True):
            cos, sin = math.cos(p * theta), math.sin(p * theta)
            matrix = np.array([[cos, -sin], [sin, cos]])
            turned[t, [a, b]] = matrix @ x[t, [a, b]]
    return turned


def rotate_complex(
    x: FloatArray, pos: IntArray, inv_freq: Sequence[float] | FloatArray, pairs: Sequence[tuple[int, int]]
) -> FloatArray:
    """Turn each pair as one complex number times exp(i p theta): the same as ``rotate``.

    References
    ----------
    Su et al. 2021, arXiv:2104.09864, equation 12.

    Examples
    --------
    >>> rotate_complex(np.array([[1.0, 0.0]]), np.array([1]), [1.0], [(0, 1)]).round(3)
    array([[0.54 , 0.841]])
    """
    turned = x.copy()
    for t, p in enumerate(pos):
        for theta, (a, b) in zip(inv_freq, pairs, strict=True):
            number = complex(x[t, a], x[t, b]) * cmath.exp(1j * p * theta)
            turned[t, a], turned[t, b] = number.real, number.imag
    return turned


def attention_scores(q: FloatArray, k: FloatArray) -> FloatArray:
    """Sum the products of each query with each key: (H, T, d), (H, S, d) -> (H, T, S).

    References
    ----------
    Vaswani et al. 2017, arXiv:1706.03762, equation 1.

    Examples
    --------
    >>> attention_scores(np.array([[[1.0, 2.0, 0.0, 1.0]]]), np.array([[[3.0, 1.0, 5.0, 1.0]]]))
    array([[[3.]]])
    """
    heads, queries, d = q.shape
    scores = np.zeros((heads, queries, k.shape[1]))
    for h in range(heads):
        for t in range(queries):
            for s in range(k.shape[1]):
                scores[h, t, s] = sum(q[h, t, c] * k[h, s, c] for c in range(d)) / math.sqrt(d)
    return scores


def alibi_bias(slopes: Sequence[float] | FloatArray, q_pos: IntArray, k_pos: IntArray) -> FloatArray:
    """Take slope times distance from each score: (H,), (T,), (S,) -> (H, T, S).

    References
    ----------
    Press et al. 2021, arXiv:2108.12409, section 3.

    Examples
    --------
    >>> alibi_bias([0.5], np.array([2]), np.array([0, 1]))
    array([[[-1. , -0.5]]])
    """
    bias = np.zeros((len(slopes), len(q_pos), len(k_pos)))
    for h, slope in enumerate(slopes):
        for t, m in enumerate(q_pos):
            for s, n in enumerate(k_pos):
                bias[h, t, s] = -slope * abs(m - n)
    return bias
