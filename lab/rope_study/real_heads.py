"""The true layer-0 scores of two words in SmolLM2, head by head."""

from __future__ import annotations

from difflib import get_close_matches

import numpy as np
from numpy.typing import ArrayLike

from lab.data import smollm2
from lab.notation import FloatArray, IntArray, as_positions
from lab.positions.rope import Rope
from lab.smollm2 import layer0_errors, layer0_keys, layer0_queries
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


def real_scores(a: str, b: str, distances: ArrayLike) -> FloatArray:
    """Score token a as the query and token b as the key in SmolLM2's first layer: (n,) -> (9, n).

    The scores that layer 0 has before the softmax, each divided by sqrt(64). The pack was quantised twice,
    so they are close to the model's own and not equal.

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
    >>> real_scores(" people", " water", [0, 2047]).shape
    (9, 2)
    """
    pack = smollm2()
    rope = Rope(pack.head_dim, base=pack.rope_base, pairing="interleaved")
    keys = _shared(layer0_keys(b))
    scores: FloatArray = rope.total_by_distance(layer0_queries(a), keys, distances) / np.sqrt(pack.head_dim)
    return scores


def score_errors(a: str, b: str, distances: ArrayLike) -> FloatArray:
    """Return how far scores of the pack may be from the model's own, as standard deviations: (n,) -> (9, n).

    The error of the query meets the turned key, the error of the key meets the query turned back.

    Parameters
    ----------
    a, b : str
        Tokens of the pack, the query's and the key's.
    distances : array_like of int
        Position of a less position of b, shape (n,).

    Raises
    ------
    ValueError
        If the pack lacks a token, or a distance is not an integer.

    Examples
    --------
    >>> bool(score_errors(" people", " water", [1, 2047]).max() < 0.2)
    True
    """
    pack = smollm2()
    rope = Rope(pack.head_dim, base=pack.rope_base, pairing="interleaved")
    back = -as_positions(distances)
    of_query, of_key = layer0_errors(a)[0] ** 2, _shared(layer0_errors(b)[1]) ** 2  # (9, d)
    query, key = layer0_queries(a), _shared(layer0_keys(b))
    met = rope.rotate(_along(key, back), back) ** 2  # (9, n, d)
    turned = rope.rotate(_along(query, back), -back) ** 2
    # the product of both errors is small: within a pair it is spread evenly
    both = (of_query @ of_key.T).diagonal()[:, None]  # (9, 1)
    variance = (met @ of_query[:, :, None] + turned @ of_key[:, :, None])[:, :, 0] + both  # (9, n)
    errors: FloatArray = np.sqrt(variance / pack.head_dim)
    return errors


def head_errors(a: str, b: str) -> FloatArray:
    """Return the root mean square of `score_errors` over distances from 1 to 2,047, for each head: (9,).

    Examples
    --------
    >>> head_errors(" people", " water").round(2)
    array([0.04, 0.04, 0.04, 0.09, 0.06, 0.06, 0.04, 0.06, 0.05])
    """
    errors: FloatArray = np.sqrt((score_errors(a, b, np.arange(1, 2_048, SAMPLED)) ** 2).mean(axis=1))
    return errors


SAMPLED = 66
"""Every so many distances one is enough for a mean."""


def _shared(rows: FloatArray) -> FloatArray:
    """A key head for each query head: (3, d) -> (9, d)."""
    pack = smollm2()
    return np.repeat(rows, pack.n_heads // pack.n_kv_heads, axis=0)


def _along(rows: FloatArray, positions: IntArray) -> FloatArray:
    """A row for each position: (9, d), (n,) -> (9, n, d)."""
    return np.repeat(rows[:, None].astype(np.float64), len(positions), axis=1)
