"""The controls of the room `count`: one draw a change, the preset's size as the way back, and the address."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.kit import url
from app.rooms.count import ROOM
from app.rooms.count.compute import FIRST_V, LAST_V, View

CONFIG = {
    "model_type": "gpt2",
    "vocab_size": 1000,
    "n_embd": 100,
    "n_layer": 2,
    "n_head": 4,
    "n_positions": 64,
}


def pasted(**fields: Any) -> str:
    """A model of 349,200 parameters; the other file of tests derives the number."""
    return json.dumps({**CONFIG, **fields})


def fields(room: Any) -> dict[str, Any]:
    made = room._fields
    return {**{name: widget.value for name, widget in made.sizes.items()}, "slider": made.slider.value}


def counting(room: Any) -> list[View]:
    drawn: list[View] = []
    draw = room.draw
    room.draw = lambda view: (drawn.append(view), draw(view))
    return drawn


def test_a_preset_sets_every_control_in_one_draw() -> None:
    room = ROOM()
    room.state.V = 60_000
    drawn = counting(room)
    room._fields.model.value = "llama-3.2-1b"
    assert len(drawn) == 1
    assert drawn[0].parameters == 1_235_814_400
    expected = {"V": 128_256, "d": 2048, "layers": 16, "max_positions": None, "slider": 128_256}
    assert fields(room) == expected
    assert room._fields.sizes["max_positions"].disabled
    assert room._address.value == "preset=llama-3.2-1b"


def test_a_control_changes_the_model_and_its_own_size_takes_it_back() -> None:
    room = ROOM()
    drawn = counting(room)
    room._fields.sizes["layers"].value = 6
    room._fields.slider.value = 60_000
    assert [len(view.changes) for view in drawn] == [1, 2]
    assert room._fields.sizes["V"].value == 60_000
    assert room._address.value == "V=60000&layers=6"
    room._fields.sizes["V"].value = 50_257
    room._fields.sizes["layers"].value = None
    assert drawn[-1].changes == ()
    assert room._address.value == ""
    room._fields.sizes["layers"].value = None
    assert room._fields.sizes["layers"].value == 12


def test_the_slider_shows_a_vocabulary_outside_its_usual_bounds() -> None:
    room = ROOM()
    room._fields.config.value = pasted()
    slider = room._fields.slider
    assert (slider.start, slider.value, slider.end) == (1000, 1000, LAST_V)
    room._fields.model.value = "gpt2"
    assert (slider.start, slider.value, slider.end) == (FIRST_V, 50_257, LAST_V)


def test_a_pasted_config_stays_on_offer() -> None:
    room = ROOM()
    made = room._fields
    made.config.value = pasted()
    assert (made.model.value, room.view.parameters) == ("own", 349_200)
    made.model.value = "bge-small"
    assert (room.view.parameters, made.config.value) == (33_360_000, pasted())
    made.model.value = "own"
    assert room.view.parameters == 349_200
    made.config.value = ""
    assert (made.model.value, "own" in made.model.options.values()) == ("bge-small", False)


def test_a_refused_config_leaves_a_way_out() -> None:
    room = ROOM()
    room._fields.config.value = "{"
    assert "not valid JSON" in str(room._error.pane.object)
    assert "lab-stale" in room.figures[0].css_classes
    room._fields.model.value = "gpt2"
    assert not room._error.pane.visible
    assert "lab-stale" not in room.figures[0].css_classes


def test_half_a_surrogate_pair_does_not_break_the_address() -> None:
    room = ROOM()
    room._fields.config.value = pasted(note="\ud800").replace("\\ud800", "\ud800")
    assert room.view.parameters == 349_200
    assert "config=" in room._address.value


def test_an_emptied_dimension_shows_what_holds() -> None:
    room = ROOM()
    room._fields.dimension.value = 384
    assert room.view.refusal
    room._fields.dimension.value = None
    assert room._fields.dimension.value == 384


def test_an_address_needs_no_more_than_the_preset() -> None:
    room = ROOM("?preset=bge-small&dimension=384")
    assert room.view.parameters == 33_360_000
    assert fields(room)["V"] == 30_522
    assert not room._notice.pane.visible


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("?preset=bge-small&tied=false", "There is nothing to tie in bge-small: it has no output layer."),
        ("?V=0", "V must be a whole number of at least 1; got 0."),
        ("?V=many", "V=many, but it takes a whole number"),
    ],
)
def test_what_an_address_cannot_ask_is_dropped_and_named(query: str, said: str) -> None:
    room = ROOM(query)
    assert said in str(room._notice.pane.object)
    assert not room._error.pane.visible


def test_a_config_too_long_for_an_address_is_left_out_and_said_to_be() -> None:
    room = ROOM()
    room.state.config = pasted()
    assert "config=" in room._address.value
    room.state.config = pasted(note="x" * 2000)
    assert "config=" not in room._address.value
    assert "config is too long for an address: a copied link leaves it out." in str(room._notice.pane.object)
    assert room.view.parameters == 349_200


def test_an_address_restores_a_pasted_config() -> None:
    room = ROOM()
    room._fields.config.value = json.dumps(CONFIG, indent=1)
    room._fields.sizes["V"].value = 2000
    again = ROOM(room._address.value)
    assert again.view.parameters == room.view.parameters == 449_200
    assert again._fields.config.value == room._fields.config.value
    assert url.write(again.state) == url.write(room.state)
