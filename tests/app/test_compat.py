"""The names inside Panel, Param and Bokeh that app/compat.py leans on; each failure says what to do."""

from __future__ import annotations

import asyncio
import re
from functools import partial
from typing import Any

import panel as pn
import param
import pytest
from bokeh.document import Document
from bokeh.events import DocumentReady
from bokeh.models import ColumnDataSource
from panel.io import document as writing
from panel.io.state import set_curdoc, state
from panel.reactive import Syncable

from app import compat
from tests.serving import ROOT

PRIVATE = (
    r"_preprocessing_hooks|_process_\w+|_transform_object|_schedule_on_load|_session_context|_debounce|_validate\("
    r"|property\.matches|_thread_id"
)


def test_nobody_else_reaches_inside() -> None:
    files = [path for path in (ROOT / "app").rglob("*.py") if re.search(PRIVATE, path.read_text())]
    assert {str(path.relative_to(ROOT)) for path in files} == {"app/compat.py"}


def test_a_pane_writes_its_content_and_nothing_else() -> None:
    """Else stylesheets of the models are lost: see how `HTML` brings its model up to date."""
    made = compat.HtmlPane("<p>one</p>")
    model = made.get_root()
    sheets = [*model.stylesheets, "p { color: red }"]
    model.stylesheets = sheets
    made.object = "<p>two</p>"
    assert "two" in model.text
    assert model.stylesheets == sheets


def test_a_field_is_told_what_it_shows_and_takes() -> None:
    """Else number fields show and take raw text: see what a widget calls between page and parameter."""

    class Shouting(compat.TextField):
        heard: Any = None

        def to_page(self, changes: dict[str, Any]) -> dict[str, Any]:
            return {**changes, "value": changes["value"].upper()} if changes.get("value") else changes

        def from_page(self, changes: dict[str, Any]) -> dict[str, Any]:
            return {**changes, "value": changes["value"].lower()} if "value" in changes else changes

        def arrived(self, events: dict[str, Any]) -> None:
            self.heard = dict(events)

    made = Shouting(value="cat")
    model = made.get_root()
    assert model.value == "CAT"
    made._process_events({"value": "DOG"})
    assert made.value == "dog"
    assert made.heard == {"value": "DOG"}
    # what is being typed is nothing yet
    made._process_events({"value_input": "DO"})
    assert made.value == "dog"


def test_an_emptied_field_with_suggestions_is_empty() -> None:
    """Else it takes the first word: see `AutocompleteInput`."""
    made = compat.Suggesting(options=["cat", "dog"], restrict=False, value="dog")
    assert made.get_root().max_completions == 8
    made._process_events({"value": ""})
    assert made.value == ""


def test_a_chosen_radio_button_moves_with_its_list() -> None:
    """Else the page shows another choice: see what `RadioBoxGroup` sends with new options."""
    made = compat.Radios(options=["a", "b", "c"], value="c")
    model = made.get_root()
    made.options = ["c", "a"]
    assert model.active == 0


def test_a_parameter_refuses_with_a_value_error() -> None:
    """Else addresses set what is out of bounds: see how a parameter checks a value."""
    number = param.Number(default=1, bounds=(0, 2))
    compat.check(number, 2)
    with pytest.raises(ValueError, match=r"bounds|between|must be"):
        compat.check(number, 3)


def test_whatever_is_rendered_is_told() -> None:
    """Else components lose the room's sheet: see what Panel calls before it renders."""
    seen: list[Any] = []

    def hook(viewable: Any, root: Any, changed: Any = None, old_models: Any = None) -> None:
        seen.append(root)

    compat.on_rendering(hook)
    compat.on_rendering(hook)
    try:
        root = pn.Column(pn.pane.HTML("x")).get_root()
        assert seen == [root]
    finally:
        pn.viewable.Viewable._preprocessing_hooks.remove(hook)


def test_a_source_knows_its_columns() -> None:
    """Else everything is sent each time: see how Bokeh compares a property's values."""
    source = ColumnDataSource({"x": [1, 2]})
    assert compat.holds(source, {"x": [1, 2]})
    assert not compat.holds(source, {"x": [1, 3]})


def test_changes_are_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a server waits 50 ms with each answer: see `Syncable`."""
    monkeypatch.setattr(Syncable, "_debounce", vars(Syncable)["_debounce"])
    compat.gather_for(7)
    assert Syncable._debounce == 7


def test_what_waits_for_a_busy_socket_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else an answer may stay behind: see what Panel does with messages while a socket is busy."""
    blocked = []

    async def dispatch(doc: Document) -> None:
        blocked.append(doc in writing._WRITE_BLOCK)

    monkeypatch.setattr(writing, "_dispatch_msgs", dispatch)
    compat.leave_nothing_unsent()
    compat.leave_nothing_unsent()
    document, loop = Document(), asyncio.new_event_loop()
    writing._WRITE_MSGS[document] = {}
    loop.run_until_complete(writing._dispatch_msgs(document))
    loop.close()
    assert blocked == [True]


def test_a_document_in_the_browser_is_no_session() -> None:
    """Else Panel imports tornado there, or waits for ever: see what it asks a document."""
    document = Document()
    compat.forget_session(document)
    assert document.session_context is None


def test_what_waits_for_a_page_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else what waits for a page never runs in the built site: see what Panel does on DocumentReady."""
    document, done = Document(), []
    with set_curdoc(document):
        state.onload(lambda: done.append("loaded"))
        document.on_event("document_ready", partial(compat.has_loaded, document))
        document.callbacks.trigger_event(DocumentReady())
    assert done == ["loaded"]


def test_a_document_without_a_server_is_not_held_back() -> None:
    """Else a figure in a notebook falls silent after the first change of a list: see Panel's `hold`."""
    document = Document()
    column = pn.Column()
    with set_curdoc(document):
        column.server_doc(document, location=False)
        compat.forget_session(document)
        compat.at_home(document)
        compat.has_loaded(document, None)
        column.css_classes = ["changed"]
    assert document.callbacks.hold_value is None
