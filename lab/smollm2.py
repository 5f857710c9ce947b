"""Queries and keys of a real model's first layer, as exact functions of the token row.

Nothing but the token's own row enters SmolLM2's layer 0 before attention, so its queries and keys can be
computed without running the model. The weights were quantised twice, and the rows of each head are in
interleaved order: rotate them with ``Rope(pairing="interleaved")``.
"""

from __future__ import annotations

from difflib import get_close_matches
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from lab.data import Float32, SmolLM2, smollm2
from lab.notation import Array, FloatArray, readonly
from lab.positions.rope import Rope
from lab.vocab import Vocabulary
from lab.vocab.vocabulary import shorten, show_token


def find_token(word: str) -> str:
    """Return the token of SmolLM2's pack that a reader means: as typed, or after a space.

    Raises
    ------
    ValueError
        If there is no such token; the message names near ones.

    Examples
    --------
    >>> find_token("water"), find_token("␣water")
    (' water', ' water')
    """
    tokens = smollm2().tokens
    typed = word.replace("␣", " ").rstrip()
    for candidate in (typed, f" {typed.strip()}", typed.strip()):
        if candidate.strip() and candidate in tokens:
            return candidate
    if not typed.strip():
        raise ValueError("Type a word, for example people or water.")
    near = get_close_matches(f" {typed.strip()[:40]}", tokens, n=6, cutoff=0.5)
    hint = f"Near it: {', '.join(show_token(token) for token in near)}." if near else "None is near it."
    raise ValueError(f"{shorten(word)} is not among the pack's {len(tokens):,} tokens. {hint}")


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


def layer0_errors(token: str) -> tuple[Float32, Float32]:
    """Return how far the pack's queries and keys of a token may be from the model's: standard deviations.

    A weight of the pack lies within half a step of the model's own, anywhere between with the same
    probability: variance step squared over 12. Blocks of 32 weights in a row were stored in 16 levels from
    their lowest to their highest, and each row again in steps of its largest magnitude over 127. Weights are
    taken to be off independently; the token's row, stored in 8 bits alone, is taken as exact.

    Returns
    -------
    tuple of ndarray
        Of the queries, shape (9, 64), and of the keys, shape (3, 64).

    Raises
    ------
    ValueError
        If the pack has no such token.

    References
    ----------
    Q4_1 in ggml's quantisation formats; the pack's provenance in static/data/PROVENANCE.md.

    Examples
    --------
    >>> queries, keys = layer0_errors(" the")
    >>> queries.shape, keys.shape, bool((queries > 0).all())
    ((9, 64), (3, 64), True)
    """
    pack = smollm2()
    square = _normed(pack, token) ** 2  # (D,)
    sizes = (np.sqrt(_variance(W) @ square) for W in (pack.Wq, pack.Wk))
    queries, keys = (readonly(size.reshape(-1, pack.head_dim)) for size in sizes)
    return queries, keys


def layer0_scores(a: str, b: str, distances: ArrayLike) -> FloatArray:
    """Score token a as the query and token b as the key in layer 0, in every head: (n,) -> (9, n).

    The scores before the softmax, each divided by sqrt(64). The pack was quantised twice, so they are close
    to the model's own and not equal.

    Parameters
    ----------
    a, b : str
        Tokens of the pack; a leading space is part of them.
    distances : array_like of int
        Position of a less position of b, shape (n,).

    Raises
    ------
    ValueError
        If the pack lacks a token, or a distance is not an integer.

    Examples
    --------
    >>> layer0_scores(" people", " water", [0, 2047]).shape
    (9, 2)
    """
    pack = smollm2()
    rope = Rope(pack.head_dim, base=pack.rope_base, pairing="interleaved")
    keys = np.repeat(layer0_keys(b), pack.n_heads // pack.n_kv_heads, axis=0)  # (3, d) -> (9, d)
    scores: FloatArray = rope.total_by_distance(layer0_queries(a), keys, distances) / np.sqrt(pack.head_dim)
    return scores


BLOCK, STEPS = 32, 15
"""Weights of a block of Q4_1, and the steps from its lowest to its highest."""


def _variance(W: Float32) -> Float32:
    """Variance of what two roundings took from each weight: (R, D) -> (R, D)."""
    blocks = W.reshape(len(W), -1, BLOCK)  # (R, D) -> (R, D / 32, 32)
    four = np.repeat(np.ptp(blocks, axis=-1) / STEPS, BLOCK, axis=-1)  # (R, D)
    eight = np.abs(W).max(axis=1, keepdims=True) / 127  # (R, 1)
    variance: Float32 = (four**2 + eight**2) / 12
    return variance


@lru_cache(maxsize=1)
def _vocabulary(pack: SmolLM2) -> Vocabulary:
    return Vocabulary(pack.tokens)


def _normed(pack: SmolLM2, token: str) -> Float32:
    row = pack.embeddings[_vocabulary(pack).id_of(token)]
    normed: Float32 = row / np.sqrt(np.mean(row * row) + np.float32(pack.norm_eps)) * pack.attn_norm
    return normed


def _project(pack: SmolLM2, token: str, W: Float32, heads: int) -> Array:
    projected: Array = W @ _normed(pack, token)  # (H d, D) (D,) -> (H d,)
    return projected.reshape(heads, pack.head_dim)  # (H d,) -> (H, d)
