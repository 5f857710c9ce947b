"""The lab inside a browser's worker: many documents, one interpreter.

static/js/worker.js calls these functions one after the other, each with its arguments, and answers when
they return. What a call changes in a document leaves as one message, so that a page redraws once.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pyodide.ffi
from bokeh.document import Document
from bokeh.document.events import DocumentPatchedEvent
from bokeh.embed.util import standalone_docs_json_and_render_items
from bokeh.events import DocumentReady
from bokeh.settings import settings
from panel.io.document import MockSessionContext
from panel.io.pyodide import _convert_json_patch
from panel.io.state import set_curdoc

from app import shell
from app.compat import forget_session, has_loaded
from app.kit import guard
from app.patches import patch_of
from lab import data

SETTER = "page"
"""Marks what came from the page, so that it is not sent back there."""

Send = Callable[[str, str, Any], None]
"""(widget, patch as JSON, pairs of a buffer's id and its bytes) -> None; a function of the worker."""

_widgets: dict[str, _Widget] = {}


class _Widget:
    """One document and the changes that wait to be sent."""

    def __init__(self, key: str, document: Document, send: Send) -> None:
        self.key = key
        self.document = document
        self._send = send
        self._waiting: list[DocumentPatchedEvent] = []
        self._scheduled = False
        self._closed = False

    def listen(self) -> None:
        """Start to send; what was held back until now leaves first."""
        self.document.on_change(self._changed)
        self.document.unhold()
        self.document.on_event("document_ready", partial(has_loaded, self.document))
        self.document.callbacks.trigger_event(DocumentReady())

    def close(self) -> None:
        """Send nothing any more and free the document."""
        self._closed = True
        context = MockSessionContext(document=self.document)
        with set_curdoc(self.document):
            # the hooks by which a server frees a session free Panel's models here
            for freed in tuple(self.document.session_destroyed_callbacks):
                freed(context)
            self.document.clear()

    def flush(self) -> None:
        """Send all changes that wait, as one patch."""
        events, self._waiting = self._waiting, []
        if not events or self._closed:
            return
        patch, buffers = patch_of(self.document, events)
        sent = [[buffer.id, buffer.to_bytes()] for buffer in buffers]
        self._send(self.key, patch, pyodide.ffi.to_js(sent))

    def _changed(self, event: DocumentPatchedEvent) -> None:
        if self._closed or getattr(event, "setter", None) == SETTER:
            return
        self._waiting.append(event)
        if not self._scheduled:
            # a generator that runs between two messages changes the document outside of any call
            self._scheduled = True
            asyncio.get_running_loop().call_soon(self._flush_later)

    def _flush_later(self) -> None:
        self._scheduled = False
        self.flush()


def needs(room: str) -> list[str]:
    """The files of static/data that a room needs from the start.

    Raises
    ------
    ValueError
        If there is no such room.
    """
    if room not in shell.ROOMS:
        raise ValueError(f"there is no room called {room!r}; the rooms are {', '.join(shell.ROOMS)}")
    return list(shell.ROOMS[room].data)


def use_data(folder: str, fetch: Callable[[str], Any]) -> None:
    """Say where data files are, and how one is had that is not there yet."""

    def bring(name: str) -> bytes:
        try:
            return bytes(fetch(name).to_py())
        except pyodide.ffi.JsException as reason:
            # a room says that a file is missing, and goes on
            raise FileNotFoundError(f"the data file {name} could not be fetched ({reason})") from reason

    data.set_data_root(folder)
    data.set_fetcher(bring)


def open_widget(key: str, room: str, query: str, dark: bool | None, send: Send, spec: str = "") -> str:
    """Build a room's document and return it as JSON, with the id of its root.

    A widget of the same key is replaced.
    """
    close_widget(key)
    settings.simple_ids.set_value(False)
    document = shell.room_document(room, query, dark=dark, widget_id=key, spec=spec)
    document.hold()
    with set_curdoc(document):
        described = describe(document)
    forget_session(document)
    _widgets[key] = _Widget(key, document, send)
    return json.dumps(described)


def describe(document: Document) -> dict[str, Any]:
    """The document as the page's BokehJS reads it."""
    documents, _ = standalone_docs_json_and_render_items(document.roots, suppress_callback_warning=True)
    (described,) = documents.values()
    (root,) = document.roots
    return {"doc": described, "root": root.id}


def connect_widget(key: str) -> None:
    """Start to send changes: the page has drawn the document."""
    with _at_work(key) as widget:
        widget.listen()


def patch_widget(key: str, patch: Any) -> None:
    """Apply what the reader changed, and send what follows from it."""
    with _at_work(key) as widget:
        try:
            widget.document.apply_json_patch(_convert_json_patch(patch), setter=SETTER)
        except Exception as reason:
            # the room says it, and the next change goes on
            guard.handle(reason, widget.document)


def close_widget(key: str) -> None:
    """Forget a widget and free its document."""
    widget = _widgets.pop(key, None)
    if widget is not None:
        widget.close()


@contextmanager
def _at_work(key: str) -> Iterator[_Widget]:
    widget = _widgets[key]
    with set_curdoc(widget.document):
        yield widget
    widget.flush()
