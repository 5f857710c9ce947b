"""Expressions over a figure's values: what they say, and what is refused and how."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.expression import evaluate

VALUES: dict[str, Any] = {
    "m": 3, "name": "rope", "on": True, "score": np.array([0.5, -1.0, 2.0]), "row": [1, 2, 3],
    "X": [[1.0, 2.0], [3.0, 4.0]], "words": ["a", "b"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("m", 3),
        ("2 + 3 * m - 1", 10),
        ("-m // 2", -2),
        ("7 % 4", 3),
        ("2 ** 3", 8.0),
        ("1 < m <= 3", True),
        ("1 < m < 3", False),
        ("m == 3 and not name == 'alibi'", True),
        ("m > 5 or on", True),
        ("score[-1]", 2.0),
        ("X[1][0]", 3.0),
        ("max(score) - min(score)", 3.0),
        ("max(m, 7)", 7),
        ("sum(row) / len(row)", 2.0),
        ("mean(abs(score)) > 1", True),
        ("argmax(score) + argmin(score)", 3),
        ("round(2.345, 1)", 2.3),
        ("sqrt(16)", 4.0),
        ("any(score > 1) and not all(score > 0)", True),
        ("all(X[1] == 2 * X[0] + 1 - (X[0] == 2))", True),
        ("words[1] == 'b'", True),
    ],
)
def test_an_expression_says(text: str, value: Any) -> None:
    assert evaluate(text, VALUES) == (pytest.approx(value) if isinstance(value, float) else value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "cannot be read"),
        ("m +", "cannot be read"),
        ("m = 3", "cannot be read"),
        ("k", "there is no value called 'k'; there are m, name"),
        ("score.sum()", "there is no function score.sum"),
        ("score.T", "score.T is nothing that an expression may say"),
        ("__import__('os')", "there is no function __import__"),
        ("max(score, axis=0)", "there is no function max"),
        ("[x for x in score]", "is nothing that an expression may say"),
        ("lambda: 1", "is nothing that an expression may say"),
        ("m if on else 0", "is nothing that an expression may say"),
        ("m in row", "In is nothing that an expression may say"),
        ("m << 2", "LShift is nothing that an expression may say"),
        ("~m", "Invert is nothing that an expression may say"),
        ("b'x'", "is nothing that an expression may say"),
        ("1j", "is nothing that an expression may say"),
        ("score[9]", "has no value"),
        ("score[1:2]", "is nothing that an expression may say"),
        ("score[0.5]", "takes a whole number in its brackets"),
        ("max()", "has no value"),
        ("1 / 0", "has no value"),
        ("m[0]", "has no value"),
        ("'a' * 9", "computes with a text"),
        ("2 ** 65", "a power goes up to 64"),
        ("(" * 40 + "-" * 40 + "m" + ")" * 40, "too many brackets"),
        ("m + " * 200 + "m", "at most 400 characters"),
    ],
)
def test_what_it_may_not_say_is_named(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=r".") as refused:
        evaluate(text, VALUES)
    assert sentence in str(refused.value)


@given(st.text(alphabet="mrow()[]+-*/<>=.,'\" 0123456789abs:{}_\\\n", max_size=60))
def test_whatever_is_typed_is_a_value_or_a_sentence(text: str) -> None:
    with suppress(ValueError):
        evaluate(text, VALUES)
