"""Attention: scores against three loops, masks, order, padding, caches and packed documents."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from lab import reference
from lab.attention import attend, causal_mask, document_mask, scores, self_attention, softmax, split_heads
from lab.positions import SCHEMES, Alibi, Learned, NoPosition, Rope
from lab.positions.learned import mask_positions

T, D, H, d = 6, 8, 2, 4
PLACES = np.arange(T)
CAUSAL = causal_mask(PLACES, PLACES)


def build(key):
    return SCHEMES[key].build(D=D, H=H, d=d, max_positions=16, rng=np.random.default_rng(1))


@pytest.fixture
def x():
    return np.random.default_rng(2).standard_normal((T, D))


@pytest.fixture
def W():
    # small enough that softmax does not saturate, not even under the raw index
    return 0.3 * np.random.default_rng(3).standard_normal((3, D, H * d))


def test_scores_agree_with_three_loops():
    rng = np.random.default_rng(4)
    q, k = rng.standard_normal((H, 3, d)), rng.standard_normal((H, 5, d))
    np.testing.assert_allclose(scores(q, k), reference.attention_scores(q, k), rtol=0, atol=1e-14)


@pytest.mark.parametrize("key", SCHEMES)
def test_scores_take_rotation_and_bias_from_the_scheme(key):
    rng, scheme = np.random.default_rng(4), build(key)
    q, k = rng.standard_normal((H, 3, d)), rng.standard_normal((H, 5, d))
    q_pos, k_pos = np.array([4, 9, 2]), np.array([0, 7, 1, 1, 3])
    wanted = reference.attention_scores(scheme.rotate(q, q_pos), scheme.rotate(k, k_pos))
    wanted += scheme.bias(q_pos, k_pos)
    np.testing.assert_allclose(scores(q, k, scheme, q_pos, k_pos), wanted, rtol=0, atol=1e-14)


def test_scores_keep_float32():
    q = np.ones((H, 2, d), dtype=np.float32)
    assert scores(q, q, Alibi([0.5, 0.25])).dtype == np.float32


def test_masks():
    np.testing.assert_array_equal(causal_mask([5, 6], [4, 5, 6]), [[True, True, False], [True, True, True]])
    np.testing.assert_array_equal(
        document_mask([0, 3], [0, 3, 3]), [[True, False, False], [False, True, True]]
    )


def test_softmax_by_hand():
    """Weights of ln 1, ln 2, ln 5 are 1/8, 2/8, 5/8; without the last 1/3, 2/3."""
    row = np.log([[1.0, 2.0, 5.0]])
    np.testing.assert_allclose(softmax(row), [[0.125, 0.25, 0.625]], rtol=1e-14)
    np.testing.assert_allclose(softmax(row, [True, True, False]), [[1 / 3, 2 / 3, 0]], rtol=1e-14)
    np.testing.assert_allclose(softmax([[0.0, 0.0, -np.inf]]), [[0.5, 0.5, 0]], rtol=1e-14)


def test_softmax_does_not_overflow():
    """exp(1000) is beyond float64; subtracting the maximum leaves exp(0) and exp(-1000) = 0."""
    np.testing.assert_array_equal(softmax([[1000.0, 0.0], [-1000.0, -1000.0]]), [[1, 0], [0.5, 0.5]])


def test_a_row_without_keys_attends_to_nothing():
    weights = softmax(np.zeros((1, 2, 2)), [[False, False], [True, True]])
    np.testing.assert_array_equal(weights, [[[0, 0], [0.5, 0.5]]])
    np.testing.assert_array_equal(attend(weights, np.ones((1, 2, 3))), [[[0, 0, 0], [1, 1, 1]]])


def test_uniform_causal_attention_counts_places():
    """Scores of 0 share the weight among t keys, of which the first alone is marked: 1, 1/2, 1/3 ..."""
    marked = np.zeros((T, D))
    marked[0, 0] = 1
    no_scores, first = np.zeros((D, 1)), np.eye(D)[:, :1]
    output = self_attention(marked, no_scores, no_scores, first, H=1, mask=CAUSAL).output
    np.testing.assert_allclose(output[:, 0], 1 / np.arange(1, T + 1), rtol=1e-15)


@pytest.mark.parametrize("key", SCHEMES)
def test_only_without_positions_is_attention_blind_to_order(x, W, key):
    """f(permuted x) against permuted f(x): the same up to rounding for "none", another for every scheme."""
    order, scheme = np.array([3, 0, 5, 1, 4, 2]), build(key)
    straight = self_attention(x, *W, H=H, scheme=scheme).output
    permuted = self_attention(x[order], *W, H=H, scheme=scheme).output
    difference = np.abs(permuted - straight[order]).max()
    assert difference < 1e-12 if key == "none" else difference > 1e-2


def test_the_causal_mask_alone_breaks_the_symmetry(x, W):
    order = np.array([3, 0, 5, 1, 4, 2])
    straight = self_attention(x, *W, H=H, mask=CAUSAL).output
    assert np.abs(self_attention(x[order], *W, H=H, mask=CAUSAL).output - straight[order]).max() > 1e-2


def test_an_equal_token_in_another_order_ends_the_same(W):
    """Dog bites man, man bites dog: each word ends in the same state, so nothing says who bites."""
    dog, bites, man = np.random.default_rng(5).standard_normal((3, D))
    one = self_attention([dog, bites, man], *W, H=H).output
    other = self_attention([man, bites, dog], *W, H=H).output
    np.testing.assert_allclose(one, other[::-1], rtol=0, atol=1e-12)


@pytest.mark.parametrize("key", SCHEMES)
def test_a_causal_mask_hides_the_future(x, W, key):
    changed = x.copy()
    changed[-1] += 1
    before, after = (
        self_attention(rows, *W, H=H, scheme=build(key), mask=CAUSAL).output for rows in (x, changed)
    )
    np.testing.assert_array_equal(before[:-1], after[:-1])
    assert np.abs(before[-1] - after[-1]).max() > 1e-3


@pytest.mark.parametrize("key", SCHEMES)
def test_cached_decoding_equals_the_full_pass(x, W, key):
    """Query 5 alone at position 5 against all keys is the last row of a full pass; at 6 it is not."""
    scheme = build(key)
    full = self_attention(x, *W, H=H, scheme=scheme)
    one = scores(full.q[:, -1:], full.k, scheme, [5], PLACES)
    np.testing.assert_allclose(one, full.scores[:, -1:], rtol=0, atol=1e-13)
    late = scores(full.q[:, -1:], full.k, scheme, [6], PLACES)
    assert bool(np.abs(late - one).max() > 1e-3) == (scheme.enters in {"qk", "scores"})


def test_left_padding_with_right_positions_changes_nothing(x, W):
    """Case pos-01: ids from the mask and the mask itself give the unpadded output; either alone does not."""
    real = np.array([0, 0, 1, 1, 1, 1], dtype=bool)
    scheme, seen = build("learned"), CAUSAL & real
    alone = self_attention(x[2:], *W, H=H, scheme=scheme, mask=causal_mask(np.arange(4), np.arange(4))).output

    def padded(pos, mask):
        return np.abs(self_attention(x, *W, H=H, scheme=scheme, pos=pos, mask=mask).output[2:] - alone).max()

    assert padded(mask_positions(real), seen) < 1e-12
    assert padded(PLACES, seen) > 1e-2
    assert padded(mask_positions(real), CAUSAL) > 1e-2


@pytest.mark.parametrize("scheme", [NoPosition(), Rope(d), Alibi([0.5, 0.25])], ids=lambda s: s.key)
def test_left_padding_is_a_shift_to_relative_schemes(x, W, scheme):
    """Case pos-01: with the right mask, ids 0 to 5 are the true ids plus 2, which cancels."""
    real = np.array([0, 0, 1, 1, 1, 1], dtype=bool)
    alone = self_attention(x[2:], *W, H=H, scheme=scheme, mask=causal_mask(np.arange(4), np.arange(4))).output
    got = self_attention(x, *W, H=H, scheme=scheme, mask=CAUSAL & real).output
    np.testing.assert_allclose(got[2:], alone, rtol=0, atol=1e-12)


@pytest.mark.parametrize("key", SCHEMES)
def test_packed_documents_stay_apart(x, W, key):
    """Two documents of three: with the document mask and restarted positions each is as if it stood alone."""
    scheme, docs, restarted = build(key), np.array([0, 0, 0, 1, 1, 1]), np.array([0, 1, 2, 0, 1, 2])
    seen = CAUSAL & document_mask(docs, docs)
    packed = self_attention(x, *W, H=H, scheme=scheme, pos=restarted, mask=seen).output
    short = causal_mask(np.arange(3), np.arange(3))
    alone = [self_attention(part, *W, H=H, scheme=scheme, mask=short).output for part in (x[:3], x[3:])]
    np.testing.assert_allclose(packed, np.concatenate(alone), rtol=0, atol=1e-12)
    across = self_attention(x, *W, H=H, scheme=scheme, pos=restarted, mask=CAUSAL).output
    assert np.abs(across[3:] - packed[3:]).max() > 1e-2


@pytest.mark.parametrize("key", SCHEMES)
def test_the_result_holds_every_step(x, W, key):
    """Positions with gaps, so that a place taken for a position shows under every scheme."""
    scheme, pos = build(key), np.array([1, 2, 5, 6, 11, 15])
    got = self_attention(x, *W, H=H, scheme=scheme, pos=pos, mask=CAUSAL)
    rows = scheme.add_to_input(x, pos)
    np.testing.assert_allclose(got.q, split_heads(rows @ W[0], H), rtol=0, atol=1e-13)
    np.testing.assert_allclose(got.k, split_heads(rows @ W[1], H), rtol=0, atol=1e-13)
    turned = reference.attention_scores(scheme.rotate(got.q, pos), scheme.rotate(got.k, pos))
    np.testing.assert_allclose(got.scores, turned + scheme.bias(pos, pos), rtol=0, atol=1e-12)
    np.testing.assert_allclose(got.weights, softmax(got.scores, CAUSAL), rtol=0, atol=1e-15)
    second_head = got.weights[1] @ (rows @ W[2])[:, d:]
    np.testing.assert_allclose(got.output[:, d:], second_head, rtol=0, atol=1e-13)
    with pytest.raises(FrozenInstanceError):
        got.q = got.k


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: scores(np.ones((2, 3)), np.ones((2, 3))), r"q \(H, T, d\) must have shape"),
        (
            lambda: scores(np.ones((2, 3, 4)), np.ones((1, 3, 4))),
            r"k \(H, S, d\) must have shape \(2, any, 4\)",
        ),
        (
            lambda: scores(np.ones((2, 3, 4)), np.ones((2, 3, 6))),
            r"k \(H, S, d\) must have shape \(2, any, 4\)",
        ),
        (lambda: scores(np.ones((2, 3, 0)), np.ones((2, 3, 0))), "head width d must be .* at least 1; got 0"),
        (
            lambda: scores(np.ones((1, 2, 4)), np.ones((1, 2, 4)), q_pos=[0]),
            "2 tokens need 2 positions; got 1",
        ),
        (lambda: scores(np.full((1, 1, 4), np.nan), np.ones((1, 1, 4))), "must be finite"),
        (lambda: scores(np.ones((1, 1, 3)), np.ones((1, 1, 3)), Rope(4)), r"must have shape \(..., 1, 4\)"),
        (lambda: softmax([[0.0, np.nan]]), "scores must not be NaN or plus infinity"),
        (lambda: softmax([[0.0, np.inf]]), "scores must not be NaN or plus infinity"),
        (lambda: softmax(np.zeros((2, 0))), "softmax needs at least one key a row"),
        (lambda: softmax([[0.0, 1.0]], [[1, 0]]), "a mask holds True where .*; its dtype is int64"),
        (lambda: softmax([[0.0, 1.0]], [[True] * 3]), r"a mask of shape \(1, 3\) does not fit .* \(1, 2\)"),
        (lambda: causal_mask([0.5], [0]), "positions must be integers"),
        (lambda: document_mask([0], [[0]]), "k_doc must be integers, one a token"),
        (
            lambda: attend(np.ones((1, 2, 2)), np.ones((1, 3, 2))),
            r"v \(H, S, d\) must have shape \(1, 2, any\)",
        ),
        (
            lambda: split_heads(np.ones((2, 7)), 2),
            "a width of 7 does not split into 2 heads; take a multiple of 2",
        ),
        (lambda: split_heads(np.ones((2, 4)), 0), "heads H must be a whole number"),
        (
            lambda: self_attention(np.ones((2, 3)), *np.ones((3, 4, 4)), H=1),
            r"Wq \(D, H \* d\) must have shape \(3, any\)",
        ),
        (lambda: self_attention(np.ones((2, 4)), *np.ones((3, 4, 4)), H=1, pos=[0, 1, 2]), "2 tokens need 2"),
        (
            lambda: self_attention(
                np.ones((2, 4)), *np.ones((3, 4, 4)), H=1, scheme=Learned(np.ones((1, 4)))
            ),
            "position 1 has no row: the table was trained for 1 positions",
        ),
    ],
)
def test_refusals(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_long_row_of_float16_keeps_its_weight():
    """70,000 keys: their sum is beyond float16, their shares are not."""
    weights = softmax(np.zeros((1, 70_000), dtype=np.float16))
    assert weights.dtype == np.float16
    assert weights.astype(np.float64).sum() == pytest.approx(1, abs=0.01)
