"""The room `context`: golden frequencies, bands, new angles, gain, real heads, pasted JSON."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from app.kit import formula as formulas
from app.kit import numbers as tables
from app.kit.html import Markup
from app.kit.panes import Pane
from app.rooms.context import ROOM, look
from app.rooms.context.model import LENGTHS, Stage
from app.rooms.context.reading import MODELS
from app.rooms.context.room import Angles, Pairs
from app.rooms.context.state import DEFAULTS, SHOWN
from lab.context_extension import EXTENSIONS, block_mean
from lab.positions import Rope
from lab.smollm2 import layer0_scores
from tests.golden import INV_FREQ_RTOL, entry, names
from tests.plural import ones

METHODS = tuple(EXTENSIONS)


def context(**changed: Any) -> Any:
    """What the open figure shows of a state."""
    values = {**DEFAULTS, **changed}
    return viewed(values["show"], values)


def viewed(key: str, values: dict[str, Any]) -> Any:
    figure = ROOM.figure(key)
    return figure.compute(figure.snapshot(values))


def figure_of(view: Stage) -> Any:
    return next(kind() for kind in ROOM.kinds if type(view) is kind.view)


def caption(view: Stage) -> str:
    said: str = figure_of(view).caption(view)
    return said


def formula(view: Stage) -> Any:
    return figure_of(view).formula(view)


def numbers(view: Stage) -> Any:
    return figure_of(view).numbers(view)


def text(markup: Markup) -> str:
    return str(markup.striptags())


def golden_state(name: str) -> dict[str, Any]:
    """The state of a golden entry: through the controls where they suffice, else as pasted JSON."""
    given = dict(entry(name)["inputs"])
    kind = name.split(".")[1]
    sizes = {"d": given.pop("head_dim"), "base": given.pop("base")}
    if kind == "default":
        return {**sizes, "method": "none", "model": "llama-2-7b"}
    if kind == "linear":
        return {**sizes, "method": "linear", "factor": given["factor"]}
    if kind == "ntk_aware":
        return {**sizes, "method": "ntk", "factor": given["scale"]}
    if kind == "dynamic":
        trained = given["max_position_embeddings"]
        present = {"trained": trained, "length": given["seq_len"]}
        return {**sizes, **present, "method": "dynamic", "factor": given["factor"]}
    length = given.pop("seq_len", None)
    return {**sizes, "length": length, "config": json.dumps({"rope_scaling": {"rope_type": kind, **given}})}


@pytest.mark.parametrize("name", names("ctx."))
def test_the_golden_frequencies(name: str) -> None:
    """What public implementations return, for every method; NTK-aware from its closed form."""
    golden = entry(name)
    method = context(**golden_state(name)).chosen
    np.testing.assert_allclose(method.inv_freq, golden["inv_freq"], rtol=INV_FREQ_RTOL)
    assert method.multiplier == pytest.approx(golden.get("attention_factor", 1.0), rel=1e-7)
    if "bands" in golden:
        assert method.counts == golden["bands"]
    if "which" in golden:
        assert method.extension.which == golden["which"]


def test_16k_from_4k_turns_position_12000_as_3000() -> None:
    """Interpolation divides every frequency by 16,384 / 4,096 = 4: 12,000 θ / 4 = 3,000 θ, in each pair."""
    view = context(method="linear")
    assert (view.core.trained, view.core.window) == (4096, 16_384)
    np.testing.assert_array_equal(12_000 * view.chosen.inv_freq, 3000 * view.plain.inv_freq)
    assert "position 12,000 turns as 3,000 did" in caption(view)
    cells = text(Pairs().readout(view))
    assert "12,000 turns as" in cells
    assert "3,000" in cells


def test_bands_of_the_llamas() -> None:
    """Thresholds are wavelengths 8,192 / 4 = 2,048 and 8,192 / 1.

    Pair i of 64 has wavelength 2π 500,000^(i/64): i = 28 gives 1,956, 29 gives 2,402, 34 gives 6,695 and
    35 gives 8,219. Of 32 pairs 14 gives 1,956, 15 gives 2,948, 17 gives 6,695 and 18 gives 10,089.
    """
    wide, narrow = context(model="llama-3.1-8b"), context(model="llama-3.2-1b")
    assert wide.chosen.counts == {"unchanged": 29, "smoothed": 6, "divided": 29}
    assert narrow.chosen.counts == {"unchanged": 15, "smoothed": 3, "divided": 14}
    said = text(Pairs().top(wide))
    for words_of_band in ("29 unchanged", "6 smoothed", "29 divided"):
        assert words_of_band in said
    assert "factor is 8, though the window is 16 times" in caption(wide)


@pytest.mark.parametrize("key", METHODS)
@pytest.mark.parametrize("d", [4, 64, 96])
def test_factor_1_is_plain_rope(key: str, d: int) -> None:
    view = context(method=key, factor=1.0, d=d)
    np.testing.assert_array_equal(view.chosen.inv_freq, view.plain.inv_freq)
    assert view.chosen.multiplier == 1
    assert view.new.total == 0


def test_ntk_keeps_the_first_pair_and_divides_the_last_by_the_factor() -> None:
    """Case ctx-09: base' = 10,000 · 8^(d/(d-2)), 160,000 at d = 8; its last pair is 8 times slower."""
    view = context(method="ntk", factor=8.0, d=8)
    assert view.chosen.extension.effective_base(8, 10_000.0) == pytest.approx(160_000)
    assert view.chosen.ratio[0] == 1
    assert view.chosen.ratio[-1] == pytest.approx(1 / 8, rel=1e-12)
    assert "160,000" in text(formulas.show(formula(view)))


