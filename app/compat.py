"""Everything that the app knows of Panel's, Param's and Bokeh's insides, one name at a time.

tests/app/test_compat.py holds each of them: when one changes, it says what here has to follow, and what is
lost meanwhile.

Panel 1.10.0 with Bokeh 3.10.2, on Python 3.12: all of these tests pass there. What would have to change is
`TextField`: Panel then copies ``value`` into ``value_input``, which takes text only, so a number field has to
keep its number in a parameter of its own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import panel as pn
import param
from bokeh.document import Document
from bokeh.models import ColumnDataSource
from panel.io.state import state


class HtmlPane(pn.pane.HTML):
    """An HTML pane whose content changes and nothing else. Inside: `_update`, `_transform_object`.

    Panel's own update writes back all properties: that takes longer, and drops the stylesheets which only the
    models have (see `kit.sheet`).
    """

    def _update(self, ref: str, model: Any) -> None:
        model.text = self._transform_object(self.object)["object"]


class TextField(pn.widgets.TextInput):
    """A text field that can be told what the page shows and what is taken from it.

    Inside: `_process_param_change`, `_process_property_change`, `_process_events`, `_process_event`.
    """

    def to_page(self, changes: dict[str, Any]) -> dict[str, Any]:
        """What the page is told, by its names."""
        return changes

    def from_page(self, changes: dict[str, Any]) -> dict[str, Any]:
        """What is taken over of what the page says, by Python's names."""
        return changes

    def arrived(self, events: dict[str, Any]) -> None:
        """Called when what the page said has been taken over."""

    def _process_param_change(self, params: dict[str, Any]) -> dict[str, Any]:
        return self.to_page(super()._process_param_change(params))

    def _process_property_change(self, props: dict[str, Any]) -> dict[str, Any]:
        # what is typed comes when it is finished
        finished = {name: value for name, value in props.items() if name != "value_input"}
        return self.from_page(super()._process_property_change(finished))

    def _process_events(self, events: dict[str, Any]) -> None:
        super()._process_events(events)
        self.arrived(events)

    def _process_event(self, event: Any) -> None:
        """Enter is a change as any other: the page sends it as one."""


class Suggesting(pn.widgets.AutocompleteInput):
    """A field with suggestions that keeps what was typed. Inside: `Widget._process_property_change`.

    Panel would take an emptied field for the first word of the list.
    """

    max_completions = param.Integer(default=8)
    """A property of Bokeh's that Panel leaves out."""

    def _process_property_change(self, props: dict[str, Any]) -> dict[str, Any]:
        typed: dict[str, Any] = pn.widgets.Widget._process_property_change(self, props)
        return typed


class Radios(pn.widgets.RadioBoxGroup):
    """Radio buttons whose list may change while one of them stays chosen. Inside: `_process_param_change`.

    The page knows the chosen one by its place. Panel sends a place when the value changes, and not when the
    list around it does: the page would keep the old one, and show another choice than the State has, or none.
    """

    def _process_param_change(self, params: dict[str, Any]) -> dict[str, Any]:
        props: dict[str, Any] = super()._process_param_change(params)
        if "labels" in props and "active" not in props:
            props["active"] = self.values.index(self.value) if self.value in self.values else None
        return props


def check(parameter: param.Parameter, value: Any) -> None:
    """Raise ValueError if a parameter does not take a value. Inside: `Parameter._validate`."""
    parameter._validate(value)


def on_rendering(hook: Callable[..., None]) -> None:
    """Call ``hook(viewable, root, ...)`` for whatever Panel renders. Inside: `_preprocessing_hooks`."""
    if hook not in pn.viewable.Viewable._preprocessing_hooks:
        pn.viewable.Viewable._preprocessing_hooks.append(hook)


def holds(source: ColumnDataSource, columns: dict[str, Any]) -> bool:
    """Whether a source has these columns. Inside: `matches`, which Bokeh asks for every other property."""
    return bool(source.lookup("data").property.matches(columns, source.data))


def gather_for(milliseconds: int) -> None:
    """Put changes of a widget together for so long, on a server. Inside: `Syncable._debounce`."""
    from panel.reactive import Syncable

    Syncable._debounce = milliseconds


def leave_nothing_unsent() -> None:
    """Have a server write whatever waits for a busy socket. Inside: `_dispatch_msgs` and its two lists.

    Panel drops out where a message has come to wait just after another writing ended: the page then keeps an
    old figure beside a new label until something else is sent, about once in 200 quick keys.
    """
    from panel.io import document as writing

    dispatch = writing._dispatch_msgs
    if dispatch.__module__ == __name__:
        return

    async def dispatch_all(doc: Document) -> None:
        if doc in writing._WRITE_MSGS:
            writing._WRITE_BLOCK.setdefault(doc, True)
        await dispatch(doc)

    writing._dispatch_msgs = dispatch_all


def has_loaded(document: Document, event: Any) -> None:
    """Run what waits until a page is there. Inside: `state._schedule_on_load`."""
    state._schedule_on_load(document, event)


def forget_session(document: Document) -> None:
    """Have Panel take a document for one without a server. Inside: `_session_context`.

    It takes a session context for a server's, and would import tornado for its timers.
    """
    document._session_context = None


def at_home(document: Document) -> None:
    """Have Panel take the thread at hand for the one of a document. Inside: `state._thread_id_`.

    Of a document without a server it knows none, takes every change for another thread's, and leaves what it
    holds back to a call that no server makes.
    """
    state._thread_id_[document] = threading.get_ident()
