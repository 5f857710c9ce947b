"""A page for each mistake of the lab. Another one is a subclass of ``Page``, and its name in ``PAGES``."""

from __future__ import annotations

from app.rooms.mistakes.pages.base import RIGHT, WRONG, Page, Reading, Run, versions
from app.rooms.mistakes.pages.batching import Packed, Padding, PadValue
from app.rooms.mistakes.pages.caching import Cache, Stale
from app.rooms.mistakes.pages.rotation import Layout, Partial, Twice
from app.rooms.mistakes.pages.rows import Gradient, Raw
from app.rooms.mistakes.pages.stretching import Longer, Yarn

PAGES: dict[str, Page] = {
    kind.key: kind()
    for kind in (
        Layout,
        Twice,
        Partial,
        Cache,
        Padding,
        PadValue,
        Stale,
        Yarn,
        Gradient,
        Packed,
        Longer,
        Raw,
    )
}

__all__ = ["PAGES", "RIGHT", "WRONG", "Page", "Reading", "Run", "versions"]
