"""Formula, numbers, code and questions: what stands behind a figure. Only the open one is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import panel as pn

from app.kit import formula as formulas
from app.kit import numbers as tables
from app.kit import questions as cards
from app.kit.html import EMPTY, Markup
from app.kit.panes import Html
from app.kit.radios import Radios
from app.kit.snippet import snippet

PANELS = {"formula": "Formula", "numbers": "Numbers", "code": "Code", "questions": "Check yourself"}


class Source(Protocol):
    """The class of a room: functions of its View, and its questions."""

    formula: Any
    numbers: Any
    code: Any
    questions: Any


class Panels:
    """The panels under a room's figures.

    Parameters
    ----------
    source : type of a room
    hidden : collection of str
        Keys of panels that are left out.
    apply : callable
        Sets the state in which a question is settled.
    opened : callable
        Called when the reader opens another panel.
    """

    def __init__(
        self,
        source: Source,
        hidden: frozenset[str],
        apply: Callable[[Mapping[str, Any]], None],
        opened: Callable[[], None],
    ) -> None:
        self._source, self._apply = source, apply
        shown = {title: key for key, title in PANELS.items() if key not in hidden}
        self.parts: list[Any] = []
        self.body = Html(css="lab-panel")
        if not shown:
            return
        self._tabs = Radios(
            options=shown, inline=True, css_classes=["lab-tabs"], margin=0, tags=["label:Behind the figure"]
        )
        self._questions = pn.Column(css_classes=["lab-questions"], margin=0, visible=False)
        self._tabs.param.watch(lambda _: opened(), "value")
        self.parts = [self._tabs, self.body.pane, self._questions]

    def content(self, view: Any, values: Mapping[str, Any]) -> Markup:
        """What the open panel says about a view and the values it was computed from; nothing is drawn yet."""
        if not self.parts:
            return EMPTY
        opened = self._tabs.value
        if opened == "formula":
            return formulas.show(self._source.formula(view))
        if opened == "numbers":
            return tables.show(self._source.numbers(view))
        if opened == "code":
            return snippet(self._source.code(**values))
        return EMPTY

    def draw(self, content: Markup) -> None:
        """Show what `content` made."""
        if not self.parts:
            return
        asks = self._tabs.value == "questions"
        self.body.set(content)
        self.body.pane.visible = not asks
        self._questions.visible = asks
        if asks and not len(self._questions):
            made = [
                cards.card(question, place, self._apply)
                for place, question in enumerate(self._source.questions(), start=1)
            ]
            self._questions.extend(made)
