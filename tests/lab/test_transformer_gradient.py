"""The backward pass against finite differences, for every scheme, one and two layers, tied and untied."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest

from lab.positions import SCHEMES, NoPosition, Rope
from lab.transformer import ModelConfig, Transformer

STEP = 1e-6


class Seventh(NoPosition):
    """Uses every hook at once: a trained row, turns by halves, a bias that differs by head and may reward."""

    key: ClassVar[str] = "seventh"

    def __init__(self, D, H, d, max_positions):
        self._rope = Rope(d, pairing="half")
        self._H = H
        self.row = np.linspace(-0.5, 0.5, max_positions * D).reshape(max_positions, D)

    @classmethod
    def build(cls, *, D, H, d, max_positions, rng=None):
        return cls(D, H, d, max_positions)

    def add_to_input(self, x, pos):
        return x + self.row[np.asarray(pos)]

    def rotate(self, qk, pos):
        return self._rope.rotate(qk, pos)

    def bias(self, q_pos, k_pos):
        lag = np.asarray(q_pos)[:, None] - np.asarray(k_pos)
        return np.stack([np.cos(lag * (h + 1.0)) for h in range(self._H)])

    def params(self):
        return {"row": self.row}

    def grad_params(self, pos, grad_x):
        return {"row": np.asarray(grad_x)}


ALL = {**SCHEMES, "seventh": Seventh}


def tiny(scheme, *, D=4, H=2, T=4, seed=0, **kwargs):
    """A model of two heads, five characters and a window of four, in float64."""
    config = ModelConfig(V=5, D=D, H=H, T=T, dtype="float64", **kwargs)
    rng = np.random.default_rng(seed)
    built = ALL[scheme].build(D=D, H=H, d=D // H, max_positions=T, rng=np.random.default_rng(1))
    model = Transformer(config, built, rng)
    if not config.tied:
        model.parameters["output"][...] *= 50  # a first loss near ln V would leave most gradients near 0
    batch = rng.integers(0, 5, (2, T + 1))
    return model, batch[:, :-1], batch[:, 1:]


def mean_loss(model, ids, targets):
    return float(model.losses(ids, targets).mean())


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("scheme", ALL)
def test_every_entry_of_the_gradient_is_the_slope_of_the_loss(scheme, layers, tied):
    """Central differences of step h err by h²/6 f''' and by rounding / h: together below 1e-8 here."""
    model, ids, targets = tiny(scheme, layers=layers, tied=tied)
    loss = model.loss_and_gradient(ids, targets)
    assert loss == pytest.approx(mean_loss(model, ids, targets), abs=1e-14)
    flat = model.parameters.flat
    slopes = np.zeros_like(flat)
    for i in range(flat.size):
        kept = flat[i]
        flat[i] = kept + STEP
        above = mean_loss(model, ids, targets)
        flat[i] = kept - STEP
        slopes[i] = (above - mean_loss(model, ids, targets)) / (2 * STEP)
        flat[i] = kept
    np.testing.assert_allclose(model.gradient.flat, slopes, rtol=1e-6, atol=2e-9)


@pytest.mark.parametrize("scheme", ALL)
def test_heads_of_many_pairs_too(scheme):
    """At D = 48 and four heads, along a direction that changes every entry at once."""
    model, ids, targets = tiny(scheme, D=48, H=4, T=9, layers=2)
    model.loss_and_gradient(ids, targets)
    gradient = model.gradient.flat.copy()
    direction = np.random.default_rng(3).standard_normal(gradient.size)
    start = model.parameters.flat.copy()
    ends = []
    for sign in (1, -1):
        model.parameters.flat[...] = start + sign * STEP * direction
        ends.append(mean_loss(model, ids, targets))
    slope = (ends[0] - ends[1]) / (2 * STEP)
    assert gradient @ direction == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("scheme", ALL)
def test_a_gradient_does_not_depend_on_the_one_before(scheme):
    """The gradient's arrays are used again each step; nothing may add up."""
    model, ids, targets = tiny(scheme, tied=True)
    model.loss_and_gradient(ids, targets)
    first = model.gradient.flat.copy()
    model.loss_and_gradient(targets, ids)
    model.loss_and_gradient(ids, targets)
    np.testing.assert_array_equal(model.gradient.flat, first)


def test_large_scores_take_the_safe_softmax_and_keep_their_gradient():
    """Queries of thousands: exp of such a score leaves float64, and the row maximum has to be taken away."""
    model, ids, targets = tiny("rope")
    model.parameters["0.qkv"][...] *= 60
    model.loss_and_gradient(ids, targets)
    assert np.isfinite(model.gradient.flat).all()
    i = int(np.abs(model.gradient.flat).argmax())
    slopes = []
    for sign in (1, -1):
        model.parameters.flat[i] += sign * STEP
        slopes.append(mean_loss(model, ids, targets))
        model.parameters.flat[i] -= sign * STEP
    assert (slopes[0] - slopes[1]) / (2 * STEP) == pytest.approx(model.gradient.flat[i], rel=1e-5)
