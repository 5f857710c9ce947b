"""Two angles from one row, step by step: from numbers to products, from products to a cosine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from app.kit.formula import Formula, decimal, text
from app.kit.html import Markup, join, number, shorten, tag
from app.kit.matrix import equation, matrix, verdict
from app.kit.numbers import Table
from app.rooms.geometry.figures.base import GeometryFigure, short
from app.rooms.geometry.model.study import Pick
from app.rooms.geometry.model.vectors import Angle
from app.rooms.geometry.model.views import Angles
from app.rooms.geometry.pictures.arrows import Arrow, arrows
from lab.geometry import UNDEFINED

SHOWN = 4
"""Dimensions whose numbers are printed; of a wider table those that weigh most. Four fit a narrow page."""
MORE = {"handmade": "invented", "trained": "half"}
"""What the caption says of dimensions."""
FEW = 6
"""Rows whose cosines have a head for each column, and three decimals."""


class AnglesByHand(GeometryFigure):
    """The arithmetic of two angles, and the cosine of every pair."""

    key, view = "angle", Angles
    uses = ("table", "a", "b", "c")
    labels: ClassVar = {"a": "Word", "b": "against", "c": "and against"}

    def make(self) -> Sequence[Any]:
        return self.cards, self.of_dimensions, self.every_pair

    def cards(self, view: Angles) -> Markup:
        """An arrow for each vector, and the steps to their cosine."""
        both = zip(view.picks[1:], view.found, strict=True)
        return tag("div", *(self.card(view, *one) for one in both), class_="lab-cards-two")

    def card(self, view: Angles, other: Pick, angle: Angle) -> Markup:
        """One angle."""
        a = view.picks[0]
        degrees = "" if angle.degrees is None else f": {number(angle.degrees, 1)}°"
        return tag(
            "section",
            tag("h3", f"{short(a.name)} and {short(other.name)}", degrees),
            arrows(Arrow(a.name, angle.norm_a), Arrow(other.name, angle.norm_b, "ink"), angle.degrees),
            self.products(view, other, angle),
            self.arithmetic(view, angle),
            class_="lab-angle",
        )

    def products(self, view: Angles, other: Pick, angle: Angle) -> Markup:
        """Both vectors and their products, or the dimensions that weigh most."""
        wide, a = view.D > SHOWN, view.picks[0]
        shown = sorted(angle.largest[:SHOWN].tolist()) if wide else list(range(view.D))
        rows = (a.vector, other.vector, angle.products)
        return matrix(
            [[float(row[j]) for j in shown] for row in rows],
            title="products",
            under=self.say("heaviest", view, shown=SHOWN) if wide else "dimension by dimension",
            rows=[short(a.name, 10), short(other.name, 10), "product"],
            columns=[view.dimensions[j] for j in shown],
            marked_rows=[2],
        )

    def arithmetic(self, view: Angles, angle: Angle) -> Markup:
        """Sum, lengths, and what is divided."""
        dot, lengths = number(angle.dot), number(angle.lengths)
        summed = _added(angle.products.tolist())
        if view.D > SHOWN:
            heaviest = float(angle.products[angle.largest[:SHOWN]].sum())
            summed = f"{_added([heaviest, angle.dot - heaviest])} from the other {view.D - SHOWN}"
        divided: Markup | str = ""
        if angle.cosine is not None:
            divided = f"{dot} / {lengths} = "
        lines = (
            ("sum of the products", f"{summed} = {dot}"),
            ("lengths", f"{number(angle.norm_a)} × {number(angle.norm_b)} = {lengths}"),
            ("cosine", join([divided, tag("b", _cosine(angle))])),
        )
        return tag("dl", join(join([tag("dt", name), tag("dd", value)]) for name, value in lines))

    def of_dimensions(self, view: Angles) -> Markup:
        """A table made by hand is called so; of any other it is measured that no dimension has a name."""
        if not view.kind:
            return join([])
        if view.kind == "handmade":
            return verdict(self.say("handmade"), "warn")
        listed = tag("b", ", ".join(short(word) for word in view.heavy_words))
        said = join([self.say("trained", view), " ", listed, ". ", self.say("turned")])
        return join([tag("h3", self.say("names"), class_="lab-heading"), verdict(said)])

    def every_pair(self, view: Angles) -> Markup:
        """Cosine of every pair, as rows of E and as one-hot rows."""
        names = [short(name, 12) for name in view.names]
        few = len(names) <= FEW
        shared: dict[str, Any] = {"rows": names, "columns": names if few else (), "strongest": 1.0}
        shared["digits"] = 3 if few else 2
        left = matrix(view.cosines, title="cosine of every pair", under="rows of E", **shared)
        right = matrix(view.one_hot, title="as one-hot rows", under="every two are 90° apart", **shared)
        zero = any(angle.cosine is None for angle in view.found) or (view.cosines != view.cosines).any()
        said = verdict(self.say("nan", undefined=UNDEFINED), "warn") if zero else ""
        return join([tag("h3", self.say("every"), class_="lab-heading"), equation(left, right), said])

    def caption(self, view: Angles) -> str:
        a, b, c = (shorten(pick.name, 24) for pick in view.picks)
        first, second = map(_said, view.found)
        more = self.say(MORE[view.kind], view) if view.kind else ""
        return self.say("caption", a=a, b=b, c=c, first=first, second=second, more=more).strip()

    def numbers(self, view: Angles) -> list[Table]:
        a, b, c = (pick.name for pick in view.picks)
        heads = ["dimension", a, b, c, f"{a} × {b}", f"{a} × {c}"]
        heads = [f"{name} ({at})" if heads.count(name) > 1 else name for at, name in enumerate(heads)]
        columns = [pick.vector.tolist() for pick in view.picks] + [x.products.tolist() for x in view.found]
        steps = [
            [f"{a} and {other}", x.dot, x.norm_a, x.norm_b, UNDEFINED if x.cosine is None else x.cosine]
            for other, x in zip((b, c), view.found, strict=True)
        ]
        pairs = [
            [name, *(UNDEFINED if value != value else value for value in row)]
            for name, row in zip(view.names, view.cosines.tolist(), strict=True)
        ]
        heavy = view.heavy
        spread = ["heaviest dimension", "its share", "dimensions for half", "dimensions"]
        return [
            Table("Steps", ["pair", "dot product", "first length", "second length", "cosine"], steps),
            Table("Product by dimension", heads, list(zip(view.dimensions, *columns, strict=True))),
            Table(
                f"How the dot product of {a} and {b} is spread",
                spread,
                [[view.heaviest, heavy.share, heavy.half, heavy.terms]],
            ),
            Table("Cosine of every pair", ["", *view.names], pairs),
        ]

    def formula(self, view: Angles) -> tuple[Formula, ...]:
        general = (
            r"\cos(a, b) = \frac{a \cdot b}{\lVert a \rVert\,\lVert b \rVert}"
            r" = \frac{\sum_{i=1}^{\dim{D}} a_i b_i}{\sqrt{\sum a_i^2}\,\sqrt{\sum b_i^2}}"
        )
        a, _, c = (text(shorten(pick.name, 12)) for pick in view.picks)
        first, second = map(_filled, view.found)
        again = rf"\cos({a}, {c})"
        return Formula(general, first, self.say("length")), Formula(again, second, self.say("zero"))

    def steps(self, view: Angles) -> str:
        tokens = view.study.tokens
        vectors = (
            f"np.array({pick.vector.tolist()})"
            if pick.id is None
            else f"E[tokens.index({tokens[pick.id]!r})]"
            for pick in view.picks
        )
        named = zip("abc", vectors, strict=True)
        return _CODE.format(vectors="\n".join(f"{letter} = {vector}" for letter, vector in named))

    def code_answer(self, view: Angles) -> Any:
        return [float("nan") if angle.cosine is None else angle.cosine for angle in view.found]


_CODE = """

