"""A figure's specification: what it sets, what it refuses and how that is said, and what a page may ask."""

from __future__ import annotations

import json
from typing import Any

import panel as pn
import pytest

from app.kit import spec as specs
from app.kit.hidden import OPENS, UNSEEN
from app.kit.remote import Remote
from app.rooms import ROOMS


def made(room: str = "rope", **spec: Any) -> Any:
    return ROOMS[room]("", "page", json.dumps({"room": room, **spec}))


def shown(room: Any) -> str:
    """All HTML of a room, and the words of its widgets."""
    return " ".join(str(pane.object) for pane in room.layout.select(lambda part: hasattr(part, "object")))


def visible_controls(room: Any) -> list[str]:
    return [
        name for name, field in room._fields.items() if field.pane.visible and is_laid_out(room, field.pane)
    ]


def is_laid_out(room: Any, pane: Any) -> bool:
    return bool(room.layout.select(lambda part: part is pane))


class Page:
    """The page around a room: asks, and hears what it is told."""

    def __init__(self, room: Any) -> None:
        self.remote: Remote = room.remote
        self.last = 0

    def ask(self, act: str, content: Any = None) -> dict[str, Any]:
        self.last += 1
        self.remote._asks.value = json.dumps([{"id": self.last, "act": act, "content": content}])
        return self.told("done")[-1]

    def told(self, kind: str) -> list[dict[str, Any]]:
        return [one for one in json.loads(self.remote._tells.value or "[]") if one["kind"] == kind]


# --- what is read


def test_a_state_is_set_and_an_address_has_the_last_word() -> None:
    spec = json.dumps({"room": "rope", "state": {"m": 4, "q": "2, 1", "seed": 3}})
    room = ROOMS["rope"]("m=6", "page", spec)
    assert (room.state.m, room.state.q, room.state.seed) == (6, "2, 1", 3)
    assert room._notices == []


