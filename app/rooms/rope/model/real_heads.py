"""True scores of two words in the first layer of SmolLM2 at each distance, and how far they may be off."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike

from app.kit.view import View, part
from app.rooms.rope.model import WORDS
from app.rooms.rope.model.views import FARTHEST
from lab.data import smollm2
from lab.notation import FloatArray, IntArray, as_positions
from lab.positions import Rope
from lab.smollm2 import find_token, layer0_errors, layer0_keys, layer0_queries, layer0_scores

SAMPLED = 66
"""Every so many distances one is enough for a mean."""


def score_errors(a: str, b: str, distances: ArrayLike) -> FloatArray:
    """How far scores of the pack may be from the model's own, as standard deviations: (n,) -> (9, n).

    The error of the query meets the turned key, the error of the key meets the query turned back.

    >>> bool(score_errors(" people", " water", [1, 2047]).max() < 0.2)
    True
    """
    pack = smollm2()
    rope = Rope(pack.head_dim, base=pack.rope_base, pairing="interleaved")
    back = -as_positions(distances)

    def shared(rows: FloatArray) -> FloatArray:
        return np.repeat(rows, pack.n_heads // pack.n_kv_heads, axis=0)  # (3, d) -> (9, d)

    def along(rows: FloatArray) -> FloatArray:
        return np.repeat(rows[:, None].astype(np.float64), len(back), axis=1)  # (9, d) -> (9, n, d)

    of_query, of_key = layer0_errors(a)[0] ** 2, shared(layer0_errors(b)[1]) ** 2  # (9, d)
    met = rope.rotate(along(shared(layer0_keys(b))), back) ** 2  # (9, n, d)
    turned = rope.rotate(along(layer0_queries(a)), -back) ** 2
    # the product of both errors is small: within a pair it is spread evenly
    both = (of_query @ of_key.T).diagonal()[:, None]  # (9, 1)
    variance = (met @ of_query[:, :, None] + turned @ of_key[:, :, None])[:, :, 0] + both  # (9, n)
    errors: FloatArray = np.sqrt(variance / pack.head_dim)
    return errors


@lru_cache(maxsize=16)
def head_errors(a: str, b: str) -> FloatArray:
    """Root mean square of `score_errors` over distances from 1 to 2,047, for each head: (9,).

    >>> head_errors(" people", " water").round(2)
    array([0.04, 0.04, 0.04, 0.09, 0.06, 0.06, 0.04, 0.06, 0.05])
    """
    errors: FloatArray = np.sqrt((score_errors(a, b, np.arange(1, FARTHEST + 1, SAMPLED)) ** 2).mean(axis=1))
    return errors


@lru_cache(maxsize=16)
def scores_of(a: str, b: str) -> FloatArray:
    """Scores at distances 1 to 2,047, (9, 2047): two different words never stand at one position."""
    return layer0_scores(a, b, range(1, FARTHEST + 1))


class Scoring(Protocol):
    """Heads whose queries and keys of single tokens are known."""

    words: ClassVar[str]
    """Which of the room's sentences speak of them."""

    def find(self, word: str) -> str:
        """The token that a word means; a ValueError if there is none."""
        ...

    def scores(self, a: str, b: str, distances: range) -> FloatArray:
        """Of the query of a with the key of b, (heads, n)."""
        ...

    def errors(self, a: str, b: str) -> FloatArray:
        """How far they may be off, root mean square, (heads,)."""
        ...


class Published(Scoring):
    """The nine heads of the first layer of SmolLM2."""

    words = "heads"

    def find(self, word: str) -> str:
        return find_token(word)

    def scores(self, a: str, b: str, distances: range) -> FloatArray:
        return scores_of(a, b)

    def errors(self, a: str, b: str) -> FloatArray:
        return head_errors(a, b)


PUBLISHED = Published()


class TrueScores(View):
    """Word a looks back at word b, in all heads at hand."""

    @property
    def heads(self) -> Scoring:
        """The teacher's, where she gives one."""
        return self.s.own_head or PUBLISHED

    @part
    def a(self) -> str:
        return self._token("a")

    @part
    def b(self) -> str:
        return self._token("b")

    def _token(self, name: str) -> str:
        try:
            return self.heads.find(getattr(self.s, name))
        except ValueError as reason:
            raise ValueError(WORDS.say("refused.word", of=name, reason=str(reason))) from reason

    @part
    def distances(self) -> IntArray:
        return np.arange(1, FARTHEST + 1)

    @part
    def scores(self) -> Any:
        return self.heads.scores(self.a, self.b, range(1, FARTHEST + 1))

    @part
    def errors(self) -> FloatArray:
        return self.heads.errors(self.a, self.b)

    @property
    def distance(self) -> int:
        """Position of q less that of k."""
        return int(self.s.m - self.s.n)

    @property
    def shown(self) -> int:
        """The distance that is marked: a key cannot stand after its query, nor two words at one position."""
        return min(max(abs(self.distance), 1), FARTHEST)

    @property
    def best(self) -> int:
        """The head that scores highest there."""
        return int(self.scores[:, self.shown - 1].argmax())

    @property
    def highest(self) -> float:
        return float(self.scores[self.best, self.shown - 1])

    @property
    def error(self) -> float:
        """Of the head that scores highest."""
        return float(self.errors[self.best])
