"""How wide text is, without a browser and without a font: a table of widths stands beside this file.

The widths are those of DejaVu Sans, one of the widest common sans faces: what is laid out with it has room in
the reader's own face too. Its licence leaves the numbers free.
"""

from __future__ import annotations

import json
import unicodedata
from functools import lru_cache
from pathlib import Path

MONO = 0.602
"""Width of every sign of a face whose signs have one width."""
WIDE, UNKNOWN = 1.0, 0.68


@lru_cache
def _widths(bold: bool) -> dict[str, float]:
    table = json.loads(Path(__file__).with_name("widths.json").read_text(encoding="utf-8"))
    face = table["bold" if bold else "regular"]
    found = {sign: width / 1000 for sign, width in face["signs"].items()}
    for first, widths in face.items():
        if first != "signs":
            found |= {chr(int(first, 16) + place): width / 1000 for place, width in enumerate(widths)}
    return found


@lru_cache(maxsize=8192)
def text_width(text: str, size: float = 1.0, *, bold: bool = False, mono: bool = False) -> float:
    """The width of a line of text in pixels, in a face of this size.

    >>> text_width("ll") < text_width("mm"), text_width("ab", 10, mono=True)
    (True, 12.04)
    """
    table = _widths(bold)
    return round(size * sum(_sign(sign, table, mono) for sign in text), 3)


def _sign(sign: str, table: dict[str, float], mono: bool) -> float:
    if unicodedata.combining(sign):
        return 0.0
    if unicodedata.east_asian_width(sign) in "WF":
        return WIDE
    return MONO if mono else table.get(sign, UNKNOWN)
