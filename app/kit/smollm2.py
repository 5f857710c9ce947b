"""What is said wherever a reader chooses words of SmolLM2's table."""

from __future__ import annotations

from app.kit.html import Markup, tag
from lab.data import smollm2


def smollm2_words() -> Markup:
    """What was left out of the table that the words are chosen from, and how its numbers were stored."""
    pack = smollm2()
    return tag(
        "p",
        f"{len(pack.tokens):,} of SmolLM2's {pack.full_vocabulary:,} tokens: the first that are words of "
        "letters only, with or without a space before them. Weights were stored in 4 bits, then in 8.",
        class_="lab-note",
    )
