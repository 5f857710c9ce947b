"""What the gradient does to rows: counts against sets, movement against the optimizers themselves."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.rooms.gradient.model import ways
from app.rooms.gradient.model.moves import (
    expected_growth,
    moved_matrix,
    moved_rows,
    seen_matrix,
    touched_rows,
)
from app.rooms.gradient.model.pull import (
    LEARNING_RATES,
    WIDTH,
    count_rows,
    follow,
    followed_rows,
    mean_by_rank,
    norm_range,
)
from app.rooms.gradient.model.tied import tied_norms
from app.rooms.gradient.model.ways import (
    BACKWARD,
    FORWARD,
    assign_add,
    largest_difference,
    random_gradient,
    time_ways,
    touched_gradients,
)
from lab import zipf
from lab.embedding import RowGradient, one_hot_product_gradient
from lab.row_optimizers import ROW_OPTIMIZERS, SGD, Adam, AdamW, LazyAdam
from lab.zipf import distinct_seen, expected_distinct, law_batches, probabilities, rank_bins, touch_matrix

RULES = list(ROW_OPTIMIZERS.values())


@pytest.fixture(scope="module")
def run():
    """Ten steps of 40 tokens over 90 rows: some rows often, some never."""
    return law_batches(np.random.default_rng(0), 90, 1.0, batch=4, length=10, steps=10)


@given(st.integers(2, 30), st.integers(1, 5), st.integers(1, 12), st.integers(1, 30), st.integers(0, 99))
@settings(deadline=None, max_examples=50)
def test_shares_of_touched_and_seen_rows_are_those_of_sets(V, steps, N, bins, seed):
    ids = np.random.default_rng(seed).integers(0, V, (steps, N))
    edges = rank_bins(V, bins)
    now = [{*step} for step in ids.tolist()]
    so_far = [set().union(*now[: step + 1]) for step in range(steps)]

    def shares(sets):
        inside = [[len(rows & {*range(a, b)}) / (b - a) for rows in sets] for a, b in pairwise(edges)]
        return np.array(inside)

    np.testing.assert_allclose(seen_matrix(ids, edges), shares(so_far), atol=1e-15)
    touch = touch_matrix(ids, edges)
    np.testing.assert_array_equal(touched_rows(touch, edges), [len(rows) for rows in now])
    np.testing.assert_array_equal(distinct_seen(ids), [len(rows) for rows in so_far])


def test_a_part_of_the_table_can_be_looked_at_alone(run):
    whole = seen_matrix(run, range(91))
    np.testing.assert_array_equal(seen_matrix(run, range(20, 31)), whole[20:30])


@pytest.mark.parametrize("rule", RULES)
def test_movement_is_what_the_optimizer_does(run, rule):
    """Each step of each rule on a table of ones: a row moved if its numbers changed."""
    rng, E = np.random.default_rng(1), np.ones((90, 3))
    optimizer = rule(lr=0.01)
    moved = np.empty((90, len(run)))
    for step, ids in enumerate(run):
        before, rows = E.copy(), np.unique(ids)
        optimizer.step(E, RowGradient(rows, rng.standard_normal((len(rows), 3))))
        moved[:, step] = (before != E).any(axis=1)
    np.testing.assert_array_equal(moved_matrix(run, range(91), rule), moved)
    touched, seen = touched_rows(touch_matrix(run, range(91)), range(91)), distinct_seen(run)
    np.testing.assert_array_equal(moved_rows(touched, seen, 90, rule), moved.sum(axis=0))


@pytest.mark.parametrize("V", [1, 50, 5_000, 128_000])
@pytest.mark.parametrize("exponent", [0.0, 0.5, 1.0, 2.0, 30.0])
def test_growth_is_the_closed_form(V, exponent):
    """Grouping neighbouring ranks may cost one row in 10,000 and no more."""
    p = probabilities(V, exponent)
    exact = [expected_distinct(p, 4_000 * step) for step in (1, 2, 3)]
    np.testing.assert_allclose(expected_growth(p, 4_000, 3), exact, rtol=1e-4)


def test_growth_by_hand():
    """Two equal rows, two draws: 2 (1 - 1/4) = 1.5; four draws: 2 (1 - 1/16) = 1.875."""
    np.testing.assert_allclose(expected_growth([0.5, 0.5], 2, 2), [1.5, 1.875], atol=1e-15)


@pytest.mark.parametrize(("V", "bins", "each"), [(1, 5, 3), (40, 8, 100), (128_000, 32, 8)])
def test_followed_rows_come_from_every_bin(V, bins, each):
    rows, bounds = followed_rows(V, bins, each)
    edges = rank_bins(V, bins)
    assert (np.diff(rows) > 0).all()
    np.testing.assert_array_equal(np.diff(bounds), np.minimum(np.diff(edges), each))
    bin_of = np.searchsorted(edges, rows, side="right") - 1
    np.testing.assert_array_equal(np.bincount(bin_of), np.diff(bounds))


def test_counts_are_those_of_a_loop(run):
    rows = [0, 7, 89]
    naive = [[step.tolist().count(row) for row in rows] for step in run]
    np.testing.assert_array_equal(count_rows(run, rows, 90), naive)


def test_one_step_of_sgd_moves_by_its_gradient():
    """Rate 1: the row moves by exactly the gradient, so both have the same length."""
    history = follow([[3]], tokens=10, rule=SGD)
    np.testing.assert_allclose(history.moved, history.norms, rtol=1e-12)


def test_a_row_seen_once_goes_on_under_adam_alone():
    """Case emb-03 with rate .01 on each of 8 numbers: .01 x 1, 1.67006, 2.18802, times the root of 8."""
    once = [[1], [0], [0]]
    scale = LEARNING_RATES["adam"] * np.sqrt(WIDTH)
    adam = follow(once, 4, Adam).moved[:, 0]
    np.testing.assert_allclose(adam / scale, [1, 1.67006, 2.18802], atol=2e-5)
    lazy = follow(once, 4, LazyAdam).moved[:, 0]
    np.testing.assert_allclose(lazy / scale, [1, 1, 1], atol=1e-5)


@pytest.mark.parametrize("rule", RULES)
def test_a_row_that_never_occurs_moves_under_weight_decay_alone(rule):
    history = follow([[1, 0], [2, 0]], 4, rule)
    assert (history.norms[:, 1] == 0).all()
    if rule is AdamW:
        # two steps shrink the row by 1 - .01 x .01 each
        start = follow([[1, 0], [2, 0]], 4, SGD)
        assert (history.moved[:, 1] > 0).all()
        assert (start.moved[:, 1] == 0).all()
    else:
        np.testing.assert_array_equal(history.moved[:, 1], [0, 0])
        np.testing.assert_allclose(history.left[:, 1], [1, 1], rtol=1e-12)


def test_a_frequent_row_reaches_its_target_and_a_rare_one_does_not():
    """Half of all tokens for 200 steps against one token in all: the distance left is near 0 and near 1."""
    counts = np.zeros((200, 2), dtype=int)
    counts[:, 0], counts[3, 1] = 50, 1
    left = follow(counts, 100, SGD).left[-1]
    assert left[0] < 0.3
    assert left[1] > 0.9


def test_rules_are_compared_on_the_same_rows_and_noise():
    norms = [follow([[2, 1]], 3, rule).norms for rule in RULES]
    for other in norms[1:]:
        np.testing.assert_array_equal(other, norms[0])


def test_means_by_rank():
    """Bins of rows {0} and {1, 2}: means over rows and, for the norm, over steps; unseen is NaN."""
    history = follow([[1, 0, 0], [0, 1, 0]], 4, SGD)
    first, second = (mean_by_rank(history, [0, 1, 3], upto) for upto in (1, 2))
    np.testing.assert_allclose(first.norms, [history.norms[0, 0], np.nan])
    np.testing.assert_allclose(second.norms, [history.norms[0, 0] / 2, history.norms[1, 1] / 4])
    np.testing.assert_allclose(second.moved, [history.moved[1, 0], history.moved[1, 1:].mean()])
    np.testing.assert_allclose(second.left, [history.left[1, 0], history.left[1, 1:].mean()])
    low, high = norm_range(history, [0, 1, 3])
    assert low == pytest.approx(min(second.norms))
    assert high == pytest.approx(first.norms[0])


def test_a_run_without_any_followed_row_has_a_range_all_the_same():
    assert norm_range(follow([[0, 0]], 4, SGD), [0, 1, 2]) == (1.0, 1.0)


def test_both_parts_of_a_tied_table():
    """Input: only the tokens that were read (the last one is a target alone). Output: every row."""
    norms = tied_norms([4, 2, 4, 6], V=9)
    np.testing.assert_array_equal(np.flatnonzero(norms.input_part), [2, 4])
    assert (norms.output_part > 0).all()
    assert 1 / 9 < norms.largest_share < 1


def test_the_noise_is_as_long_as_the_first_pull():
    """Pull and noise have mean square length 1 and are independent: that of their difference is 2, over N².

    4,000 rows: the mean of |pull - noise|² has a standard error of about .02, whatever the width.
    """
    norms = follow(np.ones((1, 4000), dtype=int), tokens=5, rule=SGD).norms[0]
    assert float((norms**2).mean()) * 25 == pytest.approx(2.0, abs=0.1)


def test_a_table_of_one_row_has_nothing_to_learn():
    """The softmax over one token is 1, so the error 1 - 1 is 0 and so are both parts."""
    norms = tied_norms([0, 0], V=1)
    np.testing.assert_array_equal([*norms.input_part, *norms.output_part], [0, 0])


def difference(ids: Any, G: Any) -> float:
    return largest_difference(touched_gradients(np.asarray(ids), G))


def test_the_ways_agree_and_the_wrong_one_does_not():
    ids, G = np.array([0, 0, 1, 1, 2]), np.ones((5, 1))
    assert difference(ids, G) == 0
    assert list(touched_gradients(ids, G)) == list(BACKWARD)
    np.testing.assert_array_equal(one_hot_product_gradient(ids, G, 3).ravel(), [2, 2, 1])
    np.testing.assert_array_equal(assign_add(ids, G, 3).ravel(), [1, 1, 1])


def test_the_difference_is_that_of_float32():
    """400 terms of size 1: the order of a sum is the library's, its rounding far below 1e-4."""
    ids = np.random.default_rng(0).integers(0, 3, 400)
    assert 0 <= difference(ids, random_gradient(400, 16)) < 1e-4


