"""Reading configurations: old and new field names, nested parts, and every way to get them wrong."""

from __future__ import annotations

import contextlib
import dataclasses
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.context_extension import (
    PRESETS,
    DynamicNtk,
    Linear,
    Llama3,
    LongRope,
    NoExtension,
    Ntk,
    Yarn,
    from_config,
)
from lab.context_extension.config_layers import LAYER_TYPES, PARTS
from lab.context_extension.config_text import SIZES
from lab.model_file import TEXT_PARTS

LLAMA_3_1 = {
    "model_type": "llama",
    "hidden_size": 4096,
    "num_attention_heads": 32,
    "max_position_embeddings": 131072,
    "rope_theta": 500000.0,
    "rope_scaling": {
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 8192,
        "rope_type": "llama3",
    },
}
GPT_OSS = {
    "head_dim": 64,
    "hidden_size": 2880,
    "num_attention_heads": 64,
    "max_position_embeddings": 131072,
    "rope_theta": 150000,
    "rope_scaling": {
        "beta_fast": 32.0,
        "beta_slow": 1.0,
        "factor": 32.0,
        "original_max_position_embeddings": 4096,
        "rope_type": "yarn",
        "truncate": False,
    },
}
QWEN = {
    "hidden_size": 3584,
    "num_attention_heads": 28,
    "max_position_embeddings": 32768,
    "rope_theta": 1e6,
    "rope_scaling": {"factor": 4.0, "original_max_position_embeddings": 32768, "type": "yarn"},
}
PHI_3 = {
    "hidden_size": 3072,
    "num_attention_heads": 32,
    "max_position_embeddings": 131072,
    "original_max_position_embeddings": 4096,
    "rope_theta": 10000.0,
    "rope_scaling": {
        "type": "su",
        "short_factor": list(PRESETS["phi-3-mini-128k"].extension.short_factor),
        "long_factor": list(PRESETS["phi-3-mini-128k"].extension.long_factor),
    },
}
LLAMA_2 = {
    "hidden_size": 4096,
    "num_attention_heads": 32,
    "max_position_embeddings": 4096,
    "rope_scaling": None,
}


@pytest.mark.parametrize(
    ("config", "preset"),
    [
        (LLAMA_3_1, "llama-3.1-8b"),
        (GPT_OSS, "gpt-oss-20b"),
        (QWEN, "qwen-2.5-yarn"),
        (PHI_3, "phi-3-mini-128k"),
        (LLAMA_2, "llama-2-7b"),
    ],
)
def test_published_configurations_give_the_presets(config, preset):
    """What is typed into PRESETS and what the files say is the same model, from a mapping and from text."""
    wanted = PRESETS[preset]
    for given_as in (config, json.dumps(config, indent=2)):
        got = from_config(given_as)
        assert (got.d, got.width, got.base) == (wanted.d, wanted.width, wanted.base)
        assert (got.trained, got.target, got.extension) == (wanted.trained, wanted.target, wanted.extension)


def test_new_names_hold_the_base_inside():
    """The same model in the newer spelling: rope_parameters, with rope_theta inside."""
    new = dict(LLAMA_3_1)
    part = new.pop("rope_scaling") | {"rope_theta": new.pop("rope_theta")}
    assert from_config(new | {"rope_parameters": part}) == from_config(LLAMA_3_1)


def test_the_rope_part_alone():
    """Without the rest, the room's own width and trained length fill in; a base is announced."""
    got = from_config(LLAMA_3_1["rope_scaling"], d=128)
    assert got.extension == PRESETS["llama-3.1-8b"].extension
    assert got.base == 10_000.0
    assert any("base is not in the file: 10,000" in note for note in got.notes)
    assert from_config({"rope_scaling": {"type": "linear", "factor": 2}}, d=64, trained=512).target == 1024
    bare = from_config({"rope_type": "default", "rope_theta": 5e5}, d=64, trained=512)
    wide = from_config({"head_dim": 64, "rope_theta": 5e5}, trained=512)
    assert dataclasses.replace(bare, notes=()) == dataclasses.replace(wide, notes=())
    assert len(bare.notes) == len(wide.notes) + 1 == 2  # the width is said to be missing, and the length


NESTED = {
    "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1e6},
    "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
}


