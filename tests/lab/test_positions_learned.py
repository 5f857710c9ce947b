"""The learned table: its limit, its gradient, and position ids under padding."""

from __future__ import annotations

import numpy as np
import pytest

from lab import reference
from lab.positions import Learned
from lab.positions.learned import fairseq_positions, mask_positions
from tests.golden import entry


def test_the_row_index_is_the_position():
    table = np.arange(12.0).reshape(4, 3)
    x = np.full((3, 3), 100.0)
    got = Learned(table).add_to_input(x, [3, 0, 0])
    np.testing.assert_array_equal(got, x + reference.lookup(table, np.array([3, 0, 0])))


def test_a_position_beyond_the_table_is_refused():
    """Case pos-02: of 100 rows, 0 to 99 are valid; the 101st token has none."""
    scheme = Learned.build(D=2, H=1, d=2, max_positions=100)
    scheme.add_to_input(np.zeros((100, 2)), np.arange(100))
    message = "position 100 has no row: the table was trained for 100 positions, 0 to 99; shorten .* enlarge"
    with pytest.raises(ValueError, match=message):
        scheme.add_to_input(np.zeros((101, 2)), np.arange(101))
    with pytest.raises(ValueError, match="position -1 has no row"):
        scheme.add_to_input(np.zeros((1, 2)), [-1])
    with pytest.raises(ValueError, match="position 100 has no row"):
        scheme.grad_params([100], np.zeros((1, 2)))


def test_the_gradient_sums_every_use_of_a_row():
    """Positions [0, 0, 1, 1, 2] with gradients of one, two sequences: 4, 4 and 2; row 3 was not used."""
    grad = Learned(np.zeros((4, 2))).grad_params([0, 0, 1, 1, 2], np.ones((2, 5, 2)))["P"]
    np.testing.assert_array_equal(grad, [[4, 4], [4, 4], [2, 2], [0, 0]])


def test_the_gradient_agrees_with_finite_differences():
    """A sum is linear in P, so the difference quotient is exact but for rounding."""
    rng = np.random.default_rng(5)
    table, x, grad_x = rng.standard_normal((3, 2)), rng.standard_normal((4, 2)), rng.standard_normal((4, 2))
    pos, step = [2, 0, 2, 2], 1e-3
    wanted = np.zeros_like(table)
    for index in np.ndindex(*table.shape):
        nudge = np.zeros_like(table)
        nudge[index] = step
        up, down = (Learned(table + sign * nudge).add_to_input(x, pos) for sign in (1, -1))
        wanted[index] = ((up - down) * grad_x).sum() / (2 * step)
    np.testing.assert_allclose(Learned(table).grad_params(pos, grad_x)["P"], wanted, rtol=0, atol=1e-12)


def test_an_optimiser_trains_the_table_in_place():
    table = np.zeros((2, 2))
    scheme = Learned(table)
    scheme.params()["P"][1] += 1
    np.testing.assert_array_equal(scheme.add_to_input(np.zeros((1, 2)), [1]), [[1, 1]])


def test_the_same_seed_draws_the_same_table():
    sizes = {"D": 3, "H": 1, "d": 1, "max_positions": 5}
    first, again, other = (Learned.build(**sizes, rng=np.random.default_rng(seed)).P for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    np.testing.assert_array_equal(first, Learned.build(**sizes).P)
    assert np.abs(first - other).min() > 0
    np.testing.assert_allclose(Learned.build(**sizes, sd=0.02).P, 0.02 * first, rtol=1e-15)


def test_left_padding_counts_real_tokens_only():
    """Case pos-01: mask [0,0,1,1,1] gives [x,x,0,1,2]; x is masked, and 0 is a row that exists."""
    mask = [[0, 0, 1, 1, 1], [1, 1, 1, 1, 1], [0, 0, 0, 0, 0], [1, 1, 0, 0, 0]]
    wanted = [[0, 0, 0, 1, 2], [0, 1, 2, 3, 4], [0, 0, 0, 0, 0], [0, 1, 1, 1, 1]]
    np.testing.assert_array_equal(mask_positions(mask), wanted)
    np.testing.assert_array_equal(mask_positions(np.array(mask, dtype=bool)), wanted)


def test_fairseq_numbers_from_its_padding_index():
    """Case pos-03: pads keep 1, the first token gets 2; 512 tokens use rows 2 to 513."""
    golden = entry("positions.fairseq_padidx1")
    got = fairseq_positions(golden["inputs"]["input_ids"], golden["inputs"]["padding_idx"])
    np.testing.assert_array_equal(got, golden["values"])
    np.testing.assert_array_equal(fairseq_positions(np.full(512, 7), 1), np.arange(2, 514))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Learned([1.0, 2.0]), r"P \(max_positions, D\) must have shape"),
        (lambda: Learned(np.zeros((0, 4))), "rows of P must be a whole number of at least 1; got 0"),
        (lambda: Learned(np.zeros((4, 0))), "width D of P must be a whole number of at least 1; got 0"),
        (lambda: Learned([[1.0, np.nan]]), r"must be finite; entry \(0, 1\) is nan"),
        (lambda: Learned.build(D=2, H=1, d=2, max_positions=2, sd=0.0), "sd must be a finite number above 0"),
        (lambda: Learned([[1.0]]).grad_params([0], [[1.0, 2.0]]), r"grad_x .* must have shape \(..., 1, 1\)"),
        (lambda: mask_positions([0, 2]), "a padding mask holds 1 for tokens and 0 for padding"),
        (lambda: mask_positions([0.5, 1]), "a padding mask holds"),
        (lambda: fairseq_positions([1.5], 1), "token ids must be integers; got float64"),
        (lambda: fairseq_positions([1], -1), "padding_idx is a token id, 0 or above; got -1"),
    ],
)
def test_refusals(make, message):
    with pytest.raises(ValueError, match=message):
        make()
