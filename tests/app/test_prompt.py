"""A served lab answers at once: no connection keeps small messages back, no change waits long for others."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from bokeh.server.views.ws import WSHandler
from panel.reactive import Syncable

from app import prompt


def test_a_connection_sends_small_messages_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WSHandler, "open", WSHandler.open)
    monkeypatch.setattr(Syncable, "_debounce", vars(Syncable)["_debounce"])
    done: list[object] = []
    monkeypatch.setattr(prompt, "_opened", lambda handler: done.append("opened"))
    prompt.install()
    prompt.install()  # main.py runs once a session
    WSHandler.open(SimpleNamespace(set_nodelay=done.append))
    assert done == [True, "opened"]
    assert Syncable._debounce == prompt.TOGETHER
