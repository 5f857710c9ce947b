"""A head of a teacher's, with a query and a key for each token."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.rooms.rope.model import WORDS
from app.rooms.rope.model.real_heads import Scoring
from app.rooms.rope.model.turning import Vector, of_angles, of_base
from lab.notation import FloatArray, readonly
from lab.positions import Rope
from lab.positions.rope import Pairing
from lab.vocab import Vocabulary

BASE = 10_000
"""Of a head that comes without frequencies."""


@dataclass(frozen=True, eq=False)
class OwnHead(Scoring):
    """One head: a query and a key of each token, (T, d), and how they turn."""

    words = "own"

    tokens: tuple[str, ...]
    q: FloatArray
    k: FloatArray
    rope: Rope

    @classmethod
    def of(
        cls,
        tokens: tuple[str, ...],
        q: tuple[Vector, ...],
        k: tuple[Vector, ...],
        frequencies: Vector = (),
        pairing: Pairing = "interleaved",
    ) -> OwnHead:
        """A head of plain rows; a ValueError where they do not fit each other."""
        T, d = len(tokens), len(q[0])
        for name, rows in (("q", q), ("k", k)):
            if len(rows) != T or len(rows[0]) != d:
                raise ValueError(WORDS.say("own.rows", of=name, T=T, d=d, rows=len(rows), wide=len(rows[0])))
        if d % 2 or (frequencies and len(frequencies) != d // 2):
            raise ValueError(WORDS.say("own.pairs", d=d, count=len(frequencies)))
        rope = of_angles(frequencies, pairing) if frequencies else of_base(BASE, d, pairing)
        return cls(tokens, readonly(np.array(q)), readonly(np.array(k)), rope)

    def find(self, word: str) -> str:
        """The token that is meant: as typed, or after a space."""
        for candidate in (word, word.replace("␣", " "), f" {word}"):
            if candidate in self.tokens:
                return candidate
        return Vocabulary(self.tokens).token_of(Vocabulary(self.tokens).id_of(word))

    def rows(self, a: str, b: str) -> tuple[FloatArray, FloatArray]:
        """The query of one token and the key of another, (d,)."""
        return self.q[self.tokens.index(a)], self.k[self.tokens.index(b)]

    def scores(self, a: str, b: str, distances: range) -> FloatArray:
        """q · k / √d at each distance: (1, n)."""
        q, k = self.rows(a, b)
        scores: FloatArray = self.rope.total_by_distance(q, k, distances)[None] / np.sqrt(self.rope.d)
        return scores

    def errors(self, a: str, b: str) -> FloatArray:
        """No rounding is in these numbers."""
        return np.zeros(1)
