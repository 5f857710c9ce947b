"""Golden arrays of public implementations, and the cases with a known answer.

``golden.json`` holds what public libraries returned, with their versions and sources; most of it was computed
in float32 and printed to six decimals. ``cases.jsonl`` holds one described case a line.
``checkpoints`` holds small files that the packages of their formats wrote; make_checkpoints.py says how.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent

INV_FREQ_RTOL = 2e-6
ROTATION_ATOL = 5e-6
PRINTED_ATOL = 5e-7 + 1e-9
"""Half a unit in the sixth decimal: how far a printed float64 value may be off."""


@cache
def _entries() -> dict[str, Any]:
    entries: dict[str, Any] = json.loads((HERE / "golden.json").read_text("utf-8"))["entries"]
    return entries


@cache
def _cases() -> dict[str, dict[str, str]]:
    lines = (HERE / "cases.jsonl").read_text("utf-8").splitlines()
    return {case["id"]: case for case in map(json.loads, lines)}


def entry(name: str) -> dict[str, Any]:
    """Return one golden entry."""
    found: dict[str, Any] = _entries()[name]
    return found


def names(prefix: str) -> list[str]:
    """Return the names of all entries that start with ``prefix``; there is at least one."""
    found = [name for name in _entries() if name.startswith(prefix)]
    if not found:
        raise KeyError(f"no golden entry starts with {prefix!r}")
    return found


def case(key: str) -> dict[str, str]:
    """Return one case: its id, area, input and expected answer, in words."""
    return _cases()[key]
