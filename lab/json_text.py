"""JSON that somebody pasted: read whole or refused in words that say where and why."""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn

LONGEST = 1_000_000
"""Characters of the longest text that is read."""
DEEPEST = 100
"""Brackets within brackets."""


def read_json(text: str) -> Any:
    """Return what a JSON text holds: str -> dict, list, str, int, float, bool or None.

    A whole number of a hundred digits or more is read as infinity, which no field accepts: Python refuses to
    read thousands of digits.

    Raises
    ------
    ValueError
        If the text is empty, longer than ``LONGEST``, nested deeper than ``DEEPEST``, or not JSON; NaN and
        Infinity are not.

    Examples
    --------
    >>> read_json('{"factor": 4.0}')
    {'factor': 4.0}
    >>> read_json('{"factor" 4.0}')
    Traceback (most recent call last):
        ...
    ValueError: not valid JSON at line 1, column 11: Expecting ‘:’ delimiter
    """
    if len(text) > LONGEST:
        raise ValueError(f"a configuration of {len(text):,} characters is too long; at most {LONGEST:,}")
    if not text.strip():
        raise ValueError("nothing was pasted; paste a config.json, in braces")
    _check_nesting(text)
    try:
        return json.loads(text, parse_constant=_refuse_constant, parse_int=_whole_number)
    except json.JSONDecodeError as error:
        hint = "; put braces { } around it" if text.lstrip().startswith('"') else ""
        raise ValueError(
            f"not valid JSON at line {error.lineno:,}, column {error.colno:,}: {_quoted(error.msg)}{hint}"
        ) from error


def _quoted(message: str) -> str:
    return re.sub("'([^']*)'", r"‘\1’", message)


def _check_nesting(text: str) -> None:
    # a deep recursion of the JSON reader ends the interpreter in WebAssembly, not just the call
    depth = 0
    for bracket in re.findall(r"[\[\]{}]", text):
        depth += 1 if bracket in "[{" else -1
        if depth > DEEPEST:
            raise ValueError(f"not a configuration: its brackets are nested more than {DEEPEST} deep")


def _whole_number(digits: str) -> float:
    return int(digits) if len(digits) < 100 else math.inf


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"‘{name}’ is not a number that JSON or a model can use; give a finite one")
