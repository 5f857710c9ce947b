"""What the questions of the room `count` show, and their answers: the right option, and why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.kit.figure import Snapshot
from app.kit.questions import Question, asked
from app.kit.words import Words
from app.rooms.count.model import Counted
from app.rooms.count.origin import WORDS
from app.rooms.count.state import DEFAULTS

Answer = tuple[int, str]
NEAR = 0.02
"""Shares that differ by less are about the same."""


def _view(**changed: Any) -> Counted:
    return Counted(Snapshot({**DEFAULTS, **changed}))


def half(view: Counted) -> Answer:
    before = _view(preset="bge-small")
    right = 1 if abs(before.share - view.share) < NEAR else 2 if view.share > before.share else 0
    return right, WORDS.say("ask half.answer", view, before=before.share, whole=before.parameters)


def share(view: Counted) -> Answer:
    options = (0.03, 0.15, 0.31, 0.62)
    right = min(range(len(options)), key=lambda index: abs(options[index] - view.share))
    return right, WORDS.say("ask share.answer", view)


def large(view: Counted) -> Answer:
    small = _view().share
    right = 1 if abs(small - view.share) < NEAR else 0 if view.share > small else 2
    return right, WORDS.say("ask large.answer", view, small=small)


def untie(view: Counted) -> Answer:
    tied, untied = view.pair
    memory, work = untied.parameters > tied.parameters, untied.output_flops > tied.output_flops
    right = 0 if memory and work else 1 if memory else 2
    return right, WORDS.say("ask untie.answer", untied, tied=tied.parameters)


def padding(view: Counted) -> Answer:
    of_rows, mass = view.padded.phantoms / view.padded.rows, view.mass or 0.0
    right = 0 if mass == 0 else 2 if mass > 2 * of_rows else 1
    return right, WORDS.say("ask padding.answer", percent=100 * mass, times=mass / of_rows)


def store(view: Counted) -> Answer:
    return 2 if view.refusal else 0, WORDS.say("ask store.answer", view)


def _asked(answer: Callable[[Counted], Answer], figure: str, **show: Any) -> Question:
    def answered(_: Words) -> Answer:
        return answer(_view(**show))

    return asked(WORDS, answer.__name__, answered, show, figure)


QUESTIONS = (
    _asked(half, "parts", preset="minilm-l6"),
    _asked(share, "parts", preset="gpt2"),
    _asked(large, "parts", preset="llama-3-8b"),
    _asked(untie, "tying", preset="gpt2", tied=False),
    _asked(padding, "padding", multiple=64, logit=-2.0),
    _asked(store, "store", preset="bge-small", dimension=768),
)
