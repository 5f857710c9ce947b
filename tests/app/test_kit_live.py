"""Kit for work that goes on between clicks: the answers of the page."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from bokeh.document import Document
from panel.io.state import set_curdoc

from app.kit import document
from app.kit.document import Page


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    now = SimpleNamespace(time=100.0)
    monkeypatch.setattr(document, "perf_counter", lambda: now.time)
    return now


def page_in(made: Document) -> Page:
    with set_curdoc(made):
        return Page()


def test_a_page_is_free_when_it_has_drawn_and_rested(clock: SimpleNamespace) -> None:
    page, drawn = page_in(Document()), []
    page.change(lambda: drawn.append(1))
    assert drawn == [1]
    clock.time += 0.3
    assert not page.free()
    page.pane.value = page.pane.placeholder
    # it took .3 s, so it is left alone for .6 s
    clock.time += 0.2
    assert not page.free()
    clock.time += 0.2
    assert page.free()


def test_an_answer_to_an_older_picture_does_not_count(clock: SimpleNamespace) -> None:
    page = page_in(Document())
    page.change(lambda: None)
    older = page.pane.placeholder
    page.change(lambda: None)
    page.pane.value = older
    clock.time += 1.0
    assert not page.free()
    # but nobody waits for ever
    clock.time += document.OVERDUE
    assert page.free()


def test_a_server_is_asked_for_its_lock_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made, waiting = Document(), []
    page = page_in(made)
    session = SimpleNamespace(connection_count=1)
    monkeypatch.setattr(Document, "session_context", SimpleNamespace(session=session))
    monkeypatch.setattr(made, "add_next_tick_callback", waiting.append)
    drawn: list[int] = []
    page.change(lambda: drawn.append(1))
    page.change(lambda: drawn.append(2))
    assert (drawn, len(waiting)) == ([], 1)
    waiting[0]()
    page.change(lambda: drawn.append(3))
    assert (drawn, len(waiting)) == ([1], 2)
    assert page.watched()
    session.connection_count = 0
    assert not page.watched()
