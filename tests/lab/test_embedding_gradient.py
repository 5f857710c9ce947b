"""The gradient of the table: three ways, one result, and never a V x D array on the sparse path."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.embedding import (
    dense_gradient,
    mask_padding_row,
    one_hot,
    one_hot_product_gradient,
    row_gradient,
    scatter_add,
    sort_reduce,
    tied_gradient,
)
from lab.embedding.gradient import FEW_RUNS

SPARSE = [row_gradient, sort_reduce, scatter_add]


@pytest.mark.parametrize("method", SPARSE)
def test_repeats_are_summed(method):
    """Case emb-07: id 0 occurs twice, 1 twice, 2 once; ones add up to 2, 2, 1."""
    gradient = method([0, 0, 1, 1, 2], np.ones((5, 1)))
    np.testing.assert_array_equal(gradient.rows, [0, 1, 2])
    np.testing.assert_array_equal(gradient.summed, [[2], [2], [1]])


def test_the_classic_mistake_keeps_one_of_several():
    """Case emb-07: ``+=`` with an index array reads, adds and writes once, so repeats are lost."""
    wrong = np.zeros((3, 1))
    wrong[[0, 0, 1, 1, 2]] += np.ones((5, 1))
    np.testing.assert_array_equal(wrong, [[1], [1], [1]])
    np.testing.assert_array_equal(dense_gradient([0, 0, 1, 1, 2], np.ones((5, 1)), 3), [[2], [2], [1]])


@pytest.mark.parametrize("method", SPARSE)
def test_rows_and_sums_of_a_sparse_gradient(method):
    """Case emb-04: ids [1,1,3] of ones: row 1 gets 1 + 1, row 3 gets 1, the others are not listed."""
    gradient = method([1, 1, 3], np.ones((3, 2)))
    np.testing.assert_array_equal(gradient.rows, [1, 3])
    np.testing.assert_array_equal(gradient.summed, [[2, 2], [1, 1]])
    np.testing.assert_array_equal(gradient.dense(4), [[0, 0], [2, 2], [0, 0], [1, 1]])


@given(st.integers(1, 12), st.integers(1, 4), st.data())
@settings(deadline=None, max_examples=50)
def test_every_way_is_one_hot_transposed_times_g(V, D, data):
    """Whole numbers as gradients, so that no order of adding can differ."""
    ids = np.array(data.draw(st.lists(st.integers(0, V - 1), max_size=20)), dtype=int)
    G = np.random.default_rng(len(ids)).integers(-9, 9, (len(ids), D)).astype(float)
    oracle = one_hot(ids, V).T @ G
    np.testing.assert_array_equal(one_hot_product_gradient(ids, G, V), oracle)
    np.testing.assert_array_equal(dense_gradient(ids, G, V), oracle)
    for method in SPARSE:
        gradient = method(ids, G)
        np.testing.assert_array_equal(gradient.rows, np.unique(ids))
        np.testing.assert_array_equal(gradient.dense(V), oracle)


def test_the_ways_agree_on_real_numbers_and_batches():
    rng = np.random.default_rng(0)
    ids, G = rng.integers(0, 50, (4, 100)), rng.standard_normal((4, 100, 8))
    oracle = one_hot_product_gradient(ids, G, 50)
    for method in SPARSE:
        np.testing.assert_allclose(method(ids, G).dense(50), oracle, rtol=0, atol=1e-12)


@given(
    st.integers(1, 400),
    st.integers(2, 5),
    st.sampled_from([np.float32, np.float64, np.int32]),
    st.integers(0, 2**32 - 1),
)
@settings(deadline=None, max_examples=50)
def test_sorting_adds_in_the_order_of_the_text(V, D, dtype, seed):
    """np.add.at adds term by term, so equal bits mean the same order, however runs are grouped."""
    rng = np.random.default_rng(seed)
    ids = (rng.random(rng.integers(1, 3_000)) ** 3 * V).astype(int)
    G = (rng.standard_normal((ids.size, D)) * 9).astype(dtype)
    one, other = sort_reduce(ids, G), scatter_add(ids, G)
    np.testing.assert_array_equal(one.rows, other.rows)
    np.testing.assert_array_equal(one.summed, other.summed)


@pytest.mark.parametrize(
    ("repeats", "runs"), [(1, 100), (2, 100), (50, 10), (50, FEW_RUNS), (50, FEW_RUNS + 1), (3000, 1)]
)
def test_runs_of_every_number_and_length(repeats, runs):
    """Each run r holds ``repeats`` gradients of r, so its sum is r x repeats, on both sides of the cut."""
    ids = np.tile(np.arange(runs), repeats)
    G = np.asfortranarray(np.stack([ids, -ids], axis=1).astype(float))
    gradient = sort_reduce(ids, G)
    np.testing.assert_array_equal(gradient.rows, np.arange(runs))
    np.testing.assert_array_equal(gradient.summed, np.outer(np.arange(runs) * repeats, [1.0, -1.0]))


def test_one_column_may_be_added_in_pairs():
    """NumPy sums a contiguous column pairwise: equal up to rounding, not bit for bit."""
    rng = np.random.default_rng(3)
    ids, G = rng.integers(0, 5, 2000), rng.standard_normal((2000, 1))
    np.testing.assert_allclose(sort_reduce(ids, G).summed, scatter_add(ids, G).summed, rtol=0, atol=1e-11)


def test_it_is_the_derivative_of_a_loss():
    """Central differences of sum(C * E[ids]), which is linear in E, with steps that floats hold exactly."""
    rng = np.random.default_rng(1)
    ids, C, E = np.array([2, 0, 2]), rng.integers(-4, 4, (3, 2)), rng.integers(-4, 4, (4, 2)).astype(float)
    numeric = np.zeros_like(E)
    for place in np.ndindex(E.shape):
        step = np.zeros_like(E)
        step[place] = 0.5
        numeric[place] = (C * (E + step)[ids]).sum() - (C * (E - step)[ids]).sum()
    np.testing.assert_array_equal(row_gradient(ids, C).dense(4), numeric)


@pytest.mark.parametrize("method", SPARSE)
def test_the_sparse_way_never_makes_a_whole_table(method):
    """Ids up to 10^15 are fine, and 100 of them cost less than a megabyte."""
    ids = np.arange(100) * 10**13
    G = np.ones((100, 16))
    tracemalloc.start()
    gradient = method(ids, G)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    np.testing.assert_array_equal(gradient.rows, ids)
    assert peak < 1_000_000


@pytest.mark.parametrize("method", SPARSE)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_the_sum_has_the_dtype_of_g(method, dtype):
    """Case emb-08: np.add.at is some twenty times slower where it has to cast, so nothing is cast."""
    assert method([0, 0], np.ones((2, 3), dtype=dtype)).summed.dtype == dtype
    assert dense_gradient([0, 0], np.ones((2, 3), dtype=dtype), 2).dtype == dtype


@pytest.mark.parametrize("method", SPARSE)
def test_no_tokens_no_rows(method):
    gradient = method([], np.zeros((0, 3)))
    assert gradient.rows.shape == (0,)
    assert gradient.summed.shape == (0, 3)
    np.testing.assert_array_equal(gradient.dense(2), np.zeros((2, 3)))


@pytest.mark.parametrize("method", SPARSE)
@pytest.mark.parametrize(
    ("ids", "G", "message"),
    [
        ([0, 1], np.ones((3, 2)), "one gradient row for each id"),
        ([0, 1], np.ones(2), "one gradient row for each id"),
        ([0], 1.0, "one gradient row for each id"),
        ([-1], np.ones((1, 2)), "token id -1"),
        ([0.5], np.ones((1, 2)), "integers"),
    ],
)
def test_bad_input_is_refused(method, ids, G, message):
    with pytest.raises(ValueError, match=message):
        method(ids, G)


def test_whole_gradients_refuse_ids_outside_the_table():
    for whole in (dense_gradient, one_hot_product_gradient):
        with pytest.raises(ValueError, match="token id 3"):
            whole([3], np.ones((1, 2)), 3)
    with pytest.raises(ValueError, match="token id 3"):
        row_gradient([3], np.ones((1, 2))).dense(3)


def test_padding_is_masked_out_of_the_gradient():
    """Case emb-02: ids [0,1] of ones with padding id 0 leave row 1 alone with [1,1]."""
    gradient = mask_padding_row(row_gradient([0, 1], np.ones((2, 2))), padding_id=0)
    np.testing.assert_array_equal(gradient.dense(3), [[0, 0], [1, 1], [0, 0]])


def test_a_tied_table_hears_from_both_ends():
    """ids [0], G [1,2]; hidden [3,4] with dlogits [-.5,.5]: the output part is [-1.5,-2] and [1.5,2]."""
    tied = tied_gradient([0], [[1.0, 2.0]], hidden=[[3.0, 4.0]], dlogits=[[-0.5, 0.5]])
    np.testing.assert_array_equal(tied.input_part, [[1, 2], [0, 0]])
    np.testing.assert_array_equal(tied.output_part, [[-1.5, -2], [1.5, 2]])
    np.testing.assert_array_equal(tied.total, [[-0.5, 0], [1.5, 2]])


def test_the_output_part_touches_every_row():
    rng = np.random.default_rng(2)
    logits = rng.standard_normal((6, 9))
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    tied = tied_gradient([1, 1, 2], np.ones((3, 4)), rng.standard_normal((6, 4)), p - one_hot([3] * 6, 9))
    assert (np.abs(tied.output_part).max(axis=1) > 0).all()
    np.testing.assert_array_equal(np.flatnonzero(tied.input_part.any(axis=1)), [1, 2])


@pytest.mark.parametrize(
    ("hidden", "dlogits", "message"),
    [
        (np.ones((2, 2)), np.ones((3, 4)), "as many rows"),
        (np.ones((2, 3)), np.ones((2, 4)), "equally wide: 2 and 3"),
    ],
)
def test_parts_that_do_not_belong_together_are_refused(hidden, dlogits, message):
    with pytest.raises(ValueError, match=message):
        tied_gradient([0], np.ones((1, 2)), hidden, dlogits)
