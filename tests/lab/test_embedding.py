"""Ids to rows to X: hand values of the course, and the two forms of the lookup."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.embedding import drowned, embed, lengths, lookup, one_hot, one_hot_product, scale, swap_places
from lab.positions import SCHEMES, Learned, Sinusoidal
from lab.vocab import ONEHOT, RUNNING, minilm_table

IDS = RUNNING.tokenizer.encode("the cat climbed the")
LEARNED = Learned(RUNNING.P)


def test_rows_of_x():
    """Row by row E[id] + P[place], places from 1.

    the        [-.5,-.5,0,1]  + [0,0,0,0]    = [-.5,-.5,0,1]
    ␣cat       [1,-.5,0,-.5]  + [.5,0,-.5,0] = [1.5,-.5,-.5,-.5]
    ␣climb     [-.5,1,0,-.5]  + [0,.5,0,-.5] = [-.5,1.5,0,-1]
    ed         [0,.5,-.5,0]   + [-.5,0,.5,0] = [-.5,.5,0,0]
    ␣the       [-.5,0,-.5,1]  + [0,-.5,0,.5] = [-.5,-.5,-.5,1.5]
    """
    expected = [
        [-0.5, -0.5, 0, 1],
        [1.5, -0.5, -0.5, -0.5],
        [-0.5, 1.5, 0, -1],
        [-0.5, 0.5, 0, 0],
        [-0.5, -0.5, -0.5, 1.5],
    ]
    np.testing.assert_array_equal(embed(RUNNING.E, IDS, LEARNED), expected)


def test_a_swap_without_positions_only_trades_two_rows():
    swapped = swap_places(IDS, 1, 2)
    np.testing.assert_array_equal(swapped, [0, 4, 2, 5, 1])
    X = embed(RUNNING.E, IDS)
    np.testing.assert_array_equal(embed(RUNNING.E, swapped), X[[0, 2, 1, 3, 4]])


def test_a_swap_with_positions_makes_new_rows():
    """␣cat at place 3 is [1,-.5,0,-.5] + [0,.5,0,-.5] = [1,0,0,-1], a row that X did not hold.

    ␣climb at place 2 is [-.5,1,0,-.5] + [.5,0,-.5,0] = [0,1,-.5,-.5].
    """
    X = embed(RUNNING.E, IDS, LEARNED)
    moved = embed(RUNNING.E, swap_places(IDS, 1, 2), LEARNED)
    np.testing.assert_array_equal(moved[1:3], [[0, 1, -0.5, -0.5], [1, 0, 0, -1]])
    np.testing.assert_array_equal(moved[[0, 3, 4]], X[[0, 3, 4]])


def test_sinusoidal_positions_count_from_zero():
    """At d = 4 a row is [sin p, cos p, sin(p / 100), cos(p / 100)]; zero rows of E leave it alone."""
    rows = embed(np.zeros((1, 4)), [0, 0, 0, 0], Sinusoidal(4))
    expected = [
        [0, 1, 0, 1],
        [0.841, 0.540, 0.010, 1.000],
        [0.909, -0.416, 0.020, 1.000],
        [0.141, -0.990, 0.030, 1.000],
    ]
    np.testing.assert_allclose(rows, expected, rtol=0, atol=5e-4)


@pytest.mark.parametrize("key", ["none", "rope", "alibi"])
def test_schemes_that_act_elsewhere_add_nothing(key):
    scheme = SCHEMES[key].build(D=4, H=2, d=2, max_positions=8)
    np.testing.assert_array_equal(embed(RUNNING.E, IDS, scheme), lookup(RUNNING.E, IDS))


def test_one_hot_times_the_table():
    """Row 2 of the one-hot matrix is [0,0,1,0]; 0·.1 + 0·.4 + 1·.5 + 0·(-.7) = .5, and so on."""
    np.testing.assert_array_equal(one_hot(2, 4), [0, 0, 1, 0])
    np.testing.assert_array_equal(one_hot_product(ONEHOT.E, [2]), [[0.5, 0.9, -0.2]])


def test_one_hot_rows_are_orthogonal():
    rows = one_hot(np.arange(6), 6)
    np.testing.assert_array_equal(rows @ rows.T, np.eye(6))


def test_root_of_the_width():
    """√512 = 22.627."""
    np.testing.assert_allclose(scale(np.ones((1, 512)), 512), np.full((1, 512), 22.6), atol=0.05)
    X = embed(RUNNING.E, IDS, LEARNED, scale=True)
    np.testing.assert_array_equal(X, 2 * RUNNING.E[IDS] + RUNNING.P[:5])


def test_arithmetic_on_ids_means_nothing():
    """(464 + 3332) / 2 = 1898 is some other token, whose row is not the mean of the two rows."""
    middle = (464 + 3332) // 2
    assert middle == 1898
    pair = lookup(minilm_table().E, [464, 3332])
    assert np.abs(lookup(minilm_table().E, middle) - pair.mean(axis=0)).max() > 0.1


def test_both_forms_of_the_lookup_agree_bit_for_bit():
    """Case emb-01, table 0 .. 11: rows 2 and 0 are [6,7,8] and [0,1,2]."""
    table = np.arange(12, dtype=np.float32).reshape(4, 3)
    for form in (lookup, one_hot_product):
        found = form(table, [2, 0])
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found, [[6, 7, 8], [0, 1, 2]])


@pytest.mark.parametrize("spoilt", [np.nan, np.inf])
def test_a_row_nobody_picked_leaks_through_the_product_alone(spoilt):
    """Case emb-01: 0 · NaN = 0 · ∞ = NaN."""
    table = np.arange(12, dtype=np.float32).reshape(4, 3)
    table[3] = spoilt
    np.testing.assert_array_equal(lookup(table, [2, 0]), [[6, 7, 8], [0, 1, 2]])
    assert np.isnan(one_hot_product(table, [2, 0])).all()


@given(st.integers(1, 9), st.integers(1, 5), st.data())
@settings(deadline=None, max_examples=50)
def test_lookup_equals_product(V, D, data):
    ids = np.array(data.draw(st.lists(st.integers(0, V - 1), max_size=12)), dtype=int)
    E = np.random.default_rng(V * D).standard_normal((V, D)).astype(np.float32)
    np.testing.assert_array_equal(one_hot_product(E, ids), lookup(E, ids))


def test_ids_of_any_shape_and_equal_ids_equal_rows():
    ids = np.array([[0, 2], [2, 11]])
    rows = lookup(RUNNING.E, ids)
    assert rows.shape == (2, 2, 4)
    np.testing.assert_array_equal(rows[0, 1], rows[1, 0])
    np.testing.assert_array_equal(one_hot_product(RUNNING.E, ids), rows)
    assert lookup(RUNNING.E, []).shape == (0, 4)


def test_a_lookup_is_a_copy():
    E = np.zeros((2, 2))
    lookup(E, [0])[:] = 1
    np.testing.assert_array_equal(E, np.zeros((2, 2)))


@pytest.mark.parametrize("function", [lookup, one_hot_product])
@pytest.mark.parametrize("bad", [[-1], [12], [0.0]])
def test_ids_outside_the_table_are_refused(function, bad):
    with pytest.raises(ValueError, match="token id"):
        function(RUNNING.E, bad)


def test_nine_tokens_with_eight_learned_rows_are_refused():
    with pytest.raises(ValueError, match="position 8 has no row: the table was trained for 8 positions"):
        embed(RUNNING.E, [0] * 9, LEARNED)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: embed(RUNNING.E, [[0, 1]]), r"one sequence of shape \(T,\)"),
        (lambda: embed(RUNNING.E, [0, 1], pos=[0]), "2 tokens need 2 positions; got 1"),
        (lambda: scale(np.ones((2, 3)), 4), "must be 4 wide"),
        (lambda: scale(1.0, 1), "its shape is"),
        (lambda: swap_places([1, 2], 0, 2), "place 2 is not in the sequence: its 2 places are 0 to 1"),
        (lambda: swap_places([1, 2], -1, 0), "place -1"),
        (lambda: swap_places(5, 0, 0), "its 0 places"),
        (lambda: one_hot([0], 0), "V must be"),
        (lambda: lookup([1.0], [0]), "must be a matrix"),
    ],
)
def test_what_does_not_fit_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_positions_are_ordinary_inputs():
    """Shifted by one, each token meets the next row of P."""
    X = embed(RUNNING.E, IDS, LEARNED, pos=np.arange(5) + 1)
    np.testing.assert_array_equal(X, RUNNING.E[IDS] + RUNNING.P[1:6])


def test_float32_stays_float32():
    E = RUNNING.E.astype(np.float32)
    assert embed(E, IDS, Learned(RUNNING.P), scale=True).dtype == np.float32


@pytest.mark.parametrize("D", [4, 384, 512])
def test_a_position_is_as_long_as_the_root_of_half_the_width(D):
    """Numbers of variance 1/D make a row of length near 1; each pair of a position has length 1."""
    found = drowned(D)
    assert found.position == pytest.approx((D / 2) ** 0.5, abs=1e-12)
    assert found.row == pytest.approx(1, abs=0.15 if D == 4 else 0.01)
    assert found.scaled == pytest.approx(D**0.5 * found.row, rel=1e-12)
    assert drowned(512).times == pytest.approx(16, abs=0.05)
    np.testing.assert_array_equal(lengths([[3.0, 4.0], [0.0, 0.0]]), [5, 0])
