"""A teacher's own rows, weights, slopes and frequencies in the room `schemes`, against NumPy."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.kit.given import beginning
from app.rooms import ROOMS

X = [[1.0, 0.0, 2.0], [0.0, 1.0, -1.0], [0.5, 0.5, 0.0]]
WQ, WK = [[1.0, 0.5], [0.0, 1.0], [1.0, 0.0]], [[0.0, 1.0], [1.0, 0.0], [0.5, 0.5]]
DATA = {"rows": X, "tokens": ["a", "<b>b", "c"], "Wq": WQ, "Wk": WK, "slopes": [0.25], "frequencies": [0.3]}


def room(data: dict[str, Any], query: str = "", **more: Any) -> Any:
    return ROOMS["schemes"](query, spec=json.dumps({"room": "schemes", "data": data, **more}))


def scores(data: dict[str, Any], shift: int, head: int = 0) -> dict[str, Any]:
    """The scores of one head under the schemes that are rules, token by token."""
    x, Wq, Wk = (np.array(data[name]) for name in ("rows", "Wq", "Wk"))
    T, D = x.shape
    d = Wq.shape[1] // data.get("heads", 1)
    pos = np.arange(T) + shift
    columns = slice(d * head, d * head + d)

    def score(add: Any = 0.0, turn: Any = lambda rows: rows) -> Any:
        q, k = turn((x + add) @ Wq[:, columns]), turn((x + add) @ Wk[:, columns])
        return (q @ k.conj().T).real / np.sqrt(d)

    def wave(t: int, j: int) -> float:
        angle = pos[t] / 10_000 ** (2 * (j // 2) / D)
        return float(np.cos(angle) if j % 2 else np.sin(angle))

    waves = np.array([[wave(t, j) for j in range(D)] for t in range(T)])
    found = {"none": score(), "raw": score(pos[:, None]), "sinusoidal": score(waves)}
    if "frequencies" in data:
        turn = np.exp(1j * pos[:, None] * np.array(data["frequencies"]))
        found["rope"] = score(turn=lambda rows: (rows[:, 0::2] + 1j * rows[:, 1::2]) * turn)
    if "slopes" in data:
        found["alibi"] = score() - data["slopes"][head] * abs(pos[:, None] - pos)
    return found


numbers = st.integers(-16, 16).map(lambda n: n / 4)


@st.composite
def probes(draw: st.DrawFn) -> dict[str, Any]:
    T, D, H, d = (draw(st.integers(1, most)) for most in (4, 5, 3, 4))

    def rows(n: int, m: int) -> Any:
        return draw(st.lists(st.lists(numbers, min_size=m, max_size=m), min_size=n, max_size=n))

    slopes = draw(st.lists(st.integers(1, 64).map(lambda n: n / 64), min_size=H, max_size=H))
    data = {"rows": rows(T, D), "Wq": rows(D, H * d), "Wk": rows(D, H * d), "heads": H, "slopes": slopes}
    return {**data, "frequencies": [0.5] * (d // 2)} if d % 2 == 0 else data


@settings(max_examples=25, deadline=None)
@given(probes(), st.integers(0, 900), st.data())
def test_her_scores_are_those_of_numpy(data: dict[str, Any], shift: int, more: st.DataObject) -> None:
    kind = ROOMS["schemes"]
    taken, said = kind.take({name: kind.given[name](value) for name, value in data.items()})
    d = len(data["Wq"][0]) // data["heads"]
    assert [*said] == (
        [f"RoPE is left out: it turns pairs of numbers, and a head is {d} wide."] if d % 2 else []
    )
    head = more.draw(st.integers(1, data["heads"]))
    state = beginning(kind.State, kind.begins(taken))(**taken, shift=shift, head=head)
    values = {name: getattr(state, name) for name in state.param}
    assert kind.normalise(values) == (values, ())
    figure = kind.figure("scores")
    view = figure.viewed(values)
    assert ("rope" in view.matrices) == (d % 2 == 0)
    for key, want in scores(data, shift, head - 1).items():
        np.testing.assert_allclose(view.matrices[key].scores, want, atol=1e-9, rtol=1e-9)
    space: dict[str, Any] = {}
    exec(figure.code(view.s), space)
    np.testing.assert_allclose(space["result"], figure.code_answer(view), atol=1e-9, rtol=1e-9)


def test_the_sizes_that_she_fixes_cannot_be_set() -> None:
    made = room(DATA)
    assert made._notices == []
    assert made._address.value == ""
    assert [getattr(made.state, name) for name in ("D", "H", "d", "head")] == [3, 1, 2, 1]
    shown = {name for name, field in made._fields.items() if field.pane.visible}
    assert shown == {"show", "text", "shift", "seed"}
    assert made._fields["text"].pane.placeholder == "a <b>b c"
    made = room(DATA, "D=8&head=4")
    assert set(made._notices) == {
        "D = 8 does not fit the data of this page: it is 3.",
        "There is no head 4 of 1: the last one is shown.",
    }
    assert made._address.value == ""
    assert made.view["scores"].probe.x.shape == (3, 3)


def test_what_she_does_not_give_is_drawn() -> None:
    made = room({"rows": X})
    probe = made.view["scores"].probe
    np.testing.assert_array_equal(probe.x, X)
    assert probe.words == ("x1", "x2", "x3")
    assert probe.Wq.shape == (3, 64)
    usual = ROOMS["schemes"]("").view["scores"].probe
    probe = room({"Wq": np.ones((16, 64)).tolist(), "heads": 8}).view["scores"].probe
    np.testing.assert_array_equal(probe.Wq, np.ones((16, 64)))
    np.testing.assert_array_equal(probe.Wk, usual.Wk)
    np.testing.assert_array_equal(probe.x, usual.x)


def test_other_words_have_her_rows_where_they_are_tokens_of_hers() -> None:
    made = room(DATA, "text=c new a")
    np.testing.assert_array_equal(made.view["scores"].probe.x[[0, 2]], [X[2], X[0]])


def test_her_slopes_stand_beside_both_rules() -> None:
    made = room({"slopes": [0.5, 0.1, 4.0]}, "show=slopes&head=3")
    view = made.view["slopes"]
    np.testing.assert_allclose(view.table.half_distances, np.log(2) / np.array([0.5, 0.1, 4.0]))
    assert view.rows[2][:2] == (3, 4.0)
    figure = made._places["slopes"].figure
    assert "a_{3} = 4" in figure.formula(view)[0].filled
    assert figure.curves.sources["given"].data["y"].tolist() == [0.5, 0.1, 4.0]
    assert figure.curves.figure.y_range.end == 6.0
    assert "This page’s 3 slopes" in figure.caption(view)
    made = ROOMS["schemes"]("show=slopes")
    assert len(made._places["slopes"].figure.curves.sources["given"].data["y"]) == 0


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({**DATA, "Wq": WQ[:2]}, "Left out: Wq. It has 2 rows of 2 numbers, and D = 3, H = 1"),
        ({**DATA, "Wk": [[1], [1], [1]]}, "Left out: Wk. It has 3 rows of 1 number"),
        ({**DATA, "heads": 3, "Wk": WQ}, "Left out: Wq."),
        ({**DATA, "heads": 1, "slopes": [1, 2]}, "Left out: slopes. There are 2 of them, and 1 head."),
        ({**DATA, "frequencies": [1, 2]}, "Left out: frequencies. There are 2 of them, and a head 2 wide"),
        ({**DATA, "tokens": ["a"]}, "Left out: tokens. There are 1 of them, and 3 rows."),
        ({"tokens": ["a"]}, "Left out: tokens. There are 1 of them, and 0 rows."),
        ({**DATA, "slopes": [0]}, "number 1 is 0; every number must be at least 1e-06"),
    ],
)
def test_what_does_not_fit_is_left_out(data: dict[str, Any], said: str) -> None:
    made = room(data, figure="scores")
    assert said in " ".join(made._notices)
    assert not made._error.pane.visible
