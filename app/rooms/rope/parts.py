"""The parts of a view of the room `rope`, each computed once for what it depends on.

While places move, the head and its vectors stay: their curve, average and layouts are the same objects,
and the room draws them again only when they are others.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from app.rooms.rope.typed import numbers_of
from lab import rope_study
from lab.notation import FloatArray, IntArray, as_positions
from lab.positions import Rope
from lab.positions.precision import Precision, count_distinct
from lab.positions.rope import Pairing

MOVES = (*range(21), 30, 50, 100, 200, 250, 500, 1_000)
PRECISIONS: dict[str, Precision | None] = {
    "float64": None,
    "float32": "float32",
    "float16": "float16",
    "bfloat16": "bfloat16",
}
HALVES: tuple[Precision, ...] = ("bfloat16", "float16")
FARTHEST = 2_047
DRAWS = 200
FIRST = 4_096
"""Positions whose survival is counted."""
BLOCK = 32
"""Neighbouring positions drawn as one step of a band."""
SHOWN = 4
"""Pairs that get a clock and a line of their own."""


class Setting(NamedTuple):
    """What stays as it is while places move: a head and its two vectors."""

    turn: str
    theta: float
    base: float
    d: int
    pairing: Pairing
    q: tuple[float, ...]
    k: tuple[float, ...]

    @property
    def rope(self) -> Rope:
        """The head that turns them."""
        return _rope(self.turn, self.theta, self.base, self.d, self.pairing)


class Window(NamedTuple):
    """Distances that are drawn, from ``start`` up to ``stop``, without it."""

    start: int
    stop: int


@dataclass(frozen=True, eq=False)
class Curve:
    """Score against distance, with the pairs that get a line of their own and both layouts."""

    distances: IntArray
    total: FloatArray
    shown: tuple[int, ...]
    pairs: FloatArray
    """Contributions of the shown pairs, (shown, n)."""
    layouts: rope_study.Layouts


@dataclass(frozen=True, eq=False)
class Storage:
    """One distance, both places moving through the first 4,096, stored in half precision."""

    exact: float
    lowest: dict[Precision, FloatArray]
    highest: dict[Precision, FloatArray]
    survive: dict[Precision, int]
    wrong: dict[Precision, int]
    """Places at which the score is another than the exact one."""


@dataclass(frozen=True, eq=False)
class Heads:
    """True layer-0 scores of two tokens at each distance, (9, 2047)."""

    a: str
    b: str
    distances: IntArray
    """From 1: two different words never stand at one place."""
    scores: FloatArray
    errors: FloatArray
    """How far a score of each head may be from the model's own, root mean square, (9,)."""


def setting_of(
    turn: str, theta: float, base: float, d: int, pairing: Pairing, seed: int, q: str, k: str
) -> Setting:
    """The head and its vectors, typed or drawn.

    Raises
    ------
    ValueError
        If a typed vector holds something else than numbers, or has another width than the head.
    """
    width = 2 if turn == "theta" else d
    given = {name: numbers_of(name, text) for name, text in (("q", q), ("k", k)) if text.strip()}
    for name, values in given.items():
        if len(values) == width:
            continue
        way_out = (
            "One angle turns one pair: type 2 numbers, or take the angles from base and d."
            if turn == "theta"
            else f"Type {width}, set d to {len(values)}, or empty the field to draw them."
        )
        raise ValueError(f"{name} holds {len(values)} numbers, but the head is {width} wide. {way_out}")
    drawn = _vectors(turn, width, seed)
    # a head that does not use a control does not know it, so that its parts are found again
    angles = (theta, 0.0) if turn == "theta" else (0.0, float(base))
    return Setting(turn, *angles, width, pairing, given.get("q", drawn[0]), given.get("k", drawn[1]))


def window_of(distance: int, reach: int) -> Window:
    """The distances to draw: from 0 on, or around ``distance`` where that lies beyond.

    >>> window_of(2, 32), window_of(-2, 32), window_of(500, 32)
    (Window(start=0, stop=32), Window(start=-31, stop=1), Window(start=484, stop=516))
    """
    low = 0 if abs(distance) < reach else abs(distance) - reach // 2
    return Window(low, low + reach) if distance >= 0 else Window(-low - reach + 1, -low + 1)


