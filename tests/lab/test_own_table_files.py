"""Tables as people have them: small files in the shapes that programs write, each with its right reading."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.own_table import read_own_table
from lab.own_table.layout import is_number

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


@st.composite
def written(draw: st.DrawFn) -> tuple[dict[str, bytes], list[str], np.ndarray]:
    """A table as some program writes it: separator, decimal sign, header, quotes, line ends, names apart."""
    D, V = draw(st.integers(2, 5)), draw(st.integers(3, 6))
    value = st.floats(-1000, 1000, width=16).map(lambda x: float(np.float16(x)) + 0.0)
    E = np.array(draw(st.lists(st.lists(value, min_size=D, max_size=D), min_size=V, max_size=V)))
    E[0] += 0.0625 * (E[0] == np.round(E[0]))  # whole numbers alone would not tell names from numbers
    letters = st.text("abcxyzäöü-'.▁Ġ<>/#[]ж", min_size=1, max_size=6).filter(lambda t: not is_number(t))
    tokens = draw(st.lists(letters, min_size=V, max_size=V, unique=True))
    separator, comma = draw(
        st.sampled_from(
            [(" ", 0), ("\t", 0), (",", 0), (";", 0), (";", 1), ("\t", 1), (" ", 1), ("   ", 0), (", ", 0)]
        )
    )
    if draw(st.booleans()) and separator in "\t;,":
        tokens[1] = f"{tokens[1]} {tokens[2]}"
    rows = [[repr(float(v)).replace(".", ",") if comma else repr(float(v)) for v in row] for row in E]
    quoted = separator in "\t;," and draw(st.booleans())
    named = [f'"{token}"' if quoted else token for token in tokens]
    apart = draw(st.booleans())
    lines = [separator.join(row if apart else [name, *row]) for name, row in zip(named, rows, strict=True)]
    head = draw(st.sampled_from(["", "count", "names"]))
    if head == "count" and separator != ", ":
        lines.insert(0, f"{V} {D}")
    elif head == "names":
        lines.insert(
            0,
            separator.join([f"d{i}" for i in range(D)] if apart else ["word", *(f"d{i}" for i in range(D))]),
        )
    end = draw(st.sampled_from(["\n", "\r\n"]))
    mark = draw(st.sampled_from(["", "\ufeff"]))
    files = {"table.txt": (mark + end.join(lines) + end).encode()}
    if apart:
        files["names.txt"] = ("\n".join(tokens) + "\n").encode()
    return files, tokens, E.astype(np.float32)


@settings(max_examples=300, deadline=None)
@given(case=written())
def test_however_a_table_is_written_it_is_read_back(
    case: tuple[dict[str, bytes], list[str], np.ndarray],
) -> None:
    files, tokens, E_written = case
    table = read_own_table(files)
    np.testing.assert_array_equal(table.E, E_written)
    assert list(table.vocabulary.tokens) == tokens
