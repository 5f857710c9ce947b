"""Words on a plane: the two directions in which their rows differ most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from app.kit.formula import Formula, decimal
from app.kit.html import Markup, counted, number
from app.kit.matrix import verdict
from app.kit.numbers import Table
from app.kit.shares import percent
from app.kit.wordmap import Point, WordMap
from app.rooms.geometry.looks.base import Look, opening
from app.rooms.geometry.tables import Asked
from lab.geometry import PCA, pca

LEAST = 3
_KEPT = "All of it, as any three points lie in one plane: distances here are those in all dimensions."
_FLAT = "These rows lie in one plane: distances here are those in all dimensions."
_LOST = "What is close in all dimensions is close here; what is close here may be far apart in the rest."


@dataclass(frozen=True, eq=False)
class MapLook(Look):
    """The asked words and their neighbours by their first two principal components."""

    drawn: tuple[tuple[int, int], ...]
    """(row, the asked row it was drawn in by)."""
    found: PCA

    title: ClassVar[str] = "Map (PCA)"
    controls: ClassVar[tuple[str, ...]] = ("words", "around")
    figure: ClassVar[str] = "map"

    @classmethod
    def of(cls, asked: Asked) -> Self:
        """Find the words, their neighbours, and the plane."""
        ids = [asked.study.find(word) for word in asked.words]
        drawn = tuple(asked.study.around(ids, min(asked.around, asked.study.V - 1)))
        if len(drawn) < LEAST:
            raise ValueError(f"A map needs at least {LEAST} different words; {len(drawn)} were found.")
        return cls(asked, drawn, pca(asked.study.table.E[[i for i, _ in drawn]]))

    def under(self) -> Markup:
        """What the plane keeps."""
        first, second = self.found.explained.tolist()
        whole, rows = first + second > 1 - 1e-9, len(self.drawn)
        rest = _LOST if not whole else _KEPT if rows == LEAST else _FLAT
        return verdict(
            f"The plane keeps {percent(_all(first + second))} of the variance of these {rows} rows of "
            f"{counted(self.asked.study.D, 'number')}: {percent(first)} across and {percent(second)} up. "
            f"{rest}"
        )

    def draw(self, figure: WordMap) -> None:
        """Points, and a line from each neighbour to its word."""
        place = {i: at for at, (i, _) in enumerate(self.drawn)}
        scores = self.found.scores.tolist()
        points = [
            Point(self.asked.study.name(i), x, y, i == of, f"{number(x)}, {number(y)}")
            for (i, of), (x, y) in zip(self.drawn, scores, strict=True)
        ]
        lines = [(place[i], place[of]) for i, of in self.drawn if i != of]
        first, second = (f"{percent(share)} of the variance" for share in self.found.explained.tolist())
        axes = (f"component 1, {first}", f"component 2, {second}")
        figure.set(points, title=f"{len(points)} rows", axes=axes, lines=lines)

    def describe(self) -> str:
        """How much the plane keeps."""
        both = _all(sum(self.found.explained.tolist()))
        neighbours = len(self.drawn) - len(self._asked())
        asked = len(self._asked())
        whose = "its" if asked == 1 else "their"
        beside = f" and {neighbours} of {whose} neighbours"
        chosen = "Neighbours cluster because they were chosen as neighbours"
        finding = "how the words lie to each other is the finding."
        if asked == 1:
            end = f"{chosen}: add words to see how those lie to each other."
        else:
            end = f"{chosen}; {finding}" if neighbours else finding.capitalize()
        return (
            f"{counted(asked, 'word')}{beside if neighbours else ''}, seen along the two directions in which "
            f"these rows vary most; together they hold {percent(both)} of the variance. {end}"
        )

    def numbers(self) -> list[Table]:
        """Coordinates and shares."""
        study = self.asked.study
        rows = [
            [study.name(i), "" if i == of else study.name(of), x, y]
            for (i, of), (x, y) in zip(self.drawn, self.found.scores.tolist(), strict=True)
        ]
        shares = [[place, share] for place, share in enumerate(self.found.explained.tolist(), start=1)]
        return [
            Table("Points on the map", ["token", "neighbour of", "component 1", "component 2"], rows),
            Table("Explained variance", ["component", "share"], shares),
        ]

    def formula(self) -> tuple[Formula, ...]:
        """Projection and share of variance."""
        first, second = self.found.explained.tolist()
        return (
            Formula(
                r"z_i = W (x_i - \bar{x})\qquad W \in \mathbb{R}^{2 \times \dim{D}}",
                rf"W \in \mathbb{{R}}^{{2 \times {self.asked.study.D}}},\quad {len(self.drawn)} "
                rf"\text{{ rows}}",
                "W holds the two orthonormal directions of largest variance. A direction's sign is free; "
                "here its largest entry is positive, so the map never flips.",
            ),
            Formula(
                r"\text{explained} = \frac{\lambda_1 + \lambda_2}{\sum_i \lambda_i}",
                rf"{decimal(first)} + {decimal(second)} = {decimal(first + second)}",
            ),
        )

    def code(self) -> list[str]:
        """Coordinates, from the singular value decomposition."""
        ids = [i for i, _ in self.drawn]
        words = [self.asked.study.table.vocabulary.tokens[i] for i in ids]
        return [
            *opening(self.asked),
            f"words = {words!r}",
            "X = E[[tokens.index(word) for word in words]].astype(float)",
            "centred = X - X.mean(axis=0)",
            "_, _, W = np.linalg.svd(centred, full_matrices=False)",
            "W = W[:2]",
            "W = W * np.sign(W[[0, 1], np.abs(W).argmax(axis=1)])[:, None]  # a component's sign is free",
            "result = centred @ W.T  # (N, D) (D, 2) -> (N, 2)",
        ]

    def answer(self) -> Any:
        """Coordinates."""
        return self.found.scores

    def _asked(self) -> list[int]:
        return [i for i, of in self.drawn if i == of]


def _all(share: float) -> float:
    """A share that is the whole but for the rounding of a sum is the whole."""
    return 1.0 if abs(share - 1) < 1e-9 else share
