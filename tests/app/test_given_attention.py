"""A teacher's own rows, weights and vectors in the rooms `rope`, `order` and `schemes`, against NumPy."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.kit.given import beginning
from app.rooms import ROOMS
from lab.positions import SCHEMES


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
    made = room("rope", data, figure="hands")
    assert said in " ".join(made._notices)
    assert len(made._notices) == 1
    assert not made._error.pane.visible


# order

X = [[1.0, 0.0, 2.0], [0.0, 1.0, -1.0], [0.5, 0.5, 0.0]]
WQ, WK = [[1.0, 0.5], [0.0, 1.0], [1.0, 0.0]], [[0.0, 1.0], [1.0, 0.0], [0.5, 0.5]]
WV = [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 1.0]]
LAYER = {"rows": X, "tokens": ["a", " b", "<b>c"], "Wq": WQ, "Wk": WK, "Wv": WV}


def attend(x: Any, Wq: Any, Wk: Any, Wv: Any, mask: Any = None, heads: int = 1) -> tuple[Any, Any]:
    """Weights (H, T, T) and outputs side by side, head by head."""
    weights, outputs = [], []
    for q, k, v in zip(
        *(np.split(np.array(x) @ np.array(W), heads, axis=1) for W in (Wq, Wk, Wv)), strict=True
    ):
        scores = q @ k.T / np.sqrt(q.shape[1])
        scores = scores if mask is None else np.where(mask, scores, -np.inf)
        raw = np.exp(scores - scores.max(axis=1, keepdims=True))
        weights.append(raw / raw.sum(axis=1, keepdims=True))
        outputs.append(weights[-1] @ v)
    return np.stack(weights), np.concatenate(outputs, axis=1)


numbers = st.integers(-16, 16).map(lambda n: n / 4)


@st.composite
def layers(draw: st.DrawFn) -> dict[str, Any]:
    T, D, H = draw(st.integers(1, 5)), draw(st.integers(1, 4)), draw(st.integers(1, 3))
    W = H * draw(st.integers(1, 2))

    def rows(n: int, m: int) -> Any:
        return draw(st.lists(st.lists(numbers, min_size=m, max_size=m), min_size=n, max_size=n))

    V = H * draw(st.integers(1, 2))
    return {"rows": rows(T, D), "Wq": rows(D, W), "Wk": rows(D, W), "Wv": rows(D, V), "heads": H}


@settings(max_examples=25, deadline=None)
@given(layers(), st.booleans())
def test_her_layer_attends_as_numpy_does(data: dict[str, Any], causal: bool) -> None:
    kind = ROOMS["order"]
    taken, said = kind.take({name: kind.given[name](value) for name, value in data.items()})
    assert said == ()
    state = beginning(kind.State, kind.begins(taken))(**taken, mask=causal)
    values = {name: getattr(state, name) for name in state.param}
    figure = kind.figure("rows")
    view = figure.viewed(values)
    x, (Wq, Wk, Wv) = np.array(data["rows"]), (data[name] for name in ("Wq", "Wk", "Wv"))
    T = len(x)
    mask = np.tri(T, dtype=bool) if causal else None
    weights, output = attend(x, Wq, Wk, Wv, mask, data["heads"])
    np.testing.assert_allclose(view.before.weights, weights, atol=1e-12)
    after = attend(x[::-1], Wq, Wk, Wv, mask, data["heads"])[1]
    np.testing.assert_allclose(view.found.after, after, atol=1e-12)
    np.testing.assert_allclose(view.found.moved, output[::-1], atol=1e-12)
    space: dict[str, Any] = {}
    exec(figure.code(view.s), space)
    np.testing.assert_allclose(space["result"], [after, output[::-1]], atol=1e-9)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("heads", [1, 2, 3])
def test_the_code_of_her_layer_holds_under_every_scheme(scheme: str, heads: int) -> None:
    rng = np.random.default_rng(3)
    x, D = rng.standard_normal((4, 5)).tolist(), 5
    Wq, Wk, Wv = rng.standard_normal((3, D, 4 * heads)).tolist()
    data = {"rows": x, "Wq": Wq, "Wk": Wk, "Wv": Wv, "heads": heads}
    for name in ("swap", "packed"):
        made = room("order", data, f"scheme={scheme}&mask=true&boundary=true&head={heads}", figure=name)
        assert made._notices == []
        figure, view = made._places[name].figure, made.view[name]
        space: dict[str, Any] = {}
        exec(figure.code(view.s), space)
        np.testing.assert_allclose(space["result"], figure.code_answer(view), atol=1e-9)


def test_what_she_does_not_give_is_drawn_as_wide_as_it_must_be() -> None:
    view = shown("order", "swap", {"rows": X})
    assert view.layer.Wq.shape == (3, 3)
    assert view.layer.H == 1
    assert view.words == ("x1", "x2", "x3")
    view = shown("order", "swap", {"rows": X, "Wq": WQ})
    np.testing.assert_array_equal(view.layer.Wq, WQ)
    assert view.layer.Wk.shape == (3, 2)
    assert view.layer.Wv.shape == (3, 2)


def test_other_words_have_her_rows_where_they_are_tokens_of_hers() -> None:
    made = room("order", LAYER, "text=b new a")
    view = made.view["swap"]
    np.testing.assert_array_equal(view.x[[0, 2]], [X[1], X[0]])
    assert view.words == ("b", "new", "a")
    assert made._fields["text"].pane.placeholder == "a b <b>c"
    twice = {**LAYER, "tokens": ["a", "b", "a"]}
    np.testing.assert_array_equal(shown("order", "swap", twice).x, X)
    made.state.sentence = "bites"
    assert made.view["swap"].words == ("dog", "bites", "man")
    assert made._address.value == "sentence=bites"


def test_no_head_beyond_hers() -> None:
    made = room("order", {**LAYER, "heads": 2, "Wv": [[1, 2], [3, 4], [5, 6]]}, "head=5")
    assert made._notices == ["There is no head 5 of 2: the last one is shown."]
    assert made._fields["head"].pane.end == 2
    assert not room("order", LAYER)._fields["head"].pane.visible


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"Wq": WQ}, "Your data are left out: they begin with rows"),
        ({**LAYER, "tokens": ["a"]}, "Your tokens are left out: there are 1 of them, and 3 rows."),
        ({**LAYER, "Wk": WQ[:2]}, "Left out: Wk. It has 2 rows of 2 numbers; rows of width 3 and 1 head"),
        ({**LAYER, "Wk": [[1], [2], [3]]}, "Left out: Wk. It is 1 wide and Wq 2;"),
        ({"rows": X, "heads": 2}, "Rows of width 3 do not split into 2 heads: one head reads them."),
        ({**LAYER, "heads": 9}, "it takes a whole number from 1 to 8, not 9"),
        ({**LAYER, "tokens": ["a"] * 9}, "it takes 1 to 8 tokens, and it has 9"),
    ],
)
def test_what_does_not_fit_her_rows_is_left_out(data: dict[str, Any], said: str) -> None:
    made = room("order", data, figure="swap")
    assert said in " ".join(made._notices)
    assert len(made._notices) == 1
    assert not made._error.pane.visible