@pytest.mark.parametrize("factor", [1.5, 4.0, 32.0])
def test_yarn_lies_between_plain_and_interpolated(factor: float) -> None:
    view = context(method="yarn", factor=factor)
    assert (view.chosen.inv_freq <= view.plain.inv_freq).all()
    assert (view.chosen.inv_freq >= view.methods["linear"].inv_freq).all()


@pytest.mark.parametrize(("factor", "multiplier"), [(32.0, 1.346574), (64.0, 1.415888), (128.0, 1.485203)])
def test_the_multiplier_and_the_gain_are_told_apart(factor: float, multiplier: float) -> None:
    """Cases ctx-01, ctx-02: m = 0.1 ln(factor) + 1 in q and in k, so m² in the logits: 1.4852² = 2.2058."""
    view = context(show="scores", factor=factor)
    assert view.chosen.multiplier == pytest.approx(multiplier, abs=5e-7)
    assert view.chosen.gain == pytest.approx(multiplier**2, abs=2e-6)
    assert view.lines["yarn"].near[0] == pytest.approx(view.chosen.gain, rel=1e-12)
    facts = text(look.facts(view))
    assert f"× {multiplier:.3f}".rstrip("0") in facts
    assert "the multiplier m" in facts
    assert "the logit gain m²" in facts
    if factor == 128:
        assert "1.4852" in caption(view)
        assert "2.2058" in caption(view)


def test_deepseek_multiplies_its_scores_elsewhere() -> None:
    """mscale = mscale_all_dim = 1 cancel in cos and sin; the scores get (0.1 ln 40 + 1)² = 1.8739 instead."""
    part = {"rope_type": "yarn", "factor": 40, "mscale": 1.0, "mscale_all_dim": 1.0}
    view = context(config=json.dumps({"rope_scaling": part}))
    assert view.chosen.multiplier == 1
    assert "by 1.874 besides" in text(formulas.show(formula(view)))


def test_dynamic_ntk_follows_the_present_length() -> None:
    """Case ctx-05, d = 64: bases 10,000, 10,010.081 and 31,082.237 at 2,048, 2,049 and 4,096 tokens."""
    state = {"method": "dynamic", "d": 64, "trained": 2048, "factor": 2.0}
    for length, base in ((2048, 10_000.0), (2049, 10_010.081), (3072, 20_452.229), (4096, 31_082.237)):
        method = context(**state, length=length).chosen
        assert method.extension.effective_base(64, 10_000.0) == pytest.approx(base, abs=5e-4)
    assert context(**state).core.length == 4096


@pytest.mark.parametrize("key", METHODS)
def test_new_angles_against_a_count_of_every_distance(key: str) -> None:
    """Distance n has angle n θ' mod 2π; training covered [0, L θ), or all once a pair had turned."""
    view = context(show="angles", method=key, d=16, trained=64, factor=4.0)
    n, plain, new = np.arange(256)[:, None], view.plain.inv_freq, view.chosen.inv_freq
    arc = np.minimum(64 * plain, 2 * np.pi)
    counted = ((n * new + 1e-9 * new) % (2 * np.pi) >= arc) & (arc < 2 * np.pi)
    np.testing.assert_allclose(view.new.share, counted.mean(axis=0), rtol=0, atol=1e-12)
    assert view.unseen[key].map.shape == (8, 128)


