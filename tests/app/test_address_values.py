"""Whatever stands in an address: no setting of any room raises, what is taken is valid, the rest is named."""

from __future__ import annotations

import math
from typing import Any
from urllib.parse import quote

import param
import pytest

from app.kit import url
from app.rooms import NAMES, ROOMS

TEXTS = {
    "nines": "9" * 309,
    "minus nines": "-" + "9" * 309,
    "digits beyond what int reads": "1" * 3500,
    "1e400": "1e400",
    "-1e400": "-1e400",
    "1e308": "1e308",
    "1e-400": "1e-400",
    "nan": "nan",
    "inf": "inf",
    "-Infinity": "-Infinity",
    "-0": "-0",
    "-0.0": "-0.0",
    "arabic three": "٣",
    "fullwidth 12": "１２",
    "underscore": "1_000",
    "plus": "+5",
    "spaces": " 5 ",
    "hexadecimal": "0x10",
    "comma": "1,5",
    "empty": "",
    "comma alone": ",",
    "pair of nines": "9" * 309 + "," + "9" * 309,
    "pair of infinities": "inf,-inf",
    "complex": "1+2j",
    "fraction": "1/2",
    "superscript": "²",
    "boolean": "true",
    "script": "<script>alert(1)</script>",
    "NUL": "\0",
    "surrogate": "\ud800",
    "bidirectional": "\u202e5",
    "braces": "{}",
    "70 kB": "5" * 70_000,
}

WORDS = ("nines", "empty", "script", "NUL", "surrogate", "bidirectional", "braces")
"""What fields of text are given too: they take anything."""


def quoted(text: str) -> str:
    return quote(text.encode("utf-8", "surrogatepass"))


def numbers_in(value: Any) -> list[float]:
    parts = value if isinstance(value, (tuple, list)) else [value]
    return [part for part in parts if isinstance(part, (int, float))]


@pytest.mark.parametrize("key", NAMES)
def test_no_value_of_any_setting_raises_and_each_is_taken_or_named(key: str) -> None:
    state = ROOMS[key].State
    for name, parameter in url.settings(state).items():
        for what, text in TEXTS.items():
            parsed = url.parse(f"{name}={quoted(text)}", state)
            # one of the two, and nothing silently
            assert (name in parsed.values) != bool(parsed.notices), (name, what)
            for value in numbers_in(parsed.values.get(name)):
                assert math.isfinite(float(value)), (name, what)
            if name in parsed.values:
                state(**parsed.values)
                if isinstance(parameter, param.Number) and not isinstance(parameter, param.Boolean):
                    assert url.parse(url.write(state(**parsed.values))[0], state).notices == ()


@pytest.mark.parametrize("key", NAMES)
def test_a_room_stands_whatever_all_its_settings_are(key: str) -> None:
    room = ROOMS[key]
    for what, text in TEXTS.items():
        names = [
            name
            for name, parameter in url.settings(room.State).items()
            if what in WORDS or not isinstance(parameter, param.String)
        ]
        query = "&".join(f"{name}={quoted(text)}" for name in (*names, "hide", "theme", "embed"))
        if what != "nines" and not url.parse(query, room.State).values:
            continue  # all of it is refused, as in the first
        made = room(query)
        assert made.view is not None, what
        assert "<script" not in made._notice.pane.object
        assert url.parse(url.write(made.state)[0], room.State).notices == (), what
