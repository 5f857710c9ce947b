"""The teacher's own tokens in the room `gradient`: counts, or a text whose words are counted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.kit import given
from app.rooms.gradient.model import WORDS
from app.rooms.gradient.model.sources import Counted, OwnText, Source
from lab.zipf import word_counts

MOST_TOKENS, LARGEST, LONGEST = 5_000, 10**9, 50_000
PASSAGE, SHARE = 500, 4
"""Tokens of a sequence, and the part of a shorter text that one may be, where it begins."""

PARTS: Mapping[str, given.Given] = {
    "counts": given.counts(most=MOST_TOKENS, largest=LARGEST),
    "text": given.text(most=LONGEST),
    "name": given.text(most=60),
}


def own_of(data: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The source that the parts make, by its name in the State, and what of them does not fit."""
    said: list[str] = []
    own: Counted | OwnText | None = None
    name = data.get("name", WORDS.raw("own.name"))
    if "counts" in data:
        ranked = sorted(data["counts"], key=lambda pair: -pair[1])
        names = tuple(name for name, _ in ranked) if all(name for name, _ in ranked) else ()
        own = Counted(names, tuple(count for _, count in ranked), name)
        said += [WORDS.say("own.both")] if "text" in data else []
    elif "text" in data:
        try:
            own = OwnText(word_counts(data["text"]), data["text"], name)
        except ValueError as reason:
            said.append(WORDS.say("own.text", reason=str(reason)))
    if own is not None and own.V < 2:
        said.append(WORDS.say("own.one"))
        own = None
    return ({"own": own} if own else {}), tuple(said)


def first_length(own: Source) -> int:
    """Tokens of a sequence that a page with a text begins with."""
    return min(PASSAGE, max(1, len(own.found.ids) // SHARE)) if isinstance(own, OwnText) else PASSAGE
