"""Context extension: golden frequencies, hand values, and the cases."""

from __future__ import annotations

import numpy as np
import pytest

from lab.context_extension import (
    PRESETS,
    DynamicNtk,
    LargerBase,
    Linear,
    Llama3,
    LongRope,
    NoExtension,
    Ntk,
    Yarn,
    count_bands,
    logit_gain,
    ratio,
    yarn_multiplier,
)
from lab.positions import Rope
from lab.positions.rope import plain_frequencies
from tests.golden import INV_FREQ_RTOL, entry, names

BUILDERS = {
    "default": lambda g: NoExtension(),
    "linear": lambda g: Linear(factor=g["factor"]),
    "dynamic": lambda g: DynamicNtk(
        factor=g["factor"], trained=g["max_position_embeddings"], length=g["seq_len"]
    ),
    "ntk_aware": lambda g: Ntk(factor=g["scale"]),
    "yarn": lambda g: Yarn(
        factor=g["factor"],
        trained=g["original_max_position_embeddings"],
        **{n: g[n] for n in ("beta_fast", "beta_slow", "truncate", "mscale", "mscale_all_dim") if n in g},
    ),
    "llama3": lambda g: Llama3(
        factor=g["factor"],
        trained=g["original_max_position_embeddings"],
        low_freq_factor=g["low_freq_factor"],
        high_freq_factor=g["high_freq_factor"],
    ),
    "longrope": lambda g: LongRope(
        factor=g["max_position_embeddings"] / g["original_max_position_embeddings"],
        trained=g["original_max_position_embeddings"],
        length=g["seq_len"],
        short_factor=tuple(g["short_factor"]),
        long_factor=tuple(g["long_factor"]),
    ),
}


@pytest.mark.parametrize("name", names("ctx."))
def test_frequencies_and_factor_agree_with_public_implementations(name):
    golden = entry(name)
    extension = BUILDERS[name.split(".")[1]](golden["inputs"])
    inv_freq, factor = extension(golden["inputs"]["head_dim"], golden["inputs"]["base"])
    np.testing.assert_allclose(inv_freq, golden["inv_freq"], rtol=INV_FREQ_RTOL, atol=0)
    np.testing.assert_allclose(factor, golden.get("attention_factor", 1.0), rtol=1e-8)


@pytest.mark.parametrize("name", names("ctx.dynamic.") + names("ctx.ntk_aware."))
def test_effective_bases(name):
    golden = entry(name)
    extension = BUILDERS[name.split(".")[1]](golden["inputs"])
    got = extension.effective_base(golden["inputs"]["head_dim"], golden["inputs"]["base"])
    np.testing.assert_allclose(got, golden["effective_base"], rtol=1e-7)


@pytest.mark.parametrize("name", names("ctx.yarn."))
def test_ramp_and_multiplier_of_the_paper(name):
    golden = entry(name)
    g = golden["inputs"]
    yarn = BUILDERS["yarn"](g)
    ends = yarn.ramp_ends(g["head_dim"], g["base"])
    np.testing.assert_allclose(ends, [golden["ramp_low"], golden["ramp_high"]], rtol=1e-8)
    np.testing.assert_allclose(yarn_multiplier(g["factor"]), golden["paper_attention_factor"], rtol=1e-8)


def test_longest_wavelengths():
    for name in names("ctx.default."):
        golden = entry(name)
        rope = Rope(golden["inputs"]["head_dim"], golden["inputs"]["base"])
        np.testing.assert_allclose(rope.wavelengths[-1], golden["longest_wavelength"], rtol=1e-6)


@pytest.mark.parametrize("name", names("ctx.llama3."))
def test_llama_bands_agree_with_the_golden_counts(name):
    golden = entry(name)
    extension = BUILDERS["llama3"](golden["inputs"])
    bands = extension.bands(golden["inputs"]["head_dim"], golden["inputs"]["base"])
    assert count_bands(bands, extension.band_names) == golden["bands"]


@pytest.mark.parametrize(("preset", "counts"), [("llama-3.1-8b", (29, 6, 29)), ("llama-3.2-1b", (15, 3, 14))])
def test_bands_of_published_llamas(preset, counts):
    """Case ctx-08: the bounds are wavelengths 8192 / 4 = 2048 and 8192 / 1 = 8192, the factor is 1."""
    model = PRESETS[preset]
    bands = model.extension.bands(model.width, model.base)
    assert bands == ("unchanged",) * counts[0] + ("smoothed",) * counts[1] + ("divided",) * counts[2]
    assert model.extension.wavelength_bounds == (2048, 8192)
    assert model.attention_factor == 1.0