@pytest.mark.parametrize("way", ["dense_gradient", "one_hot_product_gradient"])
def test_a_way_that_is_off_is_found(way, monkeypatch):
    ids, G = np.array([0, 0, 1]), np.ones((3, 2))
    right = getattr(ways, way)
    monkeypatch.setattr(ways, way, lambda *given: np.add(right(*given), [[0.0, 0.25], [0.0, 0.0]]))
    assert difference(ids, G) == 0.25


@pytest.mark.parametrize("of", [BACKWARD, FORWARD])
def test_times_are_medians_and_leave_out_what_does_not_fit(of):
    """A clock that ticks by .01 a call: every run takes .01 s, three of them make a median."""
    ticks = iter(np.arange(10_000) * 0.01)
    times = time_ways(of, [10, 1_000_000], tokens=9, width=1, exponent=0.0, clock=lambda: float(next(ticks)))
    assert list(times) == list(of)
    for key in set(of) - {"product"}:
        np.testing.assert_allclose(times[key], [0.01, 0.01], rtol=1e-6)
    assert np.isnan(times["product"]).tolist() == [False, True]


def test_every_way_gives_the_same_gradient():
    ids, G, E = np.array([3, 0, 3]), random_gradient(3, 2), random_gradient(5, 2)
    found = {key: way(ids, G, E) for key, (_, way) in BACKWARD.items()}
    for key in ("sort", "scatter"):
        np.testing.assert_allclose(found[key].dense(5), found["product"], rtol=1e-6)
    np.testing.assert_allclose(found["whole"], found["product"], rtol=1e-6)


