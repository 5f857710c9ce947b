"""What the questions of the room `context` show, and their answers: the right option, and why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.kit.figure import Snapshot
from app.kit.html import number
from app.kit.questions import Question, asked
from app.kit.shares import percent
from app.kit.words import Words
from app.rooms.context.look import WORDS
from app.rooms.context.model import Angles, Pairs, Scores, Stage, met
from app.rooms.context.state import DEFAULTS

Answer = tuple[int, str]


def moved(view: Pairs) -> Answer:
    turned = view.s.position * view.chosen.ratio
    low, high = float(turned.min()), float(turned.max())
    right = 1 if abs(high - 3000) < 1e-6 and abs(low - 3000) < 1e-6 else 0
    return right, WORDS.say("ask moved.answer", low=low)


def configured(view: Angles) -> Answer:
    scored = Scores(view.s)
    far = abs(scored.line.far)
    right = 1 if bool((far < float("inf")).all()) and view.new.total > 0 and far.max() > 0 else 0
    return right, WORDS.say("ask configured.answer", view, reach=scored.reach, met=len(met(view.new)))


def sharp(view: Scores) -> Answer:
    methods = [view.methods[key] for key in ("linear", "ntk", "yarn")]
    shares = [method.neighbours / view.plain.neighbours for method in methods]
    listed = zip(methods, shares, strict=True)
    said = ", ".join(f"{method.title} {percent(share)}" for method, share in listed)
    return shares.index(max(shares)), WORDS.say("ask sharp.answer", listed=said)


def gain(view: Scores) -> Answer:
    m, squared = f"{view.chosen.multiplier:.4f}", f"{view.chosen.gain:.4f}"
    right = WORDS.several("ask gain.options").index(squared)
    return right, WORDS.say("ask gain.answer", m=m, squared=squared)


def kept(view: Pairs) -> Answer:
    right = WORDS.several("ask kept.options").index(number(view.chosen.counts["unchanged"]))
    return right, WORDS.say("ask kept.answer", view)


def ntk(view: Angles) -> Answer:
    right = 1 if view.new.total > 0 and view.new.share[-1] == 0 else 0
    return right, WORDS.say("ask ntk.answer", view, met=len(met(view.new)))


def unstretched(view: Pairs) -> Answer:
    methods = view.methods.values()
    apart = [method.title for method in methods if not (method.ratio == 1).all()]
    apart += [method.title for method in methods if method.multiplier != 1]
    if apart:
        return 1, WORDS.say("ask unstretched.apart", listed=", ".join(apart))
    return 0, WORDS.say("ask unstretched.same", count=len(methods))


def _asked(answer: Callable[[Any], Answer], kind: type[Stage], **show: Any) -> Question:
    def answered(_: Words) -> Answer:
        return answer(kind(Snapshot({**DEFAULTS, **show})))

    return asked(WORDS, answer.__name__, answered, show, show.get("show", "pairs"))


QUESTIONS = (
    _asked(moved, Pairs, method="linear", position=12_000, pair=0),
    _asked(configured, Angles, show="angles", method="none", overlay="one"),
    _asked(sharp, Scores, show="scores", method="yarn"),
    _asked(gain, Scores, show="scores", method="yarn", factor=128.0, overlay="one"),
    _asked(kept, Pairs, model="llama-3.1-8b", overlay="one"),
    _asked(ntk, Angles, show="angles", method="ntk"),
    _asked(unstretched, Pairs, factor=1.0),
)