def test_the_ramp_may_end_beyond_the_last_pair():
    """Trained 131,072, base 1e4, d = 64: from 64 ln(131072 / 64π) / (2 ln 1e4) = 22.5 down to 22, up from
    64 ln(131072 / 2π) / (2 ln 1e4) = 34.6 to 35. The last pair, 31, is 9 / 13 of the way; it never ends."""
    yarn = Yarn(factor=4.0, trained=131_072)
    assert yarn.ramp_ends(64, 1e4) == (22, 35)
    shares = yarn.interpolated(64, 1e4)
    assert shares[-1] == pytest.approx(9 / 13)
    np.testing.assert_allclose(shares[22:], np.arange(10) / 13, rtol=1e-12)
    assert "interpolated" not in yarn.bands(64, 1e4)


def test_a_window_shorter_than_a_turn_is_interpolated_throughout():
    """edge.yarn_original_below_2pi: every wavelength is at least 2π = 6.28, above the window of 4, so each
    pair is divided by 4. The library leaves all unchanged, as its ramp runs from 0 down to -3."""
    golden = entry("edge.yarn_original_below_2pi.d128")["inputs"]
    yarn = BUILDERS["yarn"](golden)
    np.testing.assert_array_equal(ratio(128, 1e4, yarn), np.full(64, 0.25))
    assert set(yarn.bands(128, 1e4)) == {"interpolated"}


def test_a_window_of_very_many_turns_is_kept_throughout():
    """Base 10, window 131,072: the slowest pair turns at least 131072 / (2π 10) = 2,086 times, not 32.

    The ramp of the library runs from d - 1 down and divides every pair."""
    yarn = Yarn(factor=4.0, trained=131_072)
    np.testing.assert_array_equal(yarn(128, 10.0)[0], plain_frequencies(128, 10.0)[0])
    assert set(yarn.bands(128, 10.0)) == {"extrapolated"}


def test_yarn_with_a_tiny_window():
    golden = entry("edge.yarn_tiny_context16.d8")
    inv_freq, _ = BUILDERS["yarn"](golden["inputs"])(8, 1e4)
    np.testing.assert_allclose(inv_freq, golden["closed"], rtol=1e-12)
    np.testing.assert_allclose(inv_freq, golden["inv_freq"], rtol=INV_FREQ_RTOL)


def test_an_mscale_alone_acts_and_mscale_all_dim_moves_the_gain_to_the_scores():
    """mscale .707 at factor 40: 1 + .0707 ln 40 = 1.260804. Both 1: (1 + .1 ln 40)² = 1.873854 for scores."""
    np.testing.assert_allclose(Yarn(factor=40.0, trained=4096, mscale=0.707).multiplier, 1.260804, atol=5e-7)
    both = Yarn(factor=40.0, trained=4096, mscale=1.0, mscale_all_dim=1.0)
    assert both.multiplier == 1.0
    np.testing.assert_allclose(both.softmax_gain, 1.3688879454**2, rtol=1e-9)
    assert Yarn(factor=40.0, trained=4096).softmax_gain == 1.0
    assert Yarn(factor=40.0, trained=4096, attention_factor=1.2)(8, 1e4)[1] == 1.2


def test_dynamic_ntk_uses_the_length_of_the_sequence():
    """Case ctx-05: at length n the scale is 2 n / 2048 - 1. The buggy factor² - factor + 1 is 3 at every
    length; with factor 4 it is 13, where twice the length needs 4 * 2 - 3 = 5."""
    bases = [
        DynamicNtk(factor=2.0, trained=2048, length=n).effective_base(64, 1e4)
        for n in (2048, 2049, 3072, 4096)
    ]
    np.testing.assert_allclose(bases, [10_000, 10_010.081, 20_452.229, 31_082.237], rtol=0, atol=5e-4)
    assert DynamicNtk(factor=4.0, trained=2048, length=4096).scale == 5.0
    assert DynamicNtk(factor=1.0, trained=2048, length=4096).scale == 2.0


def test_interpolation_turns_position_12000_as_3000():
    np.testing.assert_array_equal(
        12_000 * Linear(factor=4.0)(128, 1e4)[0], 3_000 * plain_frequencies(128, 1e4)[0]
    )


def test_a_larger_base_keeps_the_critical_wavelength():
    """A pair of wavelength L under base b has 2i/d = ln(L / 2π) / ln b; under b' its wavelength is s L."""
    base, L, s = 1e4, 4096, 4.0
    exponent = np.log(L / (2 * np.pi)) / np.log(base)
    larger = LargerBase(factor=s, trained=L).effective_base(128, base)
    np.testing.assert_allclose(2 * np.pi * larger**exponent, s * L, rtol=1e-12)
    np.testing.assert_array_equal(
        LargerBase(factor=s, trained=L, new_base=1e6)(128, base)[0], plain_frequencies(128, 1e6)[0]
    )


