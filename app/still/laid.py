"""What layout leaves: boxes with their places, lines of text, and drawings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from app.still.css import Style
from app.still.nodes import Node


@dataclass(frozen=True)
class Run:
    """Text in one style; ``shift`` raises it above the line."""

    text: str
    style: Style
    width: float
    shift: float = 0.0


@dataclass(frozen=True)
class Words:
    """One line: where it is held, at its baseline, and whether by its start, middle or end."""

    x: float
    y: float
    runs: tuple[Run, ...]
    anchor: str = "start"


@dataclass
class Laid:
    """A box: its size, and what is in it, from its own corner."""

    width: float
    height: float
    node: Node | None = None
    baseline: float | None = None
    words: list[Words] = field(default_factory=list)
    parts: list[tuple[float, float, Laid]] = field(default_factory=list)
    scale: float = 1.0

    def put(self, x: float, y: float, part: Laid) -> None:
        """Put a box into this one."""
        self.parts.append((x, y, part))

    def down(self, by: float) -> None:
        """Move the content down, as in a cell that is higher than it."""
        self.words = [Words(line.x, line.y + by, line.runs, line.anchor) for line in self.words]
        self.parts = [(x, y + by, part) for x, y, part in self.parts]
        if self.baseline is not None:
            self.baseline += by


class Layout(Protocol):
    """What each kind of layout asks of the others."""

    def lay(self, node: Node, width: float, height: float | None = None) -> Laid:
        """A node in a box so wide, borders included, and at least so high."""

    def measure(self, node: Node) -> tuple[float, float]:
        """The least width of a node and the most that it would take, borders included."""

    def width_of(self, node: Node, room: float, stretch: bool = True) -> float:
        """The width of a node that has so much room, margins taken off."""
