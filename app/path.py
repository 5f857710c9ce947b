"""The path from text to gradient: its places, the room each leads to, and what happens there."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Place(NamedTuple):
    """A place on the path."""

    room: str
    """Key of the room a click leads to, if there is one of that key."""
    says: str
    state: str = ""
    """The state of that room in which it shows this, as an address has it."""

    def address(self, link: Callable[[str], str]) -> str:
        """Where a click leads; ``link`` turns a room's key into an address."""
        room = link(self.room)
        return f"{room}{'&' if '?' in room else '?'}{self.state}" if self.state else room


PATH = {
    "text": Place("build", "What a reader writes.", "step=1"),
    "ids": Place("build", "Each token is a number, and only a name.", "step=2"),
    "E": Place("geometry", "The number picks a row of a table."),
    "X": Place("build", "Position joins; one row per token."),
    "q, k": Place("rope", "Or position turns queries and keys."),
    "scores": Place("schemes", "Who attends to whom, and how far."),
    "gradient": Place("gradient", "What the error sends back to the rows."),
}