def test_gain_is_the_square_of_the_multiplier():
    """Case ctx-02: at factor 128 cos and sin are multiplied by 1.4852, scores by 2.2058, as measured."""
    extension = Yarn(factor=128.0, trained=4096)
    rope, plain = Rope(8, extension=extension), Rope(8)
    q = np.arange(1.0, 9.0)
    np.testing.assert_allclose(rope.attention_factor, 1.4852, atol=5e-5)
    np.testing.assert_allclose(logit_gain(rope.attention_factor), 2.2058, atol=5e-5)
    at_zero = [r.score_by_distance(q, q, [0]).total[0] for r in (rope, plain)]
    np.testing.assert_allclose(at_zero[0] / at_zero[1], logit_gain(rope.attention_factor), rtol=1e-12)


def test_ratio_bands():
    assert Ntk(factor=4.0).bands(8, 1e4) == ("unchanged", *["divided by less"] * 2, "divided")
    assert set(Linear(factor=3.0).bands(64, 1e4)) == {"divided"}
    assert set(NoExtension().bands(64, 1e4)) == {"unchanged"}
    dynamic = DynamicNtk(factor=4.0, trained=2048, length=4096)
    assert dynamic.bands(4, 1e4) == ("unchanged", "divided by more")
    mixed = LongRope(factor=4.0, trained=8, length=9, long_factor=(0.9, 1.0, 4.0, 5.0))
    assert mixed.bands(8, 1e4) == ("sped up", "unchanged", "divided", "divided by more")


def test_longrope_changes_its_list_after_the_trained_length():
    toy = LongRope(factor=4.0, trained=8, length=8, short_factor=(1.0, 2.0), long_factor=(3.0, 4.0))
    assert toy.which == "short"
    np.testing.assert_array_equal(toy.divisors(4), [1.0, 2.0])
    np.testing.assert_array_equal(toy.at(9).divisors(4), [3.0, 4.0])
    # sqrt(1 + ln 4 / ln 8) = sqrt(5 / 3)
    np.testing.assert_allclose(toy.multiplier, np.sqrt(5 / 3), rtol=1e-14)


def test_longrope_without_lists_takes_those_of_phi3():
    """At d = 96 and factor 32 they are the published ones, exactly."""
    stand_in = LongRope.build(factor=32, trained=4096)
    np.testing.assert_array_equal(stand_in(96, 1e4)[0], PRESETS["phi-3-mini-128k"].inv_freq)


def test_equal_bounds_leave_one_step():
    """As transformers 5.24 gives it for these very settings.

    One turn in 4,096 positions: pair i of 32 turns 4,096 / (2π 10,000^(i/32)) times, more than once up to
    i = 22.5; with equal ends the ramp goes from pair 22 to 23. Llama 3: at least four turns in 8,192.
    """
    yarn = Yarn(factor=32.0, trained=4096, beta_fast=1.0, beta_slow=1.0)
    ratio = yarn(64, 10_000.0)[0] / plain_frequencies(64, 10_000.0)[0]
    turns = 4096 * plain_frequencies(64, 10_000.0)[0] / (2 * np.pi)
    np.testing.assert_array_equal(ratio == 1, turns > 1)
    assert (ratio == 1).sum() == 23
    np.testing.assert_allclose(ratio[turns < 1], 1 / 32, rtol=1e-12)
    llama = Llama3(factor=8.0, trained=8192, low_freq_factor=4.0, high_freq_factor=4.0)
    plain = plain_frequencies(128, 500_000.0)[0]
    kept = 8192 * plain / (2 * np.pi) >= 4
    np.testing.assert_allclose(llama(128, 500_000.0)[0], np.where(kept, plain, plain / 8), rtol=1e-15)
    assert set(llama.bands(128, 500_000.0)) == {"unchanged", "divided"}


def test_each_list_of_longrope_may_have_its_multiplier():
    """Phi-3.5-MoE gives both; without them the formula holds: sqrt(1 + ln 32 / ln 4,096) = 1.1902."""
    given = {"short_factor": (1.0,), "long_factor": (2.0,), "short_mscale": 1.1, "long_mscale": 1.2432}
    short = LongRope(factor=32.0, trained=4096, length=4096, **given)
    assert (short.which, short(2, 1e4)[1]) == ("short", 1.1)
    assert short.at(4097)(2, 1e4)[1] == 1.2432
    half = LongRope(factor=32.0, trained=4096, length=8192, long_factor=(2.0,), short_mscale=1.1)
    assert half(2, 1e4)[1] == pytest.approx(1.1902380714238083)
    with pytest.raises(ValueError, match="long_mscale must be"):
        LongRope(factor=32.0, trained=4096, length=8192, long_mscale=0.0)
