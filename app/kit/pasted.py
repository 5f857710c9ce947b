"""A room about one model, published or pasted; the pasted one stays on offer while its text is there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar

from app.kit import guard
from app.kit.fields import Draft, Field, Listed
from app.kit.given import document
from app.kit.room import Room

THIS = "This page’s model"
PASTED = "pasted"
"""The pasted model in the list of models; the setting itself never has this value."""


def models(published: Mapping[str, str], pasted: str) -> Callable[..., Field]:
    """The kind of the setting that chooses a model: keys by title, and the words for the pasted one."""

    def offered(shown: Mapping[str, Any]) -> Mapping[str, str]:
        draft = shown["draft"]
        title = THIS if draft and draft == shown.get("configuration") else pasted
        return {**published, title: PASTED} if draft.strip() else published

    return partial(Listed, offered=offered)


class ModelRoom(Room):
    """A room whose State has a model's text in ``config``, and a setting that chooses a published one."""

    chooses: ClassVar[str]
    """The setting that chooses a published model."""
    brought: ClassVar[tuple[str, ...]]
    """Settings that go back to their defaults with another model."""
    given: ClassVar = {"configuration": document(most=200_000)}

    @classmethod
    def read(cls, text: str) -> None:
        """Read a model's text; a ValueError says why it cannot be used."""
        raise NotImplementedError(cls.__name__)  # pragma: no cover

    @classmethod
    def take(cls, data: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
        """A teacher's model, as if it were pasted."""
        try:
            if data:
                cls.read(data["configuration"])
        except ValueError as reason:
            return {}, (f"Your configuration is left out. {guard.sentence_of(reason)}",)
        return dict(data), ()

    @classmethod
    def begins(cls, data: Mapping[str, Any]) -> dict[str, Any]:
        """Her model is the one that is meant."""
        return {"config": data["configuration"]} if data else {}

    @property
    def draft(self) -> str:
        """What is in the field, counted or not."""
        field = self._fields.get("config")
        return field.meant(field.widget.value) if isinstance(field, Draft) else ""

    def effective(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The model that is meant, and the text that could be."""
        text = values["config"]
        chosen = PASTED if text.strip() else values[self.chooses]
        return {**values, self.chooses: chosen, "draft": text or self.draft}

    def changes(self, name: str, value: Any, shown: Mapping[str, Any]) -> dict[str, Any]:
        """Another model brings its own sizes."""
        usual = {setting: self._default(setting) for setting in self.brought}
        if name == "config" or (name, value) == (self.chooses, PASTED):
            return {**usual, "config": self.draft}
        if name == self.chooses:
            return {**usual, "config": "", name: value}
        return super().changes(name, value, shown)

    def refuse(self, reason: Exception) -> None:
        """A text that is refused is on offer too: choosing any published model is the way out of it."""
        super().refuse(reason)
        if self.chooses in self._fields:
            chosen = PASTED if self.state.config and self.draft else getattr(self.state, self.chooses)
            self._fields[self.chooses].follow(chosen, {"draft": self.draft})
