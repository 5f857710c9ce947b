"""What the room `build` computes: a text as tokens, their rows of a table, the positions, X, and a swap."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from operator import itemgetter
from typing import Any

from app.kit import budget
from app.kit.given import GIVEN
from app.kit.html import visible
from app.kit.matrix import fits
from app.kit.view import View, part
from app.kit.words import Words
from lab import embedding
from lab.geometry import cosine_matrix
from lab.notation import Array, IntArray, check_ids
from lab.positions import SCHEMES, Learned, NoPosition
from lab.vocab import COURSES, Piece, Table, Truncation, gpt2_table, minilm_table, truncate

WORDS = Words(__file__)
LIMIT = 512
"""Rows that X holds at most; what is typed beyond them is dropped, and said to be."""
COURSE_LIMIT = 8
"""Positions that are drawn for a course table which has none of its own."""
CHECKED = 12
"""One-hot rows of a large vocabulary are long: the product is compared on the first dozen tokens."""
MOST_LISTED = 64
"""A table of more rows is not printed, and not every row is compared with every other."""
ZERO = 1e-12
"""A mean below this is rounding of float64."""
USUAL = {
    "example": "running", "table": None, "text": "", "scheme": "learned", "swap": None, "scale": False,
}  # fmt: skip


def table_of(example: str, given: Table | None = None) -> Table:
    """The table of an example; ``given`` is the teacher's own."""
    if example == GIVEN and given is not None:
        return given
    if example == "own":
        return minilm_table()
    return gpt2_table() if example == "ids" else COURSES[example]


@lru_cache(maxsize=32)
def scheme_of(table: Table, scheme: str) -> NoPosition:
    """The scheme for a table; one that comes with learned positions keeps them."""
    kind = SCHEMES[scheme]
    if issubclass(kind, Learned) and table.P is not None:
        return kind(table.P)
    limit = COURSE_LIMIT if table in COURSES.values() else LIMIT
    # no head is built in this room: RoPE and ALiBi only say that they add nothing here
    return kind.build(D=table.D, H=1, d=2, max_positions=limit)


@lru_cache(maxsize=4)
def cut(table: Table, text: str) -> Truncation[list[Piece]]:
    """The tokens of a text that X has rows for, and how many were dropped."""
    budget.typed(text)
    return truncate(table.tokenizer.pieces(text or table.example), LIMIT)


def nowhere(position: int, T: int) -> str:
    """That a text has no such position."""
    there = WORDS.say("refused.several" if T > 1 else "refused.single", T=T)
    return WORDS.say("refused.nowhere", position=position, there=there)


class Tokens(View):
    """A text cut into T tokens, and their rows of the table E; it has V rows of width D."""

    def __init__(self, s: Any) -> None:
        super().__init__(s)
        _ = self.ids  # what cannot be read is refused before anything is made of it

    @property
    def table(self) -> Table:
        return table_of(self.s.example, self.s.table)

    @property
    def text(self) -> str:
        return self.s.text or self.table.example

    @property
    def pieces(self) -> list[Piece]:
        return cut(self.table, self.s.text).kept

    @part
    def ids(self) -> IntArray:
        """(T,)."""
        if not self.pieces:
            raise ValueError(WORDS.say("refused.empty"))
        return check_ids([piece.id for piece in self.pieces], self.V)

    @property
    def T(self) -> int:
        return len(self.pieces)

    @property
    def V(self) -> int:
        return len(self.table.vocabulary)

    @property
    def D(self) -> int:
        return self.table.D

    @property
    def dropped(self) -> int:
        return cut(self.table, self.s.text).dropped

    @property
    def total(self) -> int:
        """Tokens of the whole text."""
        return self.T + self.dropped

    @property
    def small(self) -> bool:
        """Whether matrices of T rows and D columns have their numbers printed."""
        return fits(self.T, self.D)

    @property
    def listed(self) -> bool:
        """Whether the whole table is small enough to print."""
        return self.V <= MOST_LISTED

    @part
    def full_ids(self) -> tuple[int, ...]:
        """The ids of a reduced table's tokens in the model's own vocabulary; empty where it is whole."""
        full = self.table.ids_in_full
        return () if full is None else tuple(full[self.ids].tolist())

    @property
    def different(self) -> list[int]:
        """The first two different ids, or the one that there is."""
        return list(dict.fromkeys(self.ids.tolist()))[:2]

    @property
    def mean_id(self) -> float:
        """Their mean: another token's name, or none."""
        return sum(self.different) / len(self.different)

    @part
    def repeated(self) -> tuple[int, ...]:
        """Positions, from 1, of the first token that stands more than once."""
        listed = self.ids.tolist()
        twice = next((one for one in listed if listed.count(one) > 1), None)
        return tuple(position for position, one in enumerate(listed, start=1) if one == twice)

    # the second token is the example, where there is one

    @property
    def t(self) -> int:
        """Its position, from 1."""
        return min(2, self.T)

    @property
    def token(self) -> str:
        return visible(self.pieces[self.t - 1].token, 24)

    @property
    def id(self) -> str:
        """A name, and written as one: without a comma."""
        return str(self.ids[self.t - 1])

    # rows of E

    @part
    def one_hot(self) -> Array | None:
        """(T, V); None where it would be wider than a page can show."""
        return embedding.one_hot(self.ids, self.V) if self.listed else None

    @property
    def compared(self) -> int:
        """Tokens on which lookup and product are compared."""
        return self.T if self.listed else min(self.T, CHECKED)

    @part
    def picked(self) -> Array:
        """E[ids], (T, D)."""
        return embedding.lookup(self.table.E, self.ids)

    @part
    def lookup_equals_product(self) -> bool:
        product = embedding.one_hot_product(self.table.E, self.ids[: self.compared])
        return bool((self.picked[: self.compared] == product).all())

    @part
    def rows(self) -> Array:
        """E[ids], scaled if asked, (T, D)."""
        return embedding.embed(self.table.E, self.ids, scale=self.s.scale)

    @part
    def cosines(self) -> Array | None:
        """Between all rows of E, (V, V); None where the table is large."""
        return cosine_matrix(self.table.E) if self.listed else None

    @part
    def alike(self) -> tuple[tuple[str, str, float], ...]:
        """The tokens whose rows are most alike and those whose rows are most opposed, with their cosines."""
        if self.cosines is None:
            return ()
        pairs = [(float(self.cosines[pair]), *pair) for pair in combinations(range(self.V), 2)]
        found = [one for one in pairs if one[0] == one[0]]  # a row of zeros has no cosine
        if not found:
            return ()
        most, least = (extreme(found, key=itemgetter(0)) for extreme in (max, min))
        names = self.table.vocabulary.tokens
        return tuple((names[a], names[b], cosine) for cosine, a, b in (most, least))


