"""The numbers of the cases, as the right and the wrong version of each mistake give them."""

from __future__ import annotations

import numpy as np
import pytest

from lab.context_extension import logit_gain
from lab.mistakes import MISTAKES
from lab.mistakes.caching import past_lengths
from lab.positions import Learned, Rope
from lab.positions.learned import fairseq_positions, mask_positions
from lab.positions.rope import half_permutation
from lab.vocab import truncate
from tests.golden import PRINTED_ATOL, case, entry


def at(mistake, **changes):
    """Inputs of the witness, some changed."""
    return {**mistake.witness(), **changes}


def agree(got, wanted):
    np.testing.assert_allclose(got, wanted, rtol=0, atol=PRINTED_ATOL)


def test_rope_01_layouts():
    """At distance 7 - 2 = 5: -1.142699 permuted, -1.429814 not."""
    layout = MISTAKES["layout"]
    inputs = at(layout, distances=np.array([5]))
    values = entry("rope.layout_conversion.d8")["values"]
    agree(layout.right(inputs), [values["score_interleaved"]])
    agree(layout.right(inputs), [values["score_half_split_after_permute"]])
    agree(layout.wrong(inputs), [values["score_half_split_without_permute"]])
    agree([layout.right(inputs)[0], layout.wrong(inputs)[0]], [-1.142699, -1.429814])
    np.testing.assert_array_equal(half_permutation(8), [0, 2, 4, 6, 1, 3, 5, 7])


def test_rope_04_partial_rotation():
    partial = MISTAKES["partial"]
    inputs = at(partial, pos=np.array([3, 0]))
    assert "-1.413352,1.879118,-2.828857,4.058191" in case("rope-04")["expected"]
    right, wrong = partial.right(inputs), partial.wrong(inputs)
    np.testing.assert_allclose(right[0], [-1.413352, 1.879118, -2.828857, 4.058191, 5, 6, 7, 8], atol=1.5e-6)
    np.testing.assert_allclose(wrong[0], [-1.413353, 0.728592, -2.828857, 4.412386, 5, 6, 7, 8], atol=1.5e-6)
    np.testing.assert_array_equal(right[1], wrong[1])


def test_rope_05_rotated_twice():
    """R(n) R(n) = R(2n): offsets 7 - 2 = 5, 7 - 4 = 3, 14 - 4 = 10."""
    twice = MISTAKES["twice"]
    inputs = at(twice, q_pos=np.array([7]), k_pos=np.array([2]))
    both = twice.others["query and key both twice"]
    got = [version(inputs)[0] for version in (twice.right, twice.wrong, both)]
    agree(got, [-1.429814, -3.723953, -2.852279])
    q, k = inputs["q"], inputs["k"]
    agree(Rope(8, pairing="half").score_by_distance(q, k, [5, 3, 10]).total, got)


def test_pos_01_left_padding():
    """Learned positions: right ids and mask change nothing, a shift or a missing mask does; RoPE: a shift
    cancels. The tiny model is not GPT-2, so its numbers are not .106 and .020."""
    padding = MISTAKES["padding"]
    inputs = padding.witness()
    np.testing.assert_array_equal(mask_positions([0, 0, 1, 1, 1])[2:], [0, 1, 2])
    for key, shift_matters in (("model", True), ("rope_model", False)):
        model = inputs[key]
        changed = at(padding, model=model)
        alone = model.logits(inputs["ids"])[-1]

        def change(version, changed=changed, alone=alone):
            return np.abs(version(changed) - alone).max()

        assert change(padding.right) < 1e-12
        assert bool(change(padding.wrong) > 1e-2) is shift_matters
        if not shift_matters:
            assert change(padding.wrong) < 1e-12
        assert change(padding.others["right positions, no mask"]) > 1e-2


def test_pos_03_fairseq_numbers_from_its_padding_index():
    ids = np.array([[1, 1, 7, 8, 9], [7, 8, 9, 1, 1]])
    np.testing.assert_array_equal(fairseq_positions(ids, 1), [[1, 1, 2, 3, 4], [2, 3, 4, 1, 1]])
    longest = fairseq_positions(np.full(512, 7), 1)
    assert (longest.min(), longest.max()) == (2, 513)
    Learned(np.zeros((514, 2))).add_to_input(np.zeros((512, 2)), longest)
    with pytest.raises(ValueError, match="position 512 has no row: the table was trained for 512"):
        Learned(np.zeros((512, 2))).add_to_input(np.zeros((512, 2)), longest)


