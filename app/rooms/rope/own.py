"""The teacher's own in the room `rope`: a query and a key, the angles of their pairs, a head of hers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.kit import given
from app.rooms.rope.model import WORDS
from app.rooms.rope.model.headed import OwnPair
from app.rooms.rope.model.own import OwnHead

WIDEST, MOST_TOKENS = 256, 64

_ROWS = given.matrix(most_rows=MOST_TOKENS, most_columns=WIDEST)
_ANGLES = given.vector(most=WIDEST // 2, low=0)
PARTS: Mapping[str, given.Given] = {
    "q": given.vector(most=WIDEST, least=2),
    "k": given.vector(most=WIDEST, least=2),
    "frequencies": _ANGLES,
    "head": given.parts(
        {"tokens": given.tokens(most=MOST_TOKENS), "q": _ROWS, "k": _ROWS},
        {"frequencies": _ANGLES, "pairing": given.one_of("interleaved", "half")},
    ),
}


def own_of(data: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The pair and the head that the parts make, by their names in the State, and what does not fit."""
    made: dict[str, Any] = {}
    said: list[str] = []
    if "head" in data:
        try:
            made["own_head"] = OwnHead.of(**data["head"])
        except ValueError as reason:
            said.append(WORDS.say("own.head", reason=str(reason)))
    found = {name: data[name] for name in ("q", "k", "frequencies") if name in data}
    widths = {name: len(found[name]) * (2 if name == "frequencies" else 1) for name in found}
    odd = [name for name, d in widths.items() if d % 2]
    said += [WORDS.say("own.odd", of=name, d=widths[name]) for name in odd]
    fit = [name for name in found if name not in odd]
    # the first of them says how wide the head is
    other = [name for name in fit if widths[name] != widths[fit[0]]]
    said += [
        WORDS.say("own.width", of=name, wide=widths[name], d=widths[fit[0]], by=fit[0]) for name in other
    ]
    kept = {name: found[name] for name in fit if name not in other}
    if kept:
        made["own"] = OwnPair(widths[fit[0]], **kept)
    return made, tuple(said)
