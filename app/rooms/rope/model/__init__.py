"""What the room `rope` computes: one query and one key, turned to their positions and scored."""

from __future__ import annotations

from pathlib import Path

from app.kit.words import Words

WORDS = Words(str(Path(__file__).parent))
"""The room's sentences stand beside this folder."""
