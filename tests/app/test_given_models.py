"""A teacher's own model in the rooms `context` and `count`, and her text in `train`."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from app.rooms import ROOMS
from app.rooms.train.live import Phase

LLAMA = {
    "model_type": "llama",
    "vocab_size": 1000,
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": 512,
    "rope_theta": 10000.0,
    "tie_word_embeddings": True,
    "rope_scaling": {"rope_type": "linear", "factor": 4.0},
}


def room(key: str, data: dict[str, Any], query: str = "", **more: Any) -> Any:
    return ROOMS[key](query, spec=json.dumps({"room": key, "data": data, **more}))


def test_her_model_is_stretched() -> None:
    made = room("context", {"configuration": LLAMA})
    assert made._notices == []
    assert made._address.value == ""
    core = made.view["pairs"].core
    assert (core.d, core.trained, core.base) == (16, 512, 10_000.0)
    listed = made._fields["model"].widget
    assert listed.options["This page’s model"] == listed.value
    listed.value = "llama-3.1-8b"
    assert "config=" in made._address.value
    assert made.view["pairs"].core.d == 128
    listed.value = listed.options["This page’s model"]
    assert "config" not in made._address.value
    assert made.view["pairs"].core.d == 16


def test_the_parameters_of_her_model_are_counted() -> None:
    made = room("count", {"configuration": LLAMA})
    assert made._notices == []
    assert made._address.value == ""
    view = next(iter(made.view.values()))
    block = 4 * 64 * 64 + 3 * 64 * 128 + 2 * 64
    assert view.model.parameters == 1000 * 64 + 2 * block + 64
    assert made._fields["V"].widget.value == 1000


@pytest.mark.parametrize(
    ("key", "configuration", "said"),
    [
        ("count", {"model_type": "lla<b>ma"}, "Your configuration is left out. This config.json cannot"),
        ("context", {"hidden_size": 64}, "Your configuration is left out. Your JSON cannot be used"),
        ("count", "{}", "data.configuration: {}, but it takes an object, not a text"),
        ("context", {"x": "y" * 300_000}, "it takes at most 200,000 characters of JSON"),
    ],
)
def test_a_model_that_cannot_be_read_is_left_out(key: str, configuration: Any, said: str) -> None:
    made = room(key, {"configuration": configuration})
    assert said in " ".join(made._notices)
    assert made._address.value == ""
    assert not made._error.pane.visible


TEXT = "the cat <b>sat on the mat, and the dog sat by it. " * 50


def test_a_run_trains_on_her_text() -> None:
    made = room("train", {"text": TEXT})
    assert made._own.chosen
    corpus = made._own.loader()()
    assert len(set(TEXT)) == corpus.V
    np.testing.assert_array_equal(corpus.train[:3], [corpus.tokens.index(sign) for sign in "the"])
    assert made._own._field.value == TEXT
    assert made._address.value == ""
    assert made._live.phase is not Phase.FAILED
    assert not ROOMS["train"]("")._own.chosen


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("too short", "Your text is left out: the text has 9 characters; training needs at least 2,000"),
        ("a" * 3000, "Your text is left out: the text is 'a' over and over"),
        (["a"], 'data.text: ["a"], but it takes a text, not a list'),
    ],
)
def test_a_text_that_cannot_be_trained_on_is_left_out(text: Any, said: str) -> None:
    made = room("train", {"text": text})
    assert said in made._notices[0]
    assert not made._own.chosen