def cosine(a, b):  # undefined for a zero vector: 0 / 0
    lengths = np.linalg.norm(a) * np.linalg.norm(b)
    return a @ b / lengths if lengths else np.nan


{vectors}
result = [cosine(a, b), cosine(a, c)]"""


def _cosine(angle: Angle) -> str:
    return UNDEFINED if angle.cosine is None else number(angle.cosine)


def _said(angle: Angle) -> str:
    """A cosine with its angle."""
    return _cosine(angle) if angle.degrees is None else f"{_cosine(angle)} ({number(angle.degrees, 1)}°)"


def _added(values: Sequence[float]) -> str:
    """Numbers with their signs between them.

    >>> _added([0.81, -0.42])
    '0.81 − 0.42'
    """
    parts = [number(values[0])]
    parts += [f"{'−' if value < 0 else '+'} {number(abs(value))}" for value in values[1:]]
    return " ".join(parts)


def _filled(angle: Angle) -> str:
    below = rf"{decimal(angle.norm_a)} \cdot {decimal(angle.norm_b)}"
    fraction = rf"\frac{{{decimal(angle.dot)}}}{{{below}}}"
    if angle.cosine is None:
        return rf"{fraction} \text{{ is undefined}}"
    return f"{fraction} = {decimal(angle.cosine)}"
