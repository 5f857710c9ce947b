"""The teacher's own table in the room `geometry`: a name and a row for each token."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from app.kit import given
from app.rooms.geometry.model.study import TableStudy
from app.rooms.geometry.words import WORDS
from lab.vocab import given_table

MOST_ROWS, WIDEST, MOST_PLACES, MOST_NUMBERS = 2_000, 1_024, 512, 50_000
"""All numbers stand in the code of a figure: that limits their count."""

_ROWS = given.matrix(most_rows=MOST_ROWS, most_columns=WIDEST, least_rows=2)
PARTS: Mapping[str, given.Given] = {
    "table": given.parts(
        {"tokens": given.tokens(most=MOST_ROWS), "rows": _ROWS},
        {
            "positions": given.matrix(most_rows=MOST_PLACES, most_columns=WIDEST),
            "name": given.text(most=60),
        },
    )
}


def page_of(data: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The table that the parts make, by its name in the State, and what of them does not fit."""
    if "table" not in data:
        return {}, ()
    found, said = dict(data["table"]), []
    tokens, rows = found["tokens"], found["rows"]
    D, numbers = len(rows[0]), len(rows) * len(rows[0])
    if len(tokens) != len(rows):
        return {}, (WORDS.say("page.rows", tokens=len(tokens), rows=len(rows)),)
    if numbers > MOST_NUMBERS:
        return {}, (WORDS.say("page.large", numbers=numbers, most=MOST_NUMBERS),)
    P = found.get("positions")
    if P is not None and len(P[0]) != D:
        said.append(WORDS.say("page.positions", wide=len(P[0]), D=D))
        P = None
    table = given_table(found.get("name", given.TITLE), tokens, rows, P)
    note = WORDS.say("page.note", V=len(tokens), D=D)
    return {"page": TableStudy(replace(table, note=note))}, tuple(said)
