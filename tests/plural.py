"""Is one thing spoken of as several?"""

from __future__ import annotations

import re

NOUNS = (
    "characters|clocks|columns|cosines|dimensions|distances|documents|draws|frequencies|heads|ids|layers|models|"
    "moves|neighbours|numbers|pairs|pieces|places|positions|rows|sines|steps|terms|texts|times|tokens|vectors|words"
)
_ONES = re.compile(rf"(?<![\d.,/^×])\b1 (?:{NOUNS})\b")


def ones(text: str) -> list[str]:
    """Every ‘1 tokens’ of a text.

    >>> ones("1 tokens, 21 tokens, 0.1 tokens, 1 token")
    ['1 tokens']
    """
    return _ONES.findall(text)
