"""The one guarded path: a change that fails, for whatever reason, changes nothing that is shown."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import panel as pn
import param
import pytest
from bokeh.document import Document
from panel.io.state import set_curdoc

from app.kit import controls, fields, guard
from app.kit.budget import MOST_BYTES, MOST_OPERATIONS, Cost
from app.kit.document import Page
from app.kit.figure import Figure, Snapshot
from app.kit.formula import Formula
from app.kit.frozen import freeze
from app.kit.html import tag
from app.kit.numbers import Table
from app.kit.panes import Html
from app.kit.place import Place
from app.kit.room import Room
from app.rooms import NAMES, ROOMS

BAD = 13
"""The value at which the room below fails, in the way that `how` says."""


class State(param.Parameterized):
    n = param.Integer(default=3, bounds=(0, 100), label="n")
    top = param.Integer(default=50, bounds=(0, 100), label="top")
    how = param.Selector(
        default="", objects=["", "compute", "caption", "formula", "code", "draw"], label="how"
    )


@dataclass(frozen=True)
class View:
    n: int
    how: str
    values: Any


class Shaky(Figure):
    key, title, lead = "shaky", "", ""
    uses: ClassVar = ("n", "top", "how")
    computed: ClassVar[list[int]] = []

    def compute(self, s: Snapshot) -> View:
        self.computed.append(s.n)
        _fail(s.n, s.how, "compute")
        return View(s.n, s.how, np.arange(float(s.n)))

    def cost(self, s: Snapshot) -> Cost:
        return Cost(operations=2 * MOST_OPERATIONS if s.n == 99 else 0, bytes=0, lower="n")

    def caption(self, view: View) -> str:
        _fail(view.n, view.how, "caption")
        return f"n is {view.n}."

    def formula(self, view: View) -> tuple[Formula, ...]:
        _fail(view.n, view.how, "formula")
        return (Formula("n", f"n = {view.n}"),)

    def numbers(self, view: View) -> list[Table]:
        return [Table("n", ["n"], [[view.n]])]

    def code(self, s: Snapshot) -> str:
        _fail(s.n, s.how, "code")
        return f"result = {s.n}"

    def make(self) -> Sequence[Any]:
        self.first, self.second = Html(), Html()
        return self.first, self.second

    def draw(self, view: View) -> None:
        self.first.set(tag("p", view.n))
        _fail(view.n, view.how, "draw")
        self.second.set(tag("p", view.n))


class Fragile(Room):
    key, title, lead, place = "fragile", "What fails?", "A room that can fail anywhere.", "text"
    State = State
    kinds = (Shaky,)
    fields: ClassVar = {"n": fields.of(controls.number)}

    @classmethod
    def normalise(cls, values: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
        if values["n"] <= values["top"]:
            return dict(values), ()
        return {**values, "n": values["top"]}, (f"n is at most {values['top']} here.",)


def _fail(n: int, how: str, where: str) -> None:
    if n == BAD and how == where:
        raise KeyError("nobody expected this")


@pytest.fixture
def room() -> Fragile:
    Shaky.computed.clear()
    document = Document()
    with set_curdoc(document):
        made = Fragile()
    made.document = document  # type: ignore[attr-defined]
    made._sight.value = "shaky"
    return made


def place_of(room: Room) -> Place:
    (place,) = room._places.values()
    return place


def panel(room: Room, kind: str) -> str:
    return str(place_of(room).drawer._panes[kind].pane.object)


def seen(room: Room) -> dict[str, Any]:
    place = place_of(room)
    return {
        "first": place.figure.first.pane.object,
        "second": place.figure.second.pane.object,
        "caption": place._caption.pane.object,
        "panel": panel(room, "formula"),
        "address": room._address.value,
    }


def dimmed(room: Room) -> list[bool]:
    place = place_of(room)
    parts = (place._picture, place._caption.pane, *place.drawer.parts)
    return ["lab-stale" in part.css_classes for part in parts]


@pytest.mark.parametrize("how", ["compute", "caption", "formula", "draw"])
def test_whatever_fails_all_that_is_shown_stays_together_and_the_next_change_goes_on(
    room: Fragile, how: str, caplog: pytest.LogCaptureFixture
) -> None:
    room.state.param.update(n=5, how=how)
    before = seen(room)
    room.state.n = BAD
    assert seen(room) == before
    assert all(dimmed(room))
    assert "nobody expected this" in room._error.pane.object
    assert caplog.records
    room.state.n = 7
    assert not any(dimmed(room))
    assert room._error.pane.object == '<div role="alert"></div>'
    assert {"7" in str(part) for part in seen(room).values()} == {True}


def test_code_belongs_to_what_is_shown_and_not_to_a_refused_state(room: Fragile) -> None:
    room.state.param.update(n=5, how="compute")
    room.state.n = BAD
    place_of(room).drawer._chosen.value = ["code"]
    assert "result = 5" in panel(room, "code")
    room.state.param.update(how="code")
    assert all(dimmed(room))
    assert "result = 5" in panel(room, "code")


def test_a_panel_that_fails_when_it_is_opened_says_so(room: Fragile) -> None:
    room.state.param.update(n=BAD, how="code")
    assert not any(dimmed(room))
    place_of(room).drawer._chosen.value = ["code"]
    assert "nobody expected this" in place_of(room)._error.pane.object
    room.state.n = 4
    assert "result = 4" in panel(room, "code")


def test_a_callback_that_fails_is_said_in_the_room_of_its_document(room: Fragile) -> None:
    with set_curdoc(room.document):  # type: ignore[attr-defined]
        pn.state._handle_exception(ZeroDivisionError("by a widget"))
    assert "by a widget" in room._error.pane.object
    with set_curdoc(Document()), pytest.raises(ZeroDivisionError):
        guard.handle(ZeroDivisionError("in no room"))


def test_a_picture_that_comes_by_itself_and_fails_is_said_too(room: Fragile) -> None:
    with set_curdoc(room.document):  # type: ignore[attr-defined]
        page = Page()

    def draw() -> None:
        raise IndexError("between two clicks")

    page.change(draw)
    assert "between two clicks" in room._error.pane.object


def test_what_costs_too_much_is_refused_before_it_is_computed(room: Fragile) -> None:
    room.state.param.update(n=98, top=100)
    Shaky.computed.clear()
    room.state.n = 99
    assert Shaky.computed == []
    assert "2.0 times the work" in room._error.pane.object
    assert "Lower n" in room._error.pane.object
    assert MOST_BYTES < 500e6


def test_a_value_beyond_another_moves_before_anything_is_computed_and_is_said(room: Fragile) -> None:
    Shaky.computed.clear()
    room.state.n = 60
    assert (room.state.n, room._fields["n"].pane.value, Shaky.computed) == (50, 50, [50])
    assert "at most 50" in room._notice.pane.object
    assert room._address.value == "n=50"
    room.state.n = 4
    assert "at most" not in room._notice.pane.object


def test_an_address_with_such_a_value_keeps_its_other_notices() -> None:
    Shaky.computed.clear()
    made = Fragile("?n=60&nonsense=1")
    assert Shaky.computed == [50]
    assert "nonsense" in made._notice.pane.object
    assert "at most 50" in made._notice.pane.object


def test_an_address_that_cannot_be_computed_falls_back_and_says_why() -> None:
    Shaky.computed.clear()
    made = Fragile(f"?n={BAD}&how=compute&top=90")
    assert (made.state.n, made.state.how, made.state.top) == (BAD, "", 90)
    assert "The address sets how" in made._notice.pane.object


@pytest.mark.parametrize("key", NAMES)
def test_a_deep_link_computes_once(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    room, calls = ROOMS[key], []
    for kind in room.kinds:
        monkeypatch.setattr(kind, "compute", counting(kind.compute, calls))
    show = next(question.show for question in room.asked if question.show)
    query = "&".join(
        f"{name}={value}" for name, value in show.items() if isinstance(value, (int, float, str))
    )
    made = room(query)
    assert len(calls) == len(made.opened(made.values()))


def counting(compute: Any, calls: list[int]) -> Any:
    def count(*given: Any, **named: Any) -> Any:
        calls.append(1)
        return compute(*given, **named)

    return count


@pytest.mark.parametrize("key", NAMES)
def test_hide_controls_leaves_no_control_that_can_be_seen(key: str) -> None:
    shows = [question.show for question in ROOMS[key].asked]
    for show in shows[:3]:
        query = "&".join(f"{name}={value}" for name, value in show.items() if isinstance(value, (int, str)))
        made = ROOMS[key](f"{query}&hide=controls,formula,numbers,code,questions")
        assert [widget for widget in made.layout.select(pn.widgets.WidgetBase) if widget.visible] == []
        assert made.layout.select(pn.pane.PaneBase)


def test_every_array_of_a_view_is_read_only_however_deep() -> None:
    deep = View(1, "", ({"a": [np.zeros(2)]}, View(2, "", np.ones(3))))
    freeze(deep)
    for array in (deep.values[0]["a"][0], deep.values[1].values):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_the_guard_keeps_no_room_alive(room: Fragile) -> None:
    with set_curdoc(Document()):
        made = Fragile()
    kept = weakref.ref(made)
    del made
    gc.collect()
    assert kept() is None
