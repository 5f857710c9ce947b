"""The path from text to gradient: its places, the room each leads to, and what happens there."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Place(NamedTuple):
    """A place on the path."""

    room: str
    """Key of the room a click leads to, if there is one of that key."""
    says: str
    figure: str = ""
    """Key of the figure in that room, where it is not the first."""

    def address(self, link: Callable[[str], str]) -> str:
        """Where a click leads; ``link`` turns a room's key into an address."""
        return link(self.room) + (f"#{self.figure}" if self.figure else "")


PATH = {
    "text": Place("build", "What a reader writes."),
    "ids": Place("build", "Each token is a number, and only a name.", "ids"),
    "E": Place("geometry", "The number picks a row of a table."),
    "X": Place("build", "Position joins; one row per token."),
    "q, k": Place("rope", "Or position turns queries and keys."),
    "scores": Place("schemes", "Who attends to whom, and how far."),
    "gradient": Place("gradient", "What the error sends back to the rows."),
}
