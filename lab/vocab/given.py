"""A table that somebody brings along: tokens, their rows and, where there are any, those of the positions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from lab.notation import readonly
from lab.vocab.course import Table
from lab.vocab.tokenizers import GreedyLongestMatch
from lab.vocab.vocabulary import Vocabulary

BEGINNING = 5
"""Tokens of the text that such a table begins with, where it has none of its own."""


class SpacedMatch(GreedyLongestMatch):
    """Greedy longest match in which a space that begins no token only stands between two.

    It reads tokens that carry their space, whole words and pieces of words alike.

    Examples
    --------
    >>> SpacedMatch(Vocabulary(["low", "er", "the"])).encode("the lower")
    array([2, 0, 1])
    """

    key: ClassVar[str] = "spaced"
    title: ClassVar[str] = "Greedy longest match, spaces between tokens"
    skips_spaces: ClassVar[bool] = True


def given_table(
    name: str,
    tokens: Sequence[str],
    E: ArrayLike,
    P: ArrayLike | None = None,
    text: str = "",
) -> Table:
    """Return tokens and rows as a table; without a text it begins with its first few tokens.

    Parameters
    ----------
    name : str
        What the table is called.
    tokens : sequence of str
        V different ones; a token's id is its place.
    E : array_like
        Shape (V, D).
    P : array_like, optional
        Rows of the positions, shape (places, D).
    text : str
        What the table's tokens spell.

    Raises
    ------
    ValueError
        If the sizes do not fit each other, or the text holds what is no token.

    Examples
    --------
    >>> table = given_table("Two", ["a", "b"], [[1, 2], [3, 4]])
    >>> table.example, table.tokenizer.encode(table.example), table.row("b")
    ('a b', array([0, 1]), array([3., 4.]))
    """
    vocabulary = Vocabulary(tokens)
    tokenizer = SpacedMatch(vocabulary)
    first = vocabulary.tokens[:BEGINNING]
    spaced = any(token[0].isspace() for token in first[1:])
    example = text or ("" if spaced else " ").join(first)
    if not tokenizer.pieces(example):
        raise ValueError("the text holds no token")
    rows = readonly(np.array(E, dtype=np.float64))
    places = None if P is None else readonly(np.array(P, dtype=np.float64))
    return Table(name, vocabulary, tokenizer, rows, places, 0, "", example)