def test_what_stretching_does_to_new_angles() -> None:
    """Plain RoPE meets new ones right at the trained length; interpolation none; NTK-aware some."""
    view = context(show="angles")
    first = view.new_plain.first
    assert min(first[first >= 0]) == 4096
    totals = {key: found.total for key, found in view.unseen.items()}
    assert totals["linear"] == totals["yarn"] == totals["llama3"] == 0
    assert 0 < totals["ntk"] < totals["none"]
    assert "first at distance" in text(Angles().bottom(view))


def test_a_point_is_the_mean_of_its_block() -> None:
    """Of every distance in it, counted one by one."""
    view = context(show="scores", method="yarn", d=32, trained=1000)
    assert view.block == 21
    every = view.chosen.gain * np.cos(np.outer(np.arange(4000), view.chosen.inv_freq)).mean(axis=1)
    direct = [every[n - 10 : n + 11].mean() for n in view.middles]
    np.testing.assert_allclose(view.lines["yarn"].far, direct, rtol=0, atol=1e-12)
    np.testing.assert_allclose(view.lines["yarn"].near, every[:64], rtol=0, atol=1e-12)
    assert view.reach == 4 * 1000


def test_lines_reach_four_trained_windows_or_the_whole_window() -> None:
    assert context(show="scores", factor=2.0).reach == 4 * 4096
    assert context(show="scores", factor=32.0).reach == 131_072


def test_neighbours_stay_apart_where_fast_pairs_are_kept() -> None:
    """Interpolation by s brings neighbours s times closer for slow pairs; YaRN keeps the fast ones."""
    view = context(show="scores", factor=8.0)
    share = {key: method.neighbours / view.plain.neighbours for key, method in view.methods.items()}
    assert share["yarn"] > 0.99
    assert share["linear"] == pytest.approx(1 / 8, abs=0.01)
    assert share["linear"] < share["ntk"] < share["yarn"]


def test_interpolated_heads_score_at_4_windows_as_plain_ones_at_1() -> None:
    """8,192 / 4 = 2,048, in all nine heads and to rounding."""
    view = context(show="heads", method="linear")
    linear, plain = view.heads["linear"].at, view.heads["none"].at
    np.testing.assert_allclose(linear[:, 2], plain[:, 0], rtol=0, atol=1e-9)


def test_plain_heads_are_the_true_scores() -> None:
    """The same as the lab's own, which the room `rope` draws."""
    view = context(show="heads", a="water", b="people", head="3")
    expected = layer0_scores(" water", " people", LENGTHS)
    np.testing.assert_allclose(view.heads["none"].at, expected, rtol=0, atol=1e-5)
    around = layer0_scores(" water", " people", range(41))
    np.testing.assert_allclose(view.heads["none"].far[:, 0], around.mean(axis=1), rtol=0, atol=1e-5)
    assert f"{expected[3, 2]:.2f}".replace("-", "−") in caption(view)
    with pytest.raises(ValueError, match=r"Word b: .* is not among the pack's 1,500 tokens"):
        context(show="heads", b="zzz")


@pytest.mark.parametrize("show", SHOWN)
@pytest.mark.parametrize("key", METHODS)
def test_every_view_of_every_method_says_what_it_draws(show: str, key: str) -> None:
    for changed in ({}, {"overlay": "one", "d": 8, "trained": 100, "factor": 3.0, "pair": 1}):
        state = {**DEFAULTS, "show": show, "method": key, **changed}
        view = viewed(show, state)
        assert len(caption(view)) < 700
        for table in numbers(view):
            assert {len(row) for row in table.rows} == {len(table.columns)}
        assert tables.show(numbers(view))
        assert "<merror" not in formulas.show(formula(view))


