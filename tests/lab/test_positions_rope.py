"""RoPE: golden rotations, the laws of rotation, and score against distance."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab import reference
from lab.positions import Rope
from lab.positions.precision import cast_positions, count_distinct
from lab.positions.rope import half_permutation, plain_frequencies
from tests.golden import PRINTED_ATOL, ROTATION_ATOL, entry, names

PAIRINGS = {"interleaved": "interleaved", "half_split": "half"}
COUNTING = np.arange(1.0, 9.0)


def turn(theta, **kwargs):
    """A head of one pair that turns by theta a position."""
    return Rope(2, extension=lambda d, base: ([theta], 1.0), **kwargs)


def score(rope, q, k, m, n):
    """Dot product of q at position m with k at position n."""
    return (rope.rotate([q], [m]) @ rope.rotate([k], [n])[0]).item()


@pytest.mark.parametrize("name", names("rope.half_split.") + names("rope.interleaved."))
def test_rotation_agrees_with_public_implementations(name):
    golden = entry(name)
    x = np.array(golden["inputs"]["x"])
    rope = Rope(len(x), base=golden["inputs"]["base"], pairing=PAIRINGS[name.split(".")[1]])
    got = rope.rotate([x], [golden["inputs"]["pos"]])
    np.testing.assert_allclose(got, [golden["values"]], rtol=0, atol=ROTATION_ATOL)


def test_layouts_agree_once_q_and_k_are_permuted(head):
    """Case rope-01: -1.142699 in both layouts, -1.429814 if the permutation is forgotten."""
    q, k = head
    order = half_permutation(8)
    interleaved, half = Rope(8), Rope(8, pairing="half")
    values = entry("rope.layout_conversion.d8")["values"]
    got = [score(interleaved, q, k, 7, 2), score(half, q[order], k[order], 7, 2), score(half, q, k, 7, 2)]
    wanted = [
        values["score_interleaved"],
        values["score_half_split_after_permute"],
        values["score_half_split_without_permute"],
    ]
    np.testing.assert_allclose(got, wanted, rtol=0, atol=PRINTED_ATOL)
    np.testing.assert_array_equal(order, entry("rope.layout_conversion.d8")["inputs"]["perm"])
    np.testing.assert_allclose(
        [score(rope, q, k, 4, 4) for rope in (interleaved, half)],
        np.full(2, values["score_at_same_position_all_layouts"]),
        rtol=0,
        atol=PRINTED_ATOL,
    )


@pytest.mark.parametrize(("pairing", "wanted"), [("interleaved", -1.142699), ("half", -1.429814)])
def test_score_depends_on_the_distance_alone(head, pairing, wanted):
    """Cases rope-01 and rope.relative_property: 5 apart at 7, at 107 and at 10,007."""
    pairs = entry("rope.relative_property.d8")["inputs"]["pairs"]
    got = [score(Rope(8, pairing=pairing), *head, m, n) for m, n in pairs]
    np.testing.assert_allclose(got, np.full(3, wanted), rtol=0, atol=PRINTED_ATOL)


def test_neither_the_norm_nor_position_0_tells_the_layouts_apart():
    """Case rope-02: the norm of [1..8] is sqrt(204) = 14.282857 at position 10 in both layouts."""
    turned = np.stack(
        [Rope(8, pairing=p).rotate([COUNTING, COUNTING], [0, 10]) for p in ("interleaved", "half")]
    )
    np.testing.assert_allclose(np.linalg.norm(turned, axis=-1), np.full((2, 2), 14.282857), rtol=0, atol=5e-7)
    np.testing.assert_array_equal(turned[:, 0], [COUNTING, COUNTING])
    assert np.abs(turned[0, 1] - turned[1, 1]).max() > 1


def test_partial_rotation_counts_the_exponent_over_the_rotated_width():
    """Case rope-04: dims 4 to 7 pass through; the exponent over d = 8 gives another second pair."""
    golden = entry("rope.partial.d8.rot4.pos3")
    right = Rope(8, pairing="half", rotary_dim=4).rotate([COUNTING], [3])
    np.testing.assert_allclose(right, [golden["values"]], rtol=0, atol=ROTATION_ATOL)
    wrong_width = Rope(
        8, pairing="half", rotary_dim=4, extension=lambda d, base: (base ** (-np.arange(2) / 4), 1.0)
    )
    got = wrong_width.rotate([COUNTING], [3])
    np.testing.assert_allclose(got, [golden["wrong_denominator_head_dim"]], rtol=0, atol=ROTATION_ATOL)


def test_rotating_twice_doubles_the_position(head):
    """Case rope-05: R(n) R(n) = R(2n), so the offset becomes m - 2n = 3, or 2 (m - n) = 10."""
    q, k = head
    rope, values = Rope(8, pairing="half"), entry("rope.double_application.d8")["values"]
    q_once, k_once = rope.rotate([q], [7])[0], rope.rotate([k], [2])[0]
    got = [
        score(rope, q, k, 7, 2),
        score(rope, q, k_once, 7, 2),
        score(rope, q, k, 5, 2),
        score(rope, q_once, k_once, 7, 2),
    ]
    wanted = [
        values["correct_offset5"],
        values["key_rotated_twice"],
        values["equals_offset3"],
        values["both_rotated_twice_equals_offset10"],
    ]
    np.testing.assert_allclose(got, wanted, rtol=0, atol=PRINTED_ATOL)


def test_a_cache_position_off_by_one_shows_unless_both_move(head):
    """Case pos-06: the key of place 8 against the query of place 9, of 10, and with both shifted."""
    got = [score(Rope(8, pairing="half"), *head, m, n) for m, n in [(9, 8), (10, 8), (10, 9)]]
    np.testing.assert_allclose(got, [-2.514775, -3.619648, -2.514775], rtol=0, atol=PRINTED_ATOL)


@pytest.mark.parametrize(
    ("theta", "m", "n", "wanted"),
    [(0.5, 3, 1, 0.540), (0.5, 10, 8, 0.540), (0.5, 4, 1, 0.071), (1, 3, 1, -0.416), (1, 503, 501, -0.416)],
)
def test_hand_values_of_one_pair(theta, m, n, wanted):
    """q = k = [1, 0] score cos((m - n) theta): cos 1 = .540, cos 1.5 = .071, cos 2 = -.416."""
    assert score(turn(theta), [1.0, 0.0], [1.0, 0.0], m, n) == pytest.approx(wanted, abs=5e-4)


@pytest.mark.parametrize(("m", "n", "wanted"), [(1, 3, 0.655), (11, 13, 0.655), (6, 6, 0.9)])
def test_hand_values_with_a_key_ahead(m, n, wanted):
    """q = (1, .5), k = (.8, .2), theta .5: .9 cos((m-n)/2) + (1*.2 - .5*.8) sin((m-n)/2).

    Two places ahead that is .9 cos 1 + .2 sin 1 = .486 + .168 = .655; at the same place .8 + .1 = .9.
    """
    assert score(turn(0.5), [1.0, 0.5], [0.8, 0.2], m, n) == pytest.approx(wanted, abs=5e-4)


ropes = st.builds(
    Rope,
    st.just(8),
    base=st.floats(2, 1e7),
    pairing=st.sampled_from(["interleaved", "half"]),
    rotary_dim=st.sampled_from([2, 4, 8]),
)
vectors = st.integers(0, 2**32 - 1).map(lambda seed: np.random.default_rng(seed).standard_normal((2, 3, 8)))
places = st.lists(st.integers(-5000, 5000), min_size=3, max_size=3)


@given(ropes, vectors, places)
@settings(deadline=None, max_examples=50)
def test_rotation_keeps_norms_and_is_undone_by_the_opposite_position(rope, x, pos):
    turned = rope.rotate(x, pos)
    np.testing.assert_allclose(np.linalg.norm(turned, axis=-1), np.linalg.norm(x, axis=-1), rtol=1e-13)
    np.testing.assert_allclose(rope.rotate(turned, np.negative(pos)), x, rtol=0, atol=1e-13)


@given(ropes, vectors, places, st.floats(0.5, 2))
@settings(deadline=None, max_examples=50)
def test_the_opposite_position_is_the_adjoint(rope, x, pos, factor):
    """<R x, g> = <x, R(-pos) g> with an attention factor too: this is the backward pass."""
    rope = Rope(
        8, rope.base, rope.pairing, rope.rotary_dim, lambda d, base: (plain_frequencies(d, base)[0], factor)
    )
    vector, grad = x
    forward = (rope.rotate(vector, pos) * grad).sum()
    backward = (vector * rope.rotate(grad, np.negative(pos))).sum()
    assert forward == pytest.approx(backward, abs=1e-12)


@given(ropes, vectors, st.integers(-2000, 2000), st.integers(-2000, 2000), st.integers(-2000, 2000))
@settings(deadline=None, max_examples=50)
def test_scores_depend_on_distance_alone(rope, x, m, n, shift):
    q, k = x[:, 0]
    assert score(rope, q, k, m, n) == pytest.approx(score(rope, q, k, m + shift, n + shift), abs=1e-11)


@given(ropes, vectors, places)
@settings(deadline=None, max_examples=50)
def test_score_by_distance_agrees_with_rotating_both(rope, x, distances):
    q, k = x[:, 0]
    got = rope.score_by_distance(q, k, distances)
    wanted = [score(rope, q, k, m, 0) for m in distances]
    np.testing.assert_allclose(got.total, wanted, rtol=0, atol=1e-12)
    np.testing.assert_allclose(got.pairs.sum(axis=0) + got.constant, wanted, rtol=0, atol=1e-12)
    np.testing.assert_allclose(rope.total_by_distance(q, k, distances), wanted, rtol=0, atol=1e-12)


def test_each_pair_contributes_what_it_scores_alone():
    """Zero all of q but one pair: the total is that pair's row; the last four dims do not turn."""
    q, k = np.random.default_rng(1).standard_normal((2, 8))
    rope, distances = Rope(8, rotary_dim=4), np.arange(-3, 6)
    got = rope.score_by_distance(q, k, distances)
    alone = [
        rope.score_by_distance(np.where(np.arange(8) // 2 == i, q, 0), k, distances).total for i in range(2)
    ]
    np.testing.assert_allclose(got.pairs, alone, rtol=0, atol=1e-14)
    assert got.constant == pytest.approx(q[4:] @ k[4:], abs=1e-14)


def test_many_scores_at_once_equal_one_by_one():
    rng = np.random.default_rng(2)
    q, k, distances = rng.standard_normal((5, 3, 16)), rng.standard_normal((5, 1, 16)), np.arange(7)
    rope = Rope(16, pairing="half", rotary_dim=12)
    got = rope.total_by_distance(q, k, distances)
    wanted = [[rope.score_by_distance(a, k[i, 0], distances).total for a in q[i]] for i in range(5)]
    np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-12)


def test_attention_factor_scales_scores_by_its_square():
    """Factor 1.5 multiplies cos and sin, so each score grows by 2.25; what does not turn stays."""
    q, k = np.random.default_rng(3).standard_normal((2, 8))
    plain = Rope(8, rotary_dim=4)
    raised = Rope(8, rotary_dim=4, extension=lambda d, base: (plain_frequencies(d, base)[0], 1.5))
    got, base = (rope.score_by_distance(q, k, [0, 4]) for rope in (raised, plain))
    np.testing.assert_allclose(got.pairs, 2.25 * base.pairs, rtol=1e-14)
    assert got.constant == base.constant
    np.testing.assert_allclose(got.total[1], score(raised, q, k, 6, 2), rtol=1e-13)


@pytest.mark.parametrize("pairing", ["interleaved", "half"])
def test_rotation_agrees_with_the_definition(pairing):
    rope = Rope(8, pairing=pairing, rotary_dim=6)
    x, pos = np.random.default_rng(4).standard_normal((3, 8)), np.array([0, 5, 900])
    pairs = {"interleaved": [(0, 1), (2, 3), (4, 5)], "half": [(0, 3), (1, 4), (2, 5)]}[pairing]
    wanted = reference.rotate(x, pos, rope.inv_freq, pairs)
    np.testing.assert_allclose(rope.rotate(x, pos), wanted, rtol=0, atol=1e-13)


def test_float32_stays_float32_and_angles_stay_exact():
    """Near a million radians float32 counts in steps of 1/16: such an angle would be off by up to .03."""
    x, pos = np.ones((1, 2)), [10_000_003]
    got = turn(0.1).rotate(x.astype(np.float32), pos)
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, turn(0.1).rotate(x, pos), rtol=0, atol=2e-7)


