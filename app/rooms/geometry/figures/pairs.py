"""How alike are two rows that nobody chose? Raw, and with the common part taken away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bokeh.models import Range1d

from app.kit.figures import Curves
from app.kit.formula import Formula, decimal, row
from app.kit.html import Markup, counted, number
from app.kit.matrix import verdict
from app.kit.numbers import Cell, Table
from app.rooms.geometry.figures.base import GeometryFigure
from app.rooms.geometry.model.measured import Pairs
from app.rooms.geometry.model.samples import MIDDLES

COMMON = 0.05
"""A mean cosine from which rows share a part."""


class RandomPairs(GeometryFigure):
    """Cosines of random pairs of rows."""

    key, view, begins = "pairs", Pairs, "minilm"
    uses = ("table", "seed")

    def make(self) -> Sequence[Any]:
        self.curves = Curves(
            {"raw": ("rows as they are", "ink-soft"), "centred": ("mean row taken away", "accent")},
            label="Cosines of random pairs",
            x="cosine",
            y="share of the pairs",
            height=320,
            x_range=Range1d(-1, 1),
            y_range=Range1d(0, 1),
        )
        return self.curves, self.humps

    def draw(self, view: Pairs) -> None:
        raw, centred = view.shares
        self.curves.set("raw", MIDDLES, raw)
        self.curves.set("centred", MIDDLES, centred)
        self.curves.set_y(0, 1.3 * max(float(raw.max()), float(centred.max())))

    def humps(self, view: Pairs) -> Markup:
        """What the two humps say."""
        mean, _, centred, _ = view.measured
        shared = abs(mean) > COMMON
        said = self.say("shared" if shared else "alike", raw=_round(mean, 2), centred=_round(centred, 2))
        return verdict(said, "warn" if shared else "good")

    def caption(self, view: Pairs) -> str:
        mean, sd, centred, centred_sd = map(_round, view.measured)
        zero = view.found.left_out
        left = self.say("left", rows=counted(zero, "zero row is", "zero rows are")) if zero else ""
        raw, centred = f"{mean} ± {sd}", f"{centred} ± {centred_sd}"
        return self.say("caption", view, raw=raw, centred=centred, left=left).strip()

    def numbers(self, view: Pairs) -> list[Table]:
        mean, sd, centred, centred_sd = view.measured
        rows: list[list[Cell]] = [
            ["raw", mean, sd],
            ["centred", centred, centred_sd],
            ["random directions", 0.0, view.random],
        ]
        bins = list(zip(*(values.tolist() for values in (MIDDLES, *view.shares)), strict=True))
        return [
            Table("Cosine of random pairs", ["rows", "mean", "standard deviation"], rows),
            Table("Share of pairs by cosine", ["middle of the bin", "raw", "centred"], bins),
        ]

    def formula(self, view: Pairs) -> tuple[Formula, ...]:
        mean, _, centred, _ = (row(_round(value)) for value in view.measured)
        return (
            Formula(
                r"\text{raw: } \cos(E_i, E_j)\qquad \text{centred: } \cos(E_i - \bar{E},\; E_j - \bar{E})"
                r"\qquad \bar{E} = \frac{1}{\dim{V}} \sum_{v=1}^{\dim{V}} E_v",
                rf"{mean}\;\text{{and}}\;{centred}",
                self.say("formula"),
            ),
            Formula(
                r"\text{random directions: } 0 \pm \frac{1}{\sqrt{\dim{D}}}",
                rf"\frac{{1}}{{\sqrt{{{view.D}}}}} = {decimal(view.random)}",
            ),
        )

    def steps(self, view: Pairs) -> str:
        drop = "E = E[E.any(axis=1)]  # a zero row has no cosine\n" if view.found.left_out else ""
        return _CODE.format(drop=drop, seed=view.s.seed, pairs=view.found.pairs)

    def code_answer(self, view: Pairs) -> Any:
        return view.measured


_CODE = """{drop}rng = np.random.default_rng({seed})
first = rng.integers(len(E), size={pairs})
second = (first + rng.integers(1, len(E), size=first.size)) % len(E)  # another row


def cosines(rows):
    a, b = rows[first].astype(float), rows[second].astype(float)
    return (a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)


raw, centred = cosines(E), cosines(E - E.mean(axis=0))
result = [raw.mean(), raw.std(), centred.mean(), centred.std()]"""


def _round(value: float, digits: int = 3) -> str:
    """Rounded first: a mean of -0.0009 is 0 to two digits, and no power of ten."""
    return number(round(value, digits), digits)