@pytest.mark.parametrize("show", SHOWN)
@pytest.mark.parametrize("key", METHODS)
def test_the_code_gives_the_figure(show: str, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from lab import data

    monkeypatch.chdir(data.DEFAULT_ROOT.parents[1])
    state = {**DEFAULTS, "show": show, "method": key, "trained": 512, "factor": 3.0, "length": 900}
    run_and_compare(state)


@pytest.mark.parametrize("model", MODELS)
def test_the_code_of_every_published_model(model: str) -> None:
    run_and_compare({**DEFAULTS, "model": model})


def run_and_compare(state: dict[str, Any]) -> None:
    found: dict[str, Any] = {}
    figure = ROOM.figure(state["show"])
    exec(figure.code(figure.snapshot(state)), found)
    if "pack" in found:
        found["pack"].close()
    answer = np.asarray(figure.code_answer(context(**state)), dtype=float)
    np.testing.assert_allclose(np.asarray(found["result"]), answer, rtol=1e-6, atol=1e-9)


def test_the_code_of_a_yarn_with_everything() -> None:
    part = {
        "rope_type": "yarn", "factor": 32, "beta_fast": 16, "beta_slow": 2, "truncate": False,
        "mscale": 0.707, "mscale_all_dim": 0.5,
    }  # fmt: skip
    run_and_compare({**DEFAULTS, "config": json.dumps(part)})
    run_and_compare({**DEFAULTS, "config": json.dumps({**part, "attention_factor": 1.25})})


def test_the_code_and_formula_of_multipliers_that_are_given() -> None:
    """Phi-3.5-MoE gives one for each list, in place of sqrt(1 + ln s / ln L)."""
    part = {
        "rope_type": "longrope", "factor": 32, "original_max_position_embeddings": 4096, "head_dim": 4,
        "short_factor": [1.0, 1.1], "long_factor": [1.0, 2.0], "short_mscale": 1.1, "long_mscale": 1.2432,
    }  # fmt: skip
    for length, m in ((4096, 1.1), (None, 1.2432)):
        state = {**DEFAULTS, "config": json.dumps(part), "length": length}
        run_and_compare(state)
        view = context(**state)
        assert view.chosen.multiplier == m
        general = [one.latex for one in formula(view) if "lambda" in one.latex and "given" in one.latex]
        assert len(general) == 1
        assert r"\ln" not in general[0]


def test_the_tooltip_of_a_pair() -> None:
    """Pair 63 of 64 turns 4,096 / (2π 10,000^(126/128)) = 0.0753 times in training."""
    columns = Pairs().columns(context())
    said = {name: values[63] for name, values in columns.tips.items()}
    length = 2 * math.pi * 10_000 ** (126 / 128)
    assert said == {
        "pair": "63",
        "band": "interpolated under YaRN",
        "ratio": "1/4",
        "wavelength": f"{length:,.0f} to {4 * length:,.0f}",
        "turns in training": "0.08",
    }
    assert set(columns.zone) == {"extrapolated", "blended", "interpolated"}


def test_bands_are_shaded_and_named_where_their_names_fit() -> None:
    """Llama 3.1: 29, 6 and 29 of 64 pairs; 6 columns are too narrow for a word."""
    ratio = ROOM("model=llama-3.1-8b")._places["pairs"].figure.ratio
    assert ratio.shades.data["left"] == [-0.5, 28.5, 34.5]
    assert ratio.shades.data["right"] == [28.5, 34.5, 63.5]
    assert ratio._zones.data["word"] == ["unchanged", "divided"]


def test_marks_are_named_inside_the_picture() -> None:
    """The trained length stands at 1/32 of the window: its word goes to the right of its line."""
    lines = ROOM("show=angles&factor=32")._places["angles"].figure.lines
    assert lines._places.data["align"] == ["left"]
    far = ROOM("show=scores&factor=2")._places["scores"].figure.far
    assert far._places.data["align"] == ["right", "right"]


def test_the_questions_are_answered_as_taught() -> None:
    """3,000; no error and no evidence; YaRN; m²; 29; new angles remain; none."""
    questions = ROOM.asked
    assert [question.answer()[0] for question in questions] == [1, 1, 2, 1, 1, 1, 0]
    assert "1.4852² = 2.2058" in questions[3].answer()[1]
    assert questions[4].options[1] == "29"


def test_rope_takes_the_very_extension_that_is_shown() -> None:
    view = context(method="longrope", length=4096)
    rope = Rope(128, extension=view.chosen.extension)
    np.testing.assert_array_equal(rope.inv_freq, view.chosen.inv_freq)
    assert rope.attention_factor == view.chosen.multiplier


def test_a_base_that_is_given_follows_from_no_rule() -> None:
    """Code Llama took 1,000,000; the rule would give 71,738."""
    said = formula(context(model="code-llama-7b", method="base"))[0]
    assert r"\ln" not in said.latex
    assert "given" in said.latex
    assert r"\ln" in formula(context(method="base"))[0].latex


@pytest.mark.parametrize(("changed", "illustrates"), [({}, True), ({"model": "phi-3-mini-128k"}, False)])
def test_borrowed_lists_are_said_to_be(changed: dict[str, Any], illustrates: bool) -> None:
    view = context(method="longrope", **changed)
    assert ("an illustration" in formula(view)[0].says) == illustrates


def test_the_base_in_use_is_listed() -> None:
    """Cases ctx-09 and ctx-05."""
    table = numbers(context(method="ntk", factor=8, d=128))[0]
    place = table.columns.index("base in use")
    found = {row[0]: row[place] for row in table.rows}
    assert found["NTK-aware"] == pytest.approx(82684.6226, abs=1e-3)
    assert found["YaRN"] == 10_000


@pytest.mark.parametrize(
    "changed",
    [
        {"model": "llama-3.1-8b", "method": "base", "factor": 64.0},
        {"model": "qwen-2.5-yarn", "method": "dynamic", "factor": 64.0},
        {"model": "qwen-2.5-yarn", "method": "base", "factor": 128.0},
        {"method": "ntk", "base": 1e7, "factor": 128.0},
        {"method": "ntk", "base": 1e9},
        {"method": "none", "base": 1e15},
    ],
)
@pytest.mark.parametrize("show", SHOWN)
def test_a_base_of_ten_digits_and_more_can_be_raised_to_a_power(changed: dict[str, Any], show: str) -> None:
    """From 10^9 on a number is itself written with a power."""
    shown = formulas.show(formula(context(**changed, show=show)))
    assert "<math" in shown
    assert "<merror" not in shown


@pytest.mark.parametrize("block", [1, 3, 81, 335_545])
def test_the_mean_of_a_block_in_closed_form(block: int) -> None:
    """Against a sum over all its distances, for turning and for still pairs."""
    inv_freq = np.array([0.0, 1e-7, 0.01, 1.0, np.pi, 2 * np.pi])
    offsets = np.arange(block) - block // 2
    direct = [np.cos(w * offsets).mean() for w in inv_freq]
    np.testing.assert_allclose(block_mean(inv_freq, block), direct, rtol=0, atol=1e-9)
    with pytest.raises(ValueError, match="block must be odd"):
        block_mean(inv_freq, block + 1)


def test_new_angles_are_those_before_the_extension() -> None:
    """Llama 3.1 was trained at the long length after it: its 21 % of new angles are new no more."""
    view = context(show="angles", model="llama-3.1-8b")
    assert view.new.total == pytest.approx(0.21, abs=0.01)
    assert view.rope.further in caption(view)
    assert view.rope.further not in caption(context(show="angles"))
    moved = caption(context(show="angles", model="llama-3.1-8b", method="yarn"))
    assert view.rope.further not in moved
    shorter = caption(context(show="angles", model="llama-3.1-8b", trained=4096))
    assert view.rope.further not in shorter


def test_stretching_is_followed_by_training() -> None:
    """Chen et al. 2023: perplexity 16.10 as interpolated, 6.95 after 1,000 steps."""
    said = text(Angles().bottom(context(show="angles")))
    assert "16.10" in said
    assert "6.95" in said


@pytest.mark.parametrize("show", SHOWN)
@pytest.mark.parametrize(
    "changed",
    [
        {"d": 2, "method": "none"},
        {"trained": 1, "method": "linear", "factor": 1.0},
        {"position": 1, "pair": 0},
    ],
)
def test_one_thing_is_not_spoken_of_as_several(show: str, changed: dict[str, Any]) -> None:
    room = ROOM()
    room.state.param.update(**{**changed, "show": show, "overlay": "one"})
    shown = [pane.object for pane in room.layout.select(Pane)]
    assert room._places[show]._caption.pane.object in shown
    assert not [one for markup in shown for one in ones(Markup(markup).striptags())]
