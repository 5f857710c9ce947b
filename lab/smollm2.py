"""Queries and keys of a real model's first layer, as exact functions of the token row.

Nothing but the token's own row enters SmolLM2's layer 0 before attention, so its queries and keys can be
computed without running the model. The weights were quantised twice, and the rows of each head are in
interleaved order: rotate them with ``Rope(pairing="interleaved")``.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from lab.data import Float32, SmolLM2, smollm2
from lab.notation import Array, readonly
from lab.vocab import Vocabulary


def layer0_queries(token: str) -> Float32:
    """Return the nine queries of a token in layer 0, before any position enters.

    Parameters
    ----------
    token : str
        One of the pack's 1,500 tokens; a leading space is part of it.

    Returns
    -------
    ndarray
        Shape (9, 64), float32, read-only.

    Raises
    ------
    ValueError
        If the pack has no such token.

    Examples
    --------
    >>> layer0_queries(" the").shape
    (9, 64)
    """
    pack = smollm2()
    return readonly(_project(pack, token, pack.Wq, pack.n_heads))


def layer0_keys(token: str) -> Float32:
    """Return the three keys of a token in layer 0, before any position enters.

    Query head ``h`` reads key head ``h // 3``.

    Parameters
    ----------
    token : str
        One of the pack's 1,500 tokens; a leading space is part of it.

    Returns
    -------
    ndarray
        Shape (3, 64), float32, read-only.

    Raises
    ------
    ValueError
        If the pack has no such token.

    Examples
    --------
    >>> layer0_keys(" the").shape
    (3, 64)
    """
    pack = smollm2()
    return readonly(_project(pack, token, pack.Wk, pack.n_kv_heads))


@lru_cache(maxsize=1)
def _vocabulary(pack: SmolLM2) -> Vocabulary:
    return Vocabulary(pack.tokens)


def _project(pack: SmolLM2, token: str, W: Float32, heads: int) -> Array:
    row = pack.embeddings[_vocabulary(pack).id_of(token)]
    normed = row / np.sqrt(np.mean(row * row) + np.float32(pack.norm_eps)) * pack.attn_norm
    projected: Array = W @ normed  # (H d, D) (D,) -> (H d,)
    return projected.reshape(heads, pack.head_dim)  # (H d,) -> (H, d)
