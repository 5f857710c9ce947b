"""The questions of the room `build`, and their answers: the right option, and its numbers."""

from __future__ import annotations

from typing import Any

from app.kit.figure import Snapshot
from app.kit.questions import asked
from app.kit.words import Words
from app.rooms.build.model import USUAL, WORDS, Built

PAIR, REPEATED = (2, 3), "the cat climbed the cat"
"""The positions that a question swaps, and a text in which a token occurs twice."""


def _of(**values: Any) -> Built:
    return Built(Snapshot({**USUAL, **values}))


def blind(words: Words) -> tuple[int, str]:
    view = _of(scheme="none", swap=PAIR)
    return (1 if view.difference == 0 else 0), words.say("ask blind.answer", view)


def ordered(words: Words) -> tuple[int, str]:
    view = _of(swap=PAIR)
    changed = sum(any(line) for line in (view.after - view.traded(view.X)).tolist())
    return {0: 0, 2: 1}.get(changed, 2), words.say("ask ordered.answer", view, changed=changed)


def product(words: Words) -> tuple[int, str]:
    view = _of()
    said = words.say("ask product.answer", view, rows=len(set(view.ids.tolist())))
    return (1 if view.lookup_equals_product else 0), said


def twice(words: Words) -> tuple[int, str]:
    plain, learned = _of(text=REPEATED, scheme="none"), _of(text=REPEATED)
    a, b = plain.repeated[:2]
    same, apart = (float(abs(of[a - 1] - of[b - 1]).max()) for of in (plain.rows, learned.X))
    said = words.say("ask twice.answer", token=plain.pieces[a - 1].token, a=a, b=b, same=same, apart=apart)
    return (0 if same else 1 if apart else 2), said


QUESTIONS = (
    asked(WORDS, "blind", blind, {"scheme": "none", "swap": PAIR, "step": 6}, "swap"),
    asked(WORDS, "ordered", ordered, {"scheme": "learned", "swap": PAIR, "step": 6}, "swap"),
    asked(WORDS, "product", product, {"step": 3}, "onehot"),
    asked(WORDS, "twice", twice, {"text": REPEATED, "scheme": "none", "step": 4}, "lookup"),
)
