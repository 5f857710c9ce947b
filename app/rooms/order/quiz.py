"""The questions of the room `order`, and their answers: the right option, and its numbers."""

from __future__ import annotations

from typing import Any

from app.kit.figure import Snapshot
from app.kit.questions import asked
from app.kit.words import Words
from app.rooms.order.model import USUAL, WORDS, Documents, Marked, Orders, exact

BLIND = {"scheme": "none", "mask": False, "seed": 1}
CAUSAL = {"scheme": "none", "mask": True}
MARKED = {"mask": True, "places": 12}
MIRROR = {"scheme": "alibi", "mask": False}
RESTART = {"scheme": "rope", "mask": True, "restart": True}
RUNNING = {"scheme": "sinusoidal", "mask": True, "separate": True}


def _of(view: type[Any], **changed: Any) -> Any:
    return view(Snapshot({**USUAL, **changed}))


def blind(words: Words) -> tuple[int, str]:
    view = _of(Orders, **BLIND)
    return (1 if view.blind else 0), words.say("ask blind.answer", view, mean=exact(view.mean_gap))


def causal(words: Words) -> tuple[int, str]:
    view = _of(Orders, **CAUSAL)
    return (0 if view.blind else 1), words.say("ask causal.answer", view)


def marked(words: Words) -> tuple[int, str]:
    fifth = float(_of(Marked, **MARKED).causal[4])
    right = min(range(3), key=lambda at: abs((1, 1 / 5, 1 / 12)[at] - fifth))
    return right, words.say("ask marked.answer", fifth=fifth)


def mirror(words: Words) -> tuple[int, str]:
    view, swapped = _of(Orders, **MIRROR), _of(Orders, **MIRROR, order="swap").gap
    masked = _of(Orders, **{**MIRROR, "mask": True}).gap
    return (1 if view.blind else 0), words.say("ask mirror.answer", view, swapped=swapped, masked=masked)


def restart(words: Words) -> tuple[int, str]:
    share, masked = (_of(Documents, **RESTART, separate=on).across_second for on in (False, True))
    return (1 if share > 0 else 0), words.say("ask restart.answer", share=share, masked=masked)


def running(words: Words) -> tuple[int, str]:
    schemes = ("sinusoidal", "rope", "alibi")
    changes = [exact(_of(Documents, **{**RUNNING, "scheme": key}).change) for key in schemes]
    said = words.say("ask running.answer", **dict(zip(schemes, changes, strict=True)))
    return changes.index(max(changes)), said


QUESTIONS = (
    asked(WORDS, "blind", blind, BLIND, "swap"),
    asked(WORDS, "causal", causal, CAUSAL, "swap"),
    asked(WORDS, "marked", marked, MARKED, "marked"),
    asked(WORDS, "mirror", mirror, MIRROR, "swap"),
    asked(WORDS, "restart", restart, RESTART, "packed"),
    asked(WORDS, "running", running, RUNNING, "packed"),
)