def test_wavelengths_and_angles():
    """At d = 4 the frequencies are 1 and .01: periods 6.283 and 628.3; at position 3 the angles 3 and .03."""
    np.testing.assert_allclose(Rope(4).wavelengths, [2 * np.pi, 200 * np.pi], rtol=1e-15)
    np.testing.assert_allclose(Rope(4).pair_angles([3]), [[3, 0.03]], rtol=1e-15)
    assert turn(0.0).wavelengths == [np.inf]


def test_half_permutation_leaves_what_does_not_turn():
    np.testing.assert_array_equal(half_permutation(8, rotary_dim=4), [0, 2, 1, 3, 4, 5, 6, 7])


def test_positions_collide_in_bfloat16():
    """Case rope-06: 8 significant bits; ties go to the even neighbour, so 257 -> 256 and 259 -> 260.

    To 256 all 257 numbers stay; each further octave to 4,096 adds 128, four times: 257 + 512 = 769.
    """
    np.testing.assert_array_equal(cast_positions([256, 257, 258, 259], "bfloat16"), [256, 256, 258, 260])
    assert count_distinct(4096, "bfloat16") == 769
    np.testing.assert_array_equal(cast_positions([-257, -259, 0], "bfloat16"), [-256, -260, 0])


def test_positions_collide_and_overflow_in_float16():
    """Case rope-08: exact to 2,048, then 1,024 values an octave: 2,049 + 4 * 1,024 = 6,145."""
    assert count_distinct(32768, "float16") == 6145
    np.testing.assert_array_equal(cast_positions(np.arange(2049), "float16"), np.arange(2049))
    np.testing.assert_array_equal(
        cast_positions([2049, 65519, 65520, -65520], "float16"), [2048, 65504, np.inf, -np.inf]
    )
    assert count_distinct(32768, "float32") == 32768


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Rope("8"), "head width d must be an even number.*got '8'"),
        (lambda: Rope(8, base=None), "base must be a finite number above 0; got None"),
        (lambda: Rope(7), "head width d must be an even number.*got 7"),
        (lambda: Rope(0), "head width d must be an even number.*got 0"),
        (lambda: Rope(8, rotary_dim=3), "rotary_dim must be an even number.*got 3"),
        (lambda: Rope(8, rotary_dim=10), "rotary_dim 10 is wider than the head, d = 8"),
        (lambda: Rope(8, base=0), "base must be a finite number above 0; got 0"),
        (lambda: Rope(8, base=-1.0), "base must be a finite number above 0; got -1"),
        (lambda: Rope(8, base=float("nan")), "base must be a finite number above 0; got nan"),
        (lambda: Rope(8, pairing="both"), "pairing 'both' is unknown; choose one of interleaved, half"),
        (lambda: turn(np.nan), "inv_freq.*must be finite"),
        (lambda: turn(-0.5), "inv_freq must not be negative; got -0.5"),
        (lambda: Rope(8, extension=lambda d, base: ([1.0], 1.0)), r"must have shape \(4\)"),
        (lambda: Rope(2, extension=lambda d, base: ([1.0], 0.0)), "attention factor must be .* above 0"),
        (lambda: Rope(2).rotate([[1.0, np.nan]], [0]), "must be finite; entry \\(0, 1\\) is nan"),
        (lambda: Rope(2).rotate([[1.0, 2.0]], [0.5]), "positions must be integers"),
        (lambda: Rope(2).rotate([[1.0, 2.0]], [np.nan]), "positions must be integers"),
        (lambda: Rope(2).score_by_distance([1.0, 2.0], [1.0], [0]), r"k \(d,\) must have shape \(2\)"),
        (lambda: half_permutation(5), "head width d must be an even number"),
        (lambda: cast_positions([1], "float8"), "precision 'float8' is unknown"),
        (lambda: count_distinct(0, "float16"), "length must be a whole number of at least 1"),
    ],
)
def test_refusals(make, message):
    """Golden edge.head_dim_odd among them: an odd head has no pairs."""
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("frequency", [0.0, 1e-308])
def test_a_pair_that_does_not_turn_has_no_end_of_its_period(frequency):
    """2 pi over 1e-308 is beyond float64, as is 2 pi over 0."""
    rope = Rope(2, extension=lambda d, base: ([frequency], 1.0))
    assert np.isinf(rope.wavelengths).all()
