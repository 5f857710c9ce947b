"""How a message names a value that somebody gave: as the page writes numbers and quotes words."""

from __future__ import annotations

import json
import math
from typing import Any

LONGEST = 60
MOST = 10**15


def given(value: Any) -> str:
    """Return a value for a message: a number with its thousands apart, all else in quotes.

    A number of more than 15 digits is not printed: Python refuses to print thousands of them.

    Parameters
    ----------
    value : object
        What was typed, or read from JSON.

    Examples
    --------
    >>> given(-4096), given(0.5), given(12.0), given("4"), given([1, "a"]), given(None)
    ('−4,096', '0.5', '12.0', '‘4’', '‘[1, "a"]’', 'null')
    >>> given(10**400)
    'a number of more than 15 digits'
    """
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, (int, float)):
        return _number(value)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return f"‘{text if len(text) <= LONGEST else text[:LONGEST] + '…'}’"


def _number(value: float) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "an infinite number"
    if abs(value) > MOST:
        return "a number of more than 15 digits"
    whole = isinstance(value, int) or value == int(value)
    text = f"{value:,}" if whole else f"{value:,.16g}"
    return text.replace("-", "−")
