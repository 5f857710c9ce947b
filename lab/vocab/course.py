"""The tables of the course, and the real MiniLM table in the same form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from lab.data import MiniLM, minilm
from lab.notation import Array, FloatArray, IntArray, as_matrix, readonly
from lab.vocab.tokenizers import GreedyLongestMatch, Tokenizer, Words
from lab.vocab.vocabulary import Vocabulary
from lab.vocab.wordpiece import WordPiece


@dataclass(frozen=True, eq=False)
class Table:
    """A vocabulary with its tokenizer, its embedding table and, where it has one, its position table."""

    name: str
    vocabulary: Vocabulary
    tokenizer: Tokenizer
    E: FloatArray
    """Token rows, shape (V, D), read-only."""
    P: FloatArray | None
    """Learned position rows, shape (places, D), read-only; row 0 belongs to the first place."""
    position_origin: int
    """The number that the first place is called by: 1 in this course's learned table, else 0."""
    note: str
    example: str
    """A text to begin with."""
    full: int | None = None
    """For a reduced table the tokens of the model's own vocabulary."""
    ids_in_full: IntArray | None = None
    """For a reduced table the id of each row in the model's own vocabulary, shape (V,)."""

    def __post_init__(self) -> None:
        E = as_matrix("E (V, D)", self.E)
        if len(E) != len(self.vocabulary):
            raise ValueError(f"{len(self.vocabulary)} tokens need as many rows; E has {len(E)}")
        if self.P is not None:
            as_matrix("P (places, D)", self.P, columns=E.shape[1])

    @property
    def D(self) -> int:
        """Width of a row."""
        return int(self.E.shape[1])

    def row(self, token: str) -> Array:
        """Return the row of a token, shape (D,)."""
        row: Array = self.E[self.vocabulary.id_of(token)]
        return row


def _rows(rows: Sequence[Sequence[float]]) -> np.ndarray[Any, np.dtype[np.float64]]:
    return readonly(np.array(rows, dtype=np.float64))


_RUNNING_TOKENS = Vocabulary(
    ["the", " the", " cat", " dog", " climb", "ed", " roof", " wall", " sofa", " floor", ".", "<|endoftext|>"]
)

RUNNING = Table(
    name="Running example",
    vocabulary=_RUNNING_TOKENS,
    tokenizer=GreedyLongestMatch(_RUNNING_TOKENS),
    E=_rows(
        [
            [-0.5, -0.5, 0, 1],
            [-0.5, 0, -0.5, 1],
            [1, -0.5, 0, -0.5],
            [1, -0.5, -0.5, 0],
            [-0.5, 1, 0, -0.5],
            [0, 0.5, -0.5, 0],
            [0, -0.5, 1, -0.5],
            [1, 0, -1, 0],
            [0.5, -0.5, -0.5, 0.5],
            [0.5, 0, -0.5, 0],
            [0, 0, 1, -1],
            [0.5, -0.5, 0.5, -0.5],
        ]
    ),
    P=_rows(
        [
            [0, 0, 0, 0],
            [0.5, 0, -0.5, 0],
            [0, 0.5, 0, -0.5],
            [-0.5, 0, 0.5, 0],
            [0, -0.5, 0, 0.5],
            [0.5, -0.5, 0, 0],
            [0, 0, 0.5, -0.5],
            [-0.5, 0, 0, 0.5],
        ]
    ),
    position_origin=1,
    note="Made by hand: twelve tokens, four dimensions, eight positions. Every row adds up to 0.",
    example="the cat climbed the",
)

_ONEHOT_TOKENS = Vocabulary(["sun", "moon", "star", "sky"])

ONEHOT = Table(
    name="One-hot times a table",
    vocabulary=_ONEHOT_TOKENS,
    tokenizer=Words(_ONEHOT_TOKENS),
    E=_rows([[0.1, -0.3, 0.8], [0.4, 0.2, -0.6], [0.5, 0.9, -0.2], [-0.7, 0.1, 0.3]]),
    P=None,
    position_origin=0,
    note="Four tokens, three dimensions: small enough to multiply by hand.",
    example="star",
)

_FINANCE_TOKENS = Vocabulary(["spend", "save", "invest", "cash", "fund"])

FINANCE = Table(
    name="Finance",
    vocabulary=_FINANCE_TOKENS,
    tokenizer=Words(_FINANCE_TOKENS),
    E=_rows([[-0.85, -0.35, 0.2], [0.7, 0.2, 0.2], [0.6, 0.5, 0.2], [0.1, -0.4, 0.9], [0.4, 0.8, 0.1]]),
    P=None,
    position_origin=0,
    note="Made by hand. Read the three dimensions as: kept for later, put to work, at hand.",
    example="save invest fund",
)

_ANIMAL_TOKENS = Vocabulary(["cat", "dog", "car"])

COURSE_VECTORS = Table(
    name="cat, dog, car",
    vocabulary=_ANIMAL_TOKENS,
    tokenizer=Words(_ANIMAL_TOKENS),
    E=_rows([[0.9, 0.7, 0.1], [0.9, 0.6, 0.3], [-0.2, -0.1, 0.8]]),
    P=None,
    position_origin=0,
    note="Made by hand. Read the three dimensions as: alive, tame, has wheels.",
    example="cat dog car",
)

_CHAPTER_TOKENS = Vocabulary(["cat", "dog", "car"])

CHAPTER_VECTORS = Table(
    name="cat, dog, car of the chapter",
    vocabulary=_CHAPTER_TOKENS,
    tokenizer=Words(_CHAPTER_TOKENS),
    E=_rows([[0.8, 0.6, 0.1, -0.2], [0.7, 0.7, 0.2, -0.1], [-0.5, 0.3, 0.9, 0.4]]),
    P=None,
    position_origin=0,
    note="Made by hand: four dimensions without names.",
    example="cat dog car",
)

FULL_MINILM = 30_522
"""Tokens of MiniLM's own vocabulary, BERT's: vocab_size in its config.json."""

COURSES: dict[str, Table] = {"running": RUNNING, "onehot": ONEHOT, "finance": FINANCE}
"""The course's tables by key."""


def minilm_table() -> Table:
    """Return MiniLM's reduced token table and its 512 learned positions.

    Raises
    ------
    DataMissing
        If the array file is not there (yet); see `lab.data`.

    Examples
    --------
    >>> table = minilm_table()
    >>> table.E.shape, table.P.shape
    ((8944, 384), (512, 384))
    """
    return _minilm_table(minilm())


@lru_cache(maxsize=1)
def _minilm_table(pack: MiniLM) -> Table:
    vocabulary = Vocabulary(pack.tokens)
    return Table(
        name="MiniLM, reduced vocabulary",
        vocabulary=vocabulary,
        tokenizer=WordPiece(vocabulary),
        E=pack.embeddings,
        P=pack.positions,
        position_origin=0,
        note=(
            f"MiniLM, an encoder, fine-tuned and distilled: {len(vocabulary):,} of its {FULL_MINILM:,} token "
            "rows, stored as int8. It puts [CLS] and [SEP] around a text, adds a segment row and normalises "
            "before its first block; here X is E + P alone."
        ),
        example="The cat climbed the roof.",
        full=FULL_MINILM,
        ids_in_full=pack.token_ids,
    )
