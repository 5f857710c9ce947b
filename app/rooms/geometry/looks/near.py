"""The rows nearest to one row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from app.kit.formula import Formula, decimal, text
from app.kit.html import Markup, counted, number, shorten
from app.kit.numbers import Table
from app.kit.ranking import Ranked, ranking
from app.rooms.geometry.looks.base import UNIT, Look, opening
from app.rooms.geometry.tables import Asked
from lab.geometry import Neighbours, neighbours
from lab.table_study import Pick

MOST = 20
FEW = 30
"""Rows below which a standard deviation says little."""


@dataclass(frozen=True, eq=False)
class NearLook(Look):
    """A word's nearest rows, and how near the others are."""

    pick: Pick
    found: Neighbours
    """The nearest k."""
    others: int
    mean: float
    """Of the cosines with all other rows."""
    sd: float

    title: ClassVar[str] = "Nearest rows"
    controls: ClassVar[tuple[str, ...]] = ("a", "k")
    labels: ClassVar[dict[str, str]] = {"a": "Word"}

    @classmethod
    def of(cls, asked: Asked) -> Self:
        """Search the table."""
        pick = asked.study.pick(asked.a)
        own = [] if pick.id is None else [pick.id]
        if asked.study.V - len(asked.study.zero_rows) <= len(own):
            raise ValueError("No other row of this table has a direction, so none is near.")
        every = neighbours(asked.study.unit, pick.vector, asked.study.V, exclude=own)
        found = Neighbours(every.ids[: asked.k], every.cosines[: asked.k])
        mean, sd = float(every.cosines.mean()), float(every.cosines.std())
        return cls(asked, pick, found, len(every.ids), mean, sd)

    def beside(self) -> Markup:
        """The list."""
        entries = [
            Ranked(token, _shown(value), value)
            for token, value in zip(self._tokens(), self.found.cosines.tolist(), strict=True)
        ]
        V = self.asked.study.V
        title = f"nearest to {shorten(self.pick.name, 24)}"
        full = self.asked.study.table.full
        among = f"{V:,} of the model's {full:,} rows" if full else counted(V, "row")
        return ranking(entries, title=title, under=f"by cosine, among {among}", rows=self.asked.k)

    def describe(self) -> str:
        """The first few, and the spread."""
        listed = ", ".join(
            f"{shorten(token, 16)} {number(_shown(value), 2)}"
            for token, value in zip(self._tokens()[:4], self.found.cosines.tolist(), strict=False)
        )
        return f"Nearest to ‘{shorten(self.pick.name, 24)}’: {listed}. {self._spread()}"

    def numbers(self) -> list[Table]:
        """The list as it is."""
        rows = [
            [place, token, int(i), value]
            for place, (token, i, value) in enumerate(
                zip(self._tokens(), self.found.ids, self.found.cosines.tolist(), strict=True), start=1
            )
        ]
        spread = [[self.others, self.mean, self.sd]]
        return [
            Table(f"Nearest to {self.pick.name}", ["rank", "token", "row", "cosine"], rows),
            Table("Cosine with all other rows", ["rows", "mean", "standard deviation"], spread),
        ]

    def formula(self) -> tuple[Formula, ...]:
        """The search, and the best answer."""
        best = self._tokens()[0]
        return (
            Formula(
                r"\underset{v \ne q}{\mathrm{argmax}}\; \cos(q, E_v) = \underset{v \ne q}{\mathrm{argmax}}\; "
                r"\hat{E}_v \cdot \hat{q}\qquad \hat{x} = \frac{x}{\lVert x \rVert}",
                rf"\cos({text(shorten(self.pick.name, 16))}, {text(shorten(best, 16))}) = "
                + decimal(_shown(self.found.cosines[0])),
                "With every row scaled to length 1 beforehand, the whole search is one matrix-vector "
                "product.",
            ),
        )

    def code(self) -> list[str]:
        """The nearest rows' cosines."""
        if self.pick.id is None:
            query = f"q = np.array({self.pick.vector.tolist()})"
            own: list[str] = []
        else:
            token = self.asked.study.table.vocabulary.tokens[self.pick.id]
            query, own = f"q = E[tokens.index({token!r})]", [f"cosines[tokens.index({token!r})] = -np.inf"]
        return [
            *opening(self.asked),
            UNIT,
            query,
            "cosines = U @ (q / np.linalg.norm(q))  # (V, D) (D,) -> (V,)",
            *own,
            f"nearest = np.argsort(-cosines, kind='stable')[:{len(self.found.ids)}]",
            "print([(tokens[i], round(float(cosines[i]), 3)) for i in nearest])",
            "result = cosines[nearest]",
        ]

    def answer(self) -> Any:
        """The nearest rows' cosines."""
        return self.found.cosines

    def _tokens(self) -> list[str]:
        return self.asked.study.names(self.found.ids)

    def _spread(self) -> str:
        spread = f"{number(round(self.mean, 2), 2)} ± {number(self.sd, 2)}"
        if self.others == 1:
            return "There is no other row."
        said = f"With all {self.others:,} other rows the cosine is {spread}"
        if self.others < FEW or not self.sd:
            return f"{said}."
        apart = (float(self.found.cosines[0]) - self.mean) / self.sd
        return f"{said}: the nearest lies {number(apart, 1)} standard deviations out.{self._left_out()}"

    def _left_out(self) -> str:
        study = self.asked.study
        if not study.table.full:
            return ""
        missing = study.table.full - study.V
        return f" {missing:,} of the model's rows are not in this table; a nearer one may be among them."


def _shown(cosine: Any) -> float:
    """A cosine of single precision without its last digits: what is left of 0 is rounding."""
    return round(float(cosine), 6)
