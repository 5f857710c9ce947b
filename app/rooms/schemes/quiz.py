"""The questions of the room `schemes`, and their answers: the right option, and its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from app.kit.figure import Snapshot
from app.kit.html import number
from app.kit.questions import asked
from app.kit.view import View
from app.kit.words import Words
from app.rooms.schemes.model import ACTS, USUAL, WORDS, Compared, Slopes, Trained

MOVED, LIMIT = {"shift": 500}, {"shift": 1020}
TWELVE, WHISPER = {"H": 12, "head": 9}, {"table": "whisper", "place": 224}


def _of(view: type[View], values: Mapping[str, Any]) -> Any:
    return view(Snapshot({**USUAL, **values}))


def who_stays(words: Words) -> tuple[int, str]:
    rows = _of(Compared, MOVED).rows
    stay = {row.key for row in rows if row.kind != "absolute"}
    listed = ", ".join(f"{row.title} {number(row.change or 0.0)}" for row in rows)
    right = 0 if len(stay) == len(rows) else 1 if {"rope", "alibi", "none"} <= stay else 2
    return right, words.say("ask moved.changes", listed=listed)


def what_stops(words: Words) -> tuple[int, str]:
    beyond = next(row.beyond for row in _of(Compared, MOVED).rows if row.key == "learned")
    return (0 if beyond.scores is None else 2), words.say("ask limit.refusal", error=beyond.error)


def _where(key: str, words: Words) -> tuple[int, str]:
    acts_on = next(row.acts_on for row in _of(Compared, MOVED).rows if row.key == key)
    others = words.raw("ask rope.rest" if "input" not in acts_on else "ask rope.changed")
    changed = " and ".join(ACTS[at] for at in acts_on)
    places = ("input", "qk", "v", "scores")
    return places.index(acts_on[0]), words.say("ask rope.calling", changed=changed, others=others)


rope, alibi = partial(_where, "rope"), partial(_where, "alibi")


def ninth_head(words: Words) -> tuple[int, str]:
    slopes = _of(Slopes, TWELVE).table.released
    eighth, ninth = slopes[7], slopes[8]
    right = 0 if ninth < eighth else 1 if ninth == max(slopes) else 2
    return right, words.say("ask twelve.slopes", eighth=eighth, ninth=ninth)


def whisper(words: Words) -> tuple[int, str]:
    share = _of(Trained, WHISPER).table.explained
    return (0 if share > 0.995 else 1 if share > 0.5 else 2), words.say("ask whisper.explains", share=share)


QUESTIONS = (
    asked(WORDS, "moved", who_stays, {"show": "scores", **MOVED}, "scores"),
    asked(WORDS, "limit", what_stops, {"show": "scores", **LIMIT}, "scores"),
    asked(WORDS, "rope", rope, {"show": "compare", **MOVED}, "compare"),
    asked(WORDS, "alibi", alibi, {"show": "compare", **MOVED}, "compare"),
    asked(WORDS, "twelve", ninth_head, {"show": "slopes", **TWELVE}, "slopes"),
    asked(WORDS, "whisper", whisper, {"show": "tables", **WHISPER}, "tables"),
)
