"""What a specification makes of a room: a teacher's words, question and locks, and talk with her page."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from app.kit import hidden, url
from app.kit import spec as specs
from app.kit.asking import question_of, values_of
from app.kit.fields import Field
from app.kit.figure import Figure
from app.kit.guarded import Guarded
from app.kit.html import heading, tag
from app.kit.panes import Html
from app.kit.place import Place, Said
from app.kit.questions import Card, Question, check_yourself
from app.kit.remote import Remote


class Lesson(Guarded):
    """A room as one page has it."""

    title: ClassVar[str]
    lead: ClassVar[str]
    kinds: ClassVar[tuple[type[Figure], ...]]
    """The figures, in reading order."""
    asked: ClassVar[tuple[Question, ...]] = ()
    """Predict, then check: the questions, each aimed at a figure."""
    always: ClassVar[tuple[str, ...]] = ()
    """Keys of those that hold whatever a teacher's data are; the others are about the room's own."""

    first: ClassVar[tuple[str, ...]] = ()
    """The settings to try first: in a page of somebody else's the rest stands behind a switch."""
    tabs: ClassVar[str] = ""
    """The setting that chooses one figure of several."""

    remote: Remote
    _fields: dict[str, Field]
    _places: dict[str, Place]
    _in_effect: Mapping[str, Any]
    _hidden: frozenset[str]
    _asking: Any

    @classmethod
    def keys(cls) -> tuple[str, ...]:
        """All figures, in reading order."""
        return tuple(kind.key for kind in cls.kinds)

    @classmethod
    def read_spec(cls, text: str) -> specs.Spec:
        """A specification's text, read against this room."""
        questions = [one.key for one in cls.asked]
        return specs.read(text, cls.State, cls.given, cls.keys(), questions)

    def _said(self, at: int) -> Said:
        """What a teacher says of the figure that leads; embedded, its title is no heading."""
        spec = self.spec if at == 0 else specs.NOTHING
        alone = bool(self.options.figure)
        embed = self.options.embed
        return Said(spec.title if alone else None, spec.caption, spec.opened, not embed, embed and alone)

    def _head(self) -> Any:
        """The room's title and lead; embedded, one figure alone has its own title and needs no other."""
        alone, embed = self.options.figure, self.options.embed
        own = bool(alone) and (self.spec.title is not None or bool(self._places[alone].figure.title))
        if "title" in self._hidden or (embed and own):
            return Html(css="lab-head").pane
        title = self.title if alone or self.spec.title is None else self.spec.title
        lead = self.lead if self.spec.title is None or alone else ""
        return Html(tag("div", heading(title, 1, embed), tag("p", lead) if lead else ""), css="lab-head").pane

    def _ask(self, alone: str) -> Any:
        chosen = self.spec.question
        if isinstance(chosen, str):
            one = next(one for one in self.asked if one.key == chosen)
            return Card(one, self.apply, self._answered).pane
        if chosen is not None:
            own = question_of(chosen, alone or self.kinds[0].key, self.figures_values)
            return Card(own, self.set_from_page, self._answered).pane
        hers = any(getattr(self.state, name) is not None for name in url.given(self.State))
        here = [one for one in self.asked if not hers or one.key in self.always]
        asked = [one for one in here if not alone or one.figure in ("", alone)]
        if not asked or "questions" in self.options.hide:
            return None
        return check_yourself(asked, self.apply, self._answered)

    def _answered(self, question: Question, chosen: int, right: int) -> None:
        """Tell the page around; a learning platform takes it down."""
        self.remote.tell(
            "answer",
            question=question.key,
            prompt=question.prompt,
            options=list(question.options),
            chosen=chosen,
            right=right,
            figure=question.figure,
            state=self.remote.state(),
        )

    def unused(self, shown: Mapping[str, Any]) -> Collection[str]:
        """Settings that do nothing while the controls show these values: theirs are hidden."""
        return ()

    # what the page around may ask

    def lock(self, names: frozenset[str]) -> None:
        """Have these settings, and no others, refuse a reader's changes."""
        freed, self._locked = self._locked - names, names
        for name, field in self._fields.items():
            if name in freed:
                hidden.lock(field.pane, False)
                field.follow(self._in_effect[name], self._in_effect)
            elif name in names:
                hidden.lock(field.pane, True)

    def figures_values(self) -> Mapping[str, Any]:
        """The values of the figures on screen: settings by their names, columns and tables by theirs."""
        views = self._on_screen.views if self._on_screen else {}
        tables = [table for key, view in views.items() for table in self._places[key].figure.numbers(view)]
        settings = {name: getattr(self.state, name) for name in url.settings(self.State)}
        return values_of(settings, tables)

    def put_question(self) -> bool:
        """Whether there is a question to put; the page leads to it."""
        return self._asking is not None

    def offer(self, figure: str) -> Mapping[str, Any]:
        """What a teacher can choose of a figure, or of all: controls, questions, and parts to leave out."""
        kinds = [kind for kind in self.kinds if figure in ("", kind.key)]
        used = {name for kind in kinds for name in kind.controlled()} - {self.tabs}
        unused = self._unused_alone(figure)
        shown = [
            name
            for name in dict.fromkeys([*self.first, *self._fields])
            if name in used
            and name in self._fields
            and name not in unused
            and self._fields[name].pane.visible
        ]
        return {
            "controls": [{"name": name, "label": str(self.State.param[name].label)} for name in shown],
            "questions": [
                {"key": one.key, "prompt": one.prompt}
                for one in self.asked
                if not figure or one.figure in ("", figure)
            ],
            "parts": [{"name": name, "label": label} for name, label in _PARTS.items()],
        }

    def _unused_alone(self, figure: str) -> Collection[str]:
        """Settings that would do nothing where a figure stands alone."""
        here, self.options = self.options, replace(self.options, figure=figure)
        try:
            return self.unused(self._in_effect)
        finally:
            self.options = here


_PARTS = {
    "title": "Title",
    "caption": "Caption",
    "formula": "Formula",
    "numbers": "Numbers",
    "code": "Code",
    "menu": "Menu",
    "questions": "Questions",
}
