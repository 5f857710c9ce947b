"""What is asked of a table: angles, nearest rows, a map of words, an analogy."""

from __future__ import annotations

from typing import Any, ClassVar

from app.kit.view import View, part
from app.rooms.geometry.model.study import Pick, TableStudy
from app.rooms.geometry.model.tables import HANDMADE, SMALL, mapped_words, study_of, usual_words
from app.rooms.geometry.model.vectors import (
    Angle,
    Planar,
    Spread,
    angle_between,
    largest_words,
    parallelogram,
    spread,
)
from app.rooms.geometry.words import WORDS
from lab.embedding import one_hot
from lab.geometry import PCA, Neighbours, analogy, cosine_matrix, neighbours, pca
from lab.notation import Array, FloatArray

LISTED = 6
"""Words of a dimension that are listed."""
DRAWN = 3
"""Answers to an analogy that are drawn on its plane."""
LEAST = 3
"""Points that a map needs."""
WHOLE = 1 - 1e-9


def rounded_cosine(cosine: Any) -> float:
    """A cosine of single precision without its last digits: what is left of 0 is rounding."""
    return round(float(cosine), 6)


class Look(View):
    """A table as one figure looks at it; where a field is empty, an example stands for it."""

    key: ClassVar[str]
    """Of the figure."""
    parts: ClassVar[tuple[str, ...]] = ("found",)
    """What can be refused, though the table allows the figure."""

    @classmethod
    def refusal(cls, study: TableStudy) -> str:
        """Why a table cannot be looked at so, with the way out; empty if it can."""
        return ""

    def check(self) -> None:
        """Compute what can be refused.

        Raises
        ------
        ValueError
            If the table does not allow the figure, a word is not in it, or numbers do not fit.
        """
        if reason := self.refusal(self.study):
            raise ValueError(reason)
        for name in self.parts:
            getattr(self, name)

    @property
    def study(self) -> TableStudy:
        return study_of(self.s.table, self.s.own, self.s.page)

    @property
    def V(self) -> int:
        return self.study.V

    @property
    def D(self) -> int:
        return self.study.D

    def pick(self, letter: str) -> Pick:
        """The vector that the field a, b or c asks for."""
        usual = usual_words(self.s.table, self.key, self.study)
        return self.study.pick(getattr(self.s, letter).strip() or usual["abc".index(letter)])

    def row(self, letter: str) -> tuple[Pick, int]:
        """The same where it must be a row of the table, with its id."""
        picked = self.pick(letter)
        if picked.id is None:
            raise ValueError(WORDS.raw("word.no row"))
        return picked, picked.id


class Angles(Look):
    """The first vector against the second and the third."""

    key = "angle"

    @part
    def picks(self) -> tuple[Pick, ...]:
        return tuple(self.pick(letter) for letter in "abc")

    @part
    def found(self) -> tuple[Angle, Angle]:
        a, b, c = (pick.vector for pick in self.picks)
        return angle_between(a, b), angle_between(a, c)

    @part
    def rows(self) -> tuple[tuple[str, FloatArray], ...]:
        """What is compared pair by pair, by name: a small table whole, else the three vectors."""
        if self.V <= SMALL and all(pick.id is not None for pick in self.picks):
            return tuple(zip(self.study.names(range(self.V)), self.study.table.E, strict=True))
        return tuple({pick.name: pick.vector for pick in self.picks}.items())

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.rows]

    @part
    def cosines(self) -> Array:
        """Of every pair of rows, (n, n); NaN where undefined."""
        return cosine_matrix([row for _, row in self.rows])

    @part
    def one_hot(self) -> Array:
        """The same of one-hot rows: the identity, (n, n)."""
        n = len(self.rows)
        return cosine_matrix(one_hot(list(range(n)), n))

    @part
    def heavy(self) -> Spread:
        """How the first dot product is spread over the dimensions."""
        return spread(self.found[0].products)

    @part
    def heavy_words(self) -> list[str]:
        """The words with the largest numbers in the heaviest dimension; none for a small table."""
        if self.V <= SMALL:
            return []
        return self.study.names(largest_words(self.study, self.heavy.first, LISTED))

    @property
    def kind(self) -> str:
        """What can be said of a single dimension: made by hand, measured, or nothing."""
        if self.s.table in HANDMADE:
            return "handmade"
        return "trained" if self.heavy_words and self.heavy.share else ""

    @property
    def heaviest(self) -> str:
        return f"x{self.heavy.first + 1}"

    @property
    def dimensions(self) -> list[str]:
        """Names of the dimensions, where the table's note gives them."""
        named = self.study.table.note.partition("dimensions as: ")[2].rstrip(".").split(", ")
        return named if len(named) == self.D else [f"x{j}" for j in range(1, self.D + 1)]


