"""a is to b as c is to what? With and without the words of the question among the answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import panel as pn

from app.kit.formula import Formula, decimal, text
from app.kit.html import Markup, number, shorten
from app.kit.matrix import verdict
from app.kit.numbers import Table
from app.kit.panes import Html
from app.rooms.geometry.figures.base import UNIT, GeometryFigure, ranks
from app.rooms.geometry.model.views import Answers
from app.rooms.geometry.pictures.ranking import Ranked, ranking
from app.rooms.geometry.pictures.wordmap import Point, WordMap
from lab.geometry import Neighbours

CORNERS = 4
"""Points of the parallelogram, which lie on its plane."""


class Analogy(GeometryFigure):
    """Rows nearest to b - a + c, and the plane of the parallelogram."""

    key, view, begins = "analogy", Answers, "minilm"
    uses = ("table", "a", "b", "c", "exclude", "k")
    labels: ClassVar = {"a": "Word", "b": "is to", "c": "as"}

    def make(self) -> Sequence[Any]:
        self.list = Html()
        self.map = WordMap(label="The plane of the three words", x="", y="", height=440)
        both = [self.list.pane, self.map.pane]
        beside = pn.Column(*both, margin=0, sizing_mode="stretch_width", css_classes=["lab-two"])
        return beside, lambda _: verdict(self.say("drawn"))

    def draw(self, view: Answers) -> None:
        self.list.set(self.ranked(view))
        points = [
            Point(name, x, y, at < CORNERS, self.say("on" if at < CORNERS else "off", away=away))
            for at, (name, x, y, away) in enumerate(_points(view))
        ]
        lines = [(CORNERS - 1, at) for at in range(CORNERS, len(points))]
        axes = ("along the step from a to b", "across")
        self.map.set(points, title=self.say("plane"), axes=axes, lines=lines, arrows=[(0, 1), (2, 3)])

    def ranked(self, view: Answers) -> Markup:
        """The list, its inputs marked."""
        inputs = dict(zip(view.ids, "abc", strict=True))
        found = view.found
        named = zip(view.study.names(found.ids), found.ids.tolist(), found.cosines.tolist(), strict=True)
        entries = [
            Ranked(token, value, value, f"input {inputs[i]}" if i in inputs else "", i in inputs)
            for token, i, value in named
        ]
        a, b, c = _words(view, 16)
        under = self.say("without" if view.s.exclude else "every")
        return ranking(entries, title=self.say("asked", a=a, b=b, c=c), under=under, rows=view.s.k)

    def caption(self, view: Answers) -> str:
        a, b, c = _words(view, 16)
        everyone, others = (self.answer(view, found) for found in (view.everyone, view.others))
        name = "caption" if view.input_first else "clean"
        return self.say(name, a=a, b=b, c=c, everyone=everyone, others=others)

    def answer(self, view: Answers, found: Neighbours) -> str:
        """The first answer with its cosine."""
        name = shorten(view.study.name(int(found.ids[0])), 16)
        return f"‘{name}’ ({number(float(found.cosines[0]))})"

    def numbers(self, view: Answers) -> list[Table]:
        return [
            ranks("Every row may answer", view.study, view.everyone),
            ranks("Inputs left out", view.study, view.others),
            Table("On the plane", ["point", "along", "across", "off the plane"], _points(view)),
        ]

    def formula(self, view: Answers) -> tuple[Formula, ...]:
        a, b, c = map(text, _words(view, 12))
        best = text(shorten(view.study.name(int(view.found.ids[0])), 12))
        among = r"v \notin \{a, b, c\}" if view.s.exclude else r"v"
        return (
            Formula(
                rf"\underset{{{among}}}{{\mathrm{{argmax}}}}\; "
                r"\cos\left(E_v,\; \hat{E}_b - \hat{E}_a + \hat{E}_c\right)",
                rf"\cos({best},\; {b} - {a} + {c}) = {decimal(round(float(view.found.cosines[0]), 6))}",
                self.say("formula"),
            ),
        )

    def steps(self, view: Answers) -> str:
        words = [view.study.tokens[i] for i in view.ids]
        skip = "cosines[[a, b, c]] = -np.inf  # the inputs are left out\n" if view.s.exclude else ""
        return _CODE.format(unit=UNIT, words=words, skip=skip, k=len(view.found.ids))

    def code_answer(self, view: Answers) -> Any:
        return view.found.cosines


def _words(view: Answers, limit: int) -> list[str]:
    return [shorten(word.name, limit) for word, _ in view.words]


def _points(view: Answers) -> list[tuple[str, float, float, float]]:
    """Each point's name, where it lies on the plane, and how far off it."""
    plane = zip(view.points, view.plane.points.tolist(), view.plane.height.tolist(), strict=True)
    return [(name, x, y, away) for name, (x, y), away in plane]


_CODE = """{unit}
a, b, c = (tokens.index(word) for word in {words})
target = U[b] - U[a] + U[c]
cosines = U @ (target / np.linalg.norm(target))  # (V, D) (D,) -> (V,)
{skip}best = np.argsort(-cosines, kind="stable")[:{k}]
print([(tokens[i], round(float(cosines[i]), 3)) for i in best])
result = cosines[best]"""
