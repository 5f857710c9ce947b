"""A teacher's own counts and texts in the rooms `gradient` and `train`, against NumPy."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import numpy as np
import pytest

from app.rooms import ROOMS


def room(key: str, data: dict[str, Any], query: str = "", **more: Any) -> Any:
    return ROOMS[key](query, spec=json.dumps({"room": key, "data": data, **more}))


COUNTS = {"a": 5, "<b>b": 80, "c": 15, "d": 0}
TEXT = ("The cat sat on the mat, and the dog sat by the cat. A mouse ran to the house! " * 6).strip()


def test_her_counts_are_the_law_of_a_run() -> None:
    made = room("gradient", {"counts": COUNTS, "name": "Mine"}, "length=10&batch=2")
    run = made.view["rows"].run
    p = np.array([80, 15, 5, 0]) / 100
    np.testing.assert_allclose(run.p, p)
    assert run.words == ("<b>b", "c", "a", "d")
    cumulative = np.cumsum(p) / np.sum(p)
    uniform = np.random.default_rng(0).random((30, 20))
    np.testing.assert_array_equal(run.ids, (uniform[..., None] >= cumulative).sum(axis=-1))
    assert run.expected == pytest.approx(sum(1 - (1 - one) ** 20 for one in p))
    assert "20 tokens from this page’s counts" in made._places["rows"].figure.caption(made.view["rows"])
    assert "Mine" in made._fields["source"].pane.options
    assert made._fields["V"].field.disabled
    made.state.source = "zipf"
    assert made._address.value == "source=zipf&batch=2&length=10"
    assert made.view["rows"].run.V == 50_257


def test_a_list_of_counts_has_ranks_and_no_words() -> None:
    run = room("gradient", {"counts": [1, 3, 2]}).view["rows"].run
    assert run.words == ()
    np.testing.assert_allclose(run.p, [3 / 6, 2 / 6, 1 / 6])
    assert run.named(1) == "rank 1"


def test_passages_are_cut_out_of_her_text() -> None:
    made = room("gradient", {"text": TEXT})
    run = made.view["rows"].run
    words = TEXT.lower().replace(",", "").replace(".", "").replace("!", "").split()
    counted = Counter(words)
    assert len(counted) == run.V
    assert run.words[0] == "the"
    np.testing.assert_allclose(run.p, sorted([n / len(words) for n in counted.values()], reverse=True))
    assert made.state.length == len(words) // 4
    assert made._address.value == ""
    first = [run.words[one] for one in run.ids[0, : made.state.length]]
    assert " ".join(first) in " ".join(words)
    assert "passages of this page’s text" in made._places["rows"].figure.caption(made.view["rows"])
    made.state.length = 1000
    assert "The text is too short for this: 114 words of it can be drawn" in made._error.pane.object


@pytest.mark.parametrize("data", [{"text": TEXT}, {"counts": COUNTS}, {"counts": [3, 1]}])
@pytest.mark.parametrize("query", ["subsample=0.001&length=4", "tied=true&optimizer=adam", "zoom=1"])
@pytest.mark.parametrize("key", ["rows", "seen", "rank", "row", "tied", "ways"])
def test_the_code_of_her_tokens_gives_the_figure(data: dict[str, Any], query: str, key: str) -> None:
    made = room("gradient", data, f"{query}&steps=4&batch=2&row=2", figure=key)
    if made._error.pane.visible:
        assert "too short" in made._error.pane.object
        return
    figure, view = made._places[key].figure, made.view[key]
    space: dict[str, Any] = {}
    exec(figure.code(figure.snapshot(made.values())), space)
    wanted = np.asarray(figure.code_answer(view), dtype=float)
    np.testing.assert_allclose(np.asarray(space["result"], dtype=float), wanted, rtol=1e-6, atol=1e-9)
    assert figure.caption(view)
    assert figure.numbers(view)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"counts": [0]}, "it takes at least one count above 0"),
        ({"counts": [7]}, "Your tokens are left out: a table of one row"),
        ({"counts": {"a": "7"}}, "the count of ‘a’: it takes a whole number from 0 to"),
        ({"text": "7 8 9"}, "Your text is left out: a text of 5 characters holds no word"),
        ({"text": "a a a"}, "Your tokens are left out: a table of one row"),
        ({"text": TEXT, "counts": [1, 2]}, "Your text is left out: counts came with it"),
    ],
)
def test_tokens_that_are_none_are_left_out(data: dict[str, Any], said: str) -> None:
    made = room("gradient", data, figure="rows")
    assert said in " ".join(made._notices)
    assert not made._error.pane.visible


# mistakes


def test_her_counts_are_a_batch_of_ids() -> None:
    made = room("mistakes", {"counts": {"the": 3, "cat": 0, "sat": 2}}, "mistake=gradient")
    view = made.view["gradient"]
    assert view.inputs["ids"].tolist() == [0, 0, 0, 2, 2]
    assert view.run.right.tolist() == [3, 0, 2, 0]
    assert view.run.wrong.tolist() == [1, 0, 1, 0]
    assert made._address.value == "mistake=gradient"
    made = room("mistakes", {"counts": [20, 5]})
    assert made._notices == ["Your counts are left out: they come to 25 ids, and at most 24 are drawn."]
