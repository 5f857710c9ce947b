"""A table with what every figure needs of it, made once: unit rows, lengths, and a way to find a word."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from app.rooms.geometry.model.sums import SumReader, token_place_cosines
from app.rooms.geometry.words import WORDS
from lab.geometry import neighbours, unit_rows
from lab.notation import FloatArray, IntArray, readonly
from lab.vocab import Table, show_token

_PREFIXES = (" ", "Ġ", "▁")
"""How vocabularies write the space before a word."""
_CLOSE, _FEW = 6, 12
_SUGGESTED = 20_000
_ROUNDING = 1e-12
_CHUNK = 1024
"""Rows that are centred at once, so that no second table is made."""
_KEPT, _WORDS_KEPT = 12, 512


@dataclass(frozen=True, eq=False)
class Pick:
    """One vector that was asked for, (D,): a row of the table, or numbers that were typed."""

    name: str
    """As it is shown."""
    id: int | None
    vector: FloatArray

    @property
    def is_zero(self) -> bool:
        """Whether it has no direction."""
        return not bool(self.vector.any())


@dataclass(frozen=True, eq=False)
class TableStudy:
    """A table, and what is derived from it once; shared read-only between readers."""

    table: Table
    _found: dict[int, list[int]] = field(default_factory=dict, init=False, repr=False)
    """Neighbours of the words of a map: a slider asks for the same ones again and again."""

    @property
    def V(self) -> int:
        return len(self.table.vocabulary)

    @property
    def D(self) -> int:
        return self.table.D

    @property
    def tokens(self) -> tuple[str, ...]:
        """The tokens as the vocabulary has them."""
        return self.table.vocabulary.tokens

    @cached_property
    def unit(self) -> FloatArray:
        """Rows of length 1, float32, (V, D); NaN where a row is zero."""
        return unit_rows(self.table.E)

    @cached_property
    def norms(self) -> FloatArray:
        """Lengths of the rows, (V,)."""
        E = self.table.E
        return readonly(np.sqrt(np.einsum("vd,vd->v", E, E, dtype=np.float64)))

    @cached_property
    def zero_rows(self) -> IntArray:
        """Ids of rows that are zero."""
        return readonly(np.flatnonzero(self.norms == 0))

    @cached_property
    def mean(self) -> FloatArray:
        """The mean row, (D,)."""
        return readonly(self.table.E.mean(axis=0, dtype=np.float64))

    @cached_property
    def centred_norms(self) -> FloatArray:
        """Lengths of the rows once the mean row is taken away, (V,); 0 where a row is the mean."""
        E, norms = self.table.E, np.empty(self.V)
        for start in range(0, self.V, _CHUNK):
            rows = slice(start, start + _CHUNK)
            norms[rows] = np.linalg.norm(E[rows] - self.mean, axis=1)
        # what is left of equal numbers after a subtraction is rounding
        return readonly(np.where(norms > _ROUNDING * self.norms, norms, 0.0))

    @cached_property
    def words(self) -> IntArray:
        """Ids of whole words of at least two letters, in the order of the table."""
        listed = (i for i, t in enumerate(self.tokens) if (word := _bare(t)).isalpha() and len(word) > 1)
        return readonly(np.fromiter(listed, dtype=np.intp))

    @cached_property
    def P(self) -> FloatArray:
        """Position rows, (places, D).

        Raises
        ------
        ValueError
            If the table has none.
        """
        if self.table.P is None:
            raise ValueError(WORDS.raw("sums.without"))
        return self.table.P

    @cached_property
    def reader(self) -> SumReader:
        """Reads sums of a token row and a position row back."""
        return SumReader(self.table.E, self.P)

    @cached_property
    def place_cosines(self) -> FloatArray:
        """Cosines of 4,000 random pairs of a token row and a position row (seed 0), (4000,)."""
        return token_place_cosines(self.table.E, self.P, 0)

    @cached_property
    def place_norm(self) -> float:
        """Median length of the position rows."""
        return float(np.median(np.linalg.norm(self.P, axis=1)))

    @cached_property
    def spellings(self) -> tuple[str, ...]:
        """What to type for each of the first 20,000 rows, the shortest first."""
        vocabulary, found = self.table.vocabulary, []
        for token in self.tokens[:_SUGGESTED]:
            bare = _bare(token)
            found.append(show_token(token if bare in vocabulary or not bare else bare))
        return tuple(sorted(found, key=lambda word: (len(word), word)))

    def name(self, i: int) -> str:
        """The token of a row, its spaces visible."""
        return show_token(self.tokens[i])

    def names(self, ids: Sequence[int] | IntArray) -> list[str]:
        """The tokens of several rows."""
        return [self.name(int(i)) for i in ids]

    def find(self, word: str) -> int:
        """The id of a word as a reader types it.

        The very token comes first, then the same with a space before it, then in lower case; ␣ is a space.

        Raises
        ------
        ValueError
            If the table has no such token; the message names near ones.

        Examples
        --------
        >>> from lab.vocab import RUNNING
        >>> TableStudy(RUNNING).find("cat"), TableStudy(RUNNING).find("␣the")
        (2, 1)
        """
        token = self._token(word)
        if token is None:
            raise ValueError(self._not_found(word))
        return self.table.vocabulary.id_of(token)

    def has(self, word: str) -> bool:
        """Whether `find` knows a word."""
        return self._token(word) is not None

    def _token(self, word: str) -> str | None:
        typed = word.replace("␣", " ")
        for spelling in dict.fromkeys((word, typed, typed.strip(), typed.strip().lower())):
            for token in (spelling, *(prefix + spelling for prefix in _PREFIXES)):
                if token in self.table.vocabulary:
                    return token
        return None

    def _not_found(self, word: str) -> str:
        shown = show_token(word[:40]) + ("…" if len(word) > 40 else "")
        whole = f" {WORDS.say('word.whole', full=self.table.full)}" if self.table.full else ""
        said = WORDS.say("word.none", self, shown=shown, whole=whole)
        if self.V <= _FEW:
            return f"{said} {WORDS.say('word.all', listed=', '.join(self.names(range(self.V))))}"
        if near := ", ".join(self.close_to(word.replace("␣", " ").strip().lower())):
            return f"{said} {WORDS.say('word.near', listed=near)}"
        some = self.names(self.words[:_CLOSE] if len(self.words) else range(_CLOSE))
        return f"{said} {WORDS.say('word.unlike', listed=', '.join(some))}"

    def close_to(self, typed: str) -> list[str]:
        """Tokens that look like what was typed: those that start with it, then near spellings."""
        if not typed:
            return []
        # comparing with every token of a long list would take a second in a browser
        likely = [
            token
            for token in self.tokens
            if (bare := _bare(token).lower())[:1] == typed[0] and abs(len(bare) - len(typed)) < 4
        ]
        longer = [token for token in likely if _bare(token).lower().startswith(typed)]
        spelt = difflib.get_close_matches(typed[:40], likely[:4000], n=_CLOSE, cutoff=0.5)
        return [show_token(token) for token in dict.fromkeys([*longer, *spelt])][:_CLOSE]

    def pick(self, text: str) -> Pick:
        """The row of a word, or a vector typed as ``[0.9, 0.7, 0.1]``; ``[0]`` is zero everywhere.

        Raises
        ------
        ValueError
            If there is no such word, or the numbers cannot be read or do not fit the width.

        Examples
        --------
        >>> from lab.vocab import COURSE_VECTORS
        >>> TableStudy(COURSE_VECTORS).pick("[0]").vector
        array([0., 0., 0.])
        """
        if not (text.startswith("[") and text.endswith("]")) or text in self.table.vocabulary:
            i = self.find(text)
            return Pick(self.name(i), i, self.table.E[i])
        try:
            values = [float(part) for part in text[1:-1].replace(",", " ").replace("−", "-").split()]
        except ValueError as reason:
            raise ValueError(WORDS.say("word.unread", text=text[:40], reason=reason)) from reason
        if len(values) not in (1, self.D):
            raise ValueError(WORDS.say("word.width", self, typed=len(values)))
        vector = np.full(self.D, values[0]) if len(values) == 1 else np.array(values)
        if not np.isfinite(vector).all():
            raise ValueError(WORDS.say("word.infinite", text=text[:40]))
        return Pick(WORDS.raw("word.typed" if vector.any() else "word.zero"), None, readonly(vector))

    def around(self, ids: Sequence[int], k: int) -> list[tuple[int, int]]:
        """Pairs (row, whose neighbour it is): each asked row, then its k nearest that are not there yet."""
        asked = list(dict.fromkeys(ids))
        found, seen = [(i, i) for i in asked], set(asked)
        for i in asked if k else []:
            if np.isnan(self.unit[i, 0]):
                continue  # a zero row has no neighbours
            for j in self._nearest(i, k):
                if j not in seen:
                    seen.add(j)
                    found.append((j, i))
        return found

    def _nearest(self, i: int, k: int) -> list[int]:
        kept = self._found.get(i)
        if kept is None or len(kept) < min(k, self.V - 1 - len(self.zero_rows)):
            kept = neighbours(self.unit, self.unit[i], max(k, _KEPT), exclude=[i]).ids.tolist()
            if len(self._found) >= _WORDS_KEPT:
                self._found.clear()
            self._found[i] = kept
        return kept[:k]


def _bare(token: str) -> str:
    """A token without the space before it."""
    return token.lstrip("".join(_PREFIXES))
