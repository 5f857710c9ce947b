"""What the questions of the room `geometry` show, and their answers: the right option, and why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.kit.figure import Snapshot
from app.kit.html import number
from app.kit.questions import Question, asked
from app.kit.words import Words
from app.rooms.geometry.model.measured import Lengths, Pairs, Sums
from app.rooms.geometry.model.views import Angles, Answers, Look
from app.rooms.geometry.state import DEFAULTS
from app.rooms.geometry.words import WORDS
from lab.geometry import UNDEFINED

Answer = tuple[int, str]


def one_hot(view: Angles) -> Answer:
    hot = float(view.one_hot[0, 1])
    return (1 if hot == 0 else 0), WORDS.say("ask one_hot.answer", hot=hot, cosine=view.found[0].cosine)


def opposites(view: Angles) -> Answer:
    bad, excellent = _cosines(view)
    right = 2 if bad > 0.25 else 1 if bad > -0.5 else 0
    return right, WORDS.say("ask opposites.answer", bad=bad, excellent=excellent)


def bank(view: Angles) -> Answer:
    money, river = _cosines(view)
    usual, spread, *_ = _seen(Pairs, table="minilm").measured
    right = 2 if river > money else 1 if river > usual + 2 * spread else 0
    return right, WORDS.say("ask bank.answer", money=money, river=river, usual=usual, spread=spread)


def king(view: Answers) -> Answer:
    first, left = (view.study.name(int(found.ids[0])) for found in (view.everyone, view.others))
    best, second = (float(found.cosines[0]) for found in (view.everyone, view.others))
    right = WORDS.several("ask king.options").index(first)
    return right, WORDS.say("ask king.answer", first=first, best=best, left=left, second=second)


def random(view: Pairs) -> Answer:
    mean, _, centred, _ = view.measured
    said = WORDS.say("ask random.answer", pairs=view.found.pairs, mean=mean, centred=round(centred, 3))
    return (1 if mean > 0.1 else 0), said


def rare(view: Lengths) -> Answer:
    every, first, means = view.correlations
    right = 2 if first > 0.1 and every < -0.1 else 0 if every < -0.8 else 1
    return right, WORDS.say("ask rare.answer", view, every=every, first=first, means=means)


def sum_of(view: Sums) -> Answer:
    token, place = view.read
    right = 1 if token and place else 2 if token else 0
    return right, WORDS.say("ask sum_of.answer", view)


def course(view: Sums) -> Answer:
    right = 0 if view.distinct == view.sums else 2 if view.distinct == view.V else 1
    return right, WORDS.say("ask course.answer", view)


def zero(view: Angles) -> Answer:
    cosine = view.found[1].cosine
    said = UNDEFINED if cosine is None else number(cosine)
    return (2 if cosine is None else 0), WORDS.say("ask zero.answer", value=said)


def _cosines(view: Angles) -> tuple[float, float]:
    first, second = (angle.cosine or 0.0 for angle in view.found)
    return first, second


def _seen(kind: type[Look], **show: Any) -> Any:
    return kind(Snapshot({**DEFAULTS, "own": None, **show}))


def _asked(answer: Callable[[Any], Answer], kind: type[Look], **show: Any) -> Question:
    def answered(_: Words) -> Answer:
        return answer(_seen(kind, **show))

    look = {} if kind.key == DEFAULTS["look"] else {"look": kind.key}
    return asked(WORDS, answer.__name__, answered, {**show, **look}, kind.key)


QUESTIONS = (
    _asked(one_hot, Angles, a="cat", b="dog", c="car"),
    _asked(opposites, Angles, table="minilm", a="good", b="bad", c="excellent"),
    _asked(bank, Angles, table="minilm", a="bank", b="money", c="river"),
    _asked(king, Answers, table="minilm", a="man", b="king", c="woman"),
    _asked(random, Pairs, table="smollm2"),
    _asked(rare, Lengths, table="minilm"),
    _asked(sum_of, Sums, table="minilm", a="cat", place=5),
    _asked(course, Sums, table="running", a="cat", place=1),
    _asked(zero, Angles, a="cat", b="dog", c="[0]"),
)
