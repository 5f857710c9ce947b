"""A room that its reader has left is freed: nothing of Panel's or of the kit's holds on to it."""

from __future__ import annotations

import gc
import weakref

import pytest
from bokeh.document import Document
from bokeh.events import DocumentReady
from panel.io.document import MockSessionContext
from panel.io.state import set_curdoc

from app.rooms import NAMES, ROOMS


def closed_room(key: str) -> weakref.ref[object]:
    """A room that was drawn in a document and left, as the worker and a server do both."""
    document = Document()
    with set_curdoc(document):
        room = ROOMS[key]()
        room.layout.server_doc(document)
        document._session_context = None
        document.callbacks.trigger_event(DocumentReady())
    left = weakref.ref(room)
    context = MockSessionContext(document=document)
    with set_curdoc(document):
        for freed in tuple(document.session_destroyed_callbacks):
            freed(context)
        document.clear()
    return left


@pytest.mark.parametrize("key", NAMES)
def test_a_closed_room_is_freed(key: str) -> None:
    left = closed_room(key)
    gc.collect()
    assert left() is None, f"{key} is still held, by {holders(left())}"


def holders(room: object) -> list[str]:
    """What holds a room, in words, for the message of a failing test."""
    return [type(one).__name__ for one in gc.get_referrers(room)][:8]
