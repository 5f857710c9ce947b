"""Real configurations, each with the reading that its publisher meant.

``configs.jsonl`` holds one a line. ``file`` says what it is: "published", a whole file as a public
repository keeps it, cut to the fields that shape the model; "minimal", fields of a published file typed by
hand; "class", no published file but the least that names a class whose defaults are read. ``source`` says
where it is from.
``read`` is the right reading, worked out from the fields and not by the lab; ``parameters`` is what
transformers 5.24 counts for the class that the file names.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.rooms.context import ROOM as CONTEXT
from app.rooms.context.state import DEFAULTS
from app.rooms.count import ROOM as COUNT
from app.rooms.count.state import DEFAULTS as COUNTED
from lab.context_extension import NoRotation, from_config
from lab.counting import read_config

FILE = Path(__file__).with_name("configs.jsonl")
ENTRIES: list[dict[str, Any]] = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
ROTATING = [entry for entry in ENTRIES if entry["read"]["scheme"] == "rope"]
OTHERS = [entry for entry in ENTRIES if entry["read"]["scheme"] != "rope"]


def name(entry: dict[str, Any]) -> str:
    return str(entry["id"])


def asked(read: dict[str, Any]) -> dict[str, Any]:
    return {"maximum": read.get("maximum", "trained"), **read.get("given", {})}


def test_what_the_fixtures_are() -> None:
    """Each says whether it is a published file and where it is from, and none stands twice."""
    assert len(ENTRIES) >= 60
    assert len({name(entry) for entry in ENTRIES}) == len(ENTRIES)
    assert {entry["file"] for entry in ENTRIES} == {"published", "minimal", "class"}
    assert all(entry["source"] for entry in ENTRIES)
    assert sum(entry["file"] == "published" for entry in ENTRIES) >= 45


@pytest.mark.parametrize("entry", ROTATING, ids=name)
def test_the_rotation_is_read(entry: dict[str, Any]) -> None:
    read = entry["read"]
    model = from_config(entry["config"], **asked(read))
    assert (model.d, model.width) == (read["d"], read["rotated"])
    assert model.base == pytest.approx(read["base"], rel=1e-12)
    assert (model.trained, model.target) == (read["trained"], read["target"])
    assert model.extension.key == read["method"]
    if "factor" in read:
        assert getattr(model.extension, "factor", None) == read["factor"]
    assert model.attention_factor == pytest.approx(read.get("multiplier", model.attention_factor), rel=1e-12)
    assert model.ambiguous == read.get("ambiguous", model.ambiguous)
    assert set(model.layer_types) == set(read.get("layers", {}))
    if "path" in read:
        assert f"read from {read['path']}" in model.notes
    unread = [note for note in model.notes if note.startswith("not used")]
    assert all(any(path in note for note in unread) for path in read.get("unread", []))


@pytest.mark.parametrize(
    ("entry", "layers"),
    [(entry, kind) for entry in ROTATING for kind in entry["read"].get("layers", {})],
    ids=lambda value: value if isinstance(value, str) else name(value),
)
def test_each_type_of_layer_has_its_base(entry: dict[str, Any], layers: str) -> None:
    model = from_config(entry["config"], layer_type=layers, **asked(entry["read"]))
    assert model.base == pytest.approx(entry["read"]["layers"][layers], rel=1e-12)
    assert model.layer_type == layers
    if layers == "sliding_attention":
        np.testing.assert_array_equal(
            model.inv_freq, model.trained_inv_freq
        )  # only full layers are stretched


@pytest.mark.parametrize("entry", OTHERS, ids=name)
def test_models_that_do_not_rotate_are_named(entry: dict[str, Any]) -> None:
    with pytest.raises(NoRotation) as refused:
        from_config(entry["config"])
    assert refused.value.scheme == entry["read"]["scheme"]
    assert refused.value.room in str(refused.value)


@pytest.mark.parametrize("entry", [entry for entry in ENTRIES if "parameters" in entry], ids=name)
def test_the_parameters_are_counted(entry: dict[str, Any]) -> None:
    model = read_config(entry["config"]).architecture
    assert model.parameters == entry["parameters"]
    assert model.active_parameters == entry.get("active", entry["parameters"])


@pytest.mark.parametrize("entry", ENTRIES, ids=name)
def test_the_rooms_read_the_same(entry: dict[str, Any]) -> None:
    """Pasted into the rooms: the same model, or a sentence that names its scheme."""
    text, read = json.dumps(entry["config"]), entry["read"]
    state = {**DEFAULTS, "config": text, **asked(read)}
    if read["scheme"] == "rope":
        core = CONTEXT.viewed(state)["pairs"].core
        assert (core.d, core.trained, core.window) == (read["rotated"], read["trained"], read["target"])
    else:
        with pytest.raises(ValueError, match=r"The room “.*” shows it"):
            CONTEXT.viewed(state)
    if "parameters" in entry:
        assert COUNT.viewed({**COUNTED, "config": text})["parts"].parameters == entry["parameters"]
