"""A room of two figures, as short as a room can be: a row of a table, and how it grows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import param

from app.kit.figure import Figure, Snapshot
from app.kit.figures import Curves
from app.kit.formula import Formula, decimal
from app.kit.html import Markup
from app.kit.matrix import matrix
from app.kit.numbers import Table
from app.kit.questions import asked
from app.kit.room import Room
from app.kit.view import View, part
from app.kit.words import Words

WORDS = Words(__file__)


class State(param.Parameterized):
    """What a reader can set."""

    n = param.Integer(default=3, bounds=(1, 50), label="Numbers n")
    step = param.Number(default=2.0, bounds=(-10, 10), label="Step")
    word = param.String(default="", label="A word")


class Row(View):
    """Multiples of a step."""

    @part
    def values(self) -> list[float]:
        if self.s.n == 13:
            raise ValueError("There are no 13 numbers here.")
        return [self.s.step * place for place in range(self.s.n)]

    @property
    def last(self) -> float:
        return self.values[-1]

    @property
    def total(self) -> float:
        return sum(self.values)


class Multiples(Figure):
    """The numbers themselves."""

    key, words, view = "row", WORDS, Row
    uses: ClassVar = ("n", "step", "word")

    def make(self) -> Sequence[Any]:
        return (lambda view: matrix([view.values], title=view.s.word or "Multiples"),)

    def numbers(self, view: Row) -> list[Table]:
        return [Table("Multiples", ["place", "value"], [list(one) for one in enumerate(view.values)])]

    def formula(self, view: Row) -> tuple[Formula, ...]:
        return (Formula(r"x_i = i\,s", rf"x_1 = {decimal(view.s.step)}"),)

    def code(self, s: Snapshot) -> str:
        return f"import numpy as np\n\nresult = {s.step!r} * np.arange({s.n})\n"

    def code_answer(self, view: Row) -> Any:
        return view.values


class Growth(Multiples):
    """The numbers as a curve."""

    key = "growth"
    uses: ClassVar = ("n", "step")

    def make(self) -> Sequence[Any]:
        self.curve = Curves({"x": ("x", "accent")}, label="Multiples by their place", x="place", y="value")
        return (self.curve,)

    def draw(self, view: Row) -> None:
        self.curve.set("x", list(range(view.s.n)), view.values)


class SmallRoom(Room):
    """A row and its growth."""

    key, place, words = "small", "X", WORDS
    State = State
    kinds = (Multiples, Growth)
    asked = (asked(WORDS, "sum", lambda words: (1, words.say("ask sum.answer", total=6.0)), {"n": 3}, "row"),)

    @classmethod
    def picture(cls) -> Markup:
        return Markup("")


ROOM = SmallRoom
