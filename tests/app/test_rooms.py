"""One contract for every room: what it says beside its figures holds for whatever it draws."""

from __future__ import annotations

import ast
import dataclasses
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.kit import formula, numbers, url
from app.kit.figure_room import FigureRoom
from app.kit.html import Markup
from app.kit.questions import Question
from app.rooms import NAMES, ROOMS
from app.shell import PATH, room_document

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "static" / "data"


def defaults(key: str) -> dict[str, Any]:
    state = ROOMS[key].State
    return {name: item.default for name, item in url.settings(state).items()}


@pytest.fixture(params=NAMES, scope="module")
def key(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def view(key: str) -> Any:
    return ROOMS[key].compute(**defaults(key))


def test_the_key_is_the_module_and_the_place_is_on_the_path(key: str) -> None:
    room = ROOMS[key]
    assert room.key == key
    assert room.place in PATH
    assert room.title.endswith("?")
    assert room.lead


def test_a_view_is_frozen(view: Any) -> None:
    assert dataclasses.is_dataclass(view)
    name = dataclasses.fields(view)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(view, name, None)


def test_every_setting_has_a_default_a_reader_could_have_chosen(key: str) -> None:
    room = ROOMS[key]
    for name, item in url.settings(room.State).items():
        item._validate(item.default)
        assert item.label, name


def test_the_caption_is_a_sentence_with_numbers(key: str, view: Any) -> None:
    said = ROOMS[key].describe(view)
    assert said.endswith((".", "!"))
    assert any(sign.isdigit() for sign in said)
    assert len(said) < 700


def test_the_numbers_are_tables_whose_rows_fit_their_columns(key: str, view: Any) -> None:
    tables = ROOMS[key].numbers(view)
    assert tables
    for table in tables:
        assert table.rows, table.title
        for row in table.rows:
            assert len(row) == len(table.columns), table.title
    assert isinstance(numbers.show(tables), Markup)


def test_the_formula_is_mathml(key: str, view: Any) -> None:
    formulas = ROOMS[key].formula(view)
    shown = formula.show(formulas)
    assert shown.count("<math") == sum(1 + bool(one.filled) for one in formulas)
    assert "<merror" not in shown
    assert any(one.filled for one in formulas)


def test_the_code_runs_alone_and_gives_what_the_figure_shows(key: str, view: Any) -> None:
    source = ROOMS[key].code(**defaults(key))
    imported = {
        name.name.split(".")[0]
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Import)
        for name in node.names
    }
    assert imported <= {"numpy", "math"}
    program = f"{source}\nimport sys\nnp.save(sys.stdout.buffer, np.asarray(result, dtype=float))\n"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    import io

    got = np.load(io.BytesIO(done.stdout))
    np.testing.assert_allclose(
        got, np.asarray(ROOMS[key].code_answer(view), dtype=float), rtol=1e-6, atol=1e-9
    )


def test_every_question_is_answered_by_the_lab_and_shown(key: str) -> None:
    questions = ROOMS[key].questions()
    assert questions
    for question in questions:
        assert isinstance(question, Question)
        right, sentence = question.answer()
        assert 0 <= right < len(question.options), question.prompt
        assert sentence.endswith("."), question.prompt
        assert len(set(question.options)) == len(question.options)
        # "show me" sets a state that can be drawn
        ROOMS[key].compute(**{**defaults(key), **question.show})


def test_a_state_survives_its_own_address(key: str) -> None:
    room = ROOMS[key]
    for question in room.questions():
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


def test_one_change_gives_one_compute_and_one_draw(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    room = ROOMS[key]
    made = room()
    counted = {"compute": 0, "draw": 0}

    def counting(name: str, call: Any) -> Any:
        def count(*given: Any, **named: Any) -> Any:
            counted[name] += 1
            return call(*given, **named)

        return count

    figures = 1
    if isinstance(made, FigureRoom):
        figures = len(made._places)
        for place in made._places.values():
            place.figure.compute = counting("compute", place.figure.compute)  # type: ignore[method-assign]
            place.figure.draw = counting("draw", place.figure.draw)  # type: ignore[method-assign]
    else:
        monkeypatch.setattr(room, "compute", staticmethod(counting("compute", room.compute)))
        made.draw = counting("draw", made.draw)  # type: ignore[method-assign]
    show = next(question.show for question in room.questions() if question.show)
    before = made.view
    made.layout.get_root()  # as on a page: models exist and follow
    made.apply(show)
    assert 1 <= counted["compute"] == counted["draw"] <= figures
    assert made.view is not before


def test_a_notice_about_the_address_goes_with_the_next_change(key: str) -> None:
    room = ROOMS[key]
    made = room("nonsense=1")
    assert "nonsense" in made._notice.pane.object
    assert made._notice.pane.visible
    made.apply(next(question.show for question in room.questions() if question.show))
    assert "nonsense" not in made._notice.pane.object
    assert not any("nonsense" in notice for notice in made._notices)


def test_the_card_has_a_picture(key: str) -> None:
    assert str(ROOMS[key].picture()).startswith("<svg")