@pytest.mark.parametrize("whole", [True, False], ids=["whole", "part"])
def test_layers_that_differ(whole):
    config = (
        {"rope_parameters": NESTED, "head_dim": 256, "max_position_embeddings": 131072} if whole else NESTED
    )
    full = from_config(config, d=256, trained=131_072)
    assert (full.extension, full.base) == (Linear(factor=8.0), 1e6)
    assert "layers differ: full_attention is read, out of full_attention, sliding_attention" in full.notes
    sliding = from_config(config, d=256, trained=131_072, layer_type="sliding_attention")
    assert (sliding.extension, sliding.base) == (NoExtension(), 1e4)
    with pytest.raises(ValueError, match="no layers of type ‘cross’; there are full_attention, sliding"):
        from_config(config, d=256, trained=131_072, layer_type="cross")


@pytest.mark.parametrize("inside", [True, False])
def test_partial_rotation(inside):
    config = {"head_dim": 80, "max_position_embeddings": 2048, "rope_parameters": {"rope_type": "default"}}
    (config["rope_parameters"] if inside else config)["partial_rotary_factor"] = 0.4
    got = from_config(config)
    assert (got.d, got.rotary_dim, got.inv_freq.shape) == (80, 32, (16,))


def test_other_models():
    """DeepSeek turns qk_rope_head_dim; Hunyuan's alpha is a fixed NTK; text_config is looked into."""
    deep = from_config(
        {
            "hidden_size": 7168,
            "num_attention_heads": 128,
            "qk_rope_head_dim": 64,
            "max_position_embeddings": 163840,
            "rope_theta": 10000,
            "rope_scaling": {
                "type": "yarn",
                "factor": 40,
                "mscale": 1.0,
                "mscale_all_dim": 1.0,
                "original_max_position_embeddings": 4096,
            },
        }
    )
    assert (deep.d, deep.attention_factor) == (64, 1.0)
    assert deep.extension == Yarn(factor=40.0, trained=4096, mscale=1.0, mscale_all_dim=1.0)
    hunyuan = from_config({"type": "dynamic", "alpha": 1000.0, "factor": 1.0}, d=128, trained=32768)
    assert hunyuan.extension == Ntk(factor=1000.0)
    inner = from_config({"text_config": LLAMA_3_1, "vision_config": {}})
    assert inner.extension == PRESETS["llama-3.1-8b"].extension
    assert "read from text_config" in inner.notes
    mrope = from_config(
        {
            "head_dim": 128,
            "max_position_embeddings": 32768,
            "rope_scaling": {"type": "mrope", "mrope_section": [16]},
        }
    )
    assert mrope.extension == NoExtension()
    assert "not used: rope_scaling.mrope_section" in mrope.notes


def test_what_is_derived_is_said():
    dynamic = from_config(
        {"head_dim": 64, "max_position_embeddings": 2048, "rope_scaling": {"type": "dynamic", "factor": 2}}
    )
    assert dynamic.extension == DynamicNtk(factor=2.0, trained=2048, length=4096)
    assert "trained length" in " ".join(dynamic.notes)
    yarn = from_config(
        {"original_max_position_embeddings": 1024, "max_position_embeddings": 8192, "type": "yarn"}, d=64
    )
    assert yarn.extension == Yarn(factor=8.0, trained=1024)
    assert any(note.startswith("no factor") for note in yarn.notes)
    lists = {"short_factor": [1.0] * 2, "long_factor": [2.0] * 2}
    part = {"rope_type": "longrope", "original_max_position_embeddings": 1024, "factor": 3.0} | lists
    ratio = from_config({"max_position_embeddings": 8192, "head_dim": 4, "rope_scaling": part})
    assert isinstance(ratio.extension, LongRope)
    assert ratio.extension.factor == 8.0
    assert "factor 3 is not used: the lengths give 8" in ratio.notes
    both = from_config(LLAMA_3_1 | {"rope_parameters": {"rope_type": "default"}})
    assert both.extension == NoExtension()
    assert "rope_parameters is read, rope_scaling is not" in both.notes
    spelled_twice = from_config({"rope_type": "linear", "type": "yarn", "factor": 2}, d=64, trained=64)
    assert "rope_type ‘linear’ is read, type ‘yarn’ is not" in spelled_twice.notes


