"""A figure: one question, one picture, one finding. It stands in a room, alone in a page, or in a frame.

A figure says what it reads of the State and is a handful of functions of that; the kit decides when they are
called (see `room`), and puts the controls, the caption, what stands behind the figure and its menu
around it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from app.kit import budget
from app.kit.budget import Cost
from app.kit.formula import Formula
from app.kit.frozen import freeze
from app.kit.html import EMPTY, Markup
from app.kit.numbers import Table
from app.kit.view import View
from app.kit.words import Words

Says = Callable[[Any], Markup]
"""A sentence, a table or small matrices: HTML made from a view."""


class Snapshot:
    """Values of a State at one moment, as attributes: those that a figure uses, and no others.

    >>> Snapshot({"d": 8, "base": 100.0}).d
    8
    """

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)

    def __getattr__(self, name: str) -> Any:
        try:
            return self._values[name]
        except KeyError:
            raise AttributeError(
                f"{name} is not among what this figure uses: {', '.join(self._values)}"
            ) from None

    def __iter__(self) -> Any:
        return iter(self._values.items())


@dataclass(frozen=True)
class Handle:
    """A part of a picture that can be grasped: the value it sets, along which axis, in which steps."""

    value: str
    along: str = "x"
    snap: float = 0.0


class Figure:
    """Base of every figure; each instance belongs to one room on one page.

    ``key`` names it, ``uses`` are the names of the State it reads: they decide which
    controls stand with it, when it is computed again, and what its address holds.
    """

    key: ClassVar[str]
    words: ClassVar[Words]
    """The room's sentences: the figure's title, lead and caption stand there under its key."""
    view: ClassVar[type[View]]
    """What `compute` makes of a snapshot."""
    uses: ClassVar[tuple[str, ...]]
    controls: ClassVar[tuple[str, ...]] = ()
    """The settings whose controls stand with it, where these are not all that it uses."""
    above: ClassVar[int] = 0
    """Parts of the picture that stand above the controls of this figure alone."""
    handles: ClassVar[tuple[Handle, ...]] = ()

    # functions of the State and of the view; they never write either

    def compute(self, s: Any) -> Any:
        """The view of a snapshot. The lab computes, nothing that draws does.

        Raises
        ------
        ValueError
            If the values do not fit together.
        """
        return self.view(s)

    def follows(self) -> Any:
        """What it shows that is no value of the State, such as how far a run has come.

        Where this is another than before, the figure is computed again: see `Room.follow`.
        """
        return None

    def cost(self, s: Any) -> Cost:
        """An upper estimate of what `compute` takes, made before it."""
        return Cost()

    def caption(self, view: Any) -> str:
        """One or two sentences with the numbers: shown, spoken, and the text of a still."""
        return self.say("caption", view)

    def aside(self, view: Any) -> Markup:
        """What stands under the controls while the figure leads."""
        return EMPTY

    def numbers(self, view: Any) -> list[Table]:
        """The tables behind the picture."""
        raise NotImplementedError(type(self).__name__)  # pragma: no cover

    def formula(self, view: Any) -> tuple[Formula, ...]:
        """The equations, general and with the present numbers."""
        raise NotImplementedError(type(self).__name__)  # pragma: no cover

    def code(self, s: Any) -> str:
        """NumPy code that runs anywhere and ends by assigning ``result``."""
        raise NotImplementedError(type(self).__name__)  # pragma: no cover

    def code_answer(self, view: Any) -> Any:
        """What ``result`` must equal."""
        raise NotImplementedError(type(self).__name__)  # pragma: no cover

    # the picture

    def make(self) -> Sequence[Any]:
        """Make the picture, once, when it first comes into sight: its parts from top to bottom.

        A part is a picture of the kit, which `draw` assigns to, or a function from the view to HTML, which
        the kit calls at each drawing.
        """
        raise NotImplementedError(type(self).__name__)  # pragma: no cover

    def draw(self, view: Any) -> None:
        """Assign a view to the pictures that `make` made."""

    # what the kit does

    @property
    def title(self) -> str:
        """The figure's heading; the first figure of a room has that of the room."""
        return self.words.raw(f"{self.key}.title", "")

    @property
    def lead(self) -> str:
        """A line under the heading."""
        return self.words.raw(f"{self.key}.lead", "")

    def say(self, name: str, view: Any = None, **more: Any) -> str:
        """A sentence of the figure with numbers in it."""
        return self.words.say(f"{self.key}.{name}", view, **more)

    @classmethod
    def controlled(cls) -> tuple[str, ...]:
        """The settings whose controls stand with it."""
        return cls.controls or cls.uses

    def snapshot(self, values: Mapping[str, Any]) -> Snapshot:
        """What the figure reads of a State's values; a teacher's own data are None where there are none."""
        return Snapshot({name: values.get(name) for name in self.uses})

    def viewed(self, values: Mapping[str, Any]) -> Any:
        """The view of a State's values, within the budget and with its arrays read-only.

        Raises
        ------
        ValueError
            If the values do not fit together, or cost too much.
        """
        s = self.snapshot(values)
        budget.check(self.cost(s))
        return freeze(self.compute(s))

    def changed(self, *now: Any) -> bool:
        """Whether this is another case than at the last call: lines that are the same are not sent again.

        The first item says what it is asked for, so that a figure can ask for several of its parts.
        """
        before = self.__dict__.setdefault("_before", {})
        if before.get(now[0]) == now:
            return False
        before[now[0]] = now
        return True
