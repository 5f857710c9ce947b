"""What holds for every method of context extension, the laws of single ones, and every refusal."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.context_extension import (
    EXTENSIONS,
    DynamicNtk,
    LargerBase,
    Llama3,
    LongRope,
    NoExtension,
    Ntk,
    Yarn,
    logit_gain,
    ratio,
)
from lab.positions import Rope
from lab.positions.rope import plain_frequencies

METHODS = list(EXTENSIONS.values())
WIDTHS = st.sampled_from([4, 6, 8, 64, 96, 128, 256])
BASES = st.floats(10.0, 1e7)
FACTORS = st.floats(1.0, 128.0)
TRAINED = st.integers(8, 200_000)


@pytest.mark.parametrize("method", METHODS, ids=EXTENSIONS)
class TestContract:
    def test_says_what_it_is(self, method):
        assert EXTENSIONS[method.key] is method
        assert method.title
        assert method.formula
        assert method.source
        assert method.band_names

    def test_factor_one_is_plain_rope_bit_for_bit(self, method):
        for d, base in ((4, 1e4), (96, 1e4), (128, 5e5), (64, 12.5)):
            for trained in (8, 2048, 131_072):
                inv_freq, factor = method.build(factor=1, trained=trained)(d, base)
                np.testing.assert_array_equal(inv_freq, plain_frequencies(d, base)[0])
                assert factor == 1.0

    @given(WIDTHS, BASES, FACTORS, TRAINED)
    @settings(deadline=None, max_examples=40)
    def test_is_a_frozen_pure_function_that_rope_takes(self, method, d, base, factor, trained):
        extension = method.build(factor=factor, trained=trained)
        inv_freq, attention_factor = extension(d, base)
        assert inv_freq.shape == (d // 2,)
        assert np.isfinite(inv_freq).all()
        assert (inv_freq > 0).all()
        assert attention_factor >= 1.0
        np.testing.assert_array_equal(extension(d, base)[0], inv_freq)
        assert Rope(d, base, extension=extension).attention_factor == attention_factor
        bands = extension.bands(d, base)
        assert len(bands) == d // 2
        assert set(bands) <= set(method.band_names)
        assert hash(extension) == hash(method.build(factor=factor, trained=trained))
        with pytest.raises(dataclasses.FrozenInstanceError):
            extension.factor = 2.0

    def test_depends_on_the_length_only_where_it_says_so(self, method):
        extension = method.build(factor=4, trained=64)
        reads_length = "length" in {field.name for field in dataclasses.fields(method)}
        short, long = extension.at(64), extension.at(256)
        assert (short == long) is not reads_length
        assert np.array_equal(short(64, 1e4)[0], long(64, 1e4)[0]) is not reads_length
        with pytest.raises(ValueError, match="present length must be a whole number of at least 1; got 0"):
            extension.at(0)

    @pytest.mark.parametrize(
        ("values", "message"),
        [
            ({"factor": 0.99, "trained": 64}, "factor must be a finite number of at least 1.*got 0.99"),
            ({"factor": float("nan"), "trained": 64}, "factor must be a finite number.*got NaN"),
            (
                {"factor": float("inf"), "trained": 64},
                "factor must be a finite number.*got an infinite number",
            ),
            ({"factor": True, "trained": 64}, "factor must be a number of at least 1; got true"),
            ({"factor": "4", "trained": 64}, "factor must be a number of at least 1; got ‘4’"),
            ({"factor": 2, "trained": 0}, "trained length must be a whole number of at least 1; got 0"),
            ({"factor": 2, "trained": -4}, "trained length must be .* got -4"),
            ({"factor": 2, "trained": 2.5}, "trained length must be .* got 2.5"),
            ({"factor": 2, "trained": 64, "length": 0}, "present length must be .* got 0"),
            ({"factor": 2, "trained": 64, "strength": 3}, "has no parameter ‘strength’; its own are: "),
        ],
    )
    def test_refuses_bad_values(self, method, values, message):
        with pytest.raises(ValueError, match=message):
            method.build(**values)

    @pytest.mark.parametrize(("d", "base"), [(7, 1e4), (0, 1e4), (8, 0.0), (8, float("nan"))])
    def test_refuses_odd_widths_and_bad_bases(self, method, d, base):
        """Golden edge.head_dim_odd among them."""
        with pytest.raises(ValueError, match="must be"):
            method.build(factor=4, trained=64)(d, base)


@given(WIDTHS, BASES, FACTORS)
@settings(deadline=None, max_examples=50)
def test_ntk_leaves_the_first_pair_and_divides_the_last_by_the_factor(d, base, factor):
    ratios = ratio(d, base, Ntk(factor=factor))
    assert ratios[0] == 1.0
    np.testing.assert_allclose(ratios[-1], 1 / factor, rtol=1e-12)
    assert (np.diff(ratios) <= 1e-12).all()


@pytest.mark.parametrize("method", [Yarn, Llama3], ids=["yarn", "llama3"])
@given(WIDTHS, BASES, FACTORS, TRAINED, st.booleans())
@settings(deadline=None, max_examples=50)
def test_banded_methods_lie_between_plain_and_interpolated(method, d, base, factor, trained, truncate):
    own = {"truncate": truncate} if method is Yarn else {}
    extension = method.build(factor=factor, trained=trained, **own)
    plain, inv_freq = plain_frequencies(d, base)[0], extension(d, base)[0]
    assert (inv_freq <= plain).all()
    assert (inv_freq >= plain / factor).all()
    shares = extension.interpolated(d, base)
    np.testing.assert_array_equal(inv_freq[shares == 0], plain[shares == 0])
    np.testing.assert_array_equal(inv_freq[shares == 1], (plain / factor)[shares == 1])
    assert (np.diff(shares) >= -1e-12).all()


@given(FACTORS, TRAINED)
@settings(deadline=None, max_examples=50)
def test_dynamic_ntk_is_continuous_at_the_trained_length(factor, trained):
    at = DynamicNtk(factor=factor, trained=trained, length=trained)
    np.testing.assert_array_equal(at(64, 1e4)[0], plain_frequencies(64, 1e4)[0])
    np.testing.assert_array_equal(at.at(1)(64, 1e4)[0], plain_frequencies(64, 1e4)[0])
    np.testing.assert_allclose(at.at(trained + 1).scale, 1 + factor / trained, rtol=1e-12)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Ntk(factor=2.0)(2, 1e4), "head width d of at least 4; got 2"),
        (lambda: DynamicNtk(factor=2.0, trained=8, length=16)(2, 1e4), "head width d of at least 4; got 2"),
        (lambda: DynamicNtk(factor=2.0, trained=8, length=-1), "present length must be .* got -1"),
        (lambda: LargerBase(factor=2.0, trained=6)(8, 1e4), "length of 6 holds no whole turn"),
        (lambda: LargerBase(factor=2.0, trained=64)(8, 1.0), "derived from a base above 1; got 1.0"),
        (lambda: LargerBase(factor=1e9, trained=7)(8, 1e4), "stretched 1e.09 times, asks for the base"),
        (lambda: LargerBase(factor=2.0, trained=64, new_base=-1.0), "new_base must be .* got -1.0"),
        (lambda: Yarn(factor=2.0, trained=64, beta_fast=0.5), "beta_fast must not be below beta_slow"),
        (lambda: Yarn(factor=2.0, trained=64, beta_slow=0.0), "beta_slow must be .* got 0.0"),
        (lambda: Yarn(factor=2.0, trained=64, mscale=-0.1), "mscale must be .* got −0.1"),
        (lambda: Yarn(factor=2.0, trained=64, mscale_all_dim=np.inf), "mscale_all_dim must be .* infinite"),
        (lambda: Yarn(factor=2.0, trained=64, attention_factor=0.0), "attention_factor must be .* got 0.0"),
        (lambda: Yarn(factor=2.0, trained=64)(8, 1.0), "YaRN needs a base above 1.* got 1.0"),
        (lambda: Llama3(factor=2.0, trained=64, low_freq_factor=5.0), "high_freq_factor must not be below"),
        (lambda: Llama3(factor=2.0, trained=64, high_freq_factor=np.nan), "high_freq_factor must be .* nan"),
        (lambda: LongRope(factor=2.0, trained=1, length=2), "trained length of 1 leaves"),
        (
            lambda: LongRope(factor=2.0, trained=8, length=9, long_factor=(1.0, 0.0)),
            "long_factor must be above 0",
        ),
        (lambda: LongRope(factor=2.0, trained=8, length=9, short_factor=(np.nan,)), "short_factor .* finite"),
        (
            lambda: LongRope(factor=2.0, trained=8, length=9, long_factor=(1.0,) * 3)(8, 1e4),
            "long_factor has 3 entries, but a width of 8 turns 4 pairs",
        ),
        (
            lambda: LongRope(factor=2.0, trained=8, length=8, short_factor=(1.0,) * 5)(8, 1e4),
            "short_factor has 5 entries",
        ),
        (lambda: NoExtension.build(factor=2, trained=8, mscale=1.0), "its own are: none"),
        (lambda: logit_gain(0.0), "attention factor must be"),
    ],
)
def test_refusals(make, message):
    """Golden edge.dynamic_head_dim2 among them."""
    with pytest.raises(ValueError, match=message):
        make()
