"""ALiBi: slopes for any head count, and the bias."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab import reference
from lab.attention import causal_mask, softmax
from lab.positions import Alibi
from lab.positions.alibi import paper_slopes, slopes
from lab.positions.learned import mask_positions
from tests.golden import PRINTED_ATOL, entry, names


@pytest.mark.parametrize("name", names("alibi.slopes."))
def test_slopes_agree_with_public_implementations(name):
    golden = entry(name)
    H = golden["inputs"]["n_heads"]
    np.testing.assert_allclose(slopes(H), golden["values"], rtol=5e-9)
    np.testing.assert_allclose(paper_slopes(H), golden["naive_geometric_2_pow_minus_8h_over_n"], rtol=5e-9)
    assert np.allclose(slopes(H), paper_slopes(H)) == golden["naive_matches"]
    assert bool((np.diff(slopes(H)) < 0).all()) == golden["monotone"]


def test_slopes_that_are_no_power_of_two():
    """Case alibi-01: H = 3 takes 1/16, 1/256 of two heads and 1/4 of four; the order is kept, not sorted."""
    np.testing.assert_array_equal(slopes(3), [0.0625, 0.00390625, 0.25])
    np.testing.assert_array_equal(slopes(6), [0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125])
    np.testing.assert_allclose(slopes(12)[8:], [0.707107, 0.353553, 0.176777, 0.0883883], rtol=0, atol=5e-7)
    assert paper_slopes(12)[0] == pytest.approx(0.629961, abs=5e-7)


def test_eight_heads():
    """Case alibi-02: 2^-1 to 2^-8; counting heads from 0 would give 1 to 2^-7."""
    np.testing.assert_array_equal(slopes(8), 2.0 ** -np.arange(1, 9))


@given(st.integers(1, 200))
@settings(deadline=None, max_examples=50)
def test_slopes_are_distinct_and_between_the_ends(H):
    values = slopes(H)
    assert values.shape == (H,)
    assert np.unique(values).size == H
    assert 2**-8 <= values.min() <= values.max() < 1


def test_causal_bias():
    """Below the diagonal -slope (i - j); above it the golden form is signed, but the mask hides it anyway."""
    golden = entry("alibi.bias.causal_relative.n2.T4")
    got = Alibi(slopes(2)).bias(np.arange(4), np.arange(4))
    lower = causal_mask(np.arange(4), np.arange(4))
    np.testing.assert_allclose(
        np.where(lower, got, 0), np.where(lower, golden["values"], 0), rtol=0, atol=PRINTED_ATOL
    )
    np.testing.assert_array_equal(got, got.swapaxes(1, 2))


def test_bias_on_keys_alone_gives_the_same_weights():
    """Bloom adds slope * key position: rows differ from ours by a constant, which softmax does not see."""
    golden = entry("alibi.bias.bloom_leftpad.n2")
    mask = np.array(golden["inputs"]["attention_mask"], dtype=bool)
    bloom = np.array(golden["values"]).reshape(2, 2, 1, 5)  # (batch * H, 1, S) -> (batch, H, 1, S)
    for real, theirs in zip(mask, bloom, strict=True):
        pos = mask_positions(real)
        seen = causal_mask(np.arange(5), np.arange(5)) & real
        ours = softmax(Alibi(slopes(2)).bias(pos, pos), seen)
        np.testing.assert_allclose(
            ours, softmax(np.broadcast_to(theirs, ours.shape), seen), rtol=0, atol=1e-6
        )


def test_bias_agrees_with_the_definition():
    q_pos, k_pos = np.array([9, 3]), np.array([0, 3, 12])
    np.testing.assert_array_equal(
        Alibi(slopes(3)).bias(q_pos, k_pos), reference.alibi_bias(slopes(3), q_pos, k_pos)
    )


def test_half_distances():
    """exp(-slope * distance) = 1/2 at ln 2 / slope: 1.386 positions for a slope of 1/2, never for 0."""
    np.testing.assert_allclose(Alibi([0.5, 1 / 256]).half_distances, [1.3863, 177.446], rtol=1e-4)
    weights = softmax(Alibi([np.log(2) / 3]).bias([3], [3, 0]))[0, 0]
    assert weights[0] == pytest.approx(2 * weights[1])
    assert Alibi([0.0]).half_distances == [np.inf]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: slopes(0), "heads H must be a whole number of at least 1; got 0"),
        (lambda: paper_slopes(2.0), "heads H must be a whole number of at least 1; got 2.0"),
        (lambda: Alibi([]), "heads H must be a whole number of at least 1; got 0"),
        (lambda: Alibi([-0.5]), "slopes must not be negative"),
        (lambda: Alibi([np.nan]), "slopes .* must be finite"),
        (lambda: Alibi(0.5), r"slopes \(H,\) must have shape"),
    ],
)
def test_refusals(make, message):
    with pytest.raises(ValueError, match=message):
        make()
