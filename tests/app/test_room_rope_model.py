"""What the room `rope` computes of one q and one k: hands, layouts, means, stored positions, real heads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.rooms.rope.model import turning
from app.rooms.rope.model.real_heads import head_errors, score_errors
from app.rooms.rope.model.turning import (
    average_by_distance,
    compare_layouts,
    curve,
    meet,
    one_pair,
    other_layout,
    rotation_error,
    score_along,
    stored_positions,
)
from lab import reference
from lab.data import smollm2
from lab.positions import Rope
from lab.positions.precision import Precision, cast_positions
from lab.positions.rope import Pairing
from lab.query_key import draw_q_k
from lab.smollm2 import _normed, _variance
from tests.draws import shared
from tests.golden import PRINTED_ATOL, entry

EXACT: dict[str, Any] = {"rtol": 0, "atol": 1e-12}
HEAD = tuple(tuple(x) for x in np.random.default_rng(0).standard_normal((2, 8)))
"""q and k of case rope-01."""

ropes = st.builds(Rope, st.just(8), base=st.floats(2, 1e7), pairing=st.sampled_from(["interleaved", "half"]))
places = st.integers(0, 2_000)
seeds = st.integers(0, 10_000)


def drawn(seed: int) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(x.tolist()) for x in draw_q_k(8, seed))


def stretched(pairing: Pairing = "interleaved") -> Rope:
    """A head with frequencies of its own, so that nothing may take them from the base."""
    return Rope(8, pairing=pairing, extension=lambda width, base: (np.linspace(0.7, 0.1, width // 2), 1.0))


def pairs_of(rope: Rope) -> list[tuple[int, int]]:
    """Interleaved pair i is (2i, 2i + 1); in halves it is (i, i + d / 2)."""
    half = rope.d // 2
    return [(2 * i, 2 * i + 1) if rope.pairing == "interleaved" else (i, i + half) for i in range(half)]


@pytest.mark.parametrize(
    ("theta", "m", "n", "wanted"),
    [(0.5, 3, 1, 0.540), (0.5, 10, 8, 0.540), (0.5, 4, 1, 0.071), (1, 3, 1, -0.416), (1, 503, 501, -0.416)],
)
def test_one_pair_scores_the_cosine_of_its_angle(theta: float, m: int, n: int, wanted: float) -> None:
    """q = k = [1, 0] turn by m theta and n theta: cos 1 = .540, cos 1.5 = .071, cos 2 = -.416."""
    met = meet(one_pair(theta), [1.0, 0.0], [1.0, 0.0], m, n)
    assert met.score == pytest.approx(wanted, abs=5e-4)
    np.testing.assert_allclose(met.between, [(m - n) * theta], **EXACT)


def test_hands_of_a_quarter_turn() -> None:
    """A pair that turns by a quarter: q (2, 0) at position 1 points up, k (0, 3) at position 2 down."""
    met = meet(one_pair(np.pi / 2), [2.0, 0.0], [0.0, 3.0], 1, 2)
    np.testing.assert_allclose([met.q, met.k], [[0, 2], [0, -3]], **EXACT)
    np.testing.assert_allclose([met.q_angles[0], met.k_angles[0]], [np.pi / 2, -np.pi / 2], **EXACT)
    np.testing.assert_allclose([met.q_lengths[0], met.k_lengths[0], met.score], [2, 3, -6], **EXACT)
    assert abs(met.between[0]) == pytest.approx(np.pi)


@settings(deadline=None, max_examples=30)
@given(ropes, seeds, places, places)
def test_pairs_add_up_to_the_score_of_the_definition(rope: Rope, seed: int, m: int, n: int) -> None:
    """Lengths times the cosine of the angle between, against the slow definition of a rotation."""
    q, k = draw_q_k(8, seed)
    met = meet(rope, q, k, m, n)
    slow = [
        reference.rotate(x[None], np.array([at]), rope.inv_freq, pairs_of(rope))[0]
        for x, at in ((q, m), (k, n))
    ]
    np.testing.assert_allclose([met.q, met.k], slow, rtol=0, atol=1e-11)
    np.testing.assert_allclose(met.pairs, met.q_lengths * met.k_lengths * np.cos(met.between), **EXACT)
    assert met.score == pytest.approx(slow[0] @ slow[1], abs=1e-10)
    assert met.pairs.sum() == pytest.approx(met.score, abs=1e-12)


@settings(deadline=None, max_examples=30)
@given(ropes, seeds, places, places)
def test_the_curve_holds_the_score_of_every_pair_of_positions(rope: Rope, seed: int, m: int, n: int) -> None:
    q, k = drawn(seed)
    found, met = curve(rope, q, k, range(m - n, m - n + 1)), meet(rope, q, k, m, n)
    np.testing.assert_allclose(found.total, [met.score], rtol=0, atol=1e-10)
    np.testing.assert_allclose(found.pairs[:, 0], met.pairs, rtol=0, atol=1e-10)


def test_turning_back_and_on_is_one_turn() -> None:
    """R_m^T R_n = R_(n - m); not so where the angle grows with the square of the position."""
    assert rotation_error(Rope(64), 503, 501) < 1e-12
    assert rotation_error(stretched(), 40, 3) < 1e-12
    broken = Rope(8)
    broken.pair_angles = lambda pos: np.outer(np.square(pos), broken.inv_freq)
    assert rotation_error(broken, 5, 3) > 0.1


@pytest.mark.parametrize("pairing", ["interleaved", "half"])
def test_layouts_agree_once_both_vectors_are_permuted(pairing: Pairing) -> None:
    """Case rope-01: -1.142699 interleaved, -1.429814 in halves; a permutation leads to either."""
    values = entry("rope.layout_conversion.d8")["values"]
    own, other = values["score_interleaved"], values["score_half_split_without_permute"]
    if pairing == "half":
        own, other = other, own
    found = compare_layouts(Rope(8, pairing=pairing), *HEAD, range(5, -1, -5))
    same = values["score_at_same_position_all_layouts"]
    np.testing.assert_allclose(found.own, [own, same], rtol=0, atol=PRINTED_ATOL)
    np.testing.assert_allclose(found.other, [other, same], rtol=0, atol=PRINTED_ATOL)
    np.testing.assert_allclose(found.reconciled, found.own, **EXACT)


@settings(deadline=None, max_examples=30)
@given(ropes, seeds)
def test_the_permutation_reconciles_every_head(rope: Rope, seed: int) -> None:
    found = compare_layouts(rope, *drawn(seed), range(-20, 20))
    np.testing.assert_allclose(found.reconciled, found.own, **EXACT)
    back = other_layout(other_layout(rope)[0])
    np.testing.assert_array_equal(found.order[back[1]], np.arange(8))


def test_the_other_layout_keeps_frequencies() -> None:
    rope = stretched()
    other, _ = other_layout(rope)
    np.testing.assert_array_equal(other.inv_freq, rope.inv_freq)
    assert (other.d, other.pairing) == (8, "half")


@pytest.mark.parametrize("rope", [Rope(8), stretched(), stretched("half")])
def test_the_mean_over_draws_is_the_mean_of_their_scores(rope: Rope, monkeypatch: pytest.MonkeyPatch) -> None:
    """A score is linear in the products of q and k: averaging scores and averaging products is the same."""
    seen: list[Any] = []
    hands = turning._hands
    monkeypatch.setattr(turning, "_hands", lambda rope, x: seen.append(x) or hands(rope, x))
    distances = range(-30, 30)
    found = average_by_distance.__wrapped__(rope, distances, 50, 3)
    q, k = seen
    for got, other in ((found.alike, q), (found.apart, k)):
        each = [rope.score_by_distance(*pair, distances).total for pair in zip(q, other, strict=True)]
        np.testing.assert_allclose(got, np.mean(each, axis=0), **EXACT)


@pytest.mark.parametrize("seed", [0, 7])
def test_the_average_draws_other_vectors_than_the_score(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its 200 queries once began with the q and the k of the room."""
    seen: list[Any] = []
    hands = turning._hands
    monkeypatch.setattr(turning, "_hands", lambda rope, x: seen.append(x) or hands(rope, x))
    average_by_distance.__wrapped__(Rope(8), range(1), 20, seed)
    assert [many.shape for many in seen] == [(20, 8), (20, 8)]
    for many in seen:
        for one in draw_q_k(8, seed):
            assert not shared(one, many)


