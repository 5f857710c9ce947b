"""The room `context` with whole files: layers that differ, two readings of a length, other schemes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.kit.html import Markup
from app.rooms.context import ROOM
from app.rooms.context.compute import compute
from app.rooms.context.setting import DEFAULTS
from tests.lab.test_configs import ENTRIES, OTHERS, name

BY_NAME = {name(entry): json.dumps(entry["config"]) for entry in ENTRIES}
GEMMA = BY_NAME["google/gemma-3-1b-it"]
VICUNA = BY_NAME["lmsys/vicuna-7b-v1.5-16k"]


def said(room: Any) -> str:
    return str(Markup(room._said.pane.object).striptags())


def test_layers_are_chosen_and_travel_in_the_address() -> None:
    """Gemma 3: base 1,000,000 in full layers, 10,000 in sliding ones."""
    room = ROOM()
    assert not room._fields.layers.visible
    room._fields.config.value = GEMMA
    assert room._fields.layers.visible
    assert list(room._fields.layers.options.values()) == ["full_attention", "sliding_attention"]
    assert (room._fields.layers.value, room.view.core.base) == ("full_attention", 1e6)
    room._fields.layers.value = "sliding_attention"
    assert room.view.core.base == 10_000
    assert "layers=sliding_attention" in room._address.value
    opened = ROOM(room._address.value)
    assert (opened.view.core.base, opened._fields.layers.value) == (10_000, "sliding_attention")
    room._fields.layers.value = "full_attention"
    assert (room.state.layers, room.view.core.base) == ("", 1e6)


def test_layers_do_not_outlive_their_model() -> None:
    room = ROOM()
    room._fields.config.value = GEMMA
    room._fields.layers.value = "sliding_attention"
    room._fields.model.value = "llama-3.1-8b"
    assert (room.state.layers, room._fields.layers.visible) == ("", False)
    with pytest.raises(ValueError, match=r"All layers of Llama 3\.1 8B turn alike"):
        compute(**{**DEFAULTS, "model": "llama-3.1-8b", "layers": "sliding_attention"})
    assert ROOM("layers=sliding_attention").state.layers == ""  # a notice says so


def test_both_readings_of_the_longest_sequence() -> None:
    """4,096 beside factor 4: trained at 4,096 and used for 16,384, or trained at 1,024 and used for 4,096."""
    room = ROOM()
    room._fields.config.value = VICUNA
    assert room._fields.maximum.visible
    core = room.view.core
    assert (core.trained, core.window) == (4096, 16_384)
    room._fields.maximum.value = "stretched"
    core = room.view.core
    assert (core.trained, core.window, core.factor) == (1024, 4096, 4)
    assert "1,024" in said(room)
    assert ROOM(room._address.value).view.core.trained == 1024
    room._fields.config.value = GEMMA
    assert (room.state.maximum, room._fields.maximum.visible) == ("trained", False)


@pytest.mark.parametrize("entry", OTHERS, ids=name)
def test_a_model_that_does_not_rotate_leaves_the_room_alive(entry: dict[str, Any]) -> None:
    """The figure stays as it was, dimmed, a sentence names the scheme, and the next model draws."""
    room = ROOM()
    before = room.view
    room._fields.config.value = json.dumps(entry["config"])
    assert room.view is before
    assert "does not rotate" in room._error.pane.object
    assert "lab-stale" in room._canvas["pairs"].pane.css_classes
    room._fields.config.value = GEMMA
    assert room.view.core.base == 1e6
    assert not room._error.pane.visible


def test_a_whole_file_is_not_filled_from_the_example() -> None:
    """A file without a head width or a length is refused, until the reader sets them."""
    bare = json.dumps({"model_type": "falcon", "rope_theta": 10_000.0})
    with pytest.raises(ValueError, match=r"the head width is not given.*Or set it with its slider here"):
        compute(**{**DEFAULTS, "config": bare})
    with pytest.raises(ValueError, match="the trained length is not given"):
        compute(**{**DEFAULTS, "config": bare, "d": 64})
    view = compute(**{**DEFAULTS, "config": bare, "d": 64, "trained": 2048})
    assert (view.core.d, view.core.trained) == (64, 2048)
    assert sum("is not in the file" in note for note in view.setting.rope.notes) == 2


def test_a_rope_part_says_whose_numbers_complete_it() -> None:
    part = '{"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}'
    room = ROOM()
    room._fields.config.value = part
    assert (room.view.core.d, room.view.core.trained) == (128, 32_768)
    for told in ("head width is not in the file: 128", "base is not in the file: 10,000", "Example, 4 times"):
        assert told in said(room)


def test_a_whole_file_of_an_unknown_type_says_nothing_of_rotation() -> None:
    mystery = {
        "model_type": "mystery", "hidden_size": 512, "num_attention_heads": 8, "max_position_embeddings": 1024
    }  # fmt: skip
    with pytest.raises(ValueError, match="nothing in it says whether ‘mystery’ rotates"):
        compute(**{**DEFAULTS, "config": json.dumps(mystery)})
    turning = {**mystery, "rope_theta": 500_000.0, "rope_warp": 3, "vision_config": {"rope_theta": 1.0}}
    rope = compute(**{**DEFAULTS, "config": json.dumps(turning)}).setting.rope
    assert (rope.d, rope.base) == (64, 500_000)
    assert "not used: rope_warp" in rope.notes
