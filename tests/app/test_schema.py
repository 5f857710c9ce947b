"""The published schema says of a specification what the lab says."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from app.kit import url
from app.kit.asking import question_of
from app.kit.remote import plain
from app.kit.spec import Asked
from app.rooms import ROOMS
from app.schema import schema
from app.still import draw_spec
from tests.sweep.states import states

ROOT = Path(__file__).parents[2]
FIGURES = sorted((ROOT / "examples" / "chapter" / "figures").glob("*.json"))
SCHEMA = schema()
VALIDATOR = Draft202012Validator(SCHEMA)


def problems(spec: dict[str, Any]) -> list[str]:
    return [error.message for error in VALIDATOR.iter_errors(json.loads(json.dumps(spec)))]


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("key", ROOMS)
def test_every_state_of_a_room_is_valid_and_read(key: str) -> None:
    room = ROOMS[key]

    @settings(max_examples=20, deadline=None)
    @given(st.data())
    def check(data: st.DataObject) -> None:
        drawn = data.draw(states(room))
        known = url.settings(room.State)
        spec = {
            "room": key,
            "figure": room.keys()[-1],
            "state": {name: plain(value) for name, value in drawn.items()},
            "lock": list(known)[:2],
            "hide": ["code", "title"],
            "question": room.asked[0].key if room.asked else None,
        }
        if not room.asked:
            del spec["question"]
        assert problems(spec) == []

    check()


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"room": "atlantis"},
        {"room": "rope", "figure": "sum"},
        {"room": "rope", "state": {"theta": 99}},
        {"room": "rope", "state": {"them": 1}},
        {"room": "rope", "hide": ["everything"]},
        {"room": "rope", "lock": ["them"]},
        {"room": "rope", "question": "blind"},
        {"room": "rope", "question": {"prompt": "?", "options": ["a"]}},
        {"room": "rope", "colour": "red"},
        {"room": "rope", "data": {"vocabulary": ["a"]}},
    ],
)
def test_what_the_lab_refuses_the_schema_refuses(wrong: dict[str, Any]) -> None:
    assert problems(wrong)
    if wrong.get("room") in ROOMS:
        assert ROOMS[wrong["room"]]("", "page", json.dumps(wrong)).spec.problems


def test_a_whole_lesson_is_valid_and_read_without_a_word() -> None:
    lesson = {
        "$schema": "specification.schema.json",
        "room": "rope",
        "figure": "score",
        "state": {"theta": 0.3, "q": "2, 1"},
        "controls": ["m", "n"],
        "lock": True,
        "open": ["numbers"],
        "question": {
            "prompt": "Does it fall?",
            "options": [{"text": "yes", "when": "score[0] > score[1]", "why": "It does."}, "no"],
            "show": {"m": 3},
        },
        "title": "A title",
        "caption": "A caption",
        "theme": "dark",
    }
    assert problems(lesson) == []
    assert ROOMS["rope"]("", "page", json.dumps(lesson)).spec.problems == ()


def test_the_example_of_the_readme_is_valid_read_and_answered() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (text,) = re.findall(r'<script type="application/json">\n(.*?)</script>', readme, re.DOTALL)
    spec = json.loads(text)
    assert problems(spec) == []
    room = ROOMS[spec["room"]]("", "page", text)
    assert room.spec.problems == ()
    assert room._notices == []
    right, why = question_of(room.spec.question, "", room.figures_values).answer()
    assert (right, why) == (0, "The rows depend on tokens alone.")


@pytest.mark.parametrize("path", FIGURES, ids=lambda path: path.stem)
def test_the_chapters_figures_are_valid_and_drawn(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    spec = json.loads(text)
    assert problems(spec) == []
    assert draw_spec(text).caption
    page = (path.parents[1] / "index.html").read_text(encoding="utf-8")
    assert f'spec="figures/{path.name}"' in page
    room = ROOMS[spec["room"]]("", "page", text)
    assert room._notices == []
    if isinstance(room.spec.question, Asked):
        right, why = question_of(room.spec.question, spec["figure"], room.figures_values).answer()
        assert room.spec.question.options[right].text == spec["question"]["right"]
        assert why
