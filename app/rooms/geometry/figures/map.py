"""Words on a plane: the two directions in which their rows differ most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.kit.formula import Formula, decimal
from app.kit.html import Markup, number
from app.kit.matrix import verdict
from app.kit.numbers import Table
from app.kit.shares import percent
from app.rooms.geometry.figures.base import GeometryFigure
from app.rooms.geometry.model.views import LEAST, WHOLE, Mapped
from app.rooms.geometry.pictures.wordmap import Point, WordMap


class WordsOnPlane(GeometryFigure):
    """Words and their neighbours by their first two principal components."""

    key, view = "map", Mapped
    uses = ("table", "words", "around")

    def make(self) -> Sequence[Any]:
        self.map = WordMap(label="Words on a plane", x="", y="", height=440)
        return self.map, self.kept

    def draw(self, view: Mapped) -> None:
        place = {i: at for at, (i, _) in enumerate(view.drawn)}
        points = [
            Point(view.study.name(i), x, y, i == of, f"{number(x)}, {number(y)}")
            for (i, of), (x, y) in zip(view.drawn, view.found.scores.tolist(), strict=True)
        ]
        lines = [(place[i], place[of]) for i, of in view.drawn if i != of]
        first, second = (f"{percent(share)} of the variance" for share in view.shares)
        axes = (f"component 1, {first}", f"component 2, {second}")
        self.map.set(points, title=f"{view.rows} rows", axes=axes, lines=lines)

    def kept(self, view: Mapped) -> Markup:
        """What the plane keeps."""
        name = "lost" if sum(view.shares) <= WHOLE else "any plane" if view.rows == LEAST else "flat"
        across, up = view.shares
        return verdict(self.say("kept", view, across=across, up=up, rest=self.say(name)))

    def caption(self, view: Mapped) -> str:
        near = view.rows - view.asked
        beside = f" {self.say('beside one' if view.asked == 1 else 'beside', near=near)}" if near else ""
        end = "one" if view.asked == 1 else "neighbours" if near else "alone"
        return self.say("caption", view, beside=beside, end=self.say(end))

    def numbers(self, view: Mapped) -> list[Table]:
        name = view.study.name
        rows = [
            [name(i), "" if i == of else name(of), x, y]
            for (i, of), (x, y) in zip(view.drawn, view.found.scores.tolist(), strict=True)
        ]
        shares = [[place, share] for place, share in enumerate(view.shares, start=1)]
        return [
            Table("Points on the map", ["token", "neighbour of", "component 1", "component 2"], rows),
            Table("Explained variance", ["component", "share"], shares),
        ]

    def formula(self, view: Mapped) -> tuple[Formula, ...]:
        first, second = view.shares
        projected = Formula(
            r"z_i = W (x_i - \bar{x})\qquad W \in \mathbb{R}^{2 \times \dim{D}}",
            rf"W \in \mathbb{{R}}^{{2 \times {view.D}}},\quad {view.rows} \text{{ rows}}",
            self.say("formula"),
        )
        explained = Formula(
            r"\text{explained} = \frac{\lambda_1 + \lambda_2}{\sum_i \lambda_i}",
            rf"{decimal(first)} + {decimal(second)} = {decimal(first + second)}",
        )
        return projected, explained

    def steps(self, view: Mapped) -> str:
        return _CODE.format(words=[view.study.tokens[i] for i, _ in view.drawn])

    def code_answer(self, view: Mapped) -> Any:
        return view.found.scores


_CODE = """words = {words}
X = E[[tokens.index(word) for word in words]].astype(float)
centred = X - X.mean(axis=0)
_, _, W = np.linalg.svd(centred, full_matrices=False)
W = W[:2]
W = W * np.sign(W[[0, 1], np.abs(W).argmax(axis=1)])[:, None]  # a component's sign is free
result = centred @ W.T  # (N, D) (D, 2) -> (N, 2)"""
