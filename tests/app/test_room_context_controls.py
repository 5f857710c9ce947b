"""The room `context`: what a reader pastes, sizes that do not fit, and the controls."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import numpy as np
import pytest

from app.kit import budget
from app.kit.html import Markup
from app.rooms.context import ROOM, model
from app.rooms.context.room import Scores
from app.rooms.context.state import DEFAULTS, FACTORS, SHOWN
from lab.data import DataMissing


def context(**changed: Any) -> Any:
    """What the open figure shows of a state."""
    values = {**DEFAULTS, **changed}
    return viewed(values["show"], values)


def viewed(key: str, values: dict[str, Any]) -> Any:
    figure = ROOM.figure(key)
    return figure.compute(figure.snapshot(values))


def text(markup: Markup) -> str:
    return str(markup.striptags())


# what a reader pastes


def test_a_pasted_model_is_read_and_completed_by_the_chosen_one() -> None:
    """The JSON says method, factor and trained length; width and base come from Llama 3.1 8B."""
    part = '{"type": "yarn", "factor": 2.0, "original_max_position_embeddings": 1024}'
    view = context(model="llama-3.1-8b", config=part)
    assert view.key == "yarn"
    room = ROOM()
    room.state.param.update(model="llama-3.1-8b", config=part)
    assert room._fields["model"].widget.value == "pasted"
    assert room._fields["config"].widget.value == part
    core = view.core
    assert (core.d, core.base, core.trained, core.window, core.factor) == (128, 500_000.0, 1024, 2048, 2.0)


def test_both_spellings_of_a_whole_config() -> None:
    old = {
        "hidden_size": 2048, "num_attention_heads": 32, "max_position_embeddings": 131_072,
        "rope_theta": 500_000.0,
        "rope_scaling": {"factor": 32.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0,
                         "original_max_position_embeddings": 8192, "rope_type": "llama3"},
    }  # fmt: skip
    rope = {**old["rope_scaling"], "rope_theta": 500_000.0}  # type: ignore[dict-item]
    new = {"head_dim": 64, "max_position_embeddings": 131_072, "rope_parameters": rope}
    published = context(model="llama-3.2-1b").chosen
    for config in (old, new):
        view = context(config=json.dumps(config))
        np.testing.assert_array_equal(view.chosen.inv_freq, published.inv_freq)
        assert view.chosen.counts == {"unchanged": 15, "smoothed": 3, "divided": 14}


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ('{"factor" 4.0}', r"Your JSON cannot be used: not valid JSON at line 1, column 11"),
        ("rope", r"not valid JSON at line 1, column 1"),
        ("[1, 2]", r"a configuration is a JSON object in braces; got a list"),
        (
            '{"rope_type": "warp", "factor": 2}',
            r"rope_type ‘warp’ is unknown; this lab knows default, linear",
        ),
        ('{"rope_type": "yarn"}', r"factor is missing"),
        ('{"rope_type": "linear", "factor": "4"}', r"factor must be a number; got text, ‘4’"),
        ('{"rope_type": "linear", "factor": 0.5}', r"factor must be a finite number of at least 1"),
        ('{"rope_type": "linear", "factor": NaN}', r"‘NaN’ is not a number"),
        ('{"colour": "red"}', r"no rope fields found"),
        (
            '{"rope_type": "longrope", "factor": 4, "short_factor": [1, 1], "long_factor": [1, 2]}',
            r"long_factor has 2 entries, .*; .* It does not say how wide a head is: d is taken as 128\.",
        ),
        ('{"rope_type": "linear", "factor": 4, "head_dim": 63}', r"63"),
    ],
)
def test_bad_json_is_refused_in_words(config: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        context(config=config)


def test_a_refused_json_is_shown_escaped_and_the_picture_stays() -> None:
    room = ROOM()
    before = room.view
    room.state.config = '{"rope_type": "<img src=x onerror=alert(1)>", "factor": 2}'
    assert room.view is before
    assert "&lt;img" in room._error.pane.object
    assert "<img" not in room._error.pane.object
    assert "lab-stale" in room._places["pairs"]._picture.css_classes
    room._fields["model"].widget.value = "llama-3.1-8b"  # the way out
    assert room.state.config == ""
    assert room.view["pairs"].rope.title == "Llama 3.1 8B"
    assert room._error.pane.visible is False


# sizes that do not fit


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"d": 2, "method": "ntk"}, r"NTK-aware refuses: .*at least 4; got 2"),
        ({"d": 7}, r"^Width of rotation must be an even number"),
        ({"factor": 0.5}, r"^Factor must be a finite number of at least 1, .*; got 0.5"),
        ({"trained": 0}, r"^Trained length must be a whole number of at least 1; got 0"),
        ({"model": "phi-3-mini-128k", "d": 64}, r"LongRoPE refuses: long_factor has 48 entries"),
        ({"trained": 2**24}, r"target length must be at most 16,777,216"),
        ({"trained": 4, "method": "base"}, r"Larger base refuses: .*holds no whole turn"),
    ],
)
def test_sizes_that_do_not_fit_are_refused_in_words(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        context(**changed)


def test_a_method_that_refuses_leaves_the_others_in_the_picture() -> None:
    view = context(d=2, method="linear", show="scores")
    assert [method.key for method in view.refused] == ["ntk", "dynamic"]
    assert "NTK-aware is not drawn: an NTK-aware base needs a head width" in text(Scores().bottom(view))
    assert "ntk" not in view.lines


def test_a_pair_beyond_the_last_stands_for_the_last() -> None:
    room = ROOM("d=8&pair=40")
    assert room.state.pair == 3
    assert room._fields["pair"]._slider.end == 3
    assert context(show="heads", d=256, pair=100).pair == 31


# controls


def sizes(room: Any) -> dict[str, float]:
    """Where the sliders stand."""
    names = ("factor", "trained", "base", "d")
    return {name: room._fields[name].stops[room._fields[name].widget.value] for name in names}


def test_an_address_that_names_a_model_gives_that_model() -> None:
    room = ROOM("model=llama-3.2-1b")
    assert room._fields["method"].widget.value == "llama3"
    assert sizes(room) == {"factor": 32, "trained": 8192, "base": 500_000, "d": 64}
    assert room.values() == {**DEFAULTS, "model": "llama-3.2-1b"}


def test_a_value_of_the_model_s_own_is_not_written_down() -> None:
    room = ROOM()
    factor, method, chosen = (room._fields[name].widget for name in ("factor", "method", "model"))
    factor.value = FACTORS.index(8)
    assert room.state.factor == 8
    assert room._address.value == "factor=8.0" or room._address.value == "factor=8"
    assert "Changed here: factor 8." in Markup(room._aside.pane.object).striptags()
    factor.value = FACTORS.index(4)
    assert room.state.factor is None
    method.value = "ntk"
    assert room.state.method == "ntk"
    chosen.value = "gpt-oss-20b"
    assert room.values() == {**DEFAULTS, "model": "gpt-oss-20b"}
    assert method.value == "yarn"


def test_a_value_between_the_stops_becomes_one() -> None:
    room = ROOM("factor=7&base=123456&trained=3000&d=10")
    assert sizes(room) == {"factor": 7, "base": 123_456, "trained": 3000, "d": 10}
    assert room.view["pairs"].core.window == 21_000
    length = room._fields["length"].widget
    assert (length.end, length.value) == (21_000, 21_000)


def test_moving_the_pair_sends_no_new_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    room, sent = ROOM(), []
    figure = room._places["pairs"].figure
    monkeypatch.setattr(figure.ratio, "set", lambda lines, forward: sent.append(forward))
    room.state.pair = 5
    assert not sent
    assert [mark.location for mark in figure.marks] == [5, 5]
    room.state.factor = 2.0
    assert sent == ["yarn"]


def test_only_the_open_section_and_its_controls_are_shown() -> None:
    room = ROOM("show=heads")
    assert [key for key, place in room._places.items() if place.column.visible] == ["heads"]
    assert not room._fields["config"].pane.visible
    assert "SmolLM2-135M" in room._aside.pane.object
    room.apply({"show": "angles", "method": "none", "overlay": "one"})
    assert room._fields["config"].pane.visible
    assert not room._fields["length"].pane.visible
    assert not room._places["angles"].figure.maps[0].pane.visible  # plain RoPE is not drawn twice


@pytest.mark.parametrize("show", SHOWN)
def test_a_figure_alone_does_not_depend_on_the_tabs(show: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise DataMissing("smollm2_rope_pack.npz", "smollm2_rope_pack.npz has not arrived")

    monkeypatch.setattr(model, "smollm2", missing)  # another figure would be refused
    room = ROOM(f"show={show}&figure=scores&factor=8")
    assert (list(room._places), list(room.view)) == (["scores"], ["scores"])
    assert room._places["scores"].column.visible
    assert room.figures == [room._places["scores"].column]  # and no tabs above it
    assert room._address.value == ("factor=8.0" if show == "pairs" else f"show={show}&factor=8.0")
    room.state.show = "heads"
    assert not room._error.pane.visible


def test_a_figure_behind_another_tab_waits_until_it_is_opened() -> None:
    room = ROOM()
    pairs, angles = (room._places[key] for key in ("pairs", "angles"))
    room.state.show = "angles"
    before, drawn = pairs.shown, angles.shown
    room.state.factor = 8.0
    assert pairs.shown is before
    assert angles.shown is not drawn
    room.state.show = "pairs"
    assert pairs.shown is not before
    assert room.view["pairs"].core.factor == 8
    assert list(room.view) == ["pairs"]


def test_another_window_is_shown_whole() -> None:
    """The present length goes with the factor and the trained length, and with nothing else."""
    room = ROOM("length=5000")
    room._fields["base"].widget.value = 0
    assert (room.state.base, room.state.length) == (100, 5000)
    room._fields["factor"].widget.value = FACTORS.index(8)
    assert (room.state.factor, room.state.length, room.view["pairs"].core.length) == (8, None, 32_768)


def test_an_address_with_nonsense_names_it() -> None:
    room = ROOM("factor=0.5&trained=-3&d=1&method=magic&model=llama-9&length=many&overlay=none&base=0")
    assert len(room._notices) == 8
    assert room.values() == DEFAULTS


def test_the_real_heads_wait_for_their_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise DataMissing("smollm2_rope_pack.npz", "smollm2_rope_pack.npz has not arrived")

    monkeypatch.setattr(model, "smollm2", missing)
    room = ROOM()
    room.state.show = "heads"
    assert "smollm2_rope_pack.npz" in room._error.pane.object
    assert list(room.view) == ["pairs"]


# what a picture may cost


def cost(values: dict[str, Any]) -> budget.Cost:
    figure = ROOM.figure(values["show"])
    return figure.cost(figure.snapshot(values))


@pytest.mark.parametrize(
    "changed",
    [
        {"show": "scores", "factor": 1.0, "trained": 2**24},
        {"show": "scores", "factor": 1.0, "trained": 2**24, "d": 1024},
        {"show": "angles", "factor": 1.0, "trained": 2**24, "d": 1024},
        {"show": "angles", "factor": 128.0, "trained": 131_072, "d": 1024},
        {"show": "heads", "factor": 8192.0},
    ],
)
def test_long_windows_are_cheap(changed: dict[str, Any]) -> None:
    """Scores took 65 s and 5.3 GB at 2^24 positions and d = 1,024: their means are closed forms now."""
    state = {**DEFAULTS, **changed}
    budget.check(cost(state))
    tracemalloc.start()
    ROOM.viewed(state)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 100e6


@pytest.mark.parametrize(
    "changed",
    [
        {"show": "angles", "factor": 65_536.0, "trained": 6, "d": 1024, "base": 1.5},
        {
            "show": "angles",
            "factor": 4096.0,
            "config": json.dumps(
                {
                    "rope_type": "longrope", "factor": 4.0, "original_max_position_embeddings": 1024,
                    "short_factor": [1e-9] * 512, "long_factor": [1e-3] * 512, "head_dim": 1024,
                    "rope_theta": 1e4,
                }
            ),
        },
    ],
)  # fmt: skip
def test_what_would_take_long_is_refused_in_words(changed: dict[str, Any]) -> None:
    """Half a thousand slow pairs, sped up or stretched 65,536 times, turn hundreds of millions of times."""
    with pytest.raises(ValueError, match="Lower the factor or the head width d"):
        ROOM.viewed({**DEFAULTS, **changed})


def test_only_what_is_drawn_is_paid_for() -> None:
    """Angles of all methods are counted where all are drawn; of scores two, whatever is drawn."""
    slow = {**DEFAULTS, "factor": 1024.0, "trained": 6, "d": 1024, "base": 1.5}
    every, one, scores = (
        cost({**slow, **changed}).operations
        for changed in ({"show": "angles"}, {"show": "angles", "overlay": "one"}, {"show": "scores"})
    )
    assert every > 1.2 * one
    assert scores == one
