"""Arrays that are drawn side by side come from generators of their own: none holds another's numbers."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from app.rooms.schemes.model.compare import make_probe
from lab.mistakes.tiny import TinyModel
from lab.order import Layer, word_rows
from lab.recurrent import Recurrent
from tests.draws import shared


def layer(seed: int) -> dict[str, np.ndarray]:
    made = Layer.draw("learned", D=16, H=8, max_positions=12, seed=seed)
    x = word_rows(["dog", "bites", "man"], 16, seed)
    of = Recurrent.draw(16, seed)
    weights = {"Wq": made.Wq, "Wk": made.Wk, "Wv": made.Wv, "Wx": of.Wx, "Wh": of.Wh}
    return {"x": x, **weights, **made.scheme.params()}


def tiny(seed: int) -> dict[str, np.ndarray]:
    made = TinyModel.draw("learned", seed=seed)
    of = made.layer
    return {"E": made.E, "Wq": of.Wq, "Wk": of.Wk, "Wv": of.Wv, **of.scheme.params()}


def probe(seed: int) -> dict[str, np.ndarray]:
    made = make_probe(["the", "cat", "climbed"], D=16, H=4, d=8, seed=seed, trained=64)
    more = {"Wq_more": made.Wq_more, "Wk_more": made.Wk_more}
    return {"x": made.x, "Wq": made.Wq, "Wk": made.Wk, **more, **made.schemes["learned"].params()}


@pytest.mark.parametrize("drawn", [layer, tiny, probe])
@pytest.mark.parametrize("seed", [0, 1, 9999])
def test_no_drawn_array_holds_another(drawn, seed):
    """P once was Wq times the square root of D: one seed, used for both."""
    arrays = drawn(seed)
    for (one, a), (other, b) in itertools.combinations(arrays.items(), 2):
        assert not shared(a, b), f"{one} and {other}"


def test_shared_finds_what_is_scaled_and_what_is_shifted():
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((4, 8)), rng.standard_normal((4, 8))
    assert shared(a, -3.0 * a)
    assert shared(a[2:], a / 7)
    assert not shared(a, b)