def shown_pairs(pairs: int) -> tuple[int, ...]:
    """The pairs that get a clock: all of them, or some from the fastest to the slowest.

    >>> shown_pairs(4), shown_pairs(64)
    ((0, 1, 2, 3), (0, 21, 42, 63))
    """
    if pairs <= SHOWN:
        return tuple(range(pairs))
    return tuple(round(place * (pairs - 1) / (SHOWN - 1)) for place in range(SHOWN))


def norm(values: Iterable[float]) -> float:
    """The length of a vector."""
    return math.hypot(*values)


@lru_cache(maxsize=64)
def largest_change(setting: Setting, m: int, n: int, kind: Precision | None) -> float:
    """Largest change of the score by any move, against not moving."""
    q_pos, k_pos = (rope_study.stored_positions([place + move for move in MOVES], kind) for place in (m, n))
    scores = rope_study.scores_at(setting.rope, setting.q, setting.k, q_pos, k_pos)
    return float(abs(scores - scores[0]).max())


@lru_cache(maxsize=16)
def curve_of(setting: Setting, window: Window) -> Curve:
    """Score against distance, whole, pair by pair and in the other layout."""
    rope = setting.rope
    distances = range(*window)
    shown = shown_pairs(rope.d // 2)
    first, second = rope_study.pair_places(rope)
    dimensions = [int(place) for pair in shown for place in (first[pair], second[pair])]
    frequencies = [float(rope.inv_freq[pair]) for pair in shown]
    # a head of the shown pairs alone: all 64 against 2,048 distances would be computed to be thrown away
    few = Rope(len(dimensions), extension=lambda d, base: (frequencies, 1.0))
    chosen = few.score_by_distance(
        [setting.q[place] for place in dimensions], [setting.k[place] for place in dimensions], distances
    )
    layouts = rope_study.compare_layouts(rope, setting.q, setting.k, distances)
    return Curve(chosen.distances, layouts.own, shown, chosen.pairs, layouts)


@lru_cache(maxsize=16)
def average_of(turn: str, theta: float, base: float, d: int, seed: int, window: Window) -> rope_study.Average:
    """The mean score over random vectors; the layout of pairs makes no difference to it."""
    rope = _rope(turn, theta, base, d, "interleaved")
    return rope_study.average_by_distance(rope, range(*window), DRAWS, seed)


@lru_cache(maxsize=16)
def storage_of(setting: Setting, distance: int) -> Storage:
    """What half precision makes of the score at one distance while both places move."""

    def along(length: int, kind: Precision | None) -> FloatArray:
        return rope_study.score_along(setting.rope, setting.q, setting.k, distance, length, kind)

    exact = float(along(1, None)[0])
    halves = {kind: along(FIRST, kind) for kind in HALVES}
    blocks = {kind: scores.reshape(-1, BLOCK) for kind, scores in halves.items()}  # (4096,) -> (128, 32)
    rounding = 1e-9 * norm(setting.q) * norm(setting.k)
    return Storage(
        exact=exact,
        lowest={kind: rows.min(axis=1) for kind, rows in blocks.items()},
        highest={kind: rows.max(axis=1) for kind, rows in blocks.items()},
        survive={kind: count_distinct(FIRST, kind) for kind in HALVES},
        wrong={kind: int((abs(scores - exact) > rounding).sum()) for kind, scores in halves.items()},
    )


@lru_cache(maxsize=16)
def heads_of(a: str, b: str) -> Heads:
    """The true scores of two words.

    Raises
    ------
    ValueError
        If a word is not among the tokens of the pack.
    """
    words = []
    for name, word in (("a", a), ("b", b)):
        try:
            words.append(rope_study.find_token(word))
        except ValueError as reason:
            raise ValueError(f"Word {name}: {reason}") from reason
    distances = as_positions(range(1, FARTHEST + 1))
    a, b = words
    return Heads(a, b, distances, rope_study.real_scores(a, b, distances), rope_study.head_errors(a, b))


def _vectors(turn: str, width: int, seed: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    if turn == "theta":
        return (1.0, 0.0), (1.0, 0.0)
    q, k = rope_study.draw_q_k(width, seed)
    return tuple(q.tolist()), tuple(k.tolist())


@lru_cache(maxsize=64)
def _rope(turn: str, theta: float, base: float, d: int, pairing: Pairing) -> Rope:
    return rope_study.one_pair(theta, pairing) if turn == "theta" else Rope(d, base, pairing)
