"""Where the files under static/ are, for the served app and inside the packed site alike."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

STATIC = Path(__file__).resolve().parents[2] / "static"


@lru_cache
def stylesheet(name: str) -> str:
    """The text of one stylesheet of static/css."""
    return (STATIC / "css" / name).read_text(encoding="utf-8")
