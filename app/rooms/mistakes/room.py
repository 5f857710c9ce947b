"""What goes wrong without an error? Twelve mistakes made on purpose, each with the test that catches it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, ClassVar

from app.kit import picture
from app.kit.html import Markup
from app.kit.room import Room
from app.rooms.mistakes import quiz
from app.rooms.mistakes.batching import Packed, Padding, PadValue
from app.rooms.mistakes.caching import Cache, Stale
from app.rooms.mistakes.mistake import WORDS, MistakeFigure
from app.rooms.mistakes.model import chosen
from app.rooms.mistakes.rotation import Layout, Partial, Twice
from app.rooms.mistakes.rows import PARTS, Gradient, Raw, counted, ids_of
from app.rooms.mistakes.state import CONTROLS, DEFAULTS, State
from app.rooms.mistakes.stretching import Longer, Yarn
from app.rooms.mistakes.versus import COLOURS


class MistakesRoom(Room):
    """A gallery: choose what is seen or what is done wrong, and flip between both versions."""

    key, place, words = "mistakes", "scores", WORDS
    first = ("version", "at")
    State = State
    kinds: ClassVar[tuple[type[MistakeFigure], ...]] = (
        Layout, Twice, Partial, Cache, Padding, PadValue, Stale, Yarn, Gradient, Packed, Longer, Raw,
    )  # fmt: skip
    fields, tabs = CONTROLS, "mistake"
    # a mistake's own numbers stand with the cursor along its picture
    beside: ClassVar = {name: "" for kind in kinds for name in kind.own()}
    asked = quiz.QUESTIONS

    always = tuple(one.key for one in quiz.QUESTIONS if one.figure != Gradient.key)
    given = PARTS

    @classmethod
    def take(cls, data: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
        """Her counts."""
        return counted(data)

    @classmethod
    def begins(cls, data: Mapping[str, Any]) -> dict[str, Any]:
        """A batch with these counts."""
        return {"ids": ids_of(data["counts"])} if data else {}

    @classmethod
    def opened(cls, values: Mapping[str, Any]) -> tuple[str, ...]:
        """A mistake that does not fit the symptom stands for the first one that does."""
        return (chosen(values["symptom"], values["mistake"]),)

    @classmethod
    def picture(cls) -> Markup:
        """A small true picture for the start page: scores with the pairs as trained, and mixed up."""
        run = Layout().viewed(DEFAULTS).run
        return picture.curves(list(zip((run.right, run.wrong), COLOURS.values(), strict=True)))

    def build(self) -> None:
        """Put the titles beside the figure: twelve need a column, below the question that shortens it."""
        super().build()
        if not self.options.figure:
            self.controls.insert(1, self.figures.pop(0))

    def effective(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The mistake that is open, and where it is read off."""
        open_now = next(kind() for kind in self.kinds if kind.key == self._keys_open(values)[0])
        view = open_now.look(open_now.snapshot(values))
        return {**values, "mistake": open_now.key, **open_now.cursor(view)}

    def unused(self, shown: Mapping[str, Any]) -> Collection[str]:
        """What is seen leads from one mistake to another: there is none beside a figure that stands alone."""
        return ("symptom",) if self.options.figure else ()

    def changes(self, name: str, value: Any, shown: Mapping[str, Any]) -> dict[str, Any]:
        """Another symptom may lead to another mistake, which is read off where it is best seen."""
        if name not in ("symptom", "mistake"):
            return super().changes(name, value, shown)
        asked = {**shown, name: value}
        key = chosen(asked["symptom"], asked["mistake"])
        at = self.state.at if key == shown["mistake"] else None
        return {"symptom": asked["symptom"], "mistake": key, "at": at}
