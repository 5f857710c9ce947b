"""Values that somebody gave, in messages."""

from __future__ import annotations

import pytest

from lab.given import given


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (-3, "−3"),
        (131072, "131,072"),
        (0.5, "0.5"),
        (323249217704815.5, "323,249,217,704,815.5"),
        (-12.0, "−12.0"),
        ("a" * 80, "‘" + "a" * 60 + "…’"),
        ({"a": 1}, '‘{"a": 1}’'),
        (True, "true"),
        (None, "null"),
        (float("nan"), "NaN"),
        (float("-inf"), "an infinite number"),
        (10**400, "a number of more than 15 digits"),
        (-1e300, "a number of more than 15 digits"),
        (1e-9, "1e−09"),
    ],
)
def test_how_values_are_written(value: object, written: str) -> None:
    assert given(value) == written
