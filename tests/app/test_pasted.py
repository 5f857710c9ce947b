"""A model that is pasted: on offer while its text is in the field, and left by choosing another one."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest

from app.kit.pasted import PASTED, ModelRoom
from app.rooms import NAMES, ROOMS


class Case(NamedTuple):
    """A room, a text that it takes, a setting that the model brings, and a published model."""

    key: str
    text: str
    name: str
    value: Any
    other: str


GPT2 = {"model_type": "gpt2", "vocab_size": 9, "n_embd": 4, "n_layer": 2, "n_head": 1, "n_positions": 8}
CASES = (
    Case("context", json.dumps({"rope_type": "linear", "factor": 2.0}), "factor", 8.0, "llama-3.1-8b"),
    Case("count", json.dumps(GPT2), "V", 60_000, "llama-3-8b"),
)


@pytest.fixture(params=CASES, ids=lambda case: case.key)
def case(request: pytest.FixtureRequest) -> Case:
    found: Case = request.param
    return found


def test_every_such_room_is_tested() -> None:
    assert {key for key in NAMES if issubclass(ROOMS[key], ModelRoom)} == {case.key for case in CASES}


def widgets(room: Any) -> tuple[Any, Any]:
    """The list of models, and the field for a text."""
    return room._fields[room.chooses].widget, room._fields["config"].widget


def test_a_pasted_model_stays_on_offer(case: Case) -> None:
    room = ROOMS[case.key]()
    models, field = widgets(room)
    assert PASTED not in models.options.values()
    field.value = case.text
    assert (models.value, room.state.config) == (PASTED, case.text)
    models.value = case.other
    assert (room.state.config, getattr(room.state, room.chooses)) == ("", case.other)
    assert field.value == case.text
    models.value = PASTED
    assert room.state.config == case.text
    field.value = " \n"
    assert (models.value, room.state.config, PASTED in models.options.values()) == (case.other, "", False)


def test_another_model_brings_its_own_sizes(case: Case) -> None:
    room = ROOMS[case.key]()
    models, field = widgets(room)
    for choose in (lambda: setattr(models, "value", case.other), lambda: setattr(field, "value", case.text)):
        setattr(room.state, case.name, case.value)
        choose()
        assert getattr(room.state, case.name) is None


def test_any_published_model_is_the_way_out_of_a_text_that_is_refused(case: Case) -> None:
    room = ROOMS[case.key]()
    models, field = widgets(room)
    before, chosen = room.view, models.value
    field.value = "{"
    assert room.view is before
    assert room._error.pane.visible
    assert models.value == PASTED
    models.value = chosen
    assert (room.state.config, field.value) == ("", "{")
    assert not room._error.pane.visible


def test_half_a_surrogate_pair_does_not_break_the_address(case: Case) -> None:
    room = ROOMS[case.key]()
    _, field = widgets(room)
    field.value = case.text.replace("{", '{"note": "\ud800", ', 1)
    assert not room._error.pane.visible
    assert "config=" in room._address.value
