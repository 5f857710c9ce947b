"""A teacher's own rows, weights and vectors in the rooms `rope`, `order` and `schemes`, against NumPy."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from app.rooms import ROOMS


def room(key: str, data: dict[str, Any], query: str = "", **more: Any) -> Any:
    return ROOMS[key](query, spec=json.dumps({"room": key, "data": data, **more}))


def shown(key: str, figure: str, data: dict[str, Any], query: str = "") -> Any:
    """The view of a figure that stands alone."""
    made = room(key, data, query, figure=figure)
    assert not made._error.pane.visible, made._error.pane.object
    assert made._notices == []
    return made.view[figure]


# rope

Q, K, ANGLES = [1.0, 0.5, -1.0, 2.0], [0.5, 1.0, 1.0, -1.0], [1.0, 0.3]


def turned(x: list[float], pos: int, angles: list[float], half: bool = False) -> Any:
    """x as complex hands, each times e^(i pos angle)."""
    x = np.array(x)
    hands = x[: len(x) // 2] + 1j * x[len(x) // 2 :] if half else x[0::2] + 1j * x[1::2]
    return hands * np.exp(1j * pos * np.array(angles))


def score(q: Any, k: Any, m: int, n: int, angles: list[float], half: bool = False) -> float:
    return float((turned(q, m, angles, half) * turned(k, n, angles, half).conj()).real.sum())


def test_her_query_and_key_turn_by_her_frequencies() -> None:
    data = {"q": Q, "k": K, "frequencies": ANGLES}
    assert shown("rope", "hands", data, "m=7&n=2").here.score == pytest.approx(score(Q, K, 7, 2, ANGLES))
    halves = shown("rope", "hands", data, "m=7&n=2&pairing=half")
    assert halves.here.score == pytest.approx(score(Q, K, 7, 2, ANGLES, half=True))
    want = [score(Q, K, distance, 0, ANGLES) for distance in range(32)]
    np.testing.assert_allclose(shown("rope", "score", data).curve.total, want, atol=1e-12)
    assert len(shown("rope", "pairs", data).shares) == 2


def test_without_frequencies_the_base_gives_them_and_a_text_goes_before() -> None:
    made = room("rope", {"q": Q, "k": K})
    angles = [1.0, 0.01]
    assert made.view["hands"].here.score == pytest.approx(score(Q, K, 3, 1, angles))
    visible = {name for name, field in made._fields.items() if field.pane.visible}
    assert {"turn", "base", "q", "k", "pairing"} <= visible
    assert not {"theta", "d"} & visible
    assert made._fields["q"].pane.placeholder == "1, 0.5, −1, 2"
    made.state.q = "1,1,1,1"
    assert made.view["hands"].here.score == pytest.approx(score([1] * 4, K, 3, 1, angles))
    assert made._address.value == "q=1,1,1,1"
    made.state.q = "1,1"
    assert "Type 4, or clear the field to see those of this page" in made._error.pane.object
    made.apply({"turn": "theta", "theta": 1.0})
    assert made.view["hands"].here.score == pytest.approx(np.cos(2))
    assert made._address.value == "turn=theta&theta=1.0"


def test_with_frequencies_alone_q_and_k_are_drawn() -> None:
    view = shown("rope", "hands", {"frequencies": ANGLES})
    rng = np.random.default_rng(0)
    q, k = rng.standard_normal(4), rng.standard_normal(4)
    assert view.here.score == pytest.approx(score(q, k, 3, 1, ANGLES))


HEAD = {"tokens": ["a", " b", "c"], "q": [Q, K, Q], "k": [K, K, Q]}


def test_her_head_scores_as_numpy_does() -> None:
    view = shown("rope", "heads", {"head": {**HEAD, "frequencies": ANGLES}}, "a=b&b=a&m=9&n=4")
    assert (view.a, view.b) == (" b", "a")
    want = [score(K, K, distance, 0, ANGLES) / 2 for distance in range(1, 2048)]
    np.testing.assert_allclose(view.scores[0], want, atol=1e-12)
    assert view.highest == pytest.approx(want[4])
    view = shown("rope", "heads", {"head": {**HEAD, "pairing": "half"}})
    assert (view.a, view.b) == ("c", "a")
    assert view.scores[0, 1] == pytest.approx(score(Q, K, 2, 0, [1, 0.01], half=True) / 2)


def test_a_word_that_is_no_token_of_her_head_is_named() -> None:
    made = room("rope", {"head": HEAD}, "view=heads")
    made.state.a = "<b>dog"
    assert "‘&lt;b&gt;dog’ is not in the vocabulary; its tokens are a ␣b c" in made._error.pane.object


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"q": Q, "k": [1, 2]}, "Left out: k. It is for a head 2 wide, and q makes it 4 wide."),
        ({"k": K, "frequencies": [1]}, "Left out: frequencies. It is for a head 2 wide"),
        ({"q": [1, 2, 3]}, "Left out: q. It holds 3 numbers, and RoPE turns pairs."),
        ({"frequencies": [1, -1]}, "number 2 is −1; every number must be at least 0"),
        ({"head": {**HEAD, "k": [K]}}, "Your head is left out: k has 1 row of 4 numbers, and 3 tokens"),
        ({"head": {**HEAD, "frequencies": [1]}}, "Your head is left out: a head 4 wide is made of pairs"),
        ({"head": {"tokens": ["a"]}}, "it takes an object with tokens and q and k, and perhaps frequencies"),
        ({"head": {**HEAD, "pairing": "x"}}, "pairing: it takes interleaved or half, not ‘x’"),
        ({"q": [[1, 2], 3]}, "number 1 is a list, ‘[1, 2]’, and no number"),
    ],
)
def test_what_does_not_fit_her_head_is_left_out(data: dict[str, Any], said: str) -> None:
    made = room("rope", data)
    assert said in " ".join(made._notices)
    assert len(made._notices) == 1
    assert not made._error.pane.visible
