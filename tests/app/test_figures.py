"""A room of figures: each is computed from what it uses, when in sight, and all change together or none."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import panel as pn
import param
import pytest
from bokeh.document import Document
from panel.io.state import set_curdoc

from app.kit import controls
from app.kit.figure import Snapshot
from app.kit.words import Words, tiny
from app.rooms import ROOMS
from tests.app.small import ROOM, Growth, Multiples, Row


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Keys of the figures that were computed, in order."""
    done: list[str] = []
    for kind in (Multiples, Growth):

        def compute(self: Any, s: Any) -> Row:
            done.append(self.key)
            return Row(s)

        monkeypatch.setattr(kind, "compute", compute)
    return done


def on_a_page(query: str = "") -> tuple[Any, Document]:
    """The room as on a page that has not said yet what is in sight."""
    document = Document()
    with set_curdoc(document):
        made = ROOM(query)
        made.layout.server_doc(document, location=False)
    return made, document


def captions(room: Any) -> dict[str, str]:
    return {key: str(place._caption.pane.object) for key, place in room._places.items()}


def test_a_page_begins_with_its_first_figure_alone(computed: list[str]) -> None:
    room, _ = on_a_page()
    assert computed == ["row"]
    assert room._places["growth"].shown is None
    assert list(room._places["growth"]._picture) == []
    room._sight.value = "row,growth"
    assert computed == ["row", "growth"]
    assert len(room._places["growth"]._picture) == 1
    assert "add up to 6" in captions(room)["growth"]


def test_what_is_scrolled_away_waits_until_the_page_is_at_rest(computed: list[str]) -> None:
    room, _ = on_a_page()
    room._sight.value = "row,growth"
    room._sight.value = "row"
    computed.clear()
    room.state.step = 5.0
    assert computed == ["row"]
    assert "lab-stale" in room._places["growth"]._picture.css_classes
    room._sight.value = f"row+{room._sight.placeholder}"
    assert computed == ["row", "growth"]
    assert "add up to 15" in captions(room)["growth"]
    assert "lab-stale" not in room._places["growth"]._picture.css_classes


