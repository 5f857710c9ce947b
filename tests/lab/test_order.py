"""Order: what a permutation does to attention, what the causal mask tells, how documents are packed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab import order, packing
from lab.attention import causal_mask
from lab.positions import SCHEMES

D, H = 8, 2
SENTENCE = ["dog", "bites", "man"]
PLACED = [key for key in SCHEMES if key != "none"]


def layer(scheme="none", seed=0):
    return order.Layer.draw(scheme, D=D, H=H, max_positions=16, seed=seed)


def gap(scheme, permutation, *, causal=False, words=SENTENCE, seed=0):
    made, x = layer(scheme, seed), order.word_rows(words, D, seed)
    places = np.arange(len(words))
    mask = causal_mask(places, places) if causal else None
    return order.equivariance(lambda rows: made.attend(rows, mask=mask).output, x, permutation).gap


@settings(deadline=None, max_examples=40)
@given(st.permutations(range(5)), st.integers(0, 2**32 - 1))
def test_attention_without_positions_and_mask_is_equivariant(permutation, seed):
    words = ["the", "dog", "bites", "the", "man"]
    assert gap("none", permutation, words=words, seed=seed) < 1e-12


@pytest.mark.parametrize("scheme", PLACED)
@pytest.mark.parametrize("seed", range(3))
def test_every_scheme_breaks_it(scheme, seed):
    assert gap(scheme, [1, 0, 2], seed=seed) > 1e-3


@pytest.mark.parametrize("scheme", PLACED)
def test_only_alibi_without_a_mask_is_blind_to_a_reversal(scheme):
    """Its bias is -slope |m - n|, and backwards every |m - n| is the same; all others know the direction."""
    backwards = [2, 1, 0]
    assert (gap(scheme, backwards) < 1e-12) == (scheme == "alibi")
    assert gap(scheme, backwards, causal=True) > 1e-3


@pytest.mark.parametrize("permutation", [[2, 1, 0], [1, 0, 2], [1, 2, 0]])
def test_the_causal_mask_alone_breaks_it(permutation):
    assert gap("none", permutation, causal=True) > 0.1


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_order_at_hand_changes_nothing(scheme):
    assert gap(scheme, [0, 1, 2], causal=True) == 0


def test_equivariance_by_hand():
    """Cumulative sums of [4,2,1] are [4,6,7]; those of [1,2,4] are [1,3,7], backwards [7,3,1]: 6 apart."""
    found = order.equivariance(lambda rows: np.cumsum(rows, axis=0), [[1.0], [2.0], [4.0]], [2, 1, 0])
    np.testing.assert_array_equal(found.after, [[4], [6], [7]])
    np.testing.assert_array_equal(found.moved, [[7], [3], [1]])
    assert found.gap == 6


def test_equivariance_refuses_what_is_no_permutation():
    for bad in ([0, 1, 1], [0, 1], [1, 2, 3], [0, 1, 2, 3]):
        with pytest.raises(ValueError, match="names each of 0 to 2 once"):
            order.equivariance(lambda rows: rows, np.eye(3), bad)
    with pytest.raises(ValueError, match="must have shape"):
        order.equivariance(lambda rows: rows[:2], np.eye(3), [0, 1, 2])


@pytest.mark.parametrize("T", [2, 3, 7])
def test_a_shuffle_is_another_order(T):
    for seed in range(20):
        drawn = order.shuffled(T, seed)
        assert sorted(drawn) == list(range(T))
        assert drawn.tolist() != list(range(T))
        np.testing.assert_array_equal(drawn, order.shuffled(T, seed))
    with pytest.raises(ValueError, match="at least 1"):
        order.shuffled(0, 0)


def test_a_word_keeps_its_row_in_every_sentence():
    there = order.word_rows(["man", "bites", "dog"], D, seed=4)
    np.testing.assert_array_equal(order.word_rows(SENTENCE, D, seed=4), there[::-1])
    assert (order.word_rows(SENTENCE, D, seed=5) != there[::-1]).all()
    # whatever a reader types has a row, a lone surrogate too
    assert np.isfinite(order.word_rows(["\ud800", "␣", "🐕"], D, seed=0)).all()
    with pytest.raises(ValueError, match="number of words"):
        order.word_rows([], D, seed=0)


def test_a_layer_says_what_it_cannot_be():
    with pytest.raises(ValueError, match="scheme 'rotary' is unknown"):
        layer("rotary")
    with pytest.raises(ValueError, match="does not split into 3 heads"):
        order.Layer.draw("none", D=8, H=3, max_positions=4, seed=0)


def test_a_mark_thins_out_as_one_over_t():
    """Place t averages t tokens of which one holds 1: 1, 1/2, 1/3, ... Without a mask all T: 1/T."""
    np.testing.assert_allclose(order.marked_first(64, causal=True), 1 / np.arange(1, 65), rtol=1e-14)
    np.testing.assert_allclose(order.marked_first(64, causal=False), np.full(64, 1 / 64), rtol=1e-14)


def test_packing_by_hand():
    """Three tokens and two: positions 0 1 2 0 1 if they restart, 0 to 4 if not."""
    restarted, running = packing.pack([3, 2], restart=True), packing.pack([3, 2], restart=False)
    np.testing.assert_array_equal(restarted.pos, [0, 1, 2, 0, 1])
    np.testing.assert_array_equal(running.pos, [0, 1, 2, 3, 4])
    np.testing.assert_array_equal(restarted.documents, [0, 0, 0, 1, 1])
    with pytest.raises(ValueError, match="length of document 1"):
        packing.pack([3, 0], restart=True)


def test_packed_masks_by_hand():
    """Documents of 1 and 2 tokens: causal hides the upper triangle, separate the blocks off the diagonal."""
    masks = {
        (False, False): [[1, 1, 1], [1, 1, 1], [1, 1, 1]],
        (True, False): [[1, 0, 0], [1, 1, 0], [1, 1, 1]],
        (False, True): [[1, 0, 0], [0, 1, 1], [0, 1, 1]],
        (True, True): [[1, 0, 0], [0, 1, 0], [0, 1, 1]],
    }
    for (causal, separate), wanted in masks.items():
        found = packing.packed_mask([0, 1, 1], causal=causal, separate=separate)
        np.testing.assert_array_equal(found, np.array(wanted, dtype=bool))


def packed_second(scheme, *, separate, restart):
    """Output of the second of two packed documents, beside its output alone, and its attention across."""
    first, second = SENTENCE, ["not", "good"]
    made = layer(scheme)
    pos, documents = packing.pack([3, 2], restart=restart)
    mask = packing.packed_mask(documents, causal=True, separate=separate)
    found = made.attend(order.word_rows(first + second, D, 0), pos=pos, mask=mask)
    alone = made.attend(order.word_rows(second, D, 0), mask=np.tri(2, dtype=bool))
    across = packing.attention_across(found.weights, documents)
    return np.abs(found.output[3:] - alone.output).max(), across


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("restart", [True, False])
def test_packed_documents_attend_across_the_join_unless_masked(scheme, restart):
    """Without the mask every token of the second sees the first (the raw index drowns it in places)."""
    change, across = packed_second(scheme, separate=False, restart=restart)
    np.testing.assert_array_equal(across[:, :3], 0)
    assert (across[:, 3:] > 0).all()
    assert change > 1e-3
    _, across = packed_second(scheme, separate=True, restart=restart)
    np.testing.assert_array_equal(across, 0)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_masked_and_restarted_a_document_is_as_if_alone(scheme):
    change, _ = packed_second(scheme, separate=True, restart=True)
    assert change < 1e-12


@pytest.mark.parametrize("scheme", SCHEMES)
def test_running_positions_matter_to_schemes_that_add_to_the_input_only(scheme):
    """A constant shift cancels in RoPE and ALiBi, whose scores know the distance alone."""
    change, _ = packed_second(scheme, separate=True, restart=False)
    assert (change > 1e-3) == (SCHEMES[scheme].enters == "input")


def test_attention_across_by_hand():
    """Token 2 of document 1 gives .25 + .5 to document 0."""
    weights = [[[1, 0, 0], [0.5, 0.5, 0], [0.25, 0.5, 0.25]]]
    np.testing.assert_array_equal(packing.attention_across(weights, [0, 0, 1]), [[0, 0, 0.75]])
    with pytest.raises(ValueError, match="weights"):
        packing.attention_across(weights, [0, 1])
