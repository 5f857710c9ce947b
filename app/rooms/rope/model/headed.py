"""A head as the room `rope` has it: the angles of its pairs, and the distances that are drawn."""

from __future__ import annotations

from dataclasses import dataclass

from app.kit.given import GIVEN
from app.kit.view import View, part
from app.rooms.rope.model import WORDS, turning
from app.rooms.rope.model.turning import Vector
from lab.positions import Rope
from lab.positions.rope import Pairing


def window_of(distance: int, reach: int) -> range:
    """The distances to draw: from 0 on, or around ``distance`` where that lies beyond.

    >>> window_of(2, 32), window_of(-2, 32), window_of(500, 32)
    (range(0, 32), range(-31, 1), range(484, 516))
    """
    low = 0 if abs(distance) < reach else abs(distance) - reach // 2
    return range(low, low + reach) if distance >= 0 else range(-low - reach + 1, -low + 1)


@dataclass(frozen=True)
class OwnPair:
    """What a teacher gives: a query and a key of width d, angles of its pairs; empty where she does not."""

    d: int
    q: Vector = ()
    k: Vector = ()
    frequencies: Vector = ()
    name: str = "this page"


class Headed(View):
    """A head: one pair whose angle is chosen, pairs whose angles follow from a base, or are given."""

    @property
    def own(self) -> OwnPair | None:
        """The teacher's, where it is chosen."""
        return self.s.own if self.s.turn == GIVEN else None

    @property
    def pairing(self) -> Pairing:
        """Mean scores are the same in both layouts."""
        return "interleaved"

    @part
    def rope(self) -> Rope:
        if self.s.turn == "theta":
            return turning.one_pair(self.s.theta, self.pairing)
        if self.own and self.own.frequencies:
            return turning.of_angles(self.own.frequencies, self.pairing)
        return turning.of_base(float(self.s.base), self.own.d if self.own else self.s.d, self.pairing)

    @property
    def rule(self) -> str:
        """What the angles follow from: theta, base, or nothing, as they are given."""
        own = self.own
        return "base" if own and not own.frequencies else str(self.s.turn)

    @property
    def pairs(self) -> int:
        return len(self.rope.inv_freq)

    @property
    def several(self) -> bool:
        return self.pairs > 1

    @property
    def way_out(self) -> str:
        """How a reader gets several pairs."""
        return WORDS.raw(f"any.{self.s.turn}")

    @property
    def distance(self) -> int:
        """Position of q less that of k."""
        return int(self.s.m - self.s.n)

    @property
    def window(self) -> range:
        """The distances that are drawn."""
        return window_of(self.distance, self.s.reach)

    @property
    def last(self) -> int:
        """The largest distance that is drawn."""
        return self.window.stop - 1