class Near(Look):
    """A vector's nearest rows, and how near the others are."""

    key = "near"

    @part
    def asked(self) -> Pick:
        return self.pick("a")

    @part
    def every(self) -> Neighbours:
        """All other rows, the nearest first."""
        own = [] if self.asked.id is None else [self.asked.id]
        if self.V - len(self.study.zero_rows) <= len(own):
            raise ValueError(WORDS.raw("near.none"))
        return neighbours(self.study.unit, self.asked.vector, self.V, exclude=own)

    @part
    def found(self) -> Neighbours:
        return Neighbours(self.every.ids[: self.s.k], self.every.cosines[: self.s.k])

    @property
    def tokens(self) -> list[str]:
        return self.study.names(self.found.ids)

    @property
    def others(self) -> int:
        return len(self.every.ids)

    @property
    def mean(self) -> float:
        """Of the cosines with all other rows."""
        return float(self.every.cosines.mean())

    @property
    def sd(self) -> float:
        return float(self.every.cosines.std())

    @property
    def apart(self) -> float:
        """How many standard deviations the nearest row lies from the mean."""
        return (float(self.found.cosines[0]) - self.mean) / self.sd


class Mapped(Look):
    """Words and their neighbours by their first two principal components."""

    key = "map"

    @part
    def drawn(self) -> list[tuple[int, int]]:
        """(row, the asked row it was drawn in by)."""
        ids = [self.study.find(word) for word in mapped_words(self.s.words, self.study)]
        drawn = self.study.around(ids, min(self.s.around, self.V - 1))
        if len(drawn) < LEAST:
            raise ValueError(WORDS.say("map.few", least=LEAST, found=len(drawn)))
        return drawn

    @part
    def found(self) -> PCA:
        return pca(self.study.table.E[[i for i, _ in self.drawn]])

    @property
    def rows(self) -> int:
        return len(self.drawn)

    @property
    def asked(self) -> int:
        """How many of them were asked for."""
        return sum(i == of for i, of in self.drawn)

    @property
    def shares(self) -> tuple[float, float]:
        """Of the variance, across and up."""
        first, second = self.found.explained.tolist()
        return first, second

    @property
    def kept(self) -> float:
        """Share of the variance in the plane: all of it but for the rounding of a sum is all."""
        both = sum(self.shares)
        return 1.0 if both > WHOLE else both


class Answers(Look):
    """Rows nearest to b - a + c, on rows of length 1."""

    key, parts = "analogy", ("found", "plane")

    @classmethod
    def refusal(cls, study: TableStudy) -> str:
        """Three words and an answer are four rows."""
        return "" if study.V > 3 else WORDS.say("analogy.few", study)

    @part
    def words(self) -> tuple[tuple[Pick, int], ...]:
        words = tuple(self.row(letter) for letter in "abc")
        if any(word.is_zero for word, _ in words):
            raise ValueError(WORDS.raw("analogy.zero"))
        if words[0][1] == words[1][1]:
            raise ValueError(WORDS.say("analogy.same", word=words[0][0].name))
        return words

    @property
    def ids(self) -> tuple[int, int, int]:
        """Of the three words."""
        a, b, c = (i for _, i in self.words)
        return a, b, c

    @part
    def everyone(self) -> Neighbours:
        """With the three words of the question among the answers."""
        return analogy(self.study.unit, *self.ids, exclude_inputs=False, k=self.s.k)

    @part
    def others(self) -> Neighbours:
        """Without them."""
        return analogy(self.study.unit, *self.ids, exclude_inputs=True, k=self.s.k)

    @property
    def found(self) -> Neighbours:
        """What the switch asks for."""
        everyone, others = self.everyone, self.others
        return others if self.s.exclude else everyone

    @part
    def plane(self) -> Planar:
        """a, b, c, b - a + c, then the first few answers that are no words of the question."""
        unit = self.study.unit
        a, b, c = unit[list(self.ids)]
        return parallelogram(a, b, c, unit[self.others.ids[:DRAWN]])

    @property
    def points(self) -> list[str]:
        """What the points of the plane are called."""
        return [
            *(word.name for word, _ in self.words),
            "b − a + c",
            *self.study.names(self.others.ids[:DRAWN]),
        ]

    @property
    def input_first(self) -> bool:
        return int(self.everyone.ids[0]) in self.ids
