"""Unseen angles, gains and sharpness, against their definitions; and the presets."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.context_extension import (
    EXTENSIONS,
    PRESETS,
    Linear,
    ModelRope,
    NoExtension,
    Ntk,
    neighbour_angle,
    neighbour_distance,
    ratio,
    unseen_angles,
    wavelengths,
)
from lab.positions.rope import plain_frequencies
from tests.golden import entry


def unseen_by_definition(new, old, trained, target):
    """Ask each distance of each pair: is its angle in the arc [0, trained w) that training covered?"""
    angles = np.outer(new, np.arange(target)) % (2 * np.pi)  # (pairs, target)
    return angles >= np.minimum(trained * np.array(old), 2 * np.pi)[:, None]


@given(
    st.integers(1, 40),
    st.integers(1, 300),
    st.lists(st.floats(0.001, 7.0), min_size=1, max_size=4),
    st.floats(0.3, 3.0),
    st.integers(1, 20),
)
@settings(deadline=None, max_examples=50)
def test_unseen_angles_agree_with_their_definition(trained, target, old, slower, bins):
    """Arbitrary frequencies, so no end of an arc falls on a whole distance but by chance."""
    new = np.array(old) / slower
    got = unseen_angles(new, old, trained, target, bins)
    wanted = unseen_by_definition(new, old, trained, target)
    tolerance = 1 / target + 1e-12  # a distance whose angle is the end of the arc may fall to either side
    np.testing.assert_allclose(got.share, wanted.mean(axis=1), rtol=0, atol=tolerance)
    binned = np.add.reduceat(wanted, got.edges[:-1], axis=1)
    np.testing.assert_allclose(got.map * np.diff(got.edges), binned, rtol=0, atol=1 + 1e-9)
    assert got.map.shape == (len(old), min(bins, target))


@pytest.mark.parametrize("target", [4096, 5000, 16_384])
def test_plain_rope_meets_new_angles_only_past_the_trained_length(target):
    """d = 128, base 10,000, trained 4,096: pairs up to i = 128 ln(4096 / 2π) / (2 ln 10000) = 45.03 have
    turned, so 46 to 63 meet new angles, and first at distance 4,096."""
    plain = plain_frequencies(128, 1e4)[0]
    got = unseen_angles(plain, plain, 4096, target)
    wanted = unseen_by_definition(plain, plain, 4096, target)
    np.testing.assert_allclose(got.share, wanted.mean(axis=1), rtol=0, atol=1e-12)
    first = np.where(np.arange(64) < 46, -1, 4096) if target > 4096 else np.full(64, -1)
    np.testing.assert_array_equal(got.first, first)
    np.testing.assert_allclose(got.total, wanted.mean(), atol=1e-12)


@given(st.sampled_from([8, 64, 128]), st.floats(100.0, 1e6), st.integers(2, 20), st.integers(16, 20_000))
@settings(deadline=None, max_examples=50)
def test_interpolation_meets_nothing_new(d, base, factor, trained):
    plain = plain_frequencies(d, base)[0]
    got = unseen_angles(Linear(factor=float(factor))(d, base)[0], plain, trained, factor * trained)
    np.testing.assert_array_equal(got.share, np.zeros(d // 2))
    np.testing.assert_array_equal(got.first, np.full(d // 2, -1))


def test_ntk_still_meets_new_angles_but_not_in_its_last_pair():
    plain = plain_frequencies(128, 1e4)[0]
    got = unseen_angles(Ntk(factor=4.0)(128, 1e4)[0], plain, 4096, 16_384)
    assert got.share[-1] == 0.0
    assert 0 < got.total < unseen_angles(plain, plain, 4096, 16_384).total


def test_a_pair_that_never_turned_has_met_angle_zero():
    got = unseen_angles([0.5], [0.0], trained=10, target=4, bins=4)
    np.testing.assert_array_equal(got.map, [[0.0, 1.0, 1.0, 1.0]])
    np.testing.assert_array_equal(got.first, [1])
    np.testing.assert_array_equal(unseen_angles([0.0], [0.0], 10, 40).share, [0.0])


def test_whole_turns_a_step_change_nothing():
    slow = unseen_angles([0.26], [0.01], 100, 500)
    fast = unseen_angles([0.26 + 2e6 * np.pi], [0.01], 100, 500)
    np.testing.assert_allclose(fast.share, slow.share, rtol=0, atol=1e-12)


@pytest.mark.parametrize("key", EXTENSIONS)
def test_a_long_window_is_counted_without_touching_every_position(key):
    """64 pairs x 131,072 positions of float64 would be 67 MB; the count needs a fraction of that."""
    plain = plain_frequencies(128, 1e4)[0]
    inv_freq = EXTENSIONS[key].build(factor=32, trained=4096)(128, 1e4)[0]
    tracemalloc.start()
    try:
        unseen_angles(inv_freq, plain, 4096, 131_072, bins=128)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8e6


def test_wavelengths():
    np.testing.assert_allclose(wavelengths([1.0, 0.0]), [2 * np.pi, np.inf])
    np.testing.assert_allclose(
        wavelengths(PRESETS["llama-2-7b"].inv_freq)[-1],
        entry("ctx.default.llama2.d128")["longest_wavelength"],
    )


def test_neighbours_come_closer_under_interpolation_and_hardly_under_ntk():
    """Chords 2 sin(w / 2): for w = (1, .01) they are .958851 and .01, root mean square .678047."""
    np.testing.assert_allclose(neighbour_distance(plain_frequencies(4, 1e4)[0]), 0.678047, atol=5e-7)
    np.testing.assert_array_equal(neighbour_angle([2 * np.pi + 0.5, np.pi, 4.0]) < np.pi + 1e-12, [True] * 3)
    np.testing.assert_allclose(neighbour_angle([2 * np.pi + 0.5, 4.0]), [0.5, 2 * np.pi - 4.0])
    near = {
        key: neighbour_distance(EXTENSIONS[key].build(factor=8, trained=4096)(128, 1e4)[0])
        for key in EXTENSIONS
    }
    np.testing.assert_allclose(near["linear"], near["none"] / 8, rtol=0.04)
    assert near["ntk"] > 0.9 * near["none"]
    assert near["yarn"] > 0.99 * near["none"]


def test_a_small_step_of_a_rotated_vector_is_the_neighbour_distance():
    """A vector with the same energy in every pair moves by just that much, relative to its length."""
    from lab.positions import Rope

    x = np.ones((1, 8))
    moved = Rope(8).rotate(x, [1]) - Rope(8).rotate(x, [0])
    np.testing.assert_allclose(
        np.linalg.norm(moved) / np.linalg.norm(x), neighbour_distance(Rope(8).inv_freq), rtol=1e-12
    )


@pytest.mark.parametrize("key", PRESETS)
def test_presets_are_whole(key):
    model = PRESETS[key]
    assert model.title
    assert "config.json" in model.source or "arXiv" in model.source or "card" in model.source
    assert model.target >= model.trained
    assert model.inv_freq.shape == model.trained_inv_freq.shape == (model.width // 2,)


@pytest.mark.parametrize(
    ("key", "golden"),
    [
        ("llama-2-7b", "ctx.default.llama2.d128"),
        ("code-llama-7b", "ctx.default.codellama.d128"),
        ("llama-3.1-8b", "ctx.llama3.llama3.1.d128"),
        ("qwen-2.5-yarn", "ctx.yarn.qwen2.5.d128"),
        ("phi-3-mini-128k", "ctx.longrope.phi3_mini_128k.seq4097"),
    ],
)
def test_presets_have_the_golden_frequencies(key, golden):
    np.testing.assert_allclose(PRESETS[key].inv_freq, entry(golden)["inv_freq"], rtol=2e-6)
    np.testing.assert_allclose(PRESETS[key].attention_factor, entry(golden)["attention_factor"], rtol=1e-8)


def test_phi3_takes_its_short_list_up_to_4096():
    golden = entry("ctx.longrope.phi3_mini_128k.seq4096")
    short = PRESETS["phi-3-mini-128k"].extension.at(4096)
    np.testing.assert_allclose(short(96, 1e4)[0], golden["inv_freq"], rtol=2e-6)
    long = entry("ctx.longrope.phi3_mini_128k.seq4097")["inputs"]["long_factor"]
    np.testing.assert_array_equal(np.float32(short.long_factor), np.float32(long))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: unseen_angles([1.0], [1.0, 2.0], 8, 8), "one entry for each pair; got 1 and 2"),
        (lambda: unseen_angles([], [], 8, 8), "one entry for each pair; got 0 and 0"),
        (lambda: unseen_angles([-1.0], [1.0], 8, 8), "inv_freq_new must not be negative; got -1.0"),
        (lambda: unseen_angles([1.0], [np.nan], 8, 8), r"inv_freq_trained \(pairs,\) must be finite"),
        (lambda: unseen_angles([1.0], [1.0], 0, 8), "trained length must be .* got 0"),
        (lambda: unseen_angles([1.0], [1.0], 8, 2**30), "target length must be at most 16,777,216"),
        (lambda: unseen_angles([1.0], [1.0], 8, 8, bins=0), "bins must be .* got 0"),
        (lambda: neighbour_distance([]), "holds no pair"),
        (lambda: wavelengths([-1.0]), "inv_freq must not be negative"),
        (lambda: ratio(7, 1e4, NoExtension()), "must be an even number"),
        (lambda: model(d=7), "head width d must be an even number"),
        (lambda: model(rotary_dim=10), "rotary_dim 10 is wider than the head, d = 8"),
        (lambda: model(trained=0), "trained length must be"),
        (lambda: model(target=0), "target length must be"),
        (lambda: model(d=2, extension=Ntk(factor=2.0)), "at least 4; got 2"),
    ],
)
def test_refusals(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def model(**changed):
    values = {"d": 8, "base": 1e4, "trained": 8, "target": 8, "extension": NoExtension()}
    return ModelRope(title="m", source="s", **(values | changed))
