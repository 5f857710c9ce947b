"""The true layer-0 scores of two words in SmolLM2, head by head."""

from __future__ import annotations

from difflib import get_close_matches

import numpy as np
from numpy.typing import ArrayLike

from lab.data import smollm2
from lab.notation import FloatArray
from lab.positions.rope import Rope
from lab.smollm2 import layer0_keys, layer0_queries
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
    keys = np.repeat(layer0_keys(b), pack.n_heads // pack.n_kv_heads, axis=0)  # (3, d) -> (9, d)
    scores: FloatArray = rope.total_by_distance(layer0_queries(a), keys, distances) / np.sqrt(pack.head_dim)
    return scores
