"""A room: state, compute, draw, and the one watcher between them.

Any change of the State gives one compute and one draw. `compute` is pure and calls the lab; `draw`
assigns to panes and sources that exist already. Whatever a room says beside its figures (caption,
numbers, formula, code, questions) is a function of the View, and tests check it for all rooms at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import panel as pn
import param

from app.kit import formula as formulas
from app.kit import numbers as tables
from app.kit import questions as cards
from app.kit import url
from app.kit.html import Markup, join, tag
from app.kit.matrix import error
from app.kit.panes import Html
from app.kit.sheet import install

install()
PANELS = {"formula": "Formula", "numbers": "Numbers", "code": "Code", "questions": "Check yourself"}


class Room:
    """Base of every room; see the module's docstring for what a room declares."""

    key: ClassVar[str]
    title: ClassVar[str]
    lead: ClassVar[str]
    place: ClassVar[str]
    """Where the room stands on the path across the top: one of shell.PATH."""
    data: ClassVar[tuple[str, ...]] = ()
    """Files of static/data that the default state needs."""
    State: ClassVar[type[param.Parameterized]]

    def __init__(self, query: str = "", widget_id: str = "page") -> None:
        parsed = url.parse(query, self.State)
        self.widget_id = widget_id
        self.options = parsed.options
        self.state = self.State()
        self._notices = list(parsed.notices)
        self._restore(parsed.values)
        self.view: Any = None
        self._notice = Html(role="status", css="lab-notices")
        self._error = Html(role="alert", css="lab-errors")
        self._caption = Html(role="status", css="lab-caption")
        self._address = pn.widgets.TextInput(value="", visible=False, max_length=url.LONGEST_QUERY)
        self.figures: list[Any] = []
        self.controls: list[Any] = []
        self.build()
        self._panel = _Panels(self)
        self.layout = self._lay_out()
        self.state.param.watch(self._changed, list(url.settings(self.State)))
        self.refresh()

    # what a room declares

    def build(self) -> None:
        """Make the widgets (`self.controls`) and figures (`self.figures`), once."""
        raise NotImplementedError(type(self).__name__)  # pragma: no cover

    def draw(self, view: Any) -> None:
        """Assign a view to the figures."""
        raise NotImplementedError(type(self).__name__)  # pragma: no cover

    @classmethod
    def picture(cls) -> Markup:
        """A small true picture for the start page, as HTML or SVG."""
        raise NotImplementedError(cls.__name__)  # pragma: no cover

    compute: ClassVar[Any]
    describe: ClassVar[Any]
    numbers: ClassVar[Any]
    formula: ClassVar[Any]
    code: ClassVar[Any]
    code_answer: ClassVar[Any]
    questions: ClassVar[Any]

    # what the kit does

    def values(self) -> dict[str, Any]:
        """The State's values, by name."""
        return {name: getattr(self.state, name) for name in url.settings(self.State)}

    def apply(self, values: Mapping[str, Any]) -> None:
        """Set several values at once: one compute, one draw. The rest returns to its default."""
        defaults = {name: item.default for name, item in url.settings(self.State).items()}
        self.state.param.update(**{**defaults, **values})

    def refresh(self) -> None:
        """Compute the view of the present state and draw it, or say why it cannot be."""
        try:
            view = type(self).compute(**self.values())
        except (ValueError, FileNotFoundError) as reason:
            with pn.io.hold():
                self._error.set(error(str(reason)))
                self._stale(True)
                self._write_address()
            return
        self.view = view
        with pn.io.hold():
            self._error.set(join([]))
            self._stale(False)
            self.draw(view)
            self._caption.set(tag("p", type(self).describe(view)))
            self._panel.draw()
            self._write_address()

    def _changed(self, *_: param.parameterized.Event) -> None:
        self._notices.clear()
        self._notice.set(join([]))
        self.refresh()

    def _restore(self, values: Mapping[str, Any]) -> None:
        # each value is good by itself; what only fails with the others (a place beyond the text) is dropped
        kept = dict(values)
        while kept and (reason := self._refusal(kept)):
            for name, why in self._culprits(kept, reason).items():
                del kept[name]
                stop = "" if why.endswith((".", "?", "!")) else "."
                self._notices.append(f"The address sets {name}, but: {why}{stop} {name} is at its default.")
        self.state.param.update(**kept)

    def _culprits(self, kept: Mapping[str, Any], reason: str) -> dict[str, str]:
        for name in reversed(list(kept)):
            if not self._refusal({**kept, name: self._default(name)}):
                return {name: reason}
        alone = {name: why for name in kept if (why := self._refusal({name: kept[name]}))}
        return alone or dict.fromkeys(kept, reason)

    def _refusal(self, values: Mapping[str, Any]) -> str:
        try:
            type(self).compute(**{**self.values(), **values})
        except ValueError as reason:
            return str(reason)
        return ""

    def _default(self, name: str) -> Any:
        return self.State.param[name].default

    def _stale(self, stale: bool) -> None:
        for figure in self.figures:
            classes = [name for name in figure.css_classes if name != "lab-stale"]
            wanted = [*classes, "lab-stale"] if stale else classes
            if wanted != figure.css_classes:
                figure.css_classes = wanted

    def _write_address(self) -> None:
        query, left_out = url.write(self.state)
        self._address.value = query
        if left_out:
            said = f"{', '.join(left_out)} is too long for an address: a copied link leaves it out."
            self._notice.set(tag("p", said))

    def _lay_out(self) -> pn.Column:
        hidden = self.options.hide
        self._notice.set(join(tag("p", notice) for notice in self._notices))
        head = Html(tag("div", tag("h1", self.title), tag("p", self.lead)), css="lab-head")
        main = pn.Column(
            self._notice.pane,
            self._error.pane,
            *self.figures,
            self._caption.pane,
            *self._panel.parts,
            self._address,
            css_classes=["lab-main"],
            margin=0,
        )
        parts = [head.pane, main]
        if self.controls and "controls" not in hidden:
            parts.insert(1, pn.Column(*self.controls, css_classes=["lab-controls"], margin=0))
        classes = ["lab-room", "lab-alone" if len(parts) == 2 else "lab-beside"]
        layout = pn.Column(*parts, css_classes=classes, sizing_mode="stretch_width", margin=0)
        self._address.jscallback(args={"widget": self.widget_id}, value=_TELL)
        return layout


