"""The rows nearest to one row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.kit.formula import Formula, decimal, text
from app.kit.html import Markup, counted, number, shorten
from app.kit.numbers import Table
from app.rooms.geometry.figures.base import UNIT, GeometryFigure, ranks
from app.rooms.geometry.model.views import Near, rounded_cosine
from app.rooms.geometry.pictures.ranking import Ranked, ranking

MOST = 20
FEW = 30
"""Rows below which a standard deviation says little."""


class NearestRows(GeometryFigure):
    """A word's nearest rows, and how near the others are."""

    key, view = "near", Near
    uses = ("table", "a", "k")

    def make(self) -> Sequence[Any]:
        return (self.ranked,)

    def ranked(self, view: Near) -> Markup:
        """The list."""
        named = zip(view.tokens, map(rounded_cosine, view.found.cosines), strict=True)
        full = view.study.table.full
        among = self.say("some", view, full=full) if full else counted(view.V, "row")
        return ranking(
            [Ranked(token, value, value) for token, value in named],
            title=f"nearest to {shorten(view.asked.name, 24)}",
            under=self.say("among", among=among),
            rows=view.s.k,
        )

    def caption(self, view: Near) -> str:
        first = zip(view.tokens[:4], map(rounded_cosine, view.found.cosines), strict=False)
        listed = ", ".join(f"{shorten(token, 16)} {number(value, 2)}" for token, value in first)
        return self.say("caption", word=shorten(view.asked.name, 24), listed=listed, spread=self.spread(view))

    def spread(self, view: Near) -> str:
        """How near the other rows are, and how far out the nearest."""
        if view.others == 1:
            return self.say("only")
        mean, sd = number(round(view.mean, 2), 2), number(view.sd, 2)
        full = view.study.table.full
        missing = self.say("missing", rows=full - view.V) if full else ""
        far = view.others >= FEW and view.sd > 0
        apart = f"{self.say('apart', view)} {missing}" if far else ""
        return f"{self.say('spread', view, mean=mean, sd=sd)} {apart}".strip()

    def numbers(self, view: Near) -> list[Table]:
        others = [[view.others, view.mean, view.sd]]
        return [
            ranks(f"Nearest to {view.asked.name}", view.study, view.found),
            Table("Cosine with all other rows", ["rows", "mean", "standard deviation"], others),
        ]

    def formula(self, view: Near) -> tuple[Formula, ...]:
        word, best = (text(shorten(name, 16)) for name in (view.asked.name, view.tokens[0]))
        return (
            Formula(
                r"\underset{v \ne q}{\mathrm{argmax}}\; \cos(q, E_v) = \underset{v \ne q}{\mathrm{argmax}}\; "
                r"\hat{E}_v \cdot \hat{q}\qquad \hat{x} = \frac{x}{\lVert x \rVert}",
                rf"\cos({word}, {best}) = {decimal(rounded_cosine(view.found.cosines[0]))}",
                self.say("formula"),
            ),
        )

    def steps(self, view: Near) -> str:
        query, own = f"np.array({view.asked.vector.tolist()})", ""
        if view.asked.id is not None:
            row = f"tokens.index({view.study.tokens[view.asked.id]!r})"
            query, own = f"E[{row}]", f"cosines[{row}] = -np.inf\n"
        return _CODE.format(unit=UNIT, query=query, own=own, k=len(view.found.ids))

    def code_answer(self, view: Near) -> Any:
        return view.found.cosines


_CODE = """{unit}
q = {query}
cosines = U @ (q / np.linalg.norm(q))  # (V, D) (D,) -> (V,)
{own}nearest = np.argsort(-cosines, kind="stable")[:{k}]
print([(tokens[i], round(float(cosines[i]), 3)) for i in nearest])
result = cosines[nearest]"""
