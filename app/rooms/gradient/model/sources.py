"""Where the tokens of a run come from: the law, a running text, or counts that somebody made."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Protocol

import numpy as np

from app.kit.figure import Snapshot
from app.kit.given import GIVEN
from app.rooms.gradient.model import WORDS
from lab import zipf
from lab.data import shakespeare
from lab.notation import FloatArray, IntArray, readonly


class Source(Protocol):
    """Tokens as unequal as they are there; row id 0 is that of the most frequent one."""

    says: ClassVar[str]
    """The name of the sentence that says what is drawn."""
    counted: ClassVar[bool]
    """Whether the shares of the rows are counts."""
    running: ClassVar[bool]
    """Whether a batch is cut out of a text, whose words come in clusters."""

    @property
    def V(self) -> int:
        """Rows."""
        ...

    @property
    def words(self) -> tuple[str, ...]:
        """The token of each row, where it is known."""
        ...

    @property
    def counts(self) -> Any:
        """How often each row comes, falling, where it is counted."""
        ...

    @property
    def p(self) -> FloatArray:
        """The share of each row, (V,)."""
        ...

    def thinned(self, seed: int, t: float) -> FloatArray:
        """The same after subsampling with the threshold t, (V,)."""
        ...

    def ids(self, seed: int, t: float, batch: int, length: int, steps: int) -> IntArray:
        """The tokens of a run, (steps, batch * length)."""
        ...

    def passage(self, seed: int, V: int, tokens: int) -> IntArray:
        """Tokens in a row among the first V rows, at most so many, (tokens,)."""
        ...


@dataclass(frozen=True)
class Law(Source):
    """Zipf's law over V ranks."""

    rows: int
    exponent: float
    says = "law"
    counted = running = False

    @property
    def V(self) -> int:
        return self.rows

    @property
    def words(self) -> tuple[str, ...]:
        return ()

    @property
    def counts(self) -> Any:
        return ()

    @property
    def p(self) -> FloatArray:
        return zipf.probabilities(self.rows, self.exponent)

    def thinned(self, seed: int, t: float) -> FloatArray:
        return zipf.subsampled(self.p, t)

    def ids(self, seed: int, t: float, batch: int, length: int, steps: int) -> IntArray:
        sizes = {"batch": batch, "length": length, "steps": steps}
        return zipf.law_batches(np.random.default_rng(seed), self.rows, self.exponent, **sizes, threshold=t)

    def passage(self, seed: int, V: int, tokens: int) -> IntArray:
        return zipf.sample(np.random.default_rng(seed), V, self.exponent, tokens)


@dataclass(frozen=True, eq=False)
class Text(Source):
    """The words of a text, in passages."""

    found: zipf.WordCounts
    says: ClassVar[str] = "shakespeare"
    counted = running = True

    @property
    def V(self) -> int:
        return self.found.V

    @property
    def words(self) -> tuple[str, ...]:
        return self.found.words

    @property
    def counts(self) -> IntArray:
        """Of each row, falling, (V,)."""
        return self.found.counts

    @property
    def p(self) -> FloatArray:
        return self.found.p

    def thinned(self, seed: int, t: float) -> FloatArray:
        return _left(self, seed, t)[1]

    def ids(self, seed: int, t: float, batch: int, length: int, steps: int) -> IntArray:
        text = _left(self, seed, t)[0] if t else self.found.ids
        if len(text) < length:
            raise ValueError(WORDS.say("own.short", left=len(text), length=length))
        rng = np.random.default_rng(seed)
        return zipf.text_batches(rng, text, batch=batch, length=length, steps=steps)

    def passage(self, seed: int, V: int, tokens: int) -> IntArray:
        return self.found.ids[self.found.ids < V][:tokens]


@dataclass(frozen=True, eq=False)
class OwnText(Text):
    """A teacher's text, under her name for it."""

    text: str
    name: str
    says = "own text"


@dataclass(frozen=True, eq=False)
class Counted(Source):
    """Counts of tokens, the most frequent first; each token is drawn on its own."""

    names: tuple[str, ...]
    listed: tuple[int, ...]
    name: str
    says = "own counts"
    counted, running = True, False

    @property
    def V(self) -> int:
        return len(self.listed)

    @property
    def counts(self) -> tuple[int, ...]:
        return self.listed

    @property
    def words(self) -> tuple[str, ...]:
        return self.names

    @property
    def p(self) -> FloatArray:
        return _shares(self.counts, 0.0)

    def thinned(self, seed: int, t: float) -> FloatArray:
        return _shares(self.counts, t)

    def ids(self, seed: int, t: float, batch: int, length: int, steps: int) -> IntArray:
        return _drawn(self.thinned(seed, t), seed, (steps, batch * length))

    def passage(self, seed: int, V: int, tokens: int) -> IntArray:
        return _drawn(self.p[:V], seed, (tokens,))


@lru_cache(maxsize=8)
def _shares(counts: tuple[int, ...], t: float) -> FloatArray:
    p = np.array(counts) / sum(counts)
    return readonly(zipf.subsampled(p, t) if t else p)


def _drawn(p: FloatArray, seed: int, shape: tuple[int, ...]) -> IntArray:
    cumulative = np.cumsum(p)
    cumulative /= cumulative[-1]
    return np.searchsorted(cumulative, np.random.default_rng(seed).random(shape), side="right")


@lru_cache(maxsize=2)
def _left(text: Text, seed: int, t: float) -> tuple[IntArray, FloatArray]:
    """The row ids that subsampling leaves of a text, and the share of each row among them."""
    found = text.found
    ids = zipf.thin(np.random.default_rng(seed), found.ids, zipf.keep_probability(found.p, t))
    if not len(ids):
        raise ValueError(WORDS.say("own.short", left=0, length=1))
    return ids, zipf.shares(ids, found.V)


@lru_cache(maxsize=1)
def book() -> Text:
    """The words of the stored text, counted once."""
    return Text(zipf.word_counts(shakespeare()))


def source_of(s: Snapshot) -> Source:
    """Where the tokens of a state come from."""
    if s.source == GIVEN:
        own: Source = s.own
        return own
    return book() if s.source == "shakespeare" else Law(int(s.V), s.exponent)
