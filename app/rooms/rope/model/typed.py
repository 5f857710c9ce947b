"""Rows of numbers as readers type them."""

from __future__ import annotations

import math
import re

from app.kit.html import shorten, visible
from app.rooms.rope.model import WORDS

LARGEST = 1_000_000.0
MOST = 128


def numbers_of(name: str, text: str) -> tuple[float, ...]:
    """The numbers of a text with commas, semicolons or spaces between them; brackets may stand around.

    >>> numbers_of("q", "[1, −.5]")
    (1.0, -0.5)
    """
    # a minus pasted from a typeset page is another character than the one of the keyboard
    plain = text.strip().strip("[]()").replace("−", "-")
    parts = [part for part in re.split(r"[\s,;]+", plain) if part]
    if len(parts) > MOST:
        raise ValueError(WORDS.say("refused.many", of=name, count=len(parts), most=MOST))
    values = tuple(_number(name, part) for part in parts)
    if not values or len(values) % 2:
        raise ValueError(WORDS.say("refused.odd", of=name, count=len(values)))
    return values


def _number(name: str, part: str) -> float:
    said = {"of": name, "part": shorten(visible(part), 24)}
    try:
        value = float(part)
    except ValueError:
        raise ValueError(WORDS.say("refused.text", **said)) from None
    if not math.isfinite(value):
        raise ValueError(WORDS.say("refused.infinite", **said))
    if abs(value) > LARGEST:
        raise ValueError(WORDS.say("refused.large", most=LARGEST, **said))
    return value