def test_both_lookups_give_the_same_rows():
    ids, E = np.array([3, 0, 3]), random_gradient(5, 2)
    for _, way in FORWARD.values():
        np.testing.assert_array_equal(way(ids, random_gradient(3, 2), E), E[ids])


def test_growth_row_by_row_needs_no_falling_shares():
    p = np.array([0.0, 0.7, 0.0, 0.3])
    grown = expected_growth(p, tokens=2, steps=3, groups=4)
    np.testing.assert_allclose(grown, [zipf.expected_distinct(p, 2 * n) for n in (1, 2, 3)], rtol=1e-12)


def test_a_long_run_is_timed_once():
    ticks = iter([0.0, 9.0] * 8)
    times = time_ways(BACKWARD, [4], tokens=2, width=1, clock=lambda: float(next(ticks)))
    np.testing.assert_array_equal([*times.values()], [[9], [9], [9], [9]])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: touched_rows(np.array([[0.5]]), np.array([0, 1, 2])), "mismatch"),
        (lambda: seen_matrix([[0, 1]], [3, 2]), "rising"),
        (lambda: expected_growth([0.5, 0.1], 3, 1), "sum to 1"),
        (lambda: expected_growth([1.5, -0.5], 3, 1), "between 0 and 1; got 1.5"),
        (lambda: seen_matrix([[0, 1], [-1, 1]], [0, 1, 4]), "token id -1"),
        (lambda: moved_matrix([[0, 1], [-1, 1]], [0, 1, 4], Adam), "token id -1"),
        (lambda: expected_growth([1.0], 0, 1), "tokens"),
        (lambda: followed_rows(5, 0, 1), "bins"),
        (lambda: count_rows([[3]], [0], 3), "token id 3"),
        (lambda: count_rows([[1]], [3], 3), "token id 3"),
        (lambda: follow([[0.5]], 3, SGD), "whole numbers"),
        (lambda: follow([[-1]], 3, SGD), "whole numbers"),
        (lambda: follow([[1]], 0, SGD), "tokens"),
        (lambda: mean_by_rank(follow([[1]], 3, SGD), [0, 1], 2), "steps 1 to 1"),
        (lambda: tied_norms([0], 3), "next token"),
        (lambda: tied_norms([0, 3], 3), "token id 3"),
        (lambda: assign_add([3], np.ones((1, 1)), 3), "token id 3"),
        (lambda: random_gradient(0, 2), "tokens"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
