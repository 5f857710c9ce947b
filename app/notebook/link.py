"""A room's document in a kernel, and the pages that show it: descriptions go out, patches go both ways."""

from __future__ import annotations

import asyncio
import gzip
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count, groupby
from typing import Any

from bokeh import __version__ as bokeh_version
from bokeh.document import Document
from bokeh.document.events import DocumentPatchedEvent
from bokeh.embed.util import standalone_docs_json_and_render_items
from bokeh.events import DocumentReady
from bokeh.settings import settings
from panel.io.document import MockSessionContext
from panel.io.state import set_curdoc

from app import shell
from app.compat import at_home, forget_session, has_loaded
from app.kit import guard
from app.kit.room import Room
from app.notebook import files
from app.patches import patch_of

Send = Callable[[dict[str, Any], list[bytes]], None]
"""(content, buffers) -> None: to every page that shows the figure."""

_made = count(1)


class Link:
    """The document of one room.

    Parameters
    ----------
    key : str
        The room's.
    query : str
        The state and the options, as an address has them.
    send : callable
        How pages are told something.
    """

    def __init__(self, key: str, query: str, send: Send, spec: str = "") -> None:
        self.document = Document()
        with _own_ids(), set_curdoc(self.document):
            self.room: Room = shell.make_room(key, query, f"notebook-{next(_made)}", spec)
            self.room.layout.server_doc(self.document, location=False)
        shell.announce(self.document)
        forget_session(self.document)
        self._send = send
        self._lock = threading.RLock()
        self._views: set[str] = set()
        self._waiting: list[DocumentPatchedEvent] = []
        self._scheduled = self._ready = self._closed = False
        self.document.on_change(self._changed)
        self.document.on_event("document_ready", partial(has_loaded, self.document))

    def receive(self, message: dict[str, Any]) -> None:
        """Do what a page asks for."""
        if self._closed:
            return
        view = str(message.get("view", ""))
        kind = message.get("type")
        if kind == "open":
            self._answer(view, "about", build=files.build(), bokeh=bokeh_version, scripts=files.scripts())
        elif kind == "file":
            self._answer(view, "content", files.packed(str(message.get("name"))))
        elif kind == "draw":
            self._draw(view)
        elif kind == "drawn":
            self._drawn()
        elif kind == "patch":
            self._apply(view, str(message.get("patch")))
        elif kind == "left":
            self._views.discard(view)

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Change the document in a block: what is changed leaves as one message.

        A notebook may hear its pages in another thread than the one that runs its cells.
        """
        with self._lock, set_curdoc(self.document):
            at_home(self.document)
            yield
            self.flush()

    def flush(self) -> None:
        """Send all changes that wait; a page is not told what came from it."""
        events, self._waiting = self._waiting, []
        if self._closed or not self._views:
            return
        for setter, group in groupby(events, lambda event: getattr(event, "setter", None)):
            if {setter} != self._views:
                self._patch(setter, list(group))

    def close(self) -> None:
        """Send nothing any more and free the document."""
        if self._closed:
            return
        self._closed = True
        self._views.clear()
        context = MockSessionContext(document=self.document)
        with set_curdoc(self.document):
            # the hooks by which a server frees a session free Panel's models here
            for freed in tuple(self.document.session_destroyed_callbacks):
                freed(context)
            self.document.clear()

    def _answer(self, view: str, kind: str, *buffers: bytes, **more: Any) -> None:
        self._send({"type": kind, "view": view, **more}, list(buffers))

    def _draw(self, view: str) -> None:
        with self.at_work():
            self.flush()
            documents, _ = standalone_docs_json_and_render_items(
                self.document.roots, suppress_callback_warning=True
            )
            # every page draws the state of now, and takes what changes from now on
            self._views.add(view)
        (described,) = documents.values()
        (root,) = self.document.roots
        self._answer(
            view, "document", gzip.compress(files.named(json.dumps(described)).encode(), 6), root=root.id
        )

    def _drawn(self) -> None:
        if self._ready:
            return
        self._ready = True
        with self.at_work():
            self.document.callbacks.trigger_event(DocumentReady())

    def _apply(self, view: str, patch: str) -> None:
        with self.at_work():
            try:
                self.document.apply_json_patch(json.loads(patch), setter=view)
            except Exception as reason:
                # the room says it, and the next change goes on
                guard.handle(reason, self.document)
        self._answer(view, "done")

    def _patch(self, setter: str | None, events: list[DocumentPatchedEvent]) -> None:
        patch, buffers = patch_of(self.document, events)
        told = {
            "type": "patch",
            "from": setter,
            "patch": files.named(patch),
            "ids": [buffer.id for buffer in buffers],
        }
        self._send(told, [buffer.to_bytes() for buffer in buffers])

    def _changed(self, event: Any) -> None:
        # what a server would call later is no part of a patch
        if self._closed or not isinstance(event, DocumentPatchedEvent):
            return
        self._waiting.append(event)
        if self._scheduled:
            return
        try:
            # a run that trains changes the document outside of any message
            asyncio.get_running_loop().call_soon(self._flush_later)
            self._scheduled = True
        except RuntimeError:
            # without a loop nothing runs by itself: whoever changes the document flushes it
            return

    def _flush_later(self) -> None:
        self._scheduled = False
        self.flush()


@contextmanager
def _own_ids() -> Iterator[None]:
    """Names for models that no other kernel has: JupyterLab shows figures of several in one page."""
    settings.simple_ids.set_value(False)
    try:
        yield
    finally:
        settings.simple_ids.unset_value()
