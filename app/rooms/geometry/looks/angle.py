"""Two angles from one row, step by step: from numbers to products, from products to a cosine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from app.kit.arrows import Arrow, arrows
from app.kit.formula import Formula, decimal, text
from app.kit.html import Markup, join, number, shorten, tag, visible
from app.kit.matrix import equation, matrix, verdict
from app.kit.numbers import Cell, Table
from app.rooms.geometry.dimension import Dimension, heaviest, said
from app.rooms.geometry.looks.base import Look, opening
from app.rooms.geometry.tables import HANDMADE, SMALL, Asked
from lab.embedding import one_hot
from lab.geometry import UNDEFINED, cosine_matrix
from lab.notation import Array
from lab.table_study import Angle, Pick, TableStudy, angle_between

SHOWN = 4
"""Dimensions whose numbers are printed; of a wider table those that weigh most. Four fit a narrow page."""


@dataclass(frozen=True, eq=False)
class AngleLook(Look):
    """The first word against the second and the third."""

    picks: tuple[Pick, Pick, Pick]
    angles: tuple[Angle, Angle]
    """Of the first vector with the second, and with the third."""
    names: tuple[str, ...]
    """Of the rows of `cosines`."""
    cosines: Array
    """Of every pair, shape (n, n); NaN where undefined."""
    one_hot: Array
    """The same of one-hot rows: the identity."""
    heavy: Dimension
    """What weighs most in the first dot product."""

    title: ClassVar[str] = "Angles: the arithmetic"
    controls: ClassVar[tuple[str, ...]] = ("a", "b", "c")
    labels: ClassVar[dict[str, str]] = {"a": "Word", "b": "against", "c": "and against"}

    @classmethod
    def of(cls, asked: Asked) -> Self:
        """Pick the three vectors and compare them."""
        picks = asked.picks()
        study = asked.study
        if study.V <= SMALL and all(pick.id is not None for pick in picks):
            names, cosines = tuple(study.names(range(study.V))), cosine_matrix(study.table.E)
        else:
            unique = {pick.name: pick.vector for pick in picks}
            names, cosines = tuple(unique), cosine_matrix(list(unique.values()))
        hot = one_hot(list(range(len(names))), len(names))
        a, b, c = (pick.vector for pick in picks)
        angles = angle_between(a, b), angle_between(a, c)
        heavy = heaviest(asked, angles[0])
        return cls(asked, picks, angles, names, cosines, cosine_matrix(hot), heavy)

    def stage(self) -> Markup:
        """Two cards of arrows and arithmetic, then every pair."""
        cards = [self._card(self.picks[1], self.angles[0]), self._card(self.picks[2], self.angles[1])]
        return join([tag("div", *cards, class_="lab-cards-two"), said(self.asked, self.heavy), self._pairs()])

    def describe(self) -> str:
        """Both cosines, and what one-hot rows would give."""
        a, b, c = (f"‘{shorten(pick.name, 24)}’" for pick in self.picks)
        first, second = (f"{_said(angle)}{_degrees(angle)}" for angle in self.angles)
        return (
            f"The cosine of {a} and {b} is {first}, of {a} and {c} {second}. As one-hot rows, two different "
            f"tokens have cosine 0, always.{self._of_dimensions()}"
        )

    def numbers(self) -> list[Table]:
        """Products by dimension, and the cosine of every pair."""
        a, b, c = (pick.name for pick in self.picks)
        columns = ["dimension", a, b, c, f"{a} × {b}", f"{a} × {c}"]
        columns = [
            f"{name} ({place})" if columns.count(name) > 1 else name for place, name in enumerate(columns)
        ]
        values = [*(pick.vector.tolist() for pick in self.picks), *(x.products.tolist() for x in self.angles)]
        names = _dimensions(self.asked.study)
        products = [[names[j], *(column[j] for column in values)] for j in range(self.asked.study.D)]
        steps = [
            [f"{a} and {other}", x.dot, x.norm_a, x.norm_b, UNDEFINED if x.cosine is None else x.cosine]
            for other, x in zip((b, c), self.angles, strict=True)
        ]
        found = self.heavy.found
        heavy: list[list[Cell]] = [[f"x{found.first + 1}", found.share, found.half, found.terms]]
        pairs = [
            [name, *(UNDEFINED if value != value else value for value in row)]
            for name, row in zip(self.names, self.cosines.tolist(), strict=True)
        ]
        return [
            Table("Steps", ["pair", "dot product", "first length", "second length", "cosine"], steps),
            Table("Product by dimension", columns, products),
            Table(
                f"How the dot product of {a} and {b} is spread",
                ["heaviest dimension", "its share", "dimensions for half", "dimensions"],
                heavy,
            ),
            Table("Cosine of every pair", ["", *self.names], pairs),
        ]

    def formula(self) -> tuple[Formula, ...]:
        """The cosine, with both pairs' numbers."""
        general = r"\cos(a, b) = \frac{a \cdot b}{\lVert a \rVert\,\lVert b \rVert}" + (
            r" = \frac{\sum_{i=1}^{\dim{D}} a_i b_i}{\sqrt{\sum a_i^2}\,\sqrt{\sum b_i^2}}"
        )
        return tuple(
            Formula(general if place == 0 else _short(self.picks[0], other), _filled(angle), says)
            for place, (other, angle, says) in enumerate(
                zip(self.picks[1:], self.angles, (_LENGTH, _ZERO), strict=True)
            )
        )

    def code(self) -> list[str]:
        """Both cosines."""
        return [*opening(self.asked), *_CODE, *self._vectors(), "result = [cosine(a, b), cosine(a, c)]"]

    def answer(self) -> Any:
        """Both cosines."""
        return [float("nan") if angle.cosine is None else angle.cosine for angle in self.angles]

    def _of_dimensions(self) -> str:
        found = self.heavy.found
        if self.asked.key in HANDMADE:
            return " The table is made by hand; a trained one has no dimension with a name."
        if not self.heavy.words or not found.share:
            return ""
        return (
            f" Half of the first dot product’s magnitude takes {found.half} of {found.terms} dimensions; no "
            "single one has a name."
        )

    def _vectors(self) -> list[str]:
        tokens = self.asked.study.table.vocabulary.tokens
        return [
            f"{letter} = E[tokens.index({tokens[pick.id]!r})]"
            if pick.id is not None
            else f"{letter} = np.array({pick.vector.tolist()})"
            for letter, pick in zip("abc", self.picks, strict=True)
        ]

    def _card(self, other: Pick, angle: Angle) -> Markup:
        a = self.picks[0]
        colour = "ink"
        drawn = arrows(Arrow(a.name, angle.norm_a), Arrow(other.name, angle.norm_b, colour), angle.degrees)
        heading = tag(
            "h3", f"{shorten(visible(a.name), 16)} and {shorten(visible(other.name), 16)}", _angle_said(angle)
        )
        return tag(
            "section",
            heading,
            drawn,
            self._products(other, angle),
            self._steps(other, angle),
            class_="lab-angle",
        )

    def _products(self, other: Pick, angle: Angle) -> Markup:
        names, a = _dimensions(self.asked.study), self.picks[0]
        wide = len(names) > SHOWN
        shown = sorted(angle.largest[:SHOWN].tolist()) if wide else list(range(len(names)))
        rows = [[vector[j] for j in shown] for vector in (a.vector, other.vector, angle.products)]
        under = (
            f"the {SHOWN} of {len(names)} dimensions that weigh most" if wide else "dimension by dimension"
        )
        return matrix(
            [[float(value) for value in row] for row in rows],
            title="products",
            under=under,
            rows=[shorten(visible(a.name), 10), shorten(visible(other.name), 10), "product"],
            columns=[names[j] for j in shown],
            marked_rows=[2],
        )

    def _steps(self, other: Pick, angle: Angle) -> Markup:
        D = self.asked.study.D
        if D > SHOWN:
            rest = angle.dot - float(angle.products[angle.largest[:SHOWN]].sum())
            sum_up = f"{_added([angle.dot - rest, rest])} from the other {D - SHOWN} = {number(angle.dot)}"
        else:
            sum_up = f"{_added(angle.products.tolist())} = {number(angle.dot)}"
        lengths = f"{number(angle.norm_a)} × {number(angle.norm_b)} = {number(angle.norm_a * angle.norm_b)}"
        if angle.cosine is None:
            result = tag("b", UNDEFINED)
        else:
            result = join(
                [
                    f"{number(angle.dot)} / {number(angle.norm_a * angle.norm_b)} = ",
                    tag("b", number(angle.cosine)),
                ]
            )
        lines = (("sum of the products", sum_up), ("lengths", lengths), ("cosine", result))
        return tag("dl", join(join([tag("dt", name), tag("dd", value)]) for name, value in lines))

    def _pairs(self) -> Markup:
        names = [shorten(visible(name), 12) for name in self.names]
        few = len(names) <= 6
        options: dict[str, Any] = {
            "rows": names,
            "columns": names if few else (),
            "strongest": 1.0,
            "digits": 3 if few else 2,
        }
        left = matrix(self.cosines, title="cosine of every pair", under="rows of E", **options)
        right = matrix(self.one_hot, title="as one-hot rows", under="every two are 90° apart", **options)
        parts = [tag("h3", "Every pair at once", class_="lab-heading"), equation(left, right)]
        if any(angle.cosine is None for angle in self.angles) or (self.cosines != self.cosines).any():
            parts.append(
                verdict(f"NaN: {UNDEFINED}. A vector of length 0 points nowhere, so it has no angle.", "warn")
            )
        return join(parts)


