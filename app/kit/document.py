"""A room's document, seen from work that goes on between a reader's clicks."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from time import perf_counter

import panel as pn
from bokeh.document import Document
from panel.io.state import set_curdoc

from app.kit import guard
from app.kit.hidden import UNSEEN

OVERDUE = 2.0
"""Seconds after which a picture is taken for drawn without an answer of the page."""
REST = 2.0
"""A page that took so long for a picture is left alone for so many times that time."""

# a hidden tab draws no frames and does not answer: nothing has to be shown there
_ECHO = "requestAnimationFrame(() => setTimeout(() => { cb_obj.value = cb_obj.placeholder; }));"


def together() -> AbstractContextManager[None]:
    """Have a server send the changes of a block as one message.

    In the browser the runtime does so for each call. Holding a document back there would also hold back the
    callbacks of its models, and Panel would take its own late changes for the reader's.
    """
    document = pn.state.curdoc
    if document is None or document.session_context is None:
        return nullcontext()
    held: AbstractContextManager[None] = pn.io.hold()
    return held


class Page:
    """The document that a room is being made in; make it in ``build``, and put ``pane`` on the page.

    Pictures that come by themselves can come faster than a page draws them, and everything the reader does
    would then stand behind them in a queue. So the page answers each one, and `free` says when it has.
    """

    def __init__(self) -> None:
        self._document: Document | None = pn.state.curdoc
        self._waits = False
        self._sent = self._drawn = 0
        self._at = self._took = 0.0
        self.pane = pn.widgets.TextInput(value="", placeholder="", visible=False, tags=[UNSEEN])
        self.pane.jscallback(placeholder=_ECHO)
        self.pane.param.watch(self._answered, "value")

    def change(self, draw: Callable[[], None]) -> None:
        """Call ``draw`` where it may change the document; while one call waits, another is not added.

        A server's document has a lock, and only what is handed to it may change it. In the browser, and
        where there is no document, nothing else is at work.
        """
        document = self._document
        if document is None:
            draw()
        elif document.session_context is None:
            with set_curdoc(document):
                self._draw(draw)
        elif not self._waits:
            self._waits = True
            document.add_next_tick_callback(lambda: self._draw(draw))

    def free(self) -> bool:
        """Whether the page has drawn the last change, and has had time for its reader since."""
        since = perf_counter() - self._at
        return since > (self._took * REST if self._drawn == self._sent else OVERDUE)

    def watched(self) -> bool:
        """Whether a reader has it open, as far as one can know; a server sees her connection."""
        context = self._document.session_context if self._document else None
        session = getattr(context, "session", None)
        return session is None or session.connection_count > 0

    def on_leave(self, leave: Callable[[], None]) -> None:
        """Call ``leave`` when the reader has gone to another room or closed the page."""
        if self._document is not None:
            self._document.on_session_destroyed(lambda session_context: leave())

    def _draw(self, draw: Callable[[], None]) -> None:
        self._waits = False
        self._sent += 1
        self._at = perf_counter()
        with together():
            try:
                draw()
            except Exception as reason:
                guard.handle(reason, self._document)
            self.pane.placeholder = str(self._sent)

    def _answered(self, event: object) -> None:
        # only the newest counts: of several in a row the page answers the last one
        if self.pane.value == str(self._sent):
            self._drawn = self._sent
            self._took = perf_counter() - self._at
