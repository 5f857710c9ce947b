"""Predict, then check: what would you see first? The states that settle it, and the answers of the lab."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.kit.questions import Question, asked
from app.kit.words import Words
from app.rooms.mistakes.batching import Padding, PadValue
from app.rooms.mistakes.caching import BOTH_LATE, Cache, Stale
from app.rooms.mistakes.mistake import WORDS, MistakeFigure
from app.rooms.mistakes.model import Seen
from app.rooms.mistakes.rotation import Twice
from app.rooms.mistakes.rows import Gradient
from app.rooms.mistakes.state import DEFAULTS
from app.rooms.mistakes.stretching import A_LITTLE_LONG, Longer, Yarn

Answer = tuple[int, dict[str, Any]]
"""The right option, and what its sentence names beside what a view has."""


def twice(view: Seen) -> Answer:
    kept = _holds(view, "keeps its length")
    said = {"length": "keeps its" if kept else "changes its"}
    return (0 if not kept else 1 if view.wrong != view.right else 2), said


def rope(view: Seen) -> Answer:
    learned = Padding().viewed(DEFAULTS).run
    most, table = float(view.run.wrong.max()), float(learned.wrong.max())
    return (1 if most < 1e-9 else 0), {"most": most, "table": table, "pads": len(view.stops) - 1}


def late(view: Seen) -> Answer:
    return (2 if view.run.verdicts[BOTH_LATE].passed else 0), {}


def end(view: Seen) -> Answer:
    return (1 if view.facts["wrong"] == 0 else 0), {}


def squared(view: Seen) -> Answer:
    offered = (1.5, 2.2, 4.9)
    return min(range(3), key=lambda index: abs(offered[index] - view.wrong)), {}


def long(view: Seen) -> Answer:
    message = view.verdict.message
    right = 0 if not _holds(view, "no error is raised") else 1 if message else 2
    return right, {"message": message}


def stale(view: Seen) -> Answer:
    short = _holds(view, "up to the trained length")
    return (0 if short else 2), {"most": float(abs(view.run.right - view.run.wrong).max())}


def added(view: Seen) -> Answer:
    return (1 if view.facts["wrong"].startswith("1, 1, 1") else 0), {}


def _holds(view: Seen, words: str) -> bool:
    return next(holds for said, holds in view.run.stays.items() if words in said)


def _asked(answer: Callable[[Seen], Answer], kind: type[MistakeFigure], **show: Any) -> Question:
    show = {"mistake": kind.key, **show}

    def answered(words: Words) -> tuple[int, str]:
        view = kind().viewed({**DEFAULTS, **show})
        right, more = answer(view)
        return right, words.say(f"ask {answer.__name__}.answer", view, **{**view.facts, **more})

    return asked(WORDS, answer.__name__, answered, show, kind.key)


QUESTIONS = (
    _asked(twice, Twice, at=2),
    _asked(rope, Padding, scheme="rope"),
    _asked(late, Cache),
    _asked(end, PadValue),
    _asked(squared, Yarn, at=128),
    _asked(long, Longer, length=A_LITTLE_LONG, at=530),
    _asked(stale, Stale, symptom="limit"),
    _asked(added, Gradient),
)
