"""Rows of numbers as readers type them."""

from __future__ import annotations

import math
import re

from app.kit.html import shorten, visible

LARGEST = 1_000_000.0
MOST = 128


def numbers_of(name: str, text: str) -> tuple[float, ...]:
    """The numbers of a text with commas, semicolons or spaces between them; brackets may stand around.

    Raises
    ------
    ValueError
        If a part is no finite number, too large, or there are too many or an odd number of them.

    Examples
    --------
    >>> numbers_of("q", "[1, −.5]")
    (1.0, -0.5)
    """
    # a minus pasted from a typeset page is another character than the one of the keyboard
    plain = text.strip().strip("[]()").replace("−", "-")
    parts = [part for part in re.split(r"[\s,;]+", plain) if part]
    if len(parts) > MOST:
        raise ValueError(f"{name} holds {len(parts):,} numbers; at most {MOST} can be drawn.")
    values = tuple(_number(name, part) for part in parts)
    if not values or len(values) % 2:
        raise ValueError(
            f"{name} holds {len(values)} number{'' if len(values) == 1 else 's'}. RoPE turns pairs: type an "
            "even number of them, such as 1, 0."
        )
    return values


def _number(name: str, part: str) -> float:
    said = shorten(visible(part), 24)
    try:
        value = float(part)
    except ValueError:
        raise ValueError(f"{name} holds ‘{said}’, which is no number. Write for example 1, 0.5.") from None
    if not math.isfinite(value):
        raise ValueError(f"{name} holds ‘{said}’; every number must be finite.")
    if abs(value) > LARGEST:
        raise ValueError(f"{name} holds ‘{said}’; keep each number within ±{LARGEST:,.0f}.")
    return value