# the page decides what an address is for: its own bar, an event of the element, or nothing
_TELL = "window.EmbeddingLab?.onQuery?.(widget, cb_obj.value)"


class _Panels:
    """Formula, numbers, code and questions: only the open one is drawn."""

    def __init__(self, room: Room) -> None:
        self.room = room
        shown = {title: key for key, title in PANELS.items() if key not in room.options.hide}
        self.parts: list[Any] = []
        if not shown:
            return
        self._tabs = pn.widgets.RadioBoxGroup(
            options=shown,
            inline=True,
            css_classes=["lab-tabs"],
            margin=0,
            tags=["label:Behind the figure"],
        )
        self._body = Html(css="lab-panel")
        self._questions = pn.Column(css_classes=["lab-questions"], margin=0, visible=False)
        self._tabs.param.watch(lambda _: self.draw(), "value")
        self.parts = [self._tabs, self._body.pane, self._questions]

    def draw(self) -> None:
        """Draw the open panel from the room's present view."""
        room = self.room
        if not self.parts or room.view is None:
            return
        opened = self._tabs.value
        self._body.pane.visible = opened != "questions"
        self._questions.visible = opened == "questions"
        if opened == "formula":
            self._body.set(formulas.show(type(room).formula(room.view)))
        elif opened == "numbers":
            self._body.set(tables.show(type(room).numbers(room.view)))
        elif opened == "code":
            self._body.set(_code(type(room).code(**room.values())))
        elif not len(self._questions):
            made = [
                cards.card(question, place, room.apply)
                for place, question in enumerate(type(room).questions(), start=1)
            ]
            self._questions.extend(made)


def _code(source: str) -> Any:
    return tag(
        "div",
        tag("button", "Copy", type="button", class_="lab-copy", data_copy=source),
        tag("pre", tag("code", source), tabindex="0"),
        class_="lab-code",
    )
