"""The contract of every room, with a teacher's own data in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.kit import url
from app.rooms import ROOMS
from tests.app import test_rooms as contract
from tests.app.test_rooms import Case

DATA: dict[str, dict[str, Any]] = {
    "build": {
        "vocabulary": ["the", " cat", " <b>sat", "."],
        "E": [[1, 0, 0.5], [0, 1, -0.5], [0.25, 2, 1], [-1, 0, 0]],
        "P": [[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 0], [0, 1, 1]],
        "text": "the cat <b>sat cat.",
        "name": "My <i>table",
    },
    "geometry": {
        "table": {
            "tokens": ["the", " cat", "<b>sat", "on", "mat"],
            "rows": [[1, 0, 2], [0, 1, -1], [0.5, 0.5, 0], [1, 1, 1], [-1, 0.25, 0]],
            "positions": [[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 0], [0, 1, 1], [1, 1, 1]],
            "name": "My <i>table",
        },
    },
    "context": {
        "configuration": {
            "model_type": "llama",
            "hidden_size": 64,
            "num_attention_heads": 4,
            "max_position_embeddings": 512,
            "rope_theta": 10000.0,
            "rope_scaling": {"rope_type": "linear", "factor": 4.0},
            "_name_or_path": "my <b>sat",
        }
    },
    "count": {
        "configuration": {
            "model_type": "llama",
            "vocab_size": 1000,
            "hidden_size": 64,
            "intermediate_size": 128,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "_name_or_path": "my <b>sat",
        }
    },
    "mistakes": {"counts": {"the": 3, "<b>sat": 0, " cat": 1}},
    "train": {"text": "the cat <b>sat on the mat. " * 100},
    "gradient": {
        "counts": {"the": 90, " cat": 30, "<b>sat": 12, "on": 5, "mat": 1, "rug": 0},
        "name": "My <i>table",
    },
    "order": {
        "rows": [[1, 0, 2], [0, 1, -1], [0.5, 0.5, 0]],
        "tokens": ["the", " cat", "<b>sat"],
        "Wq": [[1, 0.5], [0, 1], [1, 0]],
        "Wk": [[0, 1], [1, 0], [0.5, 0.5]],
        "Wv": [[1, 0, 0, 1], [0, 2, 0, 1], [0, 0, 1, -1]],
        "heads": 2,
        "name": "My <i>table",
    },
    "schemes": {
        "rows": [[1, 0, 2], [0, 1, -1], [0.5, 0.5, 0]],
        "tokens": ["the", " cat", "<b>sat"],
        "Wq": [[1, 0.5, 0, 1], [0, 1, 1, 0], [1, 0, 1, 1]],
        "Wk": [[0, 1, 1, 1], [1, 0, 0, 1], [0.5, 0.5, -1, 0]],
        "heads": 2,
        "slopes": [0.5, 0.125],
        "frequencies": [0.3],
    },
    "rope": {
        "q": [1, 0.5, -1, 2, 0.25, 1],
        "k": [0.5, 1, 1, -1, 0, 2],
        "frequencies": [1, 0.3, 0.01],
        "head": {
            "tokens": ["the", " cat", "<b>sat"],
            "q": [[1, 2, 0, 1], [0, 1, 1, -1], [2, 0, -1, 1]],
            "k": [[0, 1, 0.5, 1], [1, 1, -1, 0], [0.5, 0, 0, 2]],
            "frequencies": [1, 0.05],
            "pairing": "half",
        },
    },
}
"""Data of each room that takes any, a token of which would be HTML."""
FIGURES = [(key, kind.key) for key in DATA for kind in ROOMS[key].kinds]


def opened(key: str, figure: str = "", **more: Any) -> Any:
    """A room with its data, or one figure of it."""
    spec = {"room": key, "data": DATA[key], **({"figure": figure} if figure else {}), **more}
    return ROOMS[key]("", spec=json.dumps(spec))


@pytest.fixture(params=FIGURES, ids="-".join, scope="module")
def case(request: pytest.FixtureRequest) -> Case:
    """A figure that stands alone, of a teacher's data."""
    key, name = request.param
    room = opened(key, name)
    assert not room._error.pane.visible
    # five rows are too few for these: they say so and show what they begin with
    assert bool(room._notices) == (request.param in [("geometry", "pairs"), ("geometry", "rarity")])
    shown = room._places[name].shown
    return Case(room._places[name].figure, room._on_screen.values, shown.view)


def test_a_figure_keeps_the_contract(case: Case, tmp_path: Path) -> None:
    contract.test_a_view_is_frozen(case)
    contract.test_the_caption_is_a_sentence_with_numbers(case)
    contract.test_the_numbers_are_tables_whose_rows_fit_their_columns(case)
    contract.test_the_formula_is_mathml(case)
    contract.test_the_code_runs_anywhere_and_gives_what_the_figure_shows(case, tmp_path)


@pytest.mark.parametrize("key", DATA)
def test_nothing_of_it_is_in_the_address_and_no_text_is_html(key: str) -> None:
    room = opened(key)
    assert room._address.value == ""
    assert url.given(room.State)
    assert set(DATA[key]) <= set(room.given)
    for place in room._places.values():
        if place.shown:
            for part in (*place.shown.html, place.shown.caption, *place.shown.behind.values()):
                for sign in ("<b>sat", "<i>table"):
                    assert sign not in part


@pytest.mark.parametrize("key", DATA)
def test_questions_about_other_data_are_not_asked(key: str) -> None:
    room = ROOMS[key]
    assert set(room.always) <= {one.key for one in room.asked}
    assert (opened(key)._asking is not None) == bool(room.always)


@pytest.mark.parametrize("key", DATA)
def test_what_is_no_data_is_said_and_the_room_stands(key: str) -> None:
    names = ROOMS[key].given
    first = ROOMS[key].keys()[0]
    spec = {"room": key, "figure": first, "data": {name: [[True]] for name in names}}
    room = ROOMS[key]("", spec=json.dumps(spec))
    assert len(room._notices) == len(names)
    for name, notice in zip(names, room._notices, strict=True):
        assert f"data.{name}: [[true]], but" in notice
    assert room._address.value == ""
    assert all(getattr(room.state, name) is None for name in url.given(room.State))
    assert not room._error.pane.visible


@pytest.mark.parametrize("key", DATA)
def test_every_part_can_be_published_as_a_schema(key: str) -> None:
    for name, reader in ROOMS[key].given.items():
        assert json.loads(json.dumps(reader.schema)) == reader.schema, name
        assert {"type", "anyOf", "enum"} & set(reader.schema), name
