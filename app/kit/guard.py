"""Whatever fails between a reader's hand and the figure is said in her room, which goes on.

Panel hands every exception of a callback to one handler; here it finds the room of the document in which it
happened. Widgets say what they refuse in the same way.
"""

from __future__ import annotations

import logging
from typing import Protocol
from weakref import WeakKeyDictionary, ref

import panel as pn
import param
from bokeh.document import Document

from lab.data import DataMissing

log = logging.getLogger("embedding-lab")

EXPECTED = (ValueError, FileNotFoundError)
"""What a room raises on purpose, with a sentence for the reader."""


class Speaker(Protocol):
    """A room: it can say a sentence, and that a change has failed."""

    state: param.Parameterized

    def say(self, sentence: str) -> None: ...
    def refuse(self, reason: Exception) -> None: ...


# weak on both sides: a room knows its document, and neither may keep the other
_by_document: WeakKeyDictionary[Document, ref[Speaker]] = WeakKeyDictionary()
_by_state: WeakKeyDictionary[param.Parameterized, ref[Speaker]] = WeakKeyDictionary()


def watch(room: Speaker) -> None:
    """Send what fails in the present document to this room."""
    # Panel keeps settings for each document: set once at import it would hold for the first reader alone
    pn.config.exception_handler = handle
    if pn.state.curdoc is not None:
        _by_document[pn.state.curdoc] = ref(room)
    _by_state[room.state] = ref(room)


def lend(owner: param.Parameterized, room: Speaker) -> None:
    """Let a room speak for settings that are no part of its State."""
    _by_state[owner] = ref(room)


def tell(owner: param.Parameterized, sentence: str) -> None:
    """Say a sentence in the room of a State; without a room it is nobody's to hear."""
    found = _by_state.get(owner)
    room = found() if found else None
    if room is not None:
        room.say(sentence)


def handle(reason: BaseException, document: Document | None = None) -> None:
    """Say in the document's room that a change has failed; without a room the exception goes on."""
    document = document or pn.state.curdoc
    found = _by_document.get(document) if document is not None else None
    room = found() if found else None
    if room is None or not isinstance(reason, Exception):
        raise reason
    room.refuse(reason)


def sentence_of(reason: Exception) -> str:
    """What happened, for a reader. What nobody expected is logged too, with where it happened.

    >>> sentence_of(ValueError("D must be even."))
    'D must be even.'
    """
    if isinstance(reason, DataMissing):
        # where the folder is concerns whoever keeps it
        log.error("%s", reason)
        return f"The lab's data file {reason.file} is missing or damaged. The room goes on when it is back."
    if isinstance(reason, EXPECTED):
        said = str(reason)
        return said if said.endswith((".", "?", "!")) else f"{said}."
    log.error("a change failed", exc_info=reason)
    if isinstance(reason, MemoryError):
        return "There is not enough memory for these settings. Choose smaller ones."
    return f"These settings could not be shown ({type(reason).__name__}: {str(reason)[:200]}). Choose others."