@pytest.mark.parametrize(
    ("part", "named", "way_out"),
    [
        ({"state": {"theta": 99}}, "state.theta: 99", "0 to 3.2"),
        ({"state": {"them": 1}}, "state.them", "theta"),
        ({"state": {"m": {"a": 1}}}, "state.m", "a number"),
        ({"state": [1]}, "state", "object"),
        ({"figure": "scores"}, "figure: scores", "score"),
        ({"hide": ["everything"]}, "hide", "controls"),
        ({"hide": "code"}, "hide: code", "list"),
        ({"lock": ["them"]}, "lock", "theta"),
        ({"controls": 3}, "controls: 3", "list"),
        ({"open": ["source"]}, "open", "formula, numbers, code"),
        ({"theme": "blue"}, "theme: blue", "light"),
        ({"title": 3}, "title: 3", "text"),
        ({"caption": "x" * 3000}, "caption", "2,000"),
        ({"data": {"E": [[1]]}}, "data.E", "room"),
        ({"question": "blind"}, "question: blind", "identity"),
        ({"question": {"prompt": "?", "options": ["a", "b"]}}, "question", "right"),
        ({"question": {"prompt": "?", "options": ["a"], "right": "a"}}, "question", "2 to 8"),
        ({"question": {"prompt": "?", "options": ["a", "b"], "right": "c"}}, "question", "its options"),
        ({"colour": "red"}, "colour: red", "question"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_and_disturbs_nothing_else(part: Any, named: str, way_out: str) -> None:
    room = made(**{"state": {"m": 5}, **part})
    (notice,) = room._notices
    assert named in notice
    assert way_out in notice
    assert room.state.m == (room.State.param.m.default if "state" in part else 5)
    assert room.view is not None


@pytest.mark.parametrize("text", ["{", "[]", "3", '"x"', "[" * 100_000])
def test_what_is_no_object_is_said(text: str) -> None:
    room = ROOMS["rope"]("m=5", "page", text)
    (notice,) = room._notices
    assert "specification" in notice
    assert room.state.m == 5


def test_a_specification_has_no_limit_of_an_address() -> None:
    words = " ".join(["the cat"] * 1_000)
    assert made("build", state={"example": "own", "text": words}).state.text == words
    with pytest.raises(ValueError, match="at most 2,000,000"):
        specs.load(" " * 2_000_001)


# --- what it makes of a room


def test_only_the_controls_that_are_named_stand_there_and_in_this_order() -> None:
    room = made(figure="score", controls=["n", "m"])
    assert visible_controls(room) == ["n", "m"]
    assert "controls" in made(figure="score", controls=[])._hidden


def test_a_lock_refuses_hands_and_messages_but_not_the_page() -> None:
    room = made(figure="score", lock=["m"], state={"m": 4})
    assert all(
        widget.disabled for widget in room._fields["m"].pane.select(lambda part: hasattr(part, "disabled"))
    )
    room.state.m = 9
    assert room.state.m == 4
    assert "locked" in room._notices[0]
    page = Page(room)
    assert page.ask("set", {"m": 7})["value"]["m"] == 7
    page.ask("lock", [])
    room.state.m = 9
    assert room.state.m == 9
    page.ask("lock", True)
    room.state.n = 12
    assert room.state.n == room.State.param.n.default


def test_a_teachers_words_stand_there_as_text() -> None:
    room = made(figure="score", title="My <b>score</b>", caption="Look <i>here</i>.")
    html = shown(room)
    assert "My &lt;b&gt;score&lt;/b&gt;" in html
    assert "Look &lt;i&gt;here&lt;/i&gt;." in html
    assert "<i>here" not in html


def test_title_caption_and_menu_can_be_hidden() -> None:
    room = made(figure="score", hide=["title", "caption", "menu"])
    caption = room.view["score"], room._places["score"].figure.caption(room.view["score"])
    html = shown(room)
    assert "<h1>" not in html
    assert "<h2>" not in html
    assert str(caption[1])[:30] not in html
    assert "lab-menu" not in html


def test_embedded_a_title_is_no_heading() -> None:
    html = shown(ROOMS["rope"]("embed=1&figure=score", "page"))
    assert "<h1" not in html
    assert "<h2" not in html
    assert "lab-h2" in html or "lab-h1" in html


def test_what_is_named_is_open_from_the_start() -> None:
    room = made(figure="score", open=["numbers", "code"])
    assert "Copy as CSV" in shown(room)
    assert made(figure="score", open=[])._places["score"].drawer._chosen.value == []


# --- a question


def answer(room: Any, option: int) -> tuple[str, dict[str, Any]]:
    """Choose an option and check it: the verdict, and what the page is told."""
    (radios,) = room._asking.select(lambda part: "lab-options" in (getattr(part, "css_classes", None) or []))
    (check,) = room._asking.select(lambda part: "lab-check" in (getattr(part, "css_classes", None) or []))
    radios.value = radios.options[option]
    check.clicks += 1
    return shown(room), Page(room).told("answer")[-1]


OPTIONS = [
    {"text": "It falls", "when": "score[-1] < score[0]", "why": "The curve ends below its start."},
    {"text": "It rises", "why": "Look at the end."},
]


def test_the_figures_values_decide_which_option_is_right() -> None:
    room = made(figure="score", question={"prompt": "Where does it go?", "options": OPTIONS})
    score = Page(room).ask("values", "score")["value"]
    html, told = answer(room, 1)
    assert told["right"] == (0 if score[-1] < score[0] else 1)
    assert told["chosen"] == 1
    assert told["state"] == {}
    assert ("Right." in html) == (told["right"] == 1)
    assert "Look at the end." in html


def test_an_expression_that_cannot_be_read_is_said_to_the_reader() -> None:
    room = made(question={"prompt": "?", "options": [{"text": "a", "when": "them > 1"}, "b"]}, figure="score")
    with pytest.raises(ValueError, match="there is no value called 'them'"):
        answer(room, 0)


def test_a_rooms_own_question_is_put_by_its_key() -> None:
    room = made(question="identity", figure="hands")
    _, told = answer(room, 0)
    assert told["question"] == "identity"


# --- what a page asks


def test_six_changes_are_one_state_and_each_is_told() -> None:
    room = made(figure="score")
    page = Page(room)
    for m in range(4, 10):
        assert page.ask("set", {"m": m})["value"] == {"m": m}
    assert [one["by"] for one in page.told("change")] == ["page"] * 6
    room.state.n = 3
    assert page.told("change")[-1] == {**page.told("change")[-1], "by": "reader", "state": {"m": 9, "n": 3}}


def test_a_bad_value_is_named_and_the_good_ones_are_set() -> None:
    page = Page(made(figure="score"))
    done = page.ask("set", {"m": 5, "theta": 99, "them": 1})
    assert "theta: it takes a number from 0 to 3.2" in done["problem"]
    assert "them" in done["problem"]
    assert page.ask("state")["value"] == {"m": 5}


def test_reset_leads_back_to_the_specification() -> None:
    page = Page(made(figure="score", state={"m": 4}))
    page.ask("set", {"m": 5, "n": 2})
    assert page.ask("reset")["value"] == {"m": 4}


def test_values_are_those_of_the_view() -> None:
    room = made(figure="score")
    page = Page(room)
    assert page.ask("values", "score")["value"] == room.view["score"].curve.total.tolist()
    assert "there is no value called x" in page.ask("values", "x")["problem"]
    assert page.ask("values")["value"]["m"] == room.state.m


@pytest.mark.parametrize(
    "text", ["", "{", "3", '["x"]', '[{"id": 1, "act": "x"}]', '[{"act": "set", "content": 3}]']
)
def test_whatever_a_page_says_the_room_goes_on(text: str) -> None:
    room = made(figure="score")
    room.remote._asks.value = text
    assert Page(room).ask("state")["value"] == {}


def test_what_can_be_chosen_is_what_the_figure_has() -> None:
    offered = Page(ROOMS["rope"]("", "page")).ask("offer", "score")["value"]
    names = [one["name"] for one in offered["controls"]]
    assert names[:3] == ["move", "m", "n"]
    assert {"theta", "reach"} <= set(names)
    # what only a whole room has, and what does nothing now
    assert not {"view", "base", "head"} & set(names)
    asked = [one.key for one in ROOMS["rope"].asked if one.figure in ("", "score")]
    assert [one["key"] for one in offered["questions"]] == asked
    assert len(asked) < len(ROOMS["rope"].asked)


def test_many_answers_in_one_breath_are_all_told() -> None:
    page = Page(made(figure="score"))
    for first in (1, 9):
        asked = [{"id": at, "act": "set", "content": {"n": at}} for at in range(first, first + 8)]
        page.remote._asks.value = json.dumps(asked)
        # what was heard before is not told again
        assert [one["id"] for one in page.told("done")] == list(range(first, first + 8))


def test_what_a_question_shows_is_shown_whatever_is_locked() -> None:
    room = made("build", question="blind", lock=True)
    answer(room, 0)
    (show,) = room._asking.select(lambda part: "lab-show" in (getattr(part, "css_classes", None) or []))
    show.clicks += 1
    assert (room.state.scheme, room.state.step) == ("none", 6)
    assert room._notices == []
    room.state.scheme = "learned"
    assert room.state.scheme == "none"


@pytest.mark.parametrize("asked", ["", "&hide=controls", "&hide=controls,formula,numbers,code,questions"])
@pytest.mark.parametrize("key", ROOMS)
def test_every_figure_stands_in_somebody_elses_page(key: str, asked: str) -> None:
    for figure in (kind.key for kind in ROOMS[key].kinds):
        room = ROOMS[key](f"embed=1&figure={figure}{asked}", "page")
        assert room.view is not None, figure
        assert "<p" not in room._error.pane.object, figure
        assert room._notices == [], figure
        controls = room.layout.select(lambda part: isinstance(part, pn.widgets.Widget))
        told = {OPENS, UNSEEN}
        shown = [one for one in controls if one.visible and told.isdisjoint(one.tags or [])]
        assert not asked or not [one for one in shown if "lab-ask" not in one.css_classes], figure
