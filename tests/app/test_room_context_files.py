"""The room `context` with whole files: layers that differ, two readings of a length, other schemes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.kit.html import Markup
from app.rooms.context import ROOM
from app.rooms.context.state import DEFAULTS
from tests.lab.test_configs import ENTRIES, OTHERS, name

BY_NAME = {name(entry): json.dumps(entry["config"]) for entry in ENTRIES}
GEMMA = BY_NAME["google/gemma-3-1b-it"]
VICUNA = BY_NAME["lmsys/vicuna-7b-v1.5-16k"]


def context(**changed: Any) -> Any:
    return ROOM.viewed({**DEFAULTS, **changed})["pairs"]


def widget(room: Any, name: str) -> Any:
    return room._fields[name].widget


def shown(room: Any, name: str) -> bool:
    return bool(room._fields[name].pane.visible)


def core(room: Any) -> Any:
    return room.view["pairs"].core


def said(room: Any) -> str:
    return str(Markup(room._aside.pane.object).striptags())


def test_layers_are_chosen_and_travel_in_the_address() -> None:
    """Gemma 3: base 1,000,000 in full layers, 10,000 in sliding ones."""
    room = ROOM()
    assert not shown(room, "layers")
    widget(room, "config").value = GEMMA
    assert shown(room, "layers")
    assert list(widget(room, "layers").options.values()) == ["full_attention", "sliding_attention"]
    assert (widget(room, "layers").value, core(room).base) == ("full_attention", 1e6)
    widget(room, "layers").value = "sliding_attention"
    assert core(room).base == 10_000
    assert "layers=sliding_attention" in room._address.value
    opened = ROOM(room._address.value)
    assert (core(opened).base, widget(opened, "layers").value) == (10_000, "sliding_attention")
    widget(room, "layers").value = "full_attention"
    assert (room.state.layers, core(room).base) == ("", 1e6)


def test_layers_do_not_outlive_their_model() -> None:
    room = ROOM()
    widget(room, "config").value = GEMMA
    widget(room, "layers").value = "sliding_attention"
    widget(room, "model").value = "llama-3.1-8b"
    assert (room.state.layers, shown(room, "layers")) == ("", False)
    with pytest.raises(ValueError, match=r"All layers of Llama 3\.1 8B turn alike"):
        context(model="llama-3.1-8b", layers="sliding_attention")
    assert ROOM("layers=sliding_attention").state.layers == ""  # a notice says so


def test_both_readings_of_the_longest_sequence() -> None:
    """4,096 beside factor 4: trained at 4,096 and used for 16,384, or trained at 1,024 and used for 4,096."""
    room = ROOM()
    widget(room, "config").value = VICUNA
    assert shown(room, "maximum")
    assert (core(room).trained, core(room).window) == (4096, 16_384)
    room._fields["maximum"].pane.value = "stretched"
    assert (core(room).trained, core(room).window, core(room).factor) == (1024, 4096, 4)
    assert "1,024" in said(room)
    assert core(ROOM(room._address.value)).trained == 1024
    widget(room, "config").value = GEMMA
    assert (room.state.maximum, shown(room, "maximum")) == ("trained", False)


@pytest.mark.parametrize("entry", OTHERS, ids=name)
def test_a_model_that_does_not_rotate_leaves_the_room_alive(entry: dict[str, Any]) -> None:
    """The figure stays as it was, dimmed, a sentence names the scheme, and the next model draws."""
    room = ROOM()
    before = room.view
    widget(room, "config").value = json.dumps(entry["config"])
    assert room.view is before
    assert "does not rotate" in room._error.pane.object
    assert "lab-stale" in room._places["pairs"]._picture.css_classes
    widget(room, "config").value = GEMMA
    assert core(room).base == 1e6
    assert not room._error.pane.visible


def test_a_whole_file_is_not_filled_from_the_example() -> None:
    """A file without a head width or a length is refused, until the reader sets them."""
    bare = json.dumps({"model_type": "falcon", "rope_theta": 10_000.0})
    with pytest.raises(ValueError, match=r"the head width is not given.*Or set it with its slider here"):
        context(config=bare)
    with pytest.raises(ValueError, match="the trained length is not given"):
        context(config=bare, d=64)
    view = context(config=bare, d=64, trained=2048)
    assert (view.core.d, view.core.trained) == (64, 2048)
    assert sum("is not in the file" in note for note in view.rope.notes) == 2


def test_a_rope_part_says_whose_numbers_complete_it() -> None:
    part = '{"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}'
    room = ROOM()
    widget(room, "config").value = part
    assert (core(room).d, core(room).trained) == (128, 32_768)
    for told in ("head width is not in the file: 128", "base is not in the file: 10,000", "Example, 4 times"):
        assert told in said(room)


def test_a_whole_file_of_an_unknown_type_says_nothing_of_rotation() -> None:
    mystery = {
        "model_type": "mystery", "hidden_size": 512, "num_attention_heads": 8, "max_position_embeddings": 1024
    }  # fmt: skip
    with pytest.raises(ValueError, match="nothing in it says whether ‘mystery’ rotates"):
        context(config=json.dumps(mystery))
    turning = {**mystery, "rope_theta": 500_000.0, "rope_warp": 3, "vision_config": {"rope_theta": 1.0}}
    rope = context(config=json.dumps(turning)).rope
    assert (rope.d, rope.base) == (64, 500_000)
    assert "not used: rope_warp" in rope.notes
