"""A recurrent layer reads in order."""

from __future__ import annotations

import numpy as np
import pytest

from lab.order import equivariance, word_rows
from lab.recurrent import Recurrent


def test_states_by_hand():
    """Weights of 1, rows 1, 0, -1: tanh 1 = .7616, tanh .7616 = .6420, tanh(-1 + .6420) = -.3434."""
    layer = Recurrent(np.ones((1, 1)), np.ones((1, 1)))
    np.testing.assert_allclose(
        layer.read([[1.0], [0.0], [-1.0]]).ravel(), [0.7616, 0.6420, -0.3434], atol=5e-5
    )


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("order", [[1, 0, 2], [2, 1, 0], [1, 2, 0]])
def test_it_notices_every_order(seed, order):
    """Where attention without positions does not: a state holds all that came before it."""
    x = word_rows(["dog", "bites", "man"], 8, seed)
    assert equivariance(Recurrent.draw(8, seed).read, x, order).gap > 0.05


def test_a_state_knows_nothing_of_what_follows():
    layer, x = Recurrent.draw(8, 0), word_rows(["dog", "bites", "man"], 8, 0)
    np.testing.assert_array_equal(layer.read(x)[:2], layer.read(x[:2]))


def test_rows_of_another_width_are_refused():
    with pytest.raises(ValueError, match="must have shape"):
        Recurrent.draw(8, 0).read(np.ones((3, 4)))
    with pytest.raises(ValueError, match="width D"):
        Recurrent.draw(0, 0)