_LENGTH = (
    "Dividing by the lengths leaves only the direction: 1 is the same, 0 a right angle, −1 the opposite."
)
_ZERO = "A zero vector has length 0 and no direction: the fraction is 0 / 0, and its cosine is undefined."
_CODE = [
    "",
    "",
    "def cosine(a, b):  # undefined for a zero vector: 0 / 0",
    "    lengths = np.linalg.norm(a) * np.linalg.norm(b)",
    "    return a @ b / lengths if lengths else np.nan",
    "",
    "",
]


def _dimensions(study: TableStudy) -> list[str]:
    """Names of the dimensions, where the table's note gives them."""
    named = study.table.note.partition("dimensions as: ")[2].rstrip(".").split(", ")
    return named if len(named) == study.D else [f"x{j}" for j in range(1, study.D + 1)]


def _said(angle: Angle) -> str:
    return UNDEFINED if angle.cosine is None else number(angle.cosine)


def _angle_said(angle: Angle) -> str:
    return "" if angle.degrees is None else f": {number(angle.degrees, 1)}°"


def _degrees(angle: Angle) -> str:
    return "" if angle.degrees is None else f" ({number(angle.degrees, 1)}°)"


def _added(values: Sequence[float]) -> str:
    """Numbers with their signs between them.

    >>> _added([0.81, -0.42])
    '0.81 − 0.42'
    """
    parts = [number(values[0])]
    parts += [f"{'−' if value < 0 else '+'} {number(abs(value))}" for value in values[1:]]
    return " ".join(parts)


def _short(a: Pick, other: Pick) -> str:
    return rf"\cos({text(shorten(a.name, 12))}, {text(shorten(other.name, 12))})"


def _filled(angle: Angle) -> str:
    top = _latex(angle.dot)
    if angle.cosine is None:
        return (
            rf"\frac{{{top}}}{{{_latex(angle.norm_a)} \cdot {_latex(angle.norm_b)}}} \text{{ is undefined}}"
        )
    return rf"\frac{{{top}}}{{{_latex(angle.norm_a)} \cdot {_latex(angle.norm_b)}}} = {_latex(angle.cosine)}"


def _latex(value: float) -> str:
    return decimal(value)
