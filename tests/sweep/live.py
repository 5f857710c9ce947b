"""A living room that is taken from state to state, and read after each change."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import panel as pn
from bokeh.models import Axis, ColumnDataSource, Title

from app.kit import url
from app.kit.place import Place
from app.kit.room import Room
from tests.sweep import prose
from tests.sweep.contract import on_purpose, typed_in
from tests.sweep.findings import Finding, crash

MOST_OPTIONS = 40
"""Longer lists hold the tokens of a table, which are data."""


class LiveRoom:
    """One room with its models made, as on a page."""

    before: Mapping[str, Any] | None = None
    """The state that the last change started from."""

    def __init__(self, room: type[Room]) -> None:
        self.kind = room
        self.computed: list[str] = []
        self.drawn = 0
        self.room = room()
        for place in self.room._places.values():
            self._count(place)
        self.root = self.room.layout.get_root()

    def _count(self, place: Place) -> None:
        figure = place.figure
        compute, draw = figure.compute, figure.draw

        def computing(s: Any) -> Any:
            self.computed.append(figure.key)
            return compute(s)

        def drawing(view: Any) -> None:
            self.drawn += 1
            draw(view)

        figure.compute, figure.draw = computing, drawing  # type: ignore[method-assign]

    @property
    def state(self) -> dict[str, Any]:
        """What the State holds; a reader's own file beside it is no part of it."""
        return {name: getattr(self.room.state, name) for name in url.settings(self.kind.State)}

    def move(self, state: Mapping[str, Any], view: Any) -> list[Finding]:
        """Take the room to a state; ``view`` is what the state looks like, None where it is refused."""
        self.computed.clear()
        self.drawn = 0
        room = self.room
        self.before = self.state
        changed = self.before != state
        due = self._due(state) if view is not None else []
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                room.apply(state)
                return [
                    *self._counted(state, view, changed, due),
                    *(self._read(state) if view is not None else ()),
                ]
            except Exception as reason:
                return [crash("draw", reason)]

    def _due(self, state: Mapping[str, Any]) -> list[str]:
        """Figures that show another state than this one: after a refusal, none where it is taken back."""
        settled, _ = self.kind.normalise(state)
        # a teacher's own data, of which there are none here, are no part of a state
        values = {**dict.fromkeys(url.given(self.kind.State)), **settled}
        return [place.figure.key for place in self.room._in_sight(values) if place.due(values)]

    def _counted(
        self, state: Mapping[str, Any], view: Any, changed: bool, due: list[str]
    ) -> Iterator[Finding]:
        room = self.room
        if view is None:
            if self.drawn:
                yield Finding("a refused state is drawn", "draw", str(self.drawn))
            if changed and not prose.texts_of(room._error.pane.object):
                yield Finding("a refusal that is not said", "draw", "")
            return
        said = prose.texts_of(room._error.pane.object)
        if said:
            yield Finding("what computes alone is refused in the room", "draw", " ".join(said))
            return
        if self.computed != due or self.drawn != len(due):
            yield Finding("not one compute and one draw", "draw", f"{len(self.computed)}, {self.drawn}")
        settled, _ = type(room).normalise(state)
        if moved := [name for name, value in self.state.items() if value != settled[name]]:
            yield Finding("draw writes the State", "draw", ", ".join(moved))
        yield from self._captions(view)
        if room._address.value != url.write(room.state)[0]:
            yield Finding("another address than the state's", "draw", room._address.value)

    def _captions(self, views: Any) -> Iterator[Finding]:
        for key, view in views.items():
            place = self.room._places[key]
            caption = place.figure.caption(view)
            if prose.texts_of(place._caption.pane.object) != [" ".join(caption.split())]:
                yield Finding("another caption than the state's", "draw", caption[:80])

    def _read(self, state: Mapping[str, Any]) -> Iterator[Finding]:
        own = typed_in(type(self.room), state)
        for where, text in _texts(self.room.layout):
            for fault in prose.faults(text, own):
                finding = Finding(fault.kind, where, fault.around)
                if not on_purpose(self.kind, state, finding):
                    yield finding


def _texts(part: Any) -> Iterator[tuple[str, str]]:
    if not getattr(part, "visible", True):
        return
    if isinstance(part, pn.pane.HTML):
        for text in prose.texts_of(str(part.object)):
            yield "HTML", text
    elif isinstance(part, pn.pane.Bokeh):
        yield from _figure(part.object)
    elif isinstance(part, pn.widgets.Widget):
        yield from _widget(part)
    elif hasattr(part, "__iter__"):
        for child in part:
            yield from _texts(child)


def _widget(widget: Any) -> Iterator[tuple[str, str]]:
    named = [tag.removeprefix("label:") for tag in widget.tags or () if str(tag).startswith("label:")]
    for label in (widget.name, getattr(widget, "label", ""), *named):
        if isinstance(label, str) and label:
            yield "label of a control", label
    options = list(getattr(widget, "options", None) or ())
    for option in options if len(options) <= MOST_OPTIONS else ():
        if isinstance(option, str):
            yield "option of a control", option


@lru_cache(maxsize=200)
def _speaking(figure: Any) -> tuple[list[Any], ...]:
    # rooms make their models once and then only assign to them
    return tuple(list(figure.select(kind)) for kind in (Title, Axis, ColumnDataSource))


def _figure(figure: Any) -> Iterator[tuple[str, str]]:
    titles, axes, sources = _speaking(figure)
    for title in titles:
        yield "title of a figure", title.text
    for axis in axes:
        if isinstance(axis.axis_label, str):
            yield "axis of a figure", axis.axis_label
        for label in (axis.major_label_overrides or {}).values():
            if isinstance(label, str):
                yield "tick of a figure", label
    for source in sources:
        for column in source.data.values():
            for value in list(column)[:200] if not hasattr(column, "dtype") else ():
                if isinstance(value, str):
                    yield "words in a figure", value
