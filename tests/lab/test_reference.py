"""The definitions agree with each other, and with numbers worked out by hand."""

from __future__ import annotations

import numpy as np

from lab import reference


def test_lookup_copies_rows():
    table = np.arange(12.0).reshape(4, 3)
    np.testing.assert_array_equal(reference.lookup(table, np.array([2, 0])), [[6, 7, 8], [0, 1, 2]])


def test_sinusoidal_by_hand():
    """Position 2 at D = 3, base 8: pair 0 turns by 2 * 1, the sine of pair 1 by 2 * 8^(-2/3) = 1/2."""
    wanted = [[np.sin(2), np.cos(2), np.sin(0.5)]]
    np.testing.assert_allclose(reference.sinusoidal(np.array([2]), 3, base=8.0), wanted, rtol=1e-14)


def test_a_quarter_turn_by_hand():
    """Two positions of pi/4 turn (1, 2) into (-2, 1); dims 1 and 3 belong to no pair and stay."""
    x = np.array([[1.0, 5.0, 2.0, 6.0]])
    for rotate in (reference.rotate, reference.rotate_complex):
        turned = rotate(x, np.array([2]), [np.pi / 4], [(0, 2)])
        np.testing.assert_allclose(turned, [[-2, 5, 1, 6]], rtol=0, atol=1e-15)


def test_matrices_and_complex_numbers_turn_alike():
    x, pos = np.random.default_rng(6).standard_normal((4, 6)), np.array([0, 3, -2, 700])
    args = (x, pos, [1.0, 0.1, 0.01], [(0, 3), (1, 4), (2, 5)])
    np.testing.assert_allclose(reference.rotate(*args), reference.rotate_complex(*args), rtol=0, atol=1e-14)


def test_scores_by_hand():
    """(1, 2, 0, 1) . (3, 1, 5, 1) = 3 + 2 + 0 + 1 = 6, over sqrt(4) = 3; against (0, 0, 1, 0) nothing."""
    q, k = np.array([[[1.0, 2, 0, 1]]]), np.array([[[3.0, 1, 5, 1], [0, 0, 1, 0]]])
    np.testing.assert_array_equal(reference.attention_scores(q, k), [[[3, 0]]])


def test_alibi_by_hand():
    """Slope 1/4 from position 4: keys at 0, 4 and 6 are 4, 0 and 2 away."""
    got = reference.alibi_bias([0.25], np.array([4]), np.array([0, 4, 6]))
    np.testing.assert_array_equal(got, [[[-1, 0, -0.5]]])