def part(**fields):
    return {"rope_type": "linear", "factor": 2.0, "head_dim": 64, "max_position_embeddings": 64} | fields


YARN = {"rope_type": "yarn", "factor": 2.0}


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("", "nothing was pasted"),
        ("   ", "nothing was pasted"),
        ("{\n  'type': 1}", "not valid JSON at line 2, column 3"),
        ('"rope_scaling": {"factor": 2}', r"not valid JSON at line 1, column 15: .*put braces"),
        ('{"factor": 2', "not valid JSON at line 1, column 13"),
        ("[" * 100_000, "nested more than 100 deep"),
        ("{" + " " * 1_000_001, "1,000,002 characters is too long"),
        ("[1, 2]", "a JSON object in braces; got a list"),
        ("null", "a JSON object in braces; got null"),
        ("4", "a JSON object in braces; got a number"),
        ('{"factor": NaN}', "‘NaN’ is not a number that JSON"),
        (json.dumps(part()).replace("2.0", "1" * 5000), "factor must be a finite number"),
        ('{"factor": -Infinity}', "‘-Infinity’ is not a number that JSON"),
        ("{}", "no rope fields found"),
        ({"text_config": 3}, "no rope fields found"),
        ({"rope_scaling": 3}, "rope_scaling must be an object in braces; got 3"),
        (part(rope_type="ntk"), "rope_type ‘ntk’ is unknown; this lab knows default, linear, dynamic, yarn"),
        (part(rope_type=4), "rope_type must be text; got 4"),
        (part(rope_type=None), "rope_type is missing; it is one of default, linear"),
        (part(factor=None), "factor is missing"),
        (part(factor="2"), "factor must be a number; got text, ‘2’"),
        (part(factor=True), "factor must be a number; got true or false, true"),
        (part(factor=[2]), r"factor must be a number; got a list, ‘\[2\]’"),
        (part(factor=float("nan")), "factor must be a finite number"),
        (part(factor=10**400), "factor must be a finite number"),
        (
            json.dumps(part()).replace("2.0", "1e999"),
            "factor must be a finite number",
        ),
        (part(factor=0.5), "factor must be a finite number of at least 1"),
        (part(rope_theta=-1.0), r"rope_theta must be from 1 to 10\^15; got −1.0"),
        (part(rope_theta=0), r"rope_theta must be from 1 to 10\^15; got 0"),
        (part(head_dim=None), "head width is not given; add head_dim"),
        (part(head_dim=7), "must be an even number"),
        (part(head_dim=0), "head_dim must be a whole number from 1 to 16,777,216; got 0"),
        (part(head_dim=6.5), "head_dim must be a whole number"),
        (
            part(head_dim=None, hidden_size=100, num_attention_heads=3),
            "hidden_size 100 does not split into 3",
        ),
        (part(max_position_embeddings=None), "trained length is not given; add original_max_position"),
        (part(max_position_embeddings=-8), "max_position_embeddings must be a whole number"),
        (part(max_position_embeddings=10**30), "max_position_embeddings must be a whole number"),
        (part(partial_rotary_factor=0.0), "partial_rotary_factor must be above 0 and at most 1; got 0.0"),
        (part(partial_rotary_factor=1.5), "partial_rotary_factor must be above 0"),
        (part(**YARN, truncate="no"), "truncate must be true or false; got text, ‘no’"),
        (part(**YARN, beta_fast=0.5), "beta_fast must not be below beta_slow"),
        (part(rope_type="llama3"), "low_freq_factor is missing"),
        (part(rope_type="longrope"), "short_factor is missing"),
        (part(rope_type="longrope", short_factor=2), "short_factor must be a list of numbers"),
        (
            part(rope_type="longrope", short_factor=[1, "x"]),
            r"short_factor\[1\] must be a number; got text, ‘x’",
        ),
        (
            part(rope_type="longrope", short_factor=[1.0], long_factor=[1.0]),
            "long_factor has 1 entry, but a width of 64 turns 32 pairs",
        ),
        (
            {"rope_scaling": {"type": "llama3", "factor": 2}} | {"head_dim": 8, "max_position_embeddings": 8},
            "rope_scaling.low_freq_factor is missing",
        ),
    ],
)
def test_refusals(config, message):
    with pytest.raises(ValueError, match=message):
        from_config(config)


