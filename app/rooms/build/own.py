"""The teacher's own table in the room `build`: its parts, and how they make one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.kit import given
from app.rooms.build.model import WORDS
from lab.vocab import Table, given_table

MOST_TOKENS, MOST_PLACES, WIDEST = 2_000, 512, 1_024
LONGEST = 20_000

PARTS: Mapping[str, given.Given] = {
    "vocabulary": given.tokens(most=MOST_TOKENS),
    "E": given.matrix(most_rows=MOST_TOKENS, most_columns=WIDEST),
    "P": given.matrix(most_rows=MOST_PLACES, most_columns=WIDEST),
    "text": given.text(most=LONGEST),
    "name": given.text(most=60),
}


def table_from(data: Mapping[str, Any]) -> tuple[dict[str, Table], tuple[str, ...]]:
    """The table that the parts make, by its name in the State, and what of them does not fit."""
    if not data:
        return {}, ()
    tokens, E = data.get("vocabulary"), data.get("E")
    if tokens is None or E is None:
        return {}, (WORDS.say("given.both"),)
    if len(tokens) != len(E):
        return {}, (WORDS.say("given.rows", tokens=len(tokens), rows=len(E)),)
    name, P, text, said = data.get("name", given.TITLE), data.get("P"), data.get("text", ""), []
    if P is not None and len(P[0]) != len(E[0]):
        said.append(WORDS.say("given.places", wide=len(P[0]), D=len(E[0])))
        P = None
    try:
        table = given_table(name, tokens, E, P, text)
    except ValueError as reason:
        said.append(WORDS.say("given.text", reason=str(reason)))
        table = given_table(name, tokens, E, P)
    return {"table": table}, tuple(said)
