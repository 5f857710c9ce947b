"""A room: state, compute, draw, and the one guarded path between them.

Any change of the State gives one compute and one draw. `compute` is pure and calls the lab; `draw`
assigns to panes and sources that exist already. Whatever a room says beside its figures (caption,
numbers, formula, code, questions) is a function of the View, and tests check it for all rooms at once.

A change that fails, for whatever reason, changes nothing that is shown: figures, caption, panels and address
stay at the last state that worked and are dimmed, a sentence says what happened, and the next change goes on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import panel as pn
import param

from app.kit import budget, guard, url
from app.kit.document import together
from app.kit.frozen import freeze
from app.kit.hidden import without_controls
from app.kit.html import EMPTY, Markup, join, tag
from app.kit.matrix import error
from app.kit.panels import Panels
from app.kit.panes import Html
from app.kit.sheet import install

install()
_UNCHANGED = "The figure still shows the settings before."


@dataclass(frozen=True)
class Shown:
    """What is on screen, all of one state."""

    values: Mapping[str, Any]
    view: Any


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
        parsed = url.parse(query, self.State, self.keys())
        self.widget_id = widget_id
        self.options = parsed.options
        self.state = self.State()
        guard.watch(self)
        self._notices = list(parsed.notices)
        self._on_screen: Shown | None = None
        self._settling = False
        self._ready = self._restore(parsed.values)
        self._notice = Html(role="status", css="lab-notices")
        self._error = Html(role="alert", css="lab-errors")
        self._caption = Html(role="status", css="lab-caption")
        self._address = pn.widgets.TextInput(value="", visible=False, max_length=url.LONGEST_QUERY)
        self.figures: list[Any] = []
        self.controls: list[Any] = []
        self.build()
        self._behind = self._make_panels()
        self.layout = self._lay_out()
        self.state.param.watch(self._changed, list(url.settings(self.State)))
        self.refresh()

    @classmethod
    def keys(cls) -> tuple[str, ...]:
        """Figures that can be shown alone, in reading order."""
        return ()

    # what a room declares

    def build(self) -> None:
        """Make the widgets (`self.controls`) and figures (`self.figures`), once."""
        raise NotImplementedError(type(self).__name__)  # pragma: no cover

    def draw(self, view: Any) -> None:
        """Assign a view to the figures. The State is not written here: see `normalise`."""
        raise NotImplementedError(type(self).__name__)  # pragma: no cover

    @classmethod
    def picture(cls) -> Markup:
        """A small true picture for the start page, as HTML or SVG."""
        raise NotImplementedError(cls.__name__)  # pragma: no cover

    @classmethod
    def normalise(cls, values: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
        """The values brought within each other's limits, and a sentence for each that had to move.

        The place for what depends on two settings at once, such as a head beyond the last. Controls, State
        and address follow, before anything is computed.
        """
        return dict(values), ()

    cost: ClassVar[Any] = None
    """``cost(**state) -> budget.Cost``, where the bounds of the State allow more than a picture may take."""
    compute: ClassVar[Any]
    describe: ClassVar[Any]
    numbers: ClassVar[Any]
    formula: ClassVar[Any]
    code: ClassVar[Any]
    code_answer: ClassVar[Any]
    questions: ClassVar[Any]

    # what the kit does

    @property
    def view(self) -> Any:
        """The view on screen; None before the first one that could be made."""
        return self._on_screen.view if self._on_screen else None

    def values(self) -> dict[str, Any]:
        """The State's values, by name."""
        return {name: getattr(self.state, name) for name in url.settings(self.State)}

    def apply(self, values: Mapping[str, Any]) -> None:
        """Set several values at once: one compute, one draw. The rest returns to its default."""
        defaults = {name: item.default for name, item in url.settings(self.State).items()}
        self.state.param.update(**{**defaults, **values})

    @classmethod
    def viewed(cls, values: Mapping[str, Any]) -> Any:
        """The view of a state, within the budget and with its arrays read-only.

        Raises
        ------
        ValueError
            If the values do not fit together, or cost too much.
        """
        if cls.cost is not None:
            budget.check(cls.cost(**values))
        return freeze(cls.compute(**values))

    def first_view(self, values: Mapping[str, Any]) -> Any:
        """The view that the page begins with."""
        return self.viewed(values)

    def refresh(self) -> None:
        """Compute the view of the present state and draw it, or say why it cannot be."""
        try:
            values = self._settle()
            ready, self._ready = self._ready, None
            view = ready.view if ready and ready.values == values else self.viewed(values)
            caption = tag("p", type(self).describe(view))
            panel = self._behind.content(view, values)
        except Exception as reason:
            self.refuse(reason)
            return
        with together():
            try:
                self.draw(view)
            except Exception as reason:
                self._draw_last()
                self.refuse(reason)
                return
            self._on_screen = Shown(values, view)
            self._error.set(EMPTY)
            self._stale(False)
            self._caption.set(caption)
            self._behind.draw(panel)
            self._write_address()
            self._write_notices()

    def refuse(self, reason: Exception) -> None:
        """Say why a change came to nothing. What is shown stays, dimmed, all of the state before."""
        said = guard.sentence_of(reason)
        with together():
            self._error.set(error(f"{said} {_UNCHANGED}" if self._on_screen else said))
            self._stale(True)
            self._write_notices()

    def say(self, sentence: str) -> None:
        """Say a sentence above the figures, in place of those before, until the next change."""
        self._notices[:] = [sentence]
        self._write_notices()

    def _changed(self, *_: param.parameterized.Event) -> None:
        if self._settling:
            return
        self._notices.clear()
        self.refresh()

    def _settle(self) -> dict[str, Any]:
        values = self.values()
        settled, notices = type(self).normalise(values)
        moved = {name: value for name, value in settled.items() if value != values[name]}
        if moved:
            self._settling = True
            try:
                self.state.param.update(**moved)
            finally:
                self._settling = False
        self._notices.extend(notice for notice in notices if notice not in self._notices)
        return settled

    def _draw_last(self) -> None:
        # a drawing that failed half way leaves figures of two states
        if self._on_screen is None:
            return
        try:
            self.draw(self._on_screen.view)
        except Exception as reason:
            guard.sentence_of(reason)

    def _open_panel(self) -> None:
        if self._on_screen is None:
            return
        try:
            content = self._behind.content(self._on_screen.view, self._on_screen.values)
        except Exception as reason:
            content = error(guard.sentence_of(reason))
        self._behind.draw(content)

    def _make_panels(self) -> Panels:
        return Panels(type(self), self.options.hide, self.apply, self._open_panel)

    def _restore(self, values: Mapping[str, Any]) -> Shown | None:
        # each value is good by itself; what only fails with the others (a place beyond the text) is dropped
        kept = dict(values)
        while True:
            shown, reason = self._attempt(kept)
            if not reason or not kept:
                break
            for name, why in self._culprits(kept, reason).items():
                del kept[name]
                self._notices.append(f"The address sets {name}, but: {why} {name} is at its default.")
        self.state.param.update(**kept)
        return shown

    def _attempt(self, changes: Mapping[str, Any]) -> tuple[Shown | None, str]:
        """The view with these values beside the defaults, or why there is none."""
        try:
            values, _ = type(self).normalise({**self.values(), **changes})
            return Shown(values, self.first_view(values)), ""
        except OSError:
            # a file that is missing is no fault of the address: the room says so, and it may come back
            return None, ""
        except Exception as reason:
            return None, guard.sentence_of(reason)

    def _culprits(self, kept: Mapping[str, Any], reason: str) -> dict[str, str]:
        for name in reversed(list(kept)):
            if not self._attempt({**kept, name: self._default(name)})[1]:
                return {name: reason}
        alone = {name: why for name in kept if (why := self._attempt({name: kept[name]})[1])}
        return alone or dict.fromkeys(kept, reason)

    def _default(self, name: str) -> Any:
        return self.State.param[name].default

    def _stale(self, stale: bool) -> None:
        for shown in (*self.figures, self._caption.pane, self._behind.body.pane):
            classes = [name for name in shown.css_classes if name != "lab-stale"]
            wanted = [*classes, "lab-stale"] if stale else classes
            if wanted != shown.css_classes:
                shown.css_classes = wanted

    def _write_address(self) -> None:
        query, left_out = url.write(self.state)
        self._address.value = query
        if left_out:
            self._notices.append(
                f"{', '.join(left_out)} is too long for an address: a copied link leaves it out."
            )

    def _write_notices(self) -> None:
        self._notice.set(join(tag("p", notice) for notice in self._notices))

    def _lay_out(self) -> pn.Column:
        hidden = "controls" in self.options.hide
        if hidden:
            self.figures = [figure for figure in self.figures if without_controls(figure)]
        head = Html(tag("div", tag("h1", self.title), tag("p", self.lead)), css="lab-head")
        main = pn.Column(
            self._notice.pane,
            self._error.pane,
            *self.figures,
            self._caption.pane,
            *self._behind.parts,
            self._address,
            css_classes=["lab-main"],
            margin=0,
        )
        parts = [head.pane, main]
        if self.controls and not hidden:
            parts.insert(1, pn.Column(*self.controls, css_classes=["lab-controls"], margin=0))
        return self._framed(parts)

    def _framed(self, parts: list[Any]) -> pn.Column:
        classes = ["lab-room", "lab-alone" if len(parts) == 2 else "lab-beside"]
        layout = pn.Column(*parts, css_classes=classes, sizing_mode="stretch_width", margin=0)
        self._address.jscallback(args={"widget": self.widget_id}, value=_TELL)
        return layout


# the page decides what an address is for: its own bar, an event of the element, or nothing
_TELL = "window.EmbeddingLab?.onQuery?.(widget, cb_obj.value)"
