"""a is to b as c is to what? With and without the words of the question among the answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from app.kit.formula import Formula, decimal, text
from app.kit.html import Markup, number, shorten, tag
from app.kit.matrix import verdict
from app.kit.numbers import Table
from app.kit.ranking import Ranked, ranking
from app.kit.wordmap import Point, WordMap
from app.rooms.geometry.looks.base import UNIT, Look, opening
from app.rooms.geometry.tables import Asked
from lab.geometry import Neighbours, analogy
from lab.table_study import Pick, Planar, TableStudy, parallelogram

DRAWN = 3
"""Answers that are drawn on the plane."""


@dataclass(frozen=True, eq=False)
class AnalogyLook(Look):
    """Rows nearest to b - a + c, on rows of length 1."""

    words: tuple[Pick, Pick, Pick]
    everyone: Neighbours
    """With the three words of the question among the answers."""
    others: Neighbours
    """Without them."""
    plane: Planar
    """a, b, c, b - a + c, then the first few answers that are no words of the question."""

    title: ClassVar[str] = "Analogy"
    controls: ClassVar[tuple[str, ...]] = ("a", "b", "c", "exclude", "k")
    labels: ClassVar[dict[str, str]] = {"a": "Word", "b": "is to", "c": "as"}
    figure: ClassVar[str] = "map"

    @classmethod
    def refusal(cls, study: TableStudy) -> str:
        """Three words and an answer are four rows."""
        if study.V >= 4:
            return ""
        return f"An analogy needs three words and an answer; this table has {study.V} rows."

    @classmethod
    def of(cls, asked: Asked) -> Self:
        """Search with and without the inputs, and find the plane of the parallelogram."""
        study = asked.study
        words = asked.row(asked.a), asked.row(asked.b), asked.row(asked.c)
        if any(word.is_zero for word in words):
            raise ValueError("A row of zeros has no direction, so it has no part in an analogy.")
        a, b, c = (int(word.id or 0) for word in words)
        if a == b:
            raise ValueError(
                f"From ‘{words[0].name}’ to ‘{words[0].name}’ is no step at all. Choose another second word."
            )
        others = analogy(study.unit, a, b, c, exclude_inputs=True, k=asked.k)
        drawn = study.unit[others.ids[:DRAWN]]
        return cls(
            asked,
            words,
            analogy(study.unit, a, b, c, exclude_inputs=False, k=asked.k),
            others,
            parallelogram(study.unit[a], study.unit[b], study.unit[c], drawn),
        )

    @property
    def found(self) -> Neighbours:
        """What the switch asks for."""
        return self.others if self.asked.exclude else self.everyone

    def beside(self) -> Markup:
        """The list, its inputs marked."""
        inputs = {word.id: letter for word, letter in zip(self.words, "abc", strict=True)}
        entries = [
            Ranked(token, value, value, f"input {inputs[i]}" if i in inputs else "", i in inputs)
            for token, i, value in zip(
                self._tokens(), self.found.ids.tolist(), self.found.cosines.tolist(), strict=True
            )
        ]
        a, b, c = (shorten(word.name, 16) for word in self.words)
        title = tag("span", f"{a} is to {b} as {c} is to …")
        under = "inputs left out" if self.asked.exclude else "every row may answer"
        return ranking(entries, title=title, under=f"cosine with b − a + c, {under}", rows=self.asked.k)

    def under(self) -> Markup:
        """What the picture leaves out."""
        drawn = (
            "a, b, c and b − a + c are the corners of a parallelogram and lie in this plane exactly. The "
            "answers do not: they are drawn where they project to, and the hover says how far off they lie."
        )
        return verdict(drawn)

    def draw(self, figure: WordMap) -> None:
        """The parallelogram, exact, and the answers projected onto its plane."""
        xy, height = self.plane.points.tolist(), self.plane.height.tolist()
        target = "b − a + c"
        names = [*(word.name for word in self.words), target, *self._drawn()]
        points = [
            Point(name, x, y, place < 4, "on the plane" if place < 4 else f"{number(away)} off the plane")
            for place, (name, (x, y), away) in enumerate(zip(names, xy, height, strict=True))
        ]
        lines = [(3, place) for place in range(4, len(points))]
        title = "the plane of a, b and c"
        axes = ("along the step from a to b", "across")
        figure.set(points, title=title, axes=axes, lines=lines, arrows=[(0, 1), (2, 3)])

    def describe(self) -> str:
        """The answer both ways."""
        a, b, c = (f"‘{shorten(word.name, 16)}’" for word in self.words)
        question = f"{a} is to {b} as {c} is to what? Among all rows"
        if self._input_first():
            return (
                f"{question} the input {self._answer(self.everyone)} comes first; only once the three inputs "
                f"are left out does {self._answer(self.others)} win."
            )
        return f"{question} {self._answer(self.everyone)} comes first, and that is none of the three inputs."

    def numbers(self) -> list[Table]:
        """Both lists and the plane."""
        study = self.asked.study
        lists = [
            Table(
                title,
                ["rank", "token", "row", "cosine"],
                [
                    [place, study.name(i), i, value]
                    for place, (i, value) in enumerate(
                        zip(found.ids.tolist(), found.cosines.tolist(), strict=True), start=1
                    )
                ],
            )
            for title, found in (("Every row may answer", self.everyone), ("Inputs left out", self.others))
        ]
        names = [*(word.name for word in self.words), "b − a + c", *self._drawn()]
        rows = [
            [name, x, y, away]
            for name, (x, y), away in zip(
                names, self.plane.points.tolist(), self.plane.height.tolist(), strict=True
            )
        ]
        return [*lists, Table("On the plane", ["point", "along", "across", "off the plane"], rows)]

    def formula(self) -> tuple[Formula, ...]:
        """The question, and both answers."""
        a, b, c = (text(shorten(word.name, 12)) for word in self.words)
        best = float(self.found.cosines[0])
        set_out = r"v \notin \{a, b, c\}" if self.asked.exclude else r"v"
        return (
            Formula(
                rf"\underset{{{set_out}}}{{\mathrm{{argmax}}}}\; "
                r"\cos\left(E_v,\; \hat{E}_b - \hat{E}_a + \hat{E}_c\right)",
                rf"\cos({text(shorten(self._tokens()[0], 12))},\; {b} - {a} + {c}) = "
                + decimal(round(best, 6)),
                "The sum holds b and c themselves, so both are near it from the start. Published accuracies "
                "leave the three inputs out.",
            ),
        )

    def code(self) -> list[str]:
        """The answers' cosines."""
        tokens = self.asked.study.table.vocabulary.tokens
        words = [tokens[int(word.id or 0)] for word in self.words]
        skip = ["cosines[[a, b, c]] = -np.inf  # the inputs are left out"] if self.asked.exclude else []
        return [
            *opening(self.asked),
            UNIT,
            f"a, b, c = (tokens.index(word) for word in {words!r})",
            "target = U[b] - U[a] + U[c]",
            "cosines = U @ (target / np.linalg.norm(target))  # (V, D) (D,) -> (V,)",
            *skip,
            f"best = np.argsort(-cosines, kind='stable')[:{len(self.found.ids)}]",
            "print([(tokens[i], round(float(cosines[i]), 3)) for i in best])",
            "result = cosines[best]",
        ]

    def answer(self) -> Any:
        """The answers' cosines."""
        return self.found.cosines

    def _tokens(self) -> list[str]:
        return self.asked.study.names(self.found.ids)

    def _drawn(self) -> list[str]:
        return self.asked.study.names(self.others.ids[:DRAWN])

    def _answer(self, found: Neighbours) -> str:
        return (
            f"‘{shorten(self.asked.study.name(int(found.ids[0])), 16)}’ ({number(float(found.cosines[0]))})"
        )

    def _input_first(self) -> bool:
        return int(self.everyone.ids[0]) in {word.id for word in self.words}
