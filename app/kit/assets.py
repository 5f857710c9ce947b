"""Where the files under static/ are, for the served app and inside the packed site alike."""

from __future__ import annotations

from functools import lru_cache

from lab.places import STATIC


@lru_cache
def stylesheet(name: str) -> str:
    """The text of one stylesheet of static/css."""
    return (STATIC / "css" / name).read_text(encoding="utf-8")
