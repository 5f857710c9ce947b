"""What the questions of the room `rope` show, and their answers: the right option, and why."""

from __future__ import annotations

from typing import Any, TypeVar

from app.kit.figure import Snapshot
from app.kit.html import number
from app.kit.questions import asked
from app.kit.view import View
from app.kit.words import Words
from app.rooms.rope.model import WORDS
from app.rooms.rope.model.turning import rotation_error
from app.rooms.rope.model.views import FIRST, Averaged, LaidOut, Met, Scored
from lab.positions.precision import count_distinct

USUAL = {
    "turn": "theta", "own": None, "theta": 0.5, "base": 10_000, "d": 8, "q": "", "k": "", "seed": 0,
    "m": 3, "n": 1, "move": 0, "pairing": "interleaved", "precision": "float64", "reach": 32,
}  # fmt: skip
FAR = {"theta": 1.0, "m": 3, "n": 1, "move": 500}
LAYOUTS = {"turn": "base", "d": 8, "m": 7, "n": 2}
HALVES = {"m": 7, "n": 6, "move": 250, "precision": "bfloat16"}
SLOW = {"turn": "base", "d": 64, "reach": 512}

V = TypeVar("V", bound=View)


def of(kind: type[V], values: dict[str, Any]) -> V:
    """A view of the usual state, with some values changed."""
    return kind(Snapshot({**USUAL, **values}))


def identity(words: Words) -> tuple[int, str]:
    view = of(Met, FAR)
    m, n = view.stored_moved
    back, on = rotation_error(view.rope, m, n), rotation_error(view.rope, -m, n)
    # R_m is the transpose of R_(−m), so the third option is the second with −m: true, but its offset is m + n
    return (1 if back < 1e-9 else 2), words.say("ask identity.answer", m=m, n=n, back=back, on=on)


def moved(words: Words) -> tuple[int, str]:
    view = of(Met, FAR)
    return (1 if view.difference < 1e-12 else 0), words.say("ask moved.answer", view)


def layouts(words: Words) -> tuple[int, str]:
    view = of(LaidOut, LAYOUTS)
    apart = abs(view.layouts.own - view.layouts.other)
    here, there = float(apart[0]), float(apart[view.distance])
    right = 2 if here < 1e-12 < there else 1
    return right, words.say("ask layouts.answer", view, here=here, there=there)


def distinct(words: Words) -> tuple[int, str]:
    kept, exact = count_distinct(FIRST, "bfloat16"), count_distinct(257, "bfloat16")
    right = words.several("ask distinct.options").index(number(kept))
    return right, words.say("ask distinct.answer", kept=kept, exact=exact)


def falls(words: Words) -> tuple[int, str]:
    total, expected = of(Scored, SLOW).curve.total, of(Averaged, SLOW).average.expected
    rises = int((total[1:] > total[:-1]).sum())
    ends = {"last": len(total) - 1, "first": expected[0], "end": expected[-1]}
    return (1 if rises else 0), words.say("ask falls.answer", rises=rises, **ends)


QUESTIONS = (
    asked(WORDS, "identity", identity, FAR, "hands"),
    asked(WORDS, "moved", moved, FAR, "hands"),
    asked(WORDS, "layouts", layouts, LAYOUTS, "layouts"),
    asked(WORDS, "distinct", distinct, HALVES, "storage"),
    asked(WORDS, "falls", falls, SLOW, "score"),
)