def test_a_figure_in_sight_follows_what_is_in_no_state(
    computed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run reports while nothing of the State changes: what is out of sight costs nothing."""
    done = 0
    monkeypatch.setattr(Growth, "follows", lambda self: done)
    room, _ = on_a_page()
    room._sight.value = "row,growth"
    computed.clear()
    room.follow()
    assert computed == []
    done = 1
    room.follow()
    assert computed == ["growth"]
    room._sight.value = "row"
    done = 2
    room.follow()
    assert computed == ["growth"]
    room._sight.value = "row,growth"
    assert computed == ["growth", "growth"]


def test_a_room_says_where_a_control_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ROOM, "beside", {"n": "growth", "word": ""})
    room = ROOM()
    assert [field.label for field in room.controls] == ["Step", "A word"]
    assert room._fields["n"].pane in room._places["growth"].column.select(pn.widgets.Widget)
    alone = ROOM("?figure=growth")
    assert [field.label for field in alone.controls] == ["Numbers n", "Step"]


def test_a_change_computes_the_figures_that_read_it(computed: list[str]) -> None:
    room = ROOM()
    computed.clear()
    room.state.word = "seven"
    assert computed == ["row"]
    room.state.n = 4
    assert computed == ["row", "row", "growth"]


def test_a_change_that_fails_leaves_every_figure_as_it_was() -> None:
    room = ROOM("?n=5")
    before = captions(room)
    room.state.n = 13
    assert "no 13 numbers" in room._error.pane.object
    assert captions(room) == before
    assert room._address.value == "n=5"
    assert all("lab-stale" in place._picture.css_classes for place in room._places.values())
    room.state.n = 4
    assert not room._error.pane.visible
    assert "4 numbers" in captions(room)["row"]
    assert not any("lab-stale" in place._picture.css_classes for place in room._places.values())


def test_a_figure_that_fails_in_drawing_takes_the_others_back(monkeypatch: pytest.MonkeyPatch) -> None:
    room = ROOM()
    before = captions(room)
    growth = room._places["growth"].figure
    draw = growth.draw

    def fail(view: Row) -> None:
        if view.s.n == 9:
            raise RuntimeError("no ink")
        draw(view)

    monkeypatch.setattr(growth, "draw", fail)
    room.state.n = 9
    assert "no ink" in room._error.pane.object
    assert captions(room) == before


def test_a_figure_that_fails_when_it_comes_into_sight_says_so_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    room, _ = on_a_page()

    def fail(self: Any, s: Any) -> Row:
        raise ValueError("Growth is not to be had.")

    monkeypatch.setattr(Growth, "compute", fail)
    room._sight.value = "row,growth"
    assert "not to be had" in room._places["growth"]._error.pane.object
    assert not room._error.pane.visible
    assert "lab-stale" not in room._places["row"]._picture.css_classes


def test_one_figure_alone_has_its_own_controls_and_questions(computed: list[str]) -> None:
    room = ROOM("?figure=growth&n=4")
    assert list(room._places) == ["growth"]
    assert computed == ["growth"]
    assert set(room._fields) == {"n", "step"}
    assert room._asking is None
    assert ROOM("?figure=row")._asking is not None
    assert room._address.value == "n=4"


def test_a_figure_that_is_none_is_named() -> None:
    room = ROOM("?figure=magic")
    assert list(room._places) == ["row", "growth"]
    assert "figure=magic" in room._notices[0]
    assert "row, growth" in room._notices[0]


def test_controls_stand_beside_the_figure_that_reads_them() -> None:
    room = ROOM()
    beside = room._places["row"].column.select(pn.widgets.TextInput)
    assert [field.label for field in beside if field.label] == ["A word"]
    assert len(room.controls) == 2


def test_what_is_open_behind_a_figure_follows_it() -> None:
    room = ROOM()
    drawer = room._places["growth"].drawer
    assert not any(pane.pane.visible for pane in drawer._panes.values())
    drawer._chosen.value = ["numbers", "code"]
    assert "<td" in drawer._panes["numbers"].pane.object
    room.state.n = 7
    assert "np.arange(7)" in drawer._panes["code"].pane.object
    drawer._chosen.value = []
    assert not any(pane.pane.visible for pane in drawer._panes.values())


class TabbedState(param.Parameterized):
    """A tab for each of two figures, under one that is always open."""

    show = param.Selector(default="growth", objects=["growth", "again"], label="Look closer")
    n = param.Integer(default=3, bounds=(1, 50), label="Numbers n")
    step = param.Number(default=2.0, bounds=(-10, 10), label="Step")
    word = param.String(default="", label="A word")


class Again(Growth):
    """Growth with a button in its picture."""

    key = "again"

    def make(self) -> Sequence[Any]:
        return *super().make(), controls.button("Again", lambda: None)


class TabbedRoom(ROOM):
    """The small room with tabs under its first figure."""

    State = TabbedState
    kinds = (Multiples, Growth, Again)
    tabs, above = "show", ("row",)


def test_figures_above_the_tabs_stay_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ROOM.words._said, "again.caption", ROOM.words.raw("growth.caption"))
    room = TabbedRoom()
    places = {key: place.column for key, place in room._places.items()}
    assert room.figures == [places["row"], room._fields["show"].pane, places["growth"], places["again"]]
    assert [key for key, column in places.items() if column.visible] == ["row", "growth"]
    room.state.show = "again"
    assert [key for key, column in places.items() if column.visible] == ["row", "again"]
    assert list(room.view) == ["row", "again"]
    # the first figure alone is spoken and has its formula open
    assert [place.drawer._chosen.value for place in room._places.values()] == [["formula"], [], []]


def test_what_stands_around_a_figure_is_made_when_its_tab_is_first_opened(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(ROOM.words._said, "again.caption", ROOM.words.raw("growth.caption"))
    room = TabbedRoom()
    columns = {key: place.column for key, place in room._places.items()}
    assert [len(column) for column in columns.values()] == [1, 1, 0]
    room.state.n = 13
    assert "no 13 numbers" in room._error.pane.object
    room.apply({"show": "again"})
    assert [len(column) for column in columns.values()] == [1, 1, 1]
    made = columns["again"][0]
    room.apply({})
    room.apply({"show": "again"})
    assert list(columns["again"]) == [made]


def test_hide_controls_takes_a_button_out_of_a_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ROOM.words._said, "again.caption", ROOM.words.raw("growth.caption"))
    for query, buttons in (("?show=again", 1), ("?show=again&hide=controls", 0)):
        picture = TabbedRoom(query)._places["again"]._picture
        assert len(picture.select(pn.widgets.Button)) == buttons
        assert len(picture) == 1 + buttons


def test_hide_controls_leaves_the_pictures_on_the_page() -> None:
    """They are made after the controls were taken away: what was empty then is no label without a control."""
    for made in (on_a_page("?hide=controls")[0], ROOM("?hide=controls")):
        for place in made._places.values():
            assert made.layout.select(lambda part, place=place: part is place._picture)


def test_hide_controls_leaves_what_stands_behind_a_figure() -> None:
    """The address hides formula, numbers and code by names of their own."""
    for query, shown in (
        ("?hide=controls", 3),
        ("?hide=controls,formula", 2),
        ("?hide=controls,formula,numbers,code", 0),
    ):
        found = ROOM(query)._places["row"].column.select(pn.widgets.CheckBoxGroup)
        assert [len(chosen.options) for chosen in found] == [shown] * bool(shown)


def test_a_snapshot_holds_what_a_figure_uses_and_nothing_else() -> None:
    s = Growth().snapshot({"n": 3, "step": 2.0, "word": "x"})
    assert (s.n, s.step) == (3, 2.0)
    with pytest.raises(AttributeError, match="word is not among what this figure uses: n, step"):
        _ = s.word


def test_a_view_cannot_be_written() -> None:
    view = Row(Snapshot({"n": 2, "step": 1.0}))
    with pytest.raises(AttributeError, match="values cannot be set"):
        view.values = [1.0]  # type: ignore[misc]


@pytest.mark.parametrize(
    ("spec", "value", "said"),
    [
        ("", 12345.6789, "12,345.679"),
        ("", 10**17 + 1, "100,000,000,000,000,001"),
        ("", -3, "−3"),
        ("5", 1.964893, "1.96489"),
        ("pair", 1, "1 pair"),
        ("frequency frequencies", 2, "2 frequencies"),
        ("%", 0.9997, "99.97 %"),
        ("v", [1.0, -0.5], "[1, −0.5]"),
        ("v4", [0.84147], "[0.8415]"),
        ("tiny", 1.2e-7, "1.2e−7"),
        ("visible", " cat", "␣cat"),
        ("", "<b>", "<b>"),
    ],
)
def test_sentences_say_numbers_as_the_page_does(spec: str, value: Any, said: str) -> None:
    words = Words(__file__.replace("test_figures", "small/__init__"))
    assert words.format_field(value, spec) == said


def test_tiny_keeps_its_exponent() -> None:
    assert (tiny(0.0), tiny(0.25), tiny(-2e-12)) == ("0", "0.25", "−2.0e−12")


def test_every_sentence_of_a_text_file_is_used() -> None:
    """A name nobody says is a leftover; a name that is missing raises in the contract."""
    for key in ROOMS:
        room = ROOMS[key]
        if not hasattr(room, "kinds"):
            continue
        folder = Path(inspect.getfile(room)).parent
        source = "".join(path.read_text() for path in folder.rglob("*.py"))
        for name in room.words._said:
            last = name.rsplit(".", 1)[-1]
            if last in ("title", "lead", "caption", "prompt", "options"):
                continue
            assert re.search(rf"[\"'.]{last}\b", source), f"{key}: {name}"
