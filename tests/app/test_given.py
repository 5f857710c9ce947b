"""A teacher's own numbers: what the readers take, what they refuse, and what their schemas say of it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest

from app.kit import given

MATRIX = given.matrix(most_rows=3, most_columns=2)
VECTOR = given.vector(most=3)
TOKENS = given.tokens(most=3)
TEXT = given.text(most=5)
WHOLE = given.whole(least=1, most=8)
COUNTS = given.counts(most=3, largest=99)
PARTS = given.parts({"tokens": TOKENS, "rows": MATRIX}, {"name": TEXT})
DOCUMENT = given.document(most=30)

TAKEN = [
    (MATRIX, [[1, 2.5], [-3, 0]], ((1.0, 2.5), (-3.0, 0.0))),
    (VECTOR, [1], (1.0,)),
    (given.vector(most=2, low=0), [0], (0.0,)),
    (TOKENS, ["<b>", " cat"], ("<b>", " cat")),
    (given.tokens(most=3, different=False), ["a", "a"], ("a", "a")),
    (TEXT, "a\ud800", "a?"),
    (WHOLE, 8.0, 8),
    (COUNTS, {"the": 5, "cat": 0}, (("the", 5), ("cat", 0))),
    (COUNTS, [5, 0, 2], (("", 5), ("", 0), ("", 2))),
    (PARTS, {"tokens": ["a"], "rows": [[1]]}, {"tokens": ("a",), "rows": ((1.0,),)}),
    (DOCUMENT, {"a": "é"}, '{\n "a": "é"\n}'),
]
REFUSED = [
    (MATRIX, "1 2", "it takes a list of rows, not a text"),
    (MATRIX, None, "it takes a list of rows, not null"),
    (MATRIX, [], "it takes 1 to 3 rows, and it has 0"),
    (MATRIX, [[1]] * 4, "it takes 1 to 3 rows, and it has 4"),
    (MATRIX, [[1, 2], [3]], "row 2 has 1 number, and row 1 has 2 numbers"),
    (MATRIX, [[1, 2], 3], "row 2: it takes a list of numbers, not a number"),
    (MATRIX, [[]], "row 1: it takes 1 to 2 numbers, and it has 0"),
    (MATRIX, [[1, 2, 3]], "row 1: it takes 1 to 2 numbers, and it has 3"),
    (MATRIX, [[1, "2"]], "row 1: number 2 is a text, ‘2’, and no number"),
    (MATRIX, [[1, None]], "row 1: number 2 is null, null, and no number"),
    (given.matrix(most_rows=3, most_columns=2, least_rows=2), [[1]], "it takes 2 to 3 rows, and it has 1"),
    (VECTOR, [True], "number 1 is true or false, true, and no number"),
    (VECTOR, [float("nan")], "number 1 is NaN; every number must be finite"),
    (VECTOR, [1, float("-inf")], "number 2 is an infinite number; every number must be finite"),
    (VECTOR, [10**400], "number 1 is a number of more than 15 digits; every number must lie within"),
    (VECTOR, [-2 * 10**9], "number 1 is −2,000,000,000; every number must lie within ±1,000,000,000"),
    (VECTOR, {"a": 1}, "it takes a list of numbers, not an object"),
    (given.vector(most=2, low=0), [1, -1], "number 2 is −1; every number must be at least 0"),
    (given.vector(most=2, least=2), [1], "it takes 2 numbers, and it has 1"),
    (TOKENS, ["a", ""], "token 2: it takes 1 to 40 characters, and it has 0"),
    (TOKENS, ["a", "b", "a"], "token 3, ‘a’, is token 1 already"),
    (TOKENS, ["a", 2], "token 2: it takes a text, not a number"),
    (TOKENS, ["a" * 41], "token 1: it takes 1 to 40 characters, and it has 41"),
    (TEXT, ["a"], "it takes a text, not a list"),
    (TEXT, "abcdef", "it takes 1 to 5 characters, and it has 6"),
    (WHOLE, 9, "it takes a whole number from 1 to 8, not 9"),
    (WHOLE, 1.5, "it takes a whole number from 1 to 8, not 1.5"),
    (WHOLE, True, "it takes a whole number from 1 to 8, not true"),
    (WHOLE, float("nan"), "it takes a whole number from 1 to 8, not NaN"),
    (WHOLE, "1", "it takes a whole number from 1 to 8, not ‘1’"),
    (COUNTS, {}, "it takes 1 to 3 tokens, and it has 0"),
    (COUNTS, {"the": -1}, "the count of ‘the’: it takes a whole number from 0 to 99, not −1"),
    (COUNTS, {"": 1}, "a token: it takes 1 to 40 characters, and it has 0"),
    (COUNTS, [1, 2.5], "count 2: it takes a whole number from 0 to 99, not 2.5"),
    (COUNTS, [0, 0], "it takes at least one count above 0"),
    (COUNTS, 3, "it takes a list of counts, not a number"),
    (PARTS, {"tokens": ["a"]}, "it takes an object with tokens and rows"),
    (PARTS, [], "it takes an object with tokens and rows, and perhaps name"),
    (PARTS, {"tokens": ["a"], "rows": [[1]], "x": 1}, "it takes an object with tokens and rows"),
    (given.one_of("a", "b"), "c", "it takes a or b, not ‘c’"),
    (given.one_of("a", "b"), ["a"], 'it takes a or b, not ‘["a"]’'),
    (PARTS, {"tokens": ["a"], "rows": [["1"]]}, "rows: row 1: number 1 is a text, ‘1’, and no number"),
    (DOCUMENT, "{}", "it takes an object, not a text"),
    (DOCUMENT, {"a": "x" * 30}, "it takes at most 30 characters of JSON, and this has 42"),
]


@pytest.mark.parametrize(("reader", "value", "wanted"), TAKEN)
def test_a_reader_returns_what_cannot_change(reader: given.Given, value: Any, wanted: Any) -> None:
    assert reader(value) == wanted


@pytest.mark.parametrize(("reader", "value", "said"), REFUSED)
def test_a_reader_says_what_it_takes_and_what_it_got(reader: given.Given, value: Any, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)) as caught:
        reader(value)
    assert not str(caught.value).endswith(".")  # the specification's notice goes on after it


@pytest.mark.parametrize("reader", [one for one, *_ in TAKEN])
def test_a_schema_is_json_and_bounds_every_list(reader: given.Given) -> None:
    assert json.loads(json.dumps(reader.schema)) == reader.schema

    def look(part: Any) -> None:
        if isinstance(part, Mapping):
            if part.get("type") == "array":
                assert part["minItems"] >= 1
                assert part["maxItems"] >= part["minItems"]
            for inner in part.values():
                look(inner)

    look(reader.schema)