def test_the_average_of_equal_vectors_falls_and_that_of_others_is_zero() -> None:
    """E[q_i^2] = 1, so k = q gives 2 sum_i cos(w_i distance), which is d at distance 0; k on its own gives 0.

    One score of independent vectors has variance d, its mean over n draws d / n. A score with k = q has
    variance 2 d at distance 0 and less elsewhere.
    """
    rope, draws = Rope(64), 4_000
    found = average_by_distance(rope, range(512), draws, 5)
    wanted = np.array([2 * sum(np.cos(w * distance) for w in rope.inv_freq) for distance in range(512)])
    np.testing.assert_allclose(found.expected, wanted, rtol=0, atol=1e-10)
    assert found.error == pytest.approx(np.sqrt(64 / draws))
    np.testing.assert_array_less(np.abs(found.apart), 5 * found.error)
    np.testing.assert_array_less(np.abs(found.alike - wanted), 5 * np.sqrt(2) * found.error)
    assert wanted[0] == 64
    assert wanted[400:].max() < 0.5 * wanted[0]


def test_a_seed_draws_the_same_average_again() -> None:
    once, again, other = (average_by_distance.__wrapped__(Rope(8), range(9), 20, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(once.alike, again.alike)
    assert np.abs(once.alike - other.alike).max() > 0.01


def test_stored_positions_collide() -> None:
    """Cases rope-06 and rope-08: bfloat16 keeps 8 bits, float16 11 and ends below 65,520."""
    np.testing.assert_array_equal(stored_positions([256, 257, 258, 259], "bfloat16"), [256, 256, 258, 260])
    np.testing.assert_array_equal(stored_positions([2_049, 65_519], "float16"), [2_048, 65_504])
    np.testing.assert_array_equal(stored_positions([7, 65_520], None), [7, 65_520])
    with pytest.raises(ValueError, match=r"position 65,520 is infinite in float16"):
        stored_positions([0, 65_520], "float16")


@pytest.mark.parametrize("precision", [None, "float32", "float16", "bfloat16"])
@pytest.mark.parametrize("distance", [-3, 0, 5])
def test_the_score_along_the_sequence_is_that_of_the_stored_positions(
    precision: Precision | None, distance: int
) -> None:
    """Position by position: cast both, turn, multiply. Exact positions give one number all along."""
    rope, length = Rope(8), 600
    q, k = np.array(HEAD)
    got = score_along(rope, q, k, distance, length, precision)
    slow = []
    for near in range(length):
        pair = np.array([near + max(distance, 0), near + max(-distance, 0)])
        kept = pair if precision is None else cast_positions(pair, precision).astype(int)
        slow.append(rope.rotate(q[None], kept[:1])[0] @ rope.rotate(k[None], kept[1:])[0])
    np.testing.assert_allclose(got, slow, rtol=0, atol=1e-11)
    constant = np.full(length, rope.total_by_distance(q, k, [distance])[0])
    # below 256 bfloat16 is exact, and so is float16 all the way to 2,048
    exact = 250 if precision == "bfloat16" else length
    np.testing.assert_allclose(got[:exact], constant[:exact], **EXACT)
    if precision == "bfloat16" and distance:
        assert np.abs(got - constant).max() > 0.1


def test_errors_of_real_heads_are_those_of_weights_drawn_anew() -> None:
    """Weights moved anywhere within their steps, 120 times: the scores' spread is the predicted one."""
    pack, distances = smollm2(), np.array([1, 40, 900, 2_047])
    predicted = score_errors(" people", " water", distances)
    rope, rng = Rope(64, base=1e5, pairing="interleaved"), np.random.default_rng(0)
    rows = [_normed(pack, token) for token in (" people", " water")]
    steps = [np.sqrt(12 * _variance(W)) for W in (pack.Wq, pack.Wk)]

    def scores() -> Any:
        q, k = (
            ((W + step * rng.uniform(-0.5, 0.5, W.shape)) @ row).reshape(-1, 64)
            for W, step, row in zip((pack.Wq, pack.Wk), steps, rows, strict=True)
        )
        return rope.total_by_distance(q, np.repeat(k, 3, axis=0), distances) / 8

    found = np.std([scores() for _ in range(120)], axis=0)
    np.testing.assert_allclose(found, predicted, rtol=0.3)
    np.testing.assert_allclose(np.mean(found / predicted), 1, atol=0.05)
    assert 0.03 < head_errors(" people", " water").min() < head_errors(" people", " water").max() < 0.1


def test_refusals_name_the_value() -> None:
    with pytest.raises(ValueError, match="must not be negative; got -1"):
        one_pair(-1.0)
    with pytest.raises(ValueError, match="positions must be integers"):
        meet(Rope(2), [1.0, 0.0], [1.0, 0.0], 0.5, 0)
    with pytest.raises(ValueError, match="draws must be a whole number of at least 1; got 0"):
        average_by_distance(Rope(2), range(1), 0, 0)
    with pytest.raises(ValueError, match="precision 'half' is unknown"):
        stored_positions([0], "half")
    with pytest.raises(ValueError, match="length must be a whole number of at least 1"):
        score_along(Rope(2), [1.0, 0.0], [1.0, 0.0], 1, 0, None)