def test_a_layer_type_needs_layers_that_differ():
    with pytest.raises(ValueError, match="‘full_attention’ was asked for, but all layers share one set"):
        from_config(LLAMA_3_1, layer_type="full_attention")


def test_a_long_value_is_cut_in_the_message():
    with pytest.raises(ValueError, match=r"got text, ‘x{60}…’$"):
        from_config(part(factor="x" * 10_000))


ROPE_FIELDS = (
    "rope_type", "type", "factor", "rope_theta", "original_max_position_embeddings", "rope_ratio", "head_dim",
    "max_position_embeddings", "rotary_dim", "rotary_pct", "rope_local_base_freq", "layer_rope_theta",
    "no_rope_layers", "use_scaled_rope", "position_embedding_type", "attn_config", "alibi",
    "qk_rope_head_dim",
)  # fmt: skip
NAMES = st.sampled_from([*ROPE_FIELDS, *sorted(SIZES), *PARTS, *LAYER_TYPES, *TEXT_PARTS])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=8,
)


@given(st.dictionaries(NAMES, JSON | st.sampled_from(["yarn", "linear", "dynamic", 2.0, 64]), max_size=8))
@settings(deadline=None, max_examples=50)
def test_anything_else_is_read_or_refused_with_a_sentence(config):
    """Whatever is pasted gives finite frequencies or a ValueError, never another exception."""
    for given_as in (config, json.dumps(config)):
        with contextlib.suppress(ValueError):
            assert np.isfinite(from_config(given_as, d=64, trained=64).inv_freq).all()


def test_llama3_is_read_whole():
    got = from_config(LLAMA_3_1)
    assert got.extension == Llama3(factor=8.0, trained=8192)
    assert got.title == "llama"
    assert got.notes == ()


@pytest.mark.parametrize(
    ("config", "unread"),
    [
        ({"rope_theta": 1e4, "rope_warp": 3, "use_dynamic_ntk": True}, ["rope_warp", "use_dynamic_ntk"]),
        ({"rope_scaling": {"type": "linear", "factor": 2, "beta": 1}}, ["rope_scaling.beta"]),
        (
            {"rope_warp": 1, "text_config": {"head_dim": 8, "rope_theta": 1e4, "rotary_kind": "x"}},
            ["rope_warp", "text_config.rotary_kind"],
        ),
        ({"rope_theta": 1e4, "extra": {"inner": {"mscale": 2}}}, ["extra.inner.mscale"]),
        ({"rope_theta": 1e4, "vision_config": {"rope_theta": 1}, "audio": {"rotary": 2}}, []),
        ({"rope_theta": 1e4, "rope_scaling": None, "hidden_act": "silu"}, []),
        (
            {
                "rope_parameters": {
                    "full_attention": {"rope_theta": 1e6, "odd": 1},
                    "sliding_attention": {"odd": 2},
                }
            },
            ["rope_parameters.full_attention.odd"],
        ),
    ],
)
def test_fields_about_rotation_that_were_not_read_are_listed(config, unread):
    """Wherever they stand, but for parts about images and sound."""
    notes = from_config(config, d=8, trained=64).notes
    listed = [note.removeprefix("not used: ").split(", ") for note in notes if note.startswith("not used: ")]
    assert listed == ([unread] if unread else [])


def test_a_factor_that_stretches_nothing_leaves_one_reading():
    """rope_type default ignores it, and says so; a class's own length beside a factor has both readings."""
    plain = from_config({"rope_type": "default", "factor": 4, "head_dim": 8, "max_position_embeddings": 64})
    assert (plain.ambiguous, plain.trained, plain.target) == (False, 64, 64)
    assert any("factor is not used" in note for note in plain.notes)
    class_length = {"model_type": "gemma3_text", "rope_scaling": {"rope_type": "linear", "factor": 8.0}}
    assert from_config(class_length).ambiguous
    assert from_config(class_length, maximum="stretched").trained == 131_072 // 8
    own = from_config({"rope_type": "linear", "factor": 4, "head_dim": 8}, trained=64)
    assert (own.ambiguous, own.trained, own.target) == (False, 64, 256)
    with pytest.raises(ValueError, match="maximum is one of trained, stretched; got ‘both’"):
        from_config({"rope_type": "linear", "factor": 4, "head_dim": 8}, trained=64, maximum="both")
