"""A teacher's own table in the rooms `build` and `geometry`, against NumPy."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.kit.given import beginning
from app.rooms import ROOMS

NUMBERS = st.integers(-80, 80).map(lambda n: n / 8)
TOKENS = st.lists(
    st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1, max_size=4),
    min_size=1,
    max_size=7,
    unique=True,
)


def room(key: str, data: dict[str, Any], query: str = "", **more: Any) -> Any:
    return ROOMS[key](query, spec=json.dumps({"room": key, "data": data, **more}))


def drawn(key: str, figure: str, data: dict[str, Any], **changed: Any) -> tuple[Any, Any]:
    """A figure without a page, and what it shows of the data."""
    kind = ROOMS[key]
    taken, said = kind.take({name: kind.given[name](value) for name, value in data.items()})
    assert said == ()
    state = beginning(kind.State, kind.begins(taken))(**taken, **changed)
    made = kind.figure(figure)
    return made, made.viewed({name: getattr(state, name) for name in state.param})


def run(figure: Any, view: Any) -> Any:
    space: dict[str, Any] = {}
    exec(figure.code(view.s), space)
    return space["result"]


@st.composite
def tables(draw: st.DrawFn) -> dict[str, Any]:
    tokens = draw(TOKENS)
    rows = st.lists(NUMBERS, min_size=(D := draw(st.integers(1, 5))), max_size=D)
    E = draw(st.lists(rows, min_size=len(tokens), max_size=len(tokens)))
    return {"vocabulary": tokens, "E": E, "P": draw(st.lists(rows, min_size=7, max_size=9))}


@settings(max_examples=40, deadline=None)
@given(tables(), st.data())
def test_x_is_her_rows_plus_her_positions(data: dict[str, Any], more: st.DataObject) -> None:
    V = len(data["vocabulary"])
    ids = more.draw(st.lists(st.integers(0, V - 1), min_size=1, max_size=7))
    data["text"] = " ".join(data["vocabulary"][one] for one in ids)
    figure, view = drawn("build", "sum", data)
    # a token may be the beginning of another: what the longest match reads is what counts
    seen = view.ids.tolist()
    assert [view.table.vocabulary.tokens[one] for one in seen] == [one.token for one in view.pieces]
    want = np.array(data["E"])[seen] + np.array(data["P"])[: len(seen)]
    np.testing.assert_array_equal(view.X, want)
    np.testing.assert_array_equal(run(figure, view), want)
    figure, view = drawn("build", "lookup", data, scale=True)
    np.testing.assert_allclose(view.rows, np.array(data["E"])[seen] * len(data["E"][0]) ** 0.5)
    figure, view = drawn("build", "text", data)
    np.testing.assert_array_equal(run(figure, view), seen)


SMALL = {"vocabulary": ["a", "b", "c"], "E": [[1, 2], [3, 4], [5, 6]]}


def test_without_a_text_it_begins_with_its_first_tokens() -> None:
    assert drawn("build", "ids", SMALL)[1].ids.tolist() == [0, 1, 2]
    spaced = {"vocabulary": ["the", " cat", " sat"], "E": [[1], [2], [3]]}
    assert drawn("build", "ids", spaced)[1].text == "the cat sat"
    assert drawn("build", "ids", {**spaced, "text": " cat the sat"})[1].ids.tolist() == [1, 0, 2]


def test_her_table_is_chosen_and_the_others_are_there() -> None:
    made = room("build", {**SMALL, "name": "Letters"})
    assert made._fields["example"].pane.options["Letters"] == "given"
    assert made._fields["example"].pane.value == "given"
    assert list(made._fields["example"].pane.options)[1] == "Twelve course tokens"
    made.state.example = "running"
    assert made._address.value == "example=running"
    assert made.view["sum"].D == 4
    made.apply({})
    assert made._address.value == ""
    assert made.view["sum"].D == 2
    assert ROOMS["build"]("example=given")._notices[0].startswith("The address says example=given, but")


def test_a_swap_stays_within_her_text() -> None:
    made = room("build", {**SMALL, "P": [[0, 0], [1, 1], [2, 0]]}, "swap=1,3&step=6")
    view = made.view["swap"]
    np.testing.assert_array_equal(view.after, [[5, 6], [4, 5], [3, 2]])
    assert [*made._fields["swap"].lists[0].options] == ["–", "1", "2", "3"]
    made = room("build", SMALL, "swap=1,4&step=6")
    assert made._notices == ["There is no position 4 to swap: the text has positions 1 to 3."]


def test_learned_positions_end_where_hers_do() -> None:
    made = room("build", {**SMALL, "P": [[0, 0], [1, 1]], "text": "a b"})
    made.state.text = "a b c"
    assert "the learned table has rows for 2 positions" in made._error.pane.object
    assert made.view["sum"].T == 2


@pytest.mark.parametrize(
    ("changed", "said", "kept"),
    [
        ({"E": [[1], [2]]}, "vocabulary holds 3 tokens, and E 2 rows", False),
        ({"E": None}, "vocabulary and E go together", False),
        ({"P": [[1, 2, 3]]}, "Your P is left out: its rows hold 3 numbers, and those of E 2", True),
        ({"text": "a d"}, "Your text is left out: the word ‘d’ is outside this table", True),
        ({"text": "  "}, "Your text is left out: the text holds no token", True),
        ({"P": "x"}, "data.P: x, but it takes a list of rows", True),
    ],
)
def test_parts_that_do_not_fit_are_left_out(changed: dict[str, Any], said: str, kept: bool) -> None:
    data = {name: part for name, part in {**SMALL, **changed}.items() if part is not None}
    made = room("build", data)
    assert said in " ".join(made._notices)
    assert not made._error.pane.visible
    assert (made.view["sum"].D == 2) is kept


def test_a_large_table_writes_the_rows_that_are_picked() -> None:
    rows = np.arange(200.0).reshape(100, 2)
    data = {"vocabulary": [f"t{at:02}" for at in range(100)], "E": rows.tolist(), "text": "t07 t99 t07"}
    figure, view = drawn("build", "lookup", data)
    assert len(figure.code(view.s)) < 600
    np.testing.assert_array_equal(run(figure, view), rows[[7, 99, 7]])
    figure, view = drawn("build", "onehot", data)
    np.testing.assert_array_equal(run(figure, view), rows[[7, 99, 7]])


# geometry


@st.composite
def named_rows(draw: st.DrawFn) -> dict[str, Any]:
    tokens = draw(TOKENS.filter(lambda listed: len(listed) > 3))
    D = draw(st.integers(2, 5))
    rows = st.lists(NUMBERS, min_size=D, max_size=D).filter(any)
    E = draw(st.lists(rows, min_size=len(tokens), max_size=len(tokens)))
    P = draw(st.lists(rows, min_size=2, max_size=4))
    return {"table": {"tokens": tokens, "rows": E, "positions": P}}


@settings(max_examples=40, deadline=None)
@given(named_rows())
def test_angles_and_neighbours_are_those_of_her_rows(data: dict[str, Any]) -> None:
    E, tokens = np.array(data["table"]["rows"]), data["table"]["tokens"]
    unit = E / np.linalg.norm(E, axis=1, keepdims=True)
    cosines = unit @ unit.T
    figure, view = drawn("geometry", "angle", data)
    a, b, c = (pick.id for pick in view.picks)
    assert len({tokens[one] for one in (a, b, c)}) > 1
    assert [one.cosine for one in view.found] == pytest.approx([cosines[a, b], cosines[a, c]], abs=1e-6)
    np.testing.assert_allclose(np.asarray(run(figure, view)), np.asarray(figure.code_answer(view)), atol=1e-6)
    figure, view = drawn("geometry", "near", data)
    at = view.asked.id
    want = np.delete(cosines[at], at)
    np.testing.assert_allclose(view.found.cosines, np.sort(want)[::-1][: len(view.found.ids)], atol=1e-6)
    np.testing.assert_allclose(np.asarray(run(figure, view)), np.asarray(figure.code_answer(view)), atol=1e-6)


ROWS = {"tokens": ["a", "<b>b", "c", "d"], "rows": [[1, 0], [1, 1], [0, 1], [-1, 0]], "name": "Letters"}


def test_her_rows_are_chosen_and_the_others_are_there() -> None:
    made = room("geometry", {"table": ROWS})
    assert made._fields["table"].widget.value == "given"
    assert [*made._fields["table"].widget.options][:2] == ["Letters", "cat, dog, car"]
    assert "Given by this page: 4 rows of 2 numbers." in made._fields["table"].note.pane.object
    assert made._walk is None
    assert made._address.value == ""
    assert made.view["angle"].found[0].cosine == pytest.approx(0.5**0.5)
    made._fields["table"].widget.value = "finance"
    assert made._address.value == "table=finance"
    made._fields["table"].widget.value = "given"
    assert made._address.value == ""
    made.state.a = "<i>x"
    assert "‘&lt;i&gt;x’ is not one of the 4 rows" in made._error.pane.object
    assert "given" not in ROOMS["geometry"]("")._fields["table"].widget.options.values()


def test_a_figure_that_needs_more_rows_says_so_and_begins_as_usual() -> None:
    made = room("geometry", {"table": ROWS}, figure="sums")
    assert made.state.table == "minilm"
    assert len(made._notices) == 1
    made = room("geometry", {"table": {**ROWS, "positions": [[0, 1], [1, 0]]}}, figure="sums")
    assert made.state.table == "given"
    assert made._notices == []


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"rows": [[1], [2]]}, "Your table is left out: there are 4 tokens, and 2 rows."),
        ({"rows": [[1, 2]]}, "rows: it takes 2 to 2,000 rows, and it has 1"),
        ({"rows": [[0] * 1000] * 60, "tokens": [f"{at}" for at in range(60)]}, "it holds 60,000 numbers"),
        ({"positions": [[1]]}, "Your positions are left out: their rows hold 1 number, and those of"),
        ({"names": []}, "it takes an object with tokens and rows, and perhaps positions and name"),
        ({"tokens": ["a", "a"]}, "tokens: token 2, ‘a’, is token 1 already"),
    ],
)
def test_a_table_that_is_none_is_left_out(changed: dict[str, Any], said: str) -> None:
    made = room("geometry", {"table": {**ROWS, **changed}})
    assert said in " ".join(made._notices)
    assert not made._error.pane.visible
