"""How alike are two rows that nobody chose? Raw, and with the common part taken away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from app.kit.figures import Curves
from app.kit.formula import Formula, decimal, row
from app.kit.html import Markup, counted, number
from app.kit.matrix import verdict
from app.kit.numbers import Cell, Table
from app.kit.shares import percent
from app.rooms.geometry.looks.base import Look, opening
from app.rooms.geometry.tables import SMALL, Asked
from lab.notation import FloatArray
from lab.table_study import PairStudy, TableStudy, histogram, study_pairs

BINS = 100
LOW, HIGH = -1.0, 1.0


@dataclass(frozen=True, eq=False)
class PairsLook(Look):
    """Cosines of random pairs of rows."""

    found: PairStudy
    middles: FloatArray
    raw: FloatArray
    """Share of the pairs in each bin."""
    centred: FloatArray

    title: ClassVar[str] = "Random pairs"
    controls: ClassVar[tuple[str, ...]] = ("seed",)
    figure: ClassVar[str] = "pairs"

    @classmethod
    def refusal(cls, study: TableStudy) -> str:
        """A dozen rows have too few pairs for a distribution."""
        if study.V > SMALL:
            return ""
        return f"{study.V} rows have too few pairs for a distribution. Choose a real table."

    @classmethod
    def of(cls, asked: Asked) -> Self:
        """Draw the pairs."""
        found = study_pairs(asked.study, asked.seed)
        middles, raw = histogram(found.raw, LOW, HIGH, BINS)
        return cls(asked, found, middles, raw, histogram(found.centred, LOW, HIGH, BINS)[1])

    def under(self) -> Markup:
        """What the two humps say."""
        raw, centred = (_round(values.mean(), 2) for values in (self.found.raw, self.found.centred))
        if abs(float(self.found.raw.mean())) > 0.05:
            said = (
                f"Two rows chosen blindly have cosine {raw} on average: all rows share a common part, so a "
                f"cosine of {raw} means nothing here. With the mean row taken away it is {centred}."
            )
            return verdict(said, "warn")
        said = (
            f"Two rows chosen blindly have cosine {raw} on average: the rows point in all directions alike. "
            f"Taking the mean row away changes little, to {centred}."
        )
        return verdict(said, "good")

    def draw(self, figure: Curves) -> None:
        """Two histograms as lines."""
        figure.set("raw", self.middles, self.raw)
        figure.set("centred", self.middles, self.centred)
        figure.set_x(LOW, HIGH)
        figure.set_y(0, 1.3 * max(float(self.raw.max()), float(self.centred.max())))

    def describe(self) -> str:
        """Means and spreads."""
        zero = self.found.left_out
        left = f" {counted(zero, 'zero row is', 'zero rows are')} left out." if zero else ""
        return (
            f"Cosine of {self.found.pairs:,} random pairs of different rows: {_spread(self.found.raw)} as "
            f"they are, {_spread(self.found.centred)} after centring. The mean row is "
            f"{percent(self.found.common)} as long as a row is on average. Random directions of "
            f"this width would give 0 ± {number(self._random(), 3)}.{left}"
        )

    def numbers(self) -> list[Table]:
        """Means, and both histograms."""
        rows: list[list[Cell]] = [
            ["raw", float(self.found.raw.mean()), float(self.found.raw.std())],
            ["centred", float(self.found.centred.mean()), float(self.found.centred.std())],
            ["random directions", 0.0, self._random()],
        ]
        bins = [
            list(row)
            for row in zip(self.middles.tolist(), self.raw.tolist(), self.centred.tolist(), strict=True)
        ]
        return [
            Table("Cosine of random pairs", ["rows", "mean", "standard deviation"], rows),
            Table("Share of pairs by cosine", ["middle of the bin", "raw", "centred"], bins),
        ]

    def formula(self) -> tuple[Formula, ...]:
        """The mean over pairs, and what random directions would give."""
        D = self.asked.study.D
        return (
            Formula(
                r"\text{raw: } \cos(E_i, E_j)\qquad \text{centred: } \cos(E_i - \bar{E},\; E_j - \bar{E})"
                r"\qquad \bar{E} = \frac{1}{\dim{V}} \sum_{v=1}^{\dim{V}} E_v",
                rf"{_plain(self.found.raw.mean())}\;\text{{and}}\;{_plain(self.found.centred.mean())}",
                "A mean far from 0 says that the rows share a part: a cosine is then read against that mean.",
            ),
            Formula(
                r"\text{random directions: } 0 \pm \frac{1}{\sqrt{\dim{D}}}",
                rf"\frac{{1}}{{\sqrt{{{D}}}}} = {decimal(self._random())}",
            ),
        )

    def code(self) -> list[str]:
        """Mean and standard deviation, raw and centred."""
        drop = ["E = E[E.any(axis=1)]  # a zero row has no cosine"] if self.found.left_out else []
        return [
            *opening(self.asked),
            *drop,
            f"rng = np.random.default_rng({self.asked.seed})",
            f"first = rng.integers(len(E), size={self.found.pairs})",
            "second = (first + rng.integers(1, len(E), size=first.size)) % len(E)  # another row",
            "",
            "",
            "def cosines(rows):",
            "    a, b = rows[first].astype(float), rows[second].astype(float)",
            "    return (a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)",
            "",
            "",
            "raw, centred = cosines(E), cosines(E - E.mean(axis=0))",
            "result = [raw.mean(), raw.std(), centred.mean(), centred.std()]",
        ]

    def answer(self) -> Any:
        """Mean and standard deviation, raw and centred."""
        raw, centred = self.found.raw, self.found.centred
        return [raw.mean(), raw.std(), centred.mean(), centred.std()]

    def _random(self) -> float:
        return float(self.asked.study.D**-0.5)


def _spread(values: FloatArray) -> str:
    return f"{_round(values.mean())} ± {_round(values.std())}"


def _plain(value: Any) -> str:
    return row(_round(value))


def _round(value: Any, digits: int = 3) -> str:
    """Rounded first: a mean of -0.0009 is 0 to two digits, and no power of ten."""
    return number(round(float(value), digits), digits)
