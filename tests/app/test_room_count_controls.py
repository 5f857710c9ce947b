"""The controls of the room `count`: one draw a change, the preset's size as the way back, and the address."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.kit import url
from app.kit.pasted import PASTED
from app.rooms.count import ROOM
from app.rooms.count.model import FIRST_V, LAST_V

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


def widget(room: Any, name: str) -> Any:
    """What a reader sets a setting by."""
    return room._fields[name].widget


def slider(room: Any) -> Any:
    """The slider below the field for V."""
    return room._fields["V"].slider


def shown(room: Any) -> dict[str, Any]:
    """What the controls show."""
    sizes = {name: widget(room, name).value for name in ("V", "d", "layers", "max_positions")}
    return {**sizes, "slider": slider(room).value}


def typed(field: Any, text: str) -> None:
    """A reader types into a field and leaves it."""
    field._process_events({"value": text})


def counting(room: Any) -> list[Any]:
    """The views that the first figure draws from now on."""
    drawn: list[Any] = []
    figure = room._places["parts"].figure
    draw = figure.draw
    figure.draw = lambda view: (drawn.append(view), draw(view))
    return drawn


def test_a_preset_sets_every_control_in_one_draw() -> None:
    room = ROOM()
    room.state.V = 60_000
    drawn = counting(room)
    widget(room, "preset").value = "llama-3.2-1b"
    assert len(drawn) == 1
    assert drawn[0].parameters == 1_235_814_400
    expected = {"V": 128_256, "d": 2048, "layers": 16, "max_positions": None, "slider": 128_256}
    assert shown(room) == expected
    assert widget(room, "max_positions").disabled
    assert room._address.value == "preset=llama-3.2-1b"


def test_a_control_changes_the_model_and_its_own_size_takes_it_back() -> None:
    room = ROOM()
    drawn = counting(room)
    widget(room, "layers").value = 6
    slider(room).value = 60_000
    assert [len(view.changes) for view in drawn] == [1, 2]
    assert widget(room, "V").value == 60_000
    assert room._address.value == "V=60000&layers=6"
    widget(room, "V").value = 50_257
    typed(widget(room, "layers"), "12")
    assert drawn[-1].changes == ()
    assert room._address.value == ""
    typed(widget(room, "layers"), "")
    assert widget(room, "layers").value == 12
    assert room._address.value == ""


def test_the_output_layer_is_the_model_s_own_until_it_is_changed() -> None:
    room = ROOM("preset=llama-3-8b")
    output = widget(room, "tied")
    assert (output.value, output.disabled) == (False, False)
    output.value = True
    assert (room.state.tied, room.view["parts"].parameters) == (True, 8_030_261_248 - 525_336_576)
    output.value = False
    assert (room.state.tied, room._address.value) == (None, "preset=llama-3-8b")
    widget(room, "preset").value = "bge-small"
    assert output.disabled
    assert "none here" in room._fields["tied"].pane[0].object


def test_where_no_positions_are_stored_the_field_says_why() -> None:
    room = ROOM("preset=t5-small")
    field = widget(room, "max_positions")
    assert (field.value, field.disabled, field.placeholder) == (None, True, "none: biases by distance")
    widget(room, "preset").value = "gpt2"
    assert (field.value, field.disabled, field.placeholder) == (1024, False, "")


def test_the_slider_shows_a_vocabulary_outside_its_usual_bounds() -> None:
    room = ROOM()
    widget(room, "config").value = pasted()
    of_V = slider(room)
    assert (of_V.start, of_V.value, of_V.end) == (1000, 1000, LAST_V)
    widget(room, "preset").value = "gpt2"
    assert (of_V.start, of_V.value, of_V.end) == (FIRST_V, 50_257, LAST_V)


def test_a_pasted_config_stays_on_offer() -> None:
    """The test of pasted models goes farther; here are the numbers of this room."""
    room = ROOM()
    models, config = widget(room, "preset"), widget(room, "config")
    config.value = pasted()
    assert (models.value, room.view["parts"].parameters) == (PASTED, 349_200)
    models.value = "bge-small"
    assert (room.view["parts"].parameters, config.value) == (33_360_000, pasted())
    models.value = PASTED
    assert room.view["parts"].parameters == 349_200


def test_a_refused_config_leaves_a_way_out() -> None:
    room = ROOM()
    widget(room, "config").value = "{"
    assert "not valid JSON" in str(room._error.pane.object)
    assert all("lab-stale" in place._picture.css_classes for place in room._places.values())
    widget(room, "preset").value = "gpt2"
    assert not room._error.pane.visible
    assert not any("lab-stale" in place._picture.css_classes for place in room._places.values())


def test_half_a_surrogate_pair_does_not_break_the_address() -> None:
    room = ROOM()
    widget(room, "config").value = pasted(note="\ud800").replace("\\ud800", "\ud800")
    assert room.view["parts"].parameters == 349_200
    assert "config=" in room._address.value


def test_an_emptied_dimension_shows_what_holds() -> None:
    room = ROOM()
    field = room._fields["dimension"].pane
    typed(field, "384")
    assert room.view["store"].refusal
    typed(field, "")
    assert field.value == room.state.dimension == 384
    assert room.view["store"].refusal


def test_an_address_needs_no_more_than_the_preset() -> None:
    room = ROOM("?preset=bge-small&dimension=384")
    assert room.view["parts"].parameters == 33_360_000
    assert shown(room)["V"] == 30_522
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
    assert room.view["parts"].parameters == 349_200


def test_an_address_restores_a_pasted_config() -> None:
    room = ROOM()
    widget(room, "config").value = json.dumps(CONFIG, indent=1)
    widget(room, "V").value = 2000
    again = ROOM(room._address.value)
    assert again.view["parts"].parameters == room.view["parts"].parameters == 449_200
    assert widget(again, "config").value == widget(room, "config").value
    assert url.write(again.state) == url.write(room.state)


@pytest.mark.parametrize("key", ROOM.keys())
def test_a_figure_alone_has_the_controls_that_it_uses(key: str) -> None:
    room = ROOM(f"figure={key}&preset=bge-small&dimension=384")
    kind = next(kind for kind in ROOM.kinds if kind.key == key)
    assert list(room._places) == [key]
    assert set(room._fields) == set(kind.uses)
    assert room.view[key].title == "bge-small"
    widget(room, "preset").value = "gpt2"
    assert room.view[key].title == "GPT-2 small"
    widget(room, "layers").value = 6
    assert ("changed" in str(room._aside.pane.object)) == (key != "parts")


def test_controls_of_one_figure_stand_beside_it() -> None:
    room = ROOM()
    shared = {"preset", "V", "d", "layers", "max_positions", "tied", "config", "dtype"}
    assert [room._fields[name].pane in room.controls for name in room._fields] == [
        name in shared for name in room._fields
    ]


def test_a_slider_moved_along_the_curve_draws_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    room, sent = ROOM(), []
    lines = room._places["curve"].figure.lines
    monkeypatch.setattr(lines, "set", lambda *given, **named: sent.append(given))
    slider(room).value = 60_000
    assert not sent
    assert list(lines.marks.data["x"]) == [60]
    widget(room, "layers").value = 6
    assert len(sent) == 1