class Built(Tokens):
    """X: what the scheme adds to the rows, and their sum."""

    def __init__(self, s: Any) -> None:
        super().__init__(s)
        limit = self.scheme.trained_limit if isinstance(self.scheme, Learned) else self.T
        if limit < self.T:
            raise ValueError(WORDS.say("refused.limit", self, limit=limit))

    @property
    def scheme(self) -> NoPosition:
        return scheme_of(self.table, self.s.scheme)

    @property
    def origin(self) -> int:
        """What this course calls the first position."""
        return self.table.position_origin if isinstance(self.scheme, Learned) else self.scheme.origin

    @part
    def added(self) -> Array | None:
        """What the scheme adds, (T, D); None if it adds nothing to the input."""
        adds = self.scheme.enters == "input"
        return self.scheme.add_to_input(self.rows * 0, list(range(self.T))) if adds else None

    @part
    def X(self) -> Array:
        """(T, D)."""
        return self.embed(self.ids)

    def embed(self, ids: IntArray) -> Array:
        """X of these ids in this order."""
        pos = list(range(len(ids)))
        return embedding.embed(self.table.E, ids, scheme=self.scheme, pos=pos, scale=self.s.scale)

    @part
    def means(self) -> Array:
        """Mean of each row of X, (T,)."""
        return self.X.mean(axis=1)

    @part
    def pooled(self) -> Array:
        """Mean of the rows of X, (D,)."""
        return self.X.mean(axis=0)

    @property
    def centred(self) -> bool:
        """Whether the rows of E used here, and those of P, add up to 0."""
        parts = [self.rows] if self.added is None else [self.rows, self.added]
        return all(abs(rows.mean(axis=1)).max() < ZERO for rows in parts)

    @part
    def positions(self) -> tuple[int, ...]:
        """Of the swap, from 1, if there is one; a ValueError if the text has no such position."""
        positions = tuple(map(int, self.s.swap or ()))
        for position in positions:
            if not 1 <= position <= self.T:
                raise ValueError(nowhere(position, self.T))
        return positions

    def traded(self, rows: Array) -> Array:
        """Ids or rows with the two of the swap exchanged."""
        first, second = self.positions
        return embedding.swap_places(rows, first - 1, second - 1)

    @part
    def after(self) -> Array | None:
        """X of the text with the two tokens swapped, (T, D)."""
        return self.embed(self.traded(self.ids)) if self.positions else None

    @part
    def change(self) -> Array | None:
        """Against X with the same two rows traded: 0 where rows carry no position, (T, D)."""
        return None if self.after is None else self.after - self.traded(self.X)

    @property
    def difference(self) -> float:
        """The largest change."""
        return 0.0 if self.change is None else float(abs(self.change).max())
