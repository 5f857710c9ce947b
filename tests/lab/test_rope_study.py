"""What RoPE does to one q and one k: hands, layouts, averages, stored positions and real heads."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab import reference
from lab.data import smollm2
from lab.positions import Rope
from lab.positions.precision import cast_positions
from lab.rope_study import (
    average_by_distance,
    compare_layouts,
    draw_q_k,
    find_token,
    head_errors,
    mean_pair,
    meet,
    one_pair,
    other_layout,
    pair_places,
    real_scores,
    rotation_error,
    score_along,
    score_errors,
    scores_at,
    stored_positions,
    terms,
)
from lab.smollm2 import _normed, _variance, layer0_keys, layer0_queries
from tests.golden import PRINTED_ATOL, entry

EXACT = {"rtol": 0, "atol": 1e-12}

ropes = st.builds(
    Rope,
    st.just(8),
    base=st.floats(2, 1e7),
    pairing=st.sampled_from(["interleaved", "half"]),
    rotary_dim=st.sampled_from([2, 4, 8]),
)
places = st.integers(0, 2_000)
seeds = st.integers(0, 10_000)


def stretched(d=8, **options):
    """A head with a factor and frequencies of its own, so that nothing may take them from the base."""
    return Rope(d, extension=lambda width, base: (np.linspace(0.7, 0.1, width // 2), 1.2), **options)


@pytest.mark.parametrize(
    ("theta", "m", "n", "wanted"),
    [(0.5, 3, 1, 0.540), (0.5, 10, 8, 0.540), (0.5, 4, 1, 0.071), (1, 3, 1, -0.416), (1, 503, 501, -0.416)],
)
def test_one_pair_scores_the_cosine_of_its_angle(theta, m, n, wanted):
    """q = k = [1, 0] turn by m theta and n theta: cos 1 = .540, cos 1.5 = .071, cos 2 = -.416."""
    met = meet(one_pair(theta), [1.0, 0.0], [1.0, 0.0], m, n)
    assert met.score == pytest.approx(wanted, abs=5e-4)
    np.testing.assert_allclose(met.between, [(m - n) * theta], **EXACT)


def test_hands_of_a_quarter_turn():
    """A pair that turns by a quarter: q (2, 0) at place 1 points up, k (0, 3) at place 2 down."""
    met = meet(one_pair(np.pi / 2), [2.0, 0.0], [0.0, 3.0], 1, 2)
    np.testing.assert_allclose([met.q, met.k], [[0, 2], [0, -3]], **EXACT)
    np.testing.assert_allclose([met.q_angles[0], met.k_angles[0]], [np.pi / 2, -np.pi / 2], **EXACT)
    np.testing.assert_allclose([met.q_lengths[0], met.k_lengths[0], met.score], [2, 3, -6], **EXACT)
    assert abs(met.between[0]) == pytest.approx(np.pi)


@settings(deadline=None, max_examples=30)
@given(ropes, seeds, places, places)
def test_pairs_add_up_to_the_score_of_the_definition(rope, seed, m, n):
    """Lengths times the cosine of the angle between, plus the dimensions that do not turn."""
    q, k = draw_q_k(8, seed)
    met = meet(rope, q, k, m, n)
    slow = [
        reference.rotate(x[None], np.array([at]), rope.inv_freq, list(zip(*pair_places(rope), strict=True)))[
            0
        ]
        for x, at in ((q, m), (k, n))
    ]
    np.testing.assert_allclose([met.q, met.k], slow, rtol=0, atol=1e-11)
    np.testing.assert_allclose(met.pairs, met.q_lengths * met.k_lengths * np.cos(met.between), **EXACT)
    still = q[rope.rotary_dim :] @ k[rope.rotary_dim :]
    assert met.score == pytest.approx(slow[0] @ slow[1], abs=1e-10)
    assert met.pairs.sum() + still == pytest.approx(met.score, abs=1e-12)


@settings(deadline=None, max_examples=30)
@given(ropes, seeds, st.integers(-50, 50), st.lists(places, min_size=1, max_size=5))
def test_a_score_knows_only_the_distance(rope, seed, distance, at):
    q, k = draw_q_k(8, seed)
    low = np.array(at)
    got = scores_at(rope, q, k, low + 50 + distance, low + 50)
    np.testing.assert_allclose(got, np.full(len(at), rope.total_by_distance(q, k, [distance])[0]), atol=1e-10)


def test_turning_back_and_on_is_one_turn():
    """R_m^T R_n = R_(n - m); with an attention factor a, a^2 R_(n - m) = a R_(n - m) scaled by a."""
    assert rotation_error(Rope(64), 503, 501) < 1e-12
    assert rotation_error(stretched(), 40, 3) < 1e-12
    broken = Rope(8)
    broken.pair_angles = lambda pos: np.outer(np.square(pos), broken.inv_freq)
    assert rotation_error(broken, 5, 3) > 0.1


def test_pairs_of_both_layouts():
    """Interleaved pair i is (2i, 2i + 1); in halves it is (i, i + d / 2)."""
    np.testing.assert_array_equal(pair_places(Rope(6)), [[0, 2, 4], [1, 3, 5]])
    np.testing.assert_array_equal(pair_places(Rope(6, pairing="half")), [[0, 1, 2], [3, 4, 5]])
    np.testing.assert_array_equal(pair_places(Rope(6, pairing="half", rotary_dim=4)), [[0, 1], [2, 3]])


@pytest.mark.parametrize("pairing", ["interleaved", "half"])
def test_layouts_agree_once_both_vectors_are_permuted(head, pairing):
    """Case rope-01: -1.142699 interleaved, -1.429814 in halves; a permutation leads to either."""
    values = entry("rope.layout_conversion.d8")["values"]
    own, other = values["score_interleaved"], values["score_half_split_without_permute"]
    if pairing == "half":
        own, other = other, own
    found = compare_layouts(Rope(8, pairing=pairing), *head, [5, 0])
    same = values["score_at_same_position_all_layouts"]
    np.testing.assert_allclose(found.own, [own, same], rtol=0, atol=PRINTED_ATOL)
    np.testing.assert_allclose(found.other, [other, same], rtol=0, atol=PRINTED_ATOL)
    np.testing.assert_allclose(found.reconciled, found.own, **EXACT)


@settings(deadline=None, max_examples=30)
@given(ropes, seeds)
def test_the_permutation_reconciles_every_head(rope, seed):
    q, k = draw_q_k(8, seed)
    found = compare_layouts(rope, q, k, np.arange(-20, 20))
    np.testing.assert_allclose(found.reconciled, found.own, **EXACT)
    back = other_layout(other_layout(rope)[0])
    np.testing.assert_array_equal(found.order[back[1]], np.arange(8))


def test_the_other_layout_keeps_frequencies_and_factor():
    rope = stretched(rotary_dim=4)
    other, _ = other_layout(rope)
    np.testing.assert_array_equal(other.inv_freq, rope.inv_freq)
    assert (other.attention_factor, other.rotary_dim, other.pairing) == (1.2, 4, "half")


@pytest.mark.parametrize("rope", [Rope(8), Rope(8, pairing="half", rotary_dim=4), stretched(pairing="half")])
def test_one_pair_of_vectors_scores_the_mean_of_many(rope):
    """A score is linear in the products of q and k: averaging scores and averaging products is the same."""
    rng = np.random.default_rng(3)
    q, k = rng.standard_normal((2, 50, 8))
    distances = np.arange(-30, 30)
    each = np.array([rope.score_by_distance(*pair, distances).total for pair in zip(q, k, strict=True)])
    np.testing.assert_allclose(
        rope.total_by_distance(*mean_pair(rope, q, k), distances), each.mean(axis=0), **EXACT
    )


def test_the_average_of_equal_vectors_falls_and_that_of_others_is_zero():
    """E[q_i^2] = 1, so k = q gives 2 sum_i cos(w_i distance), which is d at distance 0; k on its own gives 0.

    One score of independent vectors has variance d, its mean over n draws d / n. A score with k = q has
    variance 2 d at distance 0 and less elsewhere.
    """
    rope, distances, draws = Rope(64), np.arange(512), 4_000
    found = average_by_distance(rope, distances, draws, np.random.default_rng(5))
    wanted = np.array([2 * sum(np.cos(w * distance) for w in rope.inv_freq) for distance in distances])
    np.testing.assert_allclose(found.expected, wanted, rtol=0, atol=1e-10)
    assert found.error == pytest.approx(np.sqrt(64 / draws))
    np.testing.assert_array_less(np.abs(found.apart), 5 * found.error)
    np.testing.assert_array_less(np.abs(found.alike - wanted), 5 * np.sqrt(2) * found.error)
    assert wanted[0] == 64
    assert wanted[400:].max() < 0.5 * wanted[0]


def test_the_average_with_a_factor_and_a_part_that_does_not_turn():
    """rotary_dim 4 of 8 and factor 1.2: 2 * 1.44 a pair at distance 0, and 4 that never turn."""
    found = average_by_distance(stretched(rotary_dim=4), [0], 10, 0)
    np.testing.assert_allclose(found.expected, [2 * 2 * 1.44 + 4], **EXACT)
    assert found.error == pytest.approx(np.sqrt((4 * 1.44**2 + 4) / 10))


def test_a_seed_draws_the_same_average_again():
    once, again, other = (average_by_distance(Rope(8), range(9), 20, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(once.alike, again.alike)
    assert np.abs(once.alike - other.alike).max() > 0.01


def test_stored_positions_collide():
    """Cases rope-06 and rope-08: bfloat16 keeps 8 bits, float16 11 and ends below 65,520."""
    np.testing.assert_array_equal(stored_positions([256, 257, 258, 259], "bfloat16"), [256, 256, 258, 260])
    np.testing.assert_array_equal(stored_positions([2_049, 65_519], "float16"), [2_048, 65_504])
    np.testing.assert_array_equal(stored_positions([7, 65_520], None), [7, 65_520])
    with pytest.raises(ValueError, match=r"position 65,520 is infinite in float16"):
        stored_positions([0, 65_520], "float16")


@pytest.mark.parametrize("precision", [None, "float32", "float16", "bfloat16"])
@pytest.mark.parametrize("distance", [-3, 0, 5])
def test_the_score_along_the_sequence_is_that_of_the_stored_places(head, precision, distance):
    """Place by place: cast both positions, turn, multiply. Exact positions give one number all along."""
    rope, length = Rope(8), 600
    got = score_along(rope, *head, distance, length, precision)
    slow = []
    for place in range(length):
        pair = np.array([place + max(distance, 0), place + max(-distance, 0)])
        kept = pair if precision is None else cast_positions(pair, precision).astype(int)
        slow.append(rope.rotate(head[0][None], kept[:1])[0] @ rope.rotate(head[1][None], kept[1:])[0])
    np.testing.assert_allclose(got, slow, rtol=0, atol=1e-11)
    constant = np.full(length, rope.total_by_distance(*head, [distance])[0])
    # below 256 bfloat16 is exact, and so is float16 all the way to 2,048
    exact = 250 if precision == "bfloat16" else length
    np.testing.assert_allclose(got[:exact], constant[:exact], **EXACT)
    if precision == "bfloat16" and distance:
        assert np.abs(got - constant).max() > 0.1


@pytest.mark.parametrize("typed", ["water", " water", "␣water", "  water  ", "water\n"])
def test_a_word_is_found_as_typed_or_after_a_space(typed):
    assert find_token(typed) == " water"


def test_a_token_without_a_space_comes_first_where_it_is_meant():
    """ " he" and "he" are two tokens: the second is what stands there when no space is typed."""
    assert (find_token("he"), find_token(" he")) == ("he", " he")


def test_a_word_that_is_not_there_names_near_ones():
    with pytest.raises(ValueError, match=r"‘cat’ is not among the pack's 1,500 tokens. Near it: .*␣car"):
        find_token("cat")
    with pytest.raises(ValueError, match="None is near it"):
        find_token("Ωx" * 3_000)
    with pytest.raises(ValueError, match="Type a word"):
        find_token("  ")


def test_real_scores_are_turned_dot_products_over_8():
    """Head h of ' people' at m against key head h // 3 of ' water' at n, by the slow definition."""
    pack = smollm2()
    inv_freq = 1e5 ** (-np.arange(0, 64, 2) / 64)
    interleaved = [(i, i + 1) for i in range(0, 64, 2)]
    places = [(9, 8), (40, 8), (2_047, 0)]
    got = real_scores(" people", " water", [m - n for m, n in places])
    assert got.shape == (9, 3)
    for head in range(pack.n_heads):
        for column, (m, n) in enumerate(places):
            q, k = (
                reference.rotate(row[None].astype(float), np.array([at]), inv_freq, interleaved)[0]
                for row, at in (
                    (layer0_queries(" people")[head], m),
                    (layer0_keys(" water")[head // 3], n),
                )
            )
            assert got[head, column] == pytest.approx(q @ k / 8, abs=1e-5)


def test_errors_of_real_heads_are_those_of_weights_drawn_anew():
    """Weights moved anywhere within their steps, 120 times: the scores' spread is the predicted one."""
    pack, distances = smollm2(), np.array([1, 40, 900, 2_047])
    predicted = score_errors(" people", " water", distances)
    rope, rng = Rope(64, base=1e5, pairing="interleaved"), np.random.default_rng(0)
    rows = [_normed(pack, token) for token in (" people", " water")]
    steps = [np.sqrt(12 * _variance(W)) for W in (pack.Wq, pack.Wk)]

    def drawn():
        q, k = (
            ((W + step * rng.uniform(-0.5, 0.5, W.shape)) @ row).reshape(-1, 64)
            for W, step, row in zip((pack.Wq, pack.Wk), steps, rows, strict=True)
        )
        return rope.total_by_distance(q, np.repeat(k, 3, axis=0), distances) / 8

    found = np.std([drawn() for _ in range(120)], axis=0)
    np.testing.assert_allclose(found, predicted, rtol=0.3)
    np.testing.assert_allclose(np.mean(found / predicted), 1, atol=0.05)
    assert 0.03 < head_errors(" people", " water").min() < head_errors(" people", " water").max() < 0.1


@settings(deadline=None, max_examples=30)
@given(ropes, seeds, places, places)
def test_terms_add_up_to_the_score(rope, seed, m, n):
    """All of the turn left to the key, by the identity R_m^T R_n = R_(n - m)."""
    q, k = draw_q_k(8, seed)
    assert sum(terms(rope, q, k, m - n)) == pytest.approx(meet(rope, q, k, m, n).score, abs=1e-9)


def test_refusals_name_the_value():
    with pytest.raises(ValueError, match="must not be negative; got -1"):
        one_pair(-1.0)
    with pytest.raises(ValueError, match="positions must be integers"):
        meet(Rope(2), [1.0, 0.0], [1.0, 0.0], 0.5, 0)
    with pytest.raises(ValueError, match=r"q \(d,\) must have shape \(2\)"):
        scores_at(Rope(2), [1.0], [1.0, 0.0], [0], [0])
    with pytest.raises(ValueError, match="2 tokens need 2 positions; got 1"):
        scores_at(Rope(2), [1.0, 0.0], [1.0, 0.0], [0, 1], [0])
    with pytest.raises(ValueError, match="draws must be a whole number of at least 1; got 0"):
        average_by_distance(Rope(2), [0], 0, 0)
    with pytest.raises(ValueError, match="precision 'half' is unknown"):
        stored_positions([0], "half")
    with pytest.raises(ValueError, match="length must be a whole number of at least 1"):
        score_along(Rope(2), [1.0, 0.0], [1.0, 0.0], 1, 0, None)
    with pytest.raises(ValueError, match="‘lion’ is not in the vocabulary"):
        real_scores("lion", " water", [1])
