"""What each figure of the room `rope` shows of a state.

While positions move, the head and its vectors stay: what depends on them alone is kept.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from app.kit.view import part
from app.rooms.rope.model import WORDS, turning
from app.rooms.rope.model.headed import Headed
from app.rooms.rope.model.turning import BothLayouts, Means, Meeting, Vector, stored_positions
from app.rooms.rope.model.typed import numbers_of
from lab.notation import FloatArray
from lab.positions import Rope
from lab.positions.precision import Precision, count_distinct
from lab.positions.rope import DistanceScores, Pairing
from lab.query_key import draw_q_k, scores_at

MOVES = (*range(21), 30, 50, 100, 200, 250, 500, 1_000)
FORMATS: dict[str, Precision | None] = {
    "float64": None, "float32": "float32", "float16": "float16", "bfloat16": "bfloat16",
}  # fmt: skip
HALVES: tuple[Precision, ...] = ("bfloat16", "float16")
FARTHEST = 2_047
DRAWS = 200
FIRST, BLOCK = 4_096, 32
"""Positions whose survival is counted, and neighbours that are drawn as one step of a band."""
SHOWN = 4
"""Pairs that get a clock and a line of their own."""
ROUNDING, TURNED = 1e-12, 1e-15
"""What float64 may leave of a difference that is 0 for vectors of norm 1, and more for each radian turned."""


def shown_pairs(pairs: int) -> tuple[int, ...]:
    """The pairs that get a clock: all of them, or some from the fastest to the slowest.

    >>> shown_pairs(4), shown_pairs(64)
    ((0, 1, 2, 3), (0, 21, 42, 63))
    """
    if pairs <= SHOWN:
        return tuple(range(pairs))
    return tuple(round(place * (pairs - 1) / (SHOWN - 1)) for place in range(SHOWN))


class Setting(NamedTuple):
    """What stays as it is while positions move: a head and its two vectors."""

    rope: Rope
    q: Vector
    k: Vector


class Averaged(Headed):
    """The mean score over random q and k."""

    @part
    def average(self) -> Means:
        return turning.average_by_distance(self.rope, self.window, DRAWS, self.s.seed)

    @property
    def ends(self) -> tuple[int, int]:
        """The nearest and the farthest distance that is drawn."""
        ends = (self.window.start, self.last)
        return ends if self.distance >= 0 else ends[::-1]

    @property
    def means(self) -> list[float]:
        """The mean score of equal vectors at both."""
        return [float(self.average.alike[end - self.window.start]) for end in self.ends]


class Turned(Headed):
    """One query and one key, and the head that turns them."""

    @property
    def pairing(self) -> Pairing:
        pairing: Pairing = self.s.pairing
        return pairing

    @part
    def setting(self) -> Setting:
        s, d = self.s, self.rope.d
        drawn = [(1.0, 0.0)] * 2 if s.turn == "theta" else [tuple(x.tolist()) for x in draw_q_k(d, s.seed)]
        return Setting(self.rope, self._set("q") or drawn[0], self._set("k") or drawn[1])

    @property
    def drawn(self) -> bool:
        """Whether both vectors are."""
        return self.s.turn != "theta" and not (self._set("q") or self._set("k"))

    def _set(self, name: str) -> Vector:
        """What is typed, or else the teacher's."""
        given: Vector = getattr(self.own, name) if self.own else ()
        return self._typed(name) or given

    def _typed(self, name: str) -> Vector:
        text, d = getattr(self.s, name), self.rope.d
        values = numbers_of(name, text) if text.strip() else ()
        if values and len(values) != d:
            said = {"of": name, "count": len(values), "d": d}
            raise ValueError(
                WORDS.say("refused.width", way_out=WORDS.say(f"refused.{self.s.turn}", **said), **said)
            )
        return values

    @property
    def lengths(self) -> tuple[float, float]:
        """Of q and k."""
        return math.hypot(*self.setting.q), math.hypot(*self.setting.k)


