"""A table with what every look at it needs, made once: unit rows, norms, and a way to find a word."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np

from lab.data import SmolLM2, smollm2
from lab.geometry import neighbours, unit_rows
from lab.notation import Array, FloatArray, IntArray, readonly
from lab.table_study.sums import SumReader, token_place_cosines
from lab.vocab import Table, Vocabulary, Words, show_token

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
    """One vector that was asked for: a row of the table, or numbers that were typed."""

    name: str
    """As it is shown."""
    id: int | None
    vector: FloatArray
    """Shape (D,)."""

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
        """Number of rows."""
        return len(self.table.vocabulary)

    @property
    def D(self) -> int:
        """Width of a row."""
        return self.table.D

    @cached_property
    def unit(self) -> FloatArray:
        """Rows of length 1, float32, shape (V, D); NaN where a row is zero."""
        return unit_rows(self.table.E)

    @cached_property
    def norms(self) -> FloatArray:
        """Lengths of the rows, shape (V,)."""
        E = self.table.E
        return readonly(np.sqrt(np.einsum("vd,vd->v", E, E, dtype=np.float64)))

    @cached_property
    def zero_rows(self) -> IntArray:
        """Ids of rows that are zero."""
        return readonly(np.flatnonzero(self.norms == 0))

    @cached_property
    def mean(self) -> FloatArray:
        """The mean row, shape (D,)."""
        return readonly(self.table.E.mean(axis=0, dtype=np.float64))

    @cached_property
    def centred_norms(self) -> FloatArray:
        """Lengths of the rows once the mean row is taken away, shape (V,); 0 where a row is the mean."""
        E, norms = self.table.E, np.empty(self.V)
        for start in range(0, self.V, _CHUNK):
            rows = slice(start, start + _CHUNK)
            norms[rows] = np.linalg.norm(E[rows] - self.mean, axis=1)
        # what is left of equal numbers after a subtraction is rounding
        return readonly(np.where(norms > _ROUNDING * self.norms, norms, 0.0))

    @cached_property
    def words(self) -> IntArray:
        """Ids of whole words of at least two letters, in the order of the table."""
        listed = (
            i for i, t in enumerate(self.table.vocabulary) if (w := t.lstrip(" Ġ▁")).isalpha() and len(w) > 1
        )
        return readonly(np.fromiter(listed, dtype=np.intp))

    @cached_property
    def reader(self) -> SumReader:
        """Reads sums of a token row and a position row back.

        Raises
        ------
        ValueError
            If the table has no position rows.
        """
        return SumReader(self.table.E, self._places())

    @cached_property
    def place_cosines(self) -> FloatArray:
        """Cosines of 4,000 random pairs of a token row and a position row (seed 0), shape (4000,).

        Raises
        ------
        ValueError
            If the table has no position rows, or all rows of a kind are zero.
        """
        return token_place_cosines(self.table.E, self._places(), 0)

    @cached_property
    def place_norm(self) -> float:
        """Median length of the position rows.

        Raises
        ------
        ValueError
            If the table has no position rows.
        """
        return float(np.median(np.linalg.norm(self._places(), axis=1)))

    def _places(self) -> FloatArray:
        if self.table.P is None:
            raise ValueError("This table has no position rows.")
        return self.table.P

    @cached_property
    def spellings(self) -> tuple[str, ...]:
        """What to type for each of the first 20,000 rows, the shortest first."""
        vocabulary, found = self.table.vocabulary, []
        for token in vocabulary.tokens[:_SUGGESTED]:
            bare = token.lstrip("".join(_PREFIXES))
            found.append(show_token(token if bare in vocabulary or not bare else bare))
        return tuple(sorted(found, key=lambda word: (len(word), word)))

    def name(self, i: int) -> str:
        """The token of a row, its spaces visible."""
        return show_token(self.table.vocabulary.tokens[i])

    def names(self, ids: Sequence[int] | IntArray) -> list[str]:
        """The tokens of several rows."""
        return [self.name(int(i)) for i in ids]

    def find(self, word: str) -> int:
        """Return the id of a word as a reader types it.

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
        whole = f" (the whole model has {self.table.full:,})" if self.table.full else ""
        said = f"‘{shown}’ is not one of the {self.V:,} rows of this table{whole}"
        if self.V <= _FEW:
            return f"{said}. They are: {', '.join(self.names(range(self.V)))}."
        if near := ", ".join(self.close_to(word.replace("␣", " ").strip().lower())):
            return f"{said}. Near it are: {near}."
        some = self.words[:_CLOSE] if len(self.words) else range(_CLOSE)
        return f"{said}, and none is spelt like it. Some of them: {', '.join(self.names(some))}."

    def close_to(self, typed: str) -> list[str]:
        """Tokens that look like what was typed: those that start with it, then near spellings."""
        if not typed:
            return []
        # comparing with every token of a long list would take a second in a browser
        likely = [
            token
            for token in self.table.vocabulary
            if (bare := token.lstrip(" Ġ▁").lower())[:1] == typed[0] and abs(len(bare) - len(typed)) < 4
        ]
        longer = [token for token in likely if token.lstrip(" Ġ▁").lower().startswith(typed)]
        spelt = difflib.get_close_matches(typed[:40], likely[:4000], n=_CLOSE, cutoff=0.5)
        return [show_token(token) for token in dict.fromkeys([*longer, *spelt])][:_CLOSE]

    def pick(self, text: str) -> Pick:
        """Return the row of a word, or a vector typed as ``[0.9, 0.7, 0.1]``; ``[0]`` is zero everywhere.

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
        parts = text[1:-1].replace(",", " ").replace("−", "-").split()
        try:
            values = [float(part) for part in parts]
        except ValueError as reason:
            raise ValueError(f"{text[:40]} holds something that is no number: {reason}.") from reason
        if len(values) not in (1, self.D):
            raise ValueError(
                f"A vector of this table has {self.D} numbers; {len(values)} were typed. One number stands "
                "for all."
            )
        vector = np.full(self.D, values[0]) if len(values) == 1 else np.array(values)
        if not np.isfinite(vector).all():
            raise ValueError(f"{text[:40]} must be finite numbers.")
        return Pick("zero vector" if not vector.any() else "typed vector", None, readonly(vector))

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


def smollm2_table() -> Table:
    """Return SmolLM2's 1,500 token rows as a table.

    Raises
    ------
    DataMissing
        If the array file is not there (yet); see `lab.data`.

    Examples
    --------
    >>> smollm2_table().E.shape
    (1500, 576)
    """
    return _smollm2_table(smollm2())


@lru_cache(maxsize=1)
def _smollm2_table(pack: SmolLM2) -> Table:
    vocabulary = Vocabulary(pack.tokens)
    E: Array = pack.embeddings
    return Table(
        name="SmolLM2, 1,500 rows",
        vocabulary=vocabulary,
        tokenizer=Words(vocabulary),
        E=E,
        P=None,
        position_origin=0,
        note=(
            f"SmolLM2-135M-Instruct, a decoder: {len(vocabulary):,} of its {pack.full_vocabulary:,} token "
            "rows, words of the letters a to z only, rounded to 8 bits twice."
        ),
        example=" the people",
        full=pack.full_vocabulary,
    )
