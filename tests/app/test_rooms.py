"""One contract for every room: what it says beside its figures holds for whatever it draws."""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from app.kit import formula, numbers, url
from app.kit.figure import Figure
from app.kit.html import Markup
from app.kit.questions import Question
from app.rooms import NAMES, ROOMS
from app.shell import PATH, room_document
from tests.sweep.contract import imported

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "static" / "data"


def defaults(key: str) -> dict[str, Any]:
    state = ROOMS[key].State
    return {name: item.default for name, item in url.settings(state).items()}


@pytest.fixture(params=NAMES, scope="module")
def key(request: pytest.FixtureRequest) -> str:
    return str(request.param)


FIGURES = [(key, kind.key) for key in NAMES for kind in ROOMS[key].kinds]
"""Every figure of every room."""


class Case(NamedTuple):
    """A figure, the values that it was computed from, and its view."""

    figure: Figure
    values: Mapping[str, Any]
    view: Any


@pytest.fixture(params=FIGURES, ids="-".join, scope="module")
def case(request: pytest.FixtureRequest) -> Case:
    """A figure that stands alone, in the state that it begins with."""
    key, name = request.param
    room = ROOMS[key](f"?figure={name}")
    assert not room._error.pane.visible
    shown = room._places[name].shown
    return Case(room._places[name].figure, room._on_screen.values, shown.view)


def test_the_key_is_the_module_and_the_place_is_on_the_path(key: str) -> None:
    room = ROOMS[key]
    assert room.key == key
    assert room.place in PATH
    assert room.title.endswith("?")
    assert room.lead


def test_every_setting_has_a_default_a_reader_could_have_chosen(key: str) -> None:
    room = ROOMS[key]
    for name, item in url.settings(room.State).items():
        item._validate(item.default)
        assert item.label, name


def test_every_setting_is_read_by_a_figure(key: str) -> None:
    room = ROOMS[key]
    read = {name for kind in room.kinds for name in (*kind.uses, *kind().controlled())}
    assert set(url.settings(room.State)) - {room.tabs} <= read


def test_what_a_figure_uses_is_in_the_state(key: str) -> None:
    room = ROOMS[key]
    known = {*url.settings(room.State), *url.given(room.State)}
    for kind in room.kinds:
        assert set(kind.uses) <= known, kind.key
        assert set(kind().controlled()) <= known, kind.key
    assert set(room.first) <= known


def test_a_view_is_frozen(case: Case) -> None:
    with pytest.raises(AttributeError):
        case.view.anything = None


def test_the_caption_is_a_sentence_with_numbers(case: Case) -> None:
    figure, _, view = case
    said = figure.caption(view)
    assert said.endswith((".", "!"))
    assert any(sign.isdigit() for sign in said)
    assert len(said) < 700


def test_the_numbers_are_tables_whose_rows_fit_their_columns(case: Case) -> None:
    figure, _, view = case
    tables = figure.numbers(view)
    assert tables
    for table in tables:
        assert table.rows, table.title
        for row in table.rows:
            assert len(row) == len(table.columns), table.title
    assert isinstance(numbers.show(tables), Markup)


def test_the_formula_is_mathml(case: Case) -> None:
    figure, _, view = case
    formulas = figure.formula(view)
    shown = formula.show(formulas)
    assert shown.count("<math") == sum(1 + bool(one.filled) for one in formulas)
    assert "<merror" not in shown
    assert any(one.filled for one in formulas)


def test_the_code_runs_anywhere_and_gives_what_the_figure_shows(case: Case, tmp_path: Path) -> None:
    figure, values, view = case
    source = figure.code(figure.snapshot(values))
    assert imported(source) <= {"numpy", "math", "lab"}
    space: dict[str, Any] = {}
    with contextlib.chdir(tmp_path), contextlib.redirect_stdout(io.StringIO()):
        exec(compile(source, "<snippet>", "exec"), space)
    for value in space.values():
        # a snippet ends with its process, which closes what it has opened
        if isinstance(value, np.lib.npyio.NpzFile):
            value.close()
    wanted = np.asarray(figure.code_answer(view), dtype=float)
    np.testing.assert_allclose(np.asarray(space["result"], dtype=float), wanted, rtol=1e-6, atol=1e-9)


def test_the_code_runs_in_a_python_of_its_own(key: str, tmp_path: Path) -> None:
    figure = ROOMS[key].figure(ROOMS[key].keys()[0])
    source = figure.code(figure.snapshot(defaults(key)))
    done = subprocess.run(
        [sys.executable, "-c", source], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_every_question_is_answered_by_the_lab_and_shown(key: str) -> None:
    questions = ROOMS[key].asked
    assert questions
    for question in questions:
        assert isinstance(question, Question)
        right, sentence = question.answer()
        assert 0 <= right < len(question.options), question.prompt
        assert sentence.endswith("."), question.prompt
        assert len(set(question.options)) == len(question.options)
        # "show me" sets a state that can be drawn
        assert ROOMS[key].viewed({**defaults(key), **question.show})
        assert question.figure in ("", *ROOMS[key].keys())


def test_a_state_survives_its_own_address(key: str) -> None:
    room = ROOMS[key]
    for question in room.asked:
        state = room.State()
        state.param.update(**question.show)
        query, left_out = url.write(state)
        parsed = url.parse(query, room.State)
        assert not left_out
        assert parsed.notices == ()
        restored = room.State(**parsed.values)
        assert url.write(restored)[0] == query
        for name in url.settings(room.State):
            assert getattr(restored, name) == getattr(state, name), name


def test_the_document_has_one_root_whatever_the_address_says(key: str) -> None:
    bad = "?nonsense=1&nonsense=2&hide=controls,code&embed=maybe&" + "x" * 10_000
    for query in ("", bad):
        assert len(room_document(key, query).roots) == 1


def test_one_change_gives_one_compute_and_one_draw(key: str) -> None:
    room = ROOMS[key]
    made = room()
    counted = {"compute": 0, "draw": 0}

    def counting(name: str, call: Any) -> Any:
        def count(*given: Any, **named: Any) -> Any:
            counted[name] += 1
            return call(*given, **named)

        return count

    for place in made._places.values():
        place.figure.compute = counting("compute", place.figure.compute)  # type: ignore[method-assign]
        place.figure.draw = counting("draw", place.figure.draw)  # type: ignore[method-assign]
    show = next(question.show for question in room.asked if question.show)
    before = made.view
    made.layout.get_root()  # as on a page: models exist and follow
    made.apply(show)
    assert 1 <= counted["compute"] == counted["draw"] <= len(made._places)
    assert made.view is not before


def test_a_notice_about_the_address_goes_with_the_next_change(key: str) -> None:
    room = ROOMS[key]
    made = room("nonsense=1")
    assert "nonsense" in made._notice.pane.object
    assert made._notice.pane.visible
    made.apply(next(question.show for question in room.asked if question.show))
    assert "nonsense" not in made._notice.pane.object
    assert not any("nonsense" in notice for notice in made._notices)


def test_the_card_has_a_picture(key: str) -> None:
    assert str(ROOMS[key].picture()).startswith("<svg")
