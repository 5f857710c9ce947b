"""Tables as people have them: small files in the shapes that programs write, each with its right reading."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lab.own_table import read_own_table

FOLDER = Path(__file__).with_name("own_tables")
CASES: dict[str, Any] = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))


def contents(names: list[str]) -> dict[str, bytes]:
    return {name: (FOLDER / name).read_bytes() for name in names}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_real_file_is_read_as_it_is_meant(case: dict[str, Any]) -> None:
    table = read_own_table(contents(case["files"]))
    assert list(table.vocabulary.tokens) == case["tokens"]
    np.testing.assert_array_equal(table.E, np.array(case["E"], dtype=np.float32))
    for word in case["says"]:
        assert word in table.note


@pytest.mark.parametrize("case", [case for case in CASES.values() if len(case["files"]) == 2])
def test_the_order_of_two_files_does_not_matter(case: dict[str, Any]) -> None:
    table = read_own_table(contents(case["files"][::-1]))
    assert list(table.vocabulary.tokens) == case["tokens"]


def test_every_file_has_its_reading() -> None:
    named = {name for case in CASES.values() for name in case["files"]} | {"expected.json"}
    assert named == {path.name for path in FOLDER.iterdir()}
