"""A table that is input and output layer at once: both parts of its gradient, row by row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from lab.embedding import tied_gradient
from lab.notation import FloatArray, check_count, check_ids

WIDTH = 16


@dataclass(frozen=True, eq=False)
class TiedNorms:
    """Norms of the two parts of the gradient, one per row; shape (V,) each."""

    input_part: FloatArray
    """0 for every row whose token is not in the input."""
    output_part: FloatArray
    largest_share: float
    """The largest probability that the output layer gives any token."""


def tied_norms(ids: ArrayLike, V: int, seed: int = 0) -> TiedNorms:
    """How large both parts of a tied table's gradient are, for the smallest model that has them.

    The model has no block: the state at a position is its token's row, the logits are the products with all
    rows, ``logits = E[ids] Eᵀ``, and the loss is the mean cross-entropy of the next token. The text has at
    least two ids, (N + 1,); the seed draws the table.

    >>> norms = tied_norms([0, 1, 0], V=4)
    >>> (norms.input_part > 0).tolist(), (norms.output_part > 0).tolist()
    ([True, True, False, False], [True, True, True, True])
    """
    text = check_ids(ids, check_count("V", V))
    if text.ndim != 1 or text.size < 2:
        raise ValueError(f"a next token needs two ids in a row; got shape {text.shape}")
    E = np.random.default_rng(seed).standard_normal((V, WIDTH)) / np.sqrt(WIDTH)
    before, after = text[:-1], text[1:]
    hidden = E[before]  # (N,) -> (N, D)
    p = np.exp(hidden @ E.T)  # (N, D) (D, V) -> (N, V)
    p /= p.sum(axis=1, keepdims=True)
    largest = float(p.max())
    p[np.arange(len(after)), after] -= 1.0
    dlogits = p / len(after)
    parts = tied_gradient(before, dlogits @ E, hidden, dlogits)
    fed, pushed = (np.linalg.norm(part, axis=1) for part in (parts.input_part, parts.output_part))
    return TiedNorms(fed, pushed, largest)