class Met(Turned):
    """q and k at their positions, as given and after both have moved."""

    @property
    def places(self) -> tuple[int, int]:
        """Positions of q and k after the move."""
        return self.s.m + self.s.move, self.s.n + self.s.move

    def _stored(self, *places: int) -> tuple[int, ...]:
        return tuple(stored_positions(places, FORMATS[self.s.precision]).tolist())

    @part
    def stored(self) -> tuple[int, ...]:
        """Positions before the move, as they are stored."""
        return self._stored(self.s.m, self.s.n)

    @part
    def stored_moved(self) -> tuple[int, ...]:
        return self._stored(*self.places)

    @property
    def stored_distance(self) -> int:
        """The distance after the move, for a program that stores positions so."""
        return int(self.stored_moved[0] - self.stored_moved[1])

    @property
    def exact(self) -> bool:
        """Whether positions are stored without loss."""
        return bool(self.stored == (self.s.m, self.s.n) and self.stored_moved == self.places)

    @part
    def here(self) -> Meeting:
        return self._met(*self.stored)

    @part
    def moved(self) -> Meeting:
        return self._met(*self.stored_moved)

    def _met(self, m: int, n: int) -> Meeting:
        rope, q, k = self.setting
        return turning.meet(rope, q, k, m, n)

    @property
    def norms(self) -> tuple[float, float, float, float]:
        """Of q before and after turning, then of k."""
        q, k = self.lengths
        return q, math.hypot(*self.moved.q), k, math.hypot(*self.moved.k)

    @property
    def difference(self) -> float:
        """Change of the score by this move."""
        return abs(self.moved.score - self.here.score)

    @part
    def largest(self) -> float:
        """Largest change of the score by any of the moves on offer, against not moving."""
        q_pos, k_pos = (self._stored(*(place + move for move in MOVES)) for place in (self.s.m, self.s.n))
        rope, q, k = self.setting
        scores = scores_at(rope, q, k, q_pos, k_pos)
        return float(abs(scores - scores[0]).max())

    def is_rounding(self, value: float) -> bool:
        """Whether a difference is what float64 leaves of 0 at the size of these vectors."""
        farthest = max(self.s.m, self.s.n) + MOVES[-1]
        turned = TURNED * farthest * float(self.rope.inv_freq.max())
        return bool(value <= (ROUNDING + turned) * math.prod(self.lengths))

    @part
    def terms(self) -> FloatArray:
        """Products of q with k turned by n - m alone, number by number: they add up to the score, (d,)."""
        rope, q, k = self.setting
        terms: FloatArray = rope.rotate([k], [-self.stored_distance])[0] * q
        return terms

    @part
    def rotation_error(self) -> float:
        return turning.rotation_error(self.rope, *self.stored_moved)

    @property
    def shown(self) -> tuple[int, ...]:
        """The pairs that get a clock and a line."""
        return shown_pairs(self.pairs)


class Scored(Met):
    """The score at each distance, and what each pair adds to it."""

    @part
    def curve(self) -> DistanceScores:
        rope, q, k = self.setting
        return turning.curve(rope, q, k, self.window)

    @part
    def shares(self) -> FloatArray:
        """What the shown pairs add, (shown, n)."""
        return self.curve.pairs[list(self.shown)]


class LaidOut(Turned):
    """The score at each distance in both layouts of pairs."""

    @part
    def layouts(self) -> BothLayouts:
        rope, q, k = self.setting
        return turning.compare_layouts(rope, q, k, self.window)

    @property
    def at(self) -> list[float]:
        """At the present distance: in the layout in use, in the other one, and there with both permuted."""
        return [float(scores[self.distance - self.window.start]) for scores in self.layouts[:3]]

    @property
    def order(self) -> list[int]:
        """The permutation that leads to the other layout."""
        return list(self.layouts.order.tolist())

    @property
    def other(self) -> Pairing:
        """The layout that is not in use."""
        return "half" if self.pairing == "interleaved" else "interleaved"


class Stored(Turned):
    """One distance, both positions moving through the first 4,096, stored in half precision."""

    def _along(self, length: int, precision: Precision | None) -> FloatArray:
        rope, q, k = self.setting
        return turning.score_along(rope, q, k, self.distance, length, precision)

    @part
    def exact(self) -> float:
        return float(self._along(1, None)[0])

    @part
    def blocks(self) -> dict[Precision, FloatArray]:
        """Scores in blocks of neighbouring positions, (blocks, neighbours)."""
        return {kind: self._along(FIRST, kind).reshape(-1, BLOCK) for kind in HALVES}

    @part
    def ends(self) -> dict[Precision, tuple[Any, Any]]:
        """The lowest and the highest score of each block."""
        return {kind: (rows.min(axis=1), rows.max(axis=1)) for kind, rows in self.blocks.items()}

    @part
    def survive(self) -> dict[Precision, int]:
        """How many of the first positions stay apart."""
        return {kind: count_distinct(FIRST, kind) for kind in HALVES}

    @part
    def wrong(self) -> dict[Precision, int]:
        """Positions at which the score is another than the exact one."""
        rounding = 1e-9 * math.prod(self.lengths)
        return {kind: int((abs(rows - self.exact) > rounding).sum()) for kind, rows in self.blocks.items()}