def test_pos_06_cache():
    """Key at 8: distance 1 scores -2.514775, distance 2 -3.619648, both shifted -2.514775 again."""
    cache = MISTAKES["cache"]
    both = cache.others["queries and keys both one late: invisible to scores"]
    inputs = at(cache, steps=1)
    agree([v(inputs)[0] for v in (cache.right, cache.wrong, both)], [-2.514775, -3.619648, -2.514775])
    np.testing.assert_array_equal(past_lengths(9, 3), [0, 9, 10, 11])
    np.testing.assert_array_equal(past_lengths(9, 3, late=1), [0, 10, 11, 12])


def test_pad_01_padding_by_value():
    """Ids [5, 6, 0, 0, 0], true length 3: targets 6 and the first 0 count, by value only the 6."""
    value = MISTAKES["pad_value"]
    inputs = at(value, ids=np.array([[5, 6, 0, 0, 0]]), lengths=np.array([3]))
    np.testing.assert_array_equal(value.right(inputs), [[1, 1, 0, 0]])
    np.testing.assert_array_equal(value.wrong(inputs), [[1, 0, 0, 0]])
    assert value.detector.verdict(value.wrong, inputs).message == "sequence 1: its end token does not count"
    everything = value.detector.verdict(lambda i: np.ones((1, 4)), inputs)
    assert everything.message == "sequence 1: 4 of 2 targets count"


def test_ctx_01_and_02_yarn_factor():
    """Right 1.346574 (32), 1.415888 (64), 1.4852 (128); through the formula twice 1.466687 and 1.588851, 8.9
    and 12.2 % more; squared 2.2058. The gain of the logits is the square: 2.2058, wrongly 4.8656, which is
    the square of the rounded 2.2058 (4.865677 in full)."""
    yarn = MISTAKES["yarn_factor"]
    inputs = at(yarn, factors=np.array([32.0, 64.0, 128.0]))
    right, again = yarn.right(inputs), yarn.others["put through the formula twice"](inputs)
    agree(right[:2], [1.346574, 1.415888])
    agree(again[:2], [1.466687, 1.588851])
    np.testing.assert_allclose(100 * (again / right - 1)[:2], [8.9, 12.2], atol=0.05)
    np.testing.assert_allclose([right[2], yarn.wrong(inputs)[2]], [1.4852, 2.2058], atol=5e-5)
    gains = [logit_gain(version(inputs)[2]) for version in (yarn.right, yarn.wrong)]
    np.testing.assert_allclose(gains, [2.2058, 4.8656], atol=1e-4)


def test_ctx_06_stale_keys():
    stale = MISTAKES["stale"]
    inputs = at(stale, k_pos=np.array([100]))
    agree([stale.right(inputs)[0], stale.wrong(inputs)[0]], [-0.725590, -1.553644])


def test_emb_07_repeats():
    """Row 0 is used twice, row 1 twice, row 2 once: 2, 2, 1; += gives 1, 1, 1."""
    gradient = MISTAKES["gradient"]
    inputs = at(gradient, V=3)
    np.testing.assert_array_equal(gradient.right(inputs), [[2, 2], [2, 2], [1, 1]])
    np.testing.assert_array_equal(gradient.wrong(inputs), np.ones((3, 2)))


def test_len_01_cut_silently():
    """551 tokens, 512 trained: a silent cut drops 39, the detector says so, and truncate says so itself."""
    longer = MISTAKES["longer"]
    inputs = at(longer, length=551)
    verdict = longer.detector.verdict(longer.others["cut at the trained length, silently"], inputs)
    assert verdict.message == "39 of 551 tokens dropped, and nothing said so"
    assert truncate(np.arange(551), 512).message == "39 of 551 tokens dropped"
    longer.detector(longer.right, inputs)
    fits = at(longer, length=512)
    for version in (longer.right, longer.wrong, *longer.others.values()):
        longer.detector(version, fits)


def test_longer_than_trained_begins_at_the_trained_length():
    """d = 64, base 10,000, trained 512: i = 64 ln(512 / 2π) / (2 ln 10000) = 15.29, so 16 to 31 are new."""
    longer = MISTAKES["longer"]
    message = longer.detector.verdict(longer.wrong, longer.witness()).message
    assert message == "from position 512 on, 16 of 32 pairs reach angles never met in training"


def test_raw_index_swamps_the_word():
    """At 4,000 the index is 4000 in each of 16 dimensions, norm 16,000, while a token's norm is about 4."""
    raw = MISTAKES["raw"]
    norms = np.linalg.norm(raw.wrong(raw.witness()), axis=-1)
    np.testing.assert_allclose(norms[:, -1], 16_000, rtol=1e-3)
