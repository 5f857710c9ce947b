"""What the stored runs and the lab answer to the questions of the room."""

from __future__ import annotations

from functools import partial

from app.kit.figure import Snapshot
from app.kit.questions import asked
from app.kit.words import Words
from app.rooms.train.look import WORDS, signed
from app.rooms.train.model.stored import Long, Losses, Positions, Stored, exact, title_of
from lab.training import compare

NEIGHBOURS = ("alibi", "sinusoidal")
"""Two schemes whose means lie close."""
STRETCHED = ("rope", "alibi", "sinusoidal", "learned")
NOBODY = Snapshot({})
"""The stored runs are the same for every state."""


def without_positions(words: Words) -> tuple[int, str]:
    """Below the bigram, below the unigram, or about uniform."""
    view = Stored(NOBODY)
    loss = view.none.mean
    right = 2 if loss < view.base.bigram else 1 if loss < view.base.unigram else 0
    return right, words.say("ask none.answer", view)


def noise(words: Words) -> tuple[int, str]:
    """A pair that was picked among all pairs counts them all."""
    losses, (first, second) = exact(Stored(NOBODY).runs), NEIGHBOURS
    pairs = len(losses) * (len(losses) - 1) // 2
    row = compare({key: losses[key] for key in NEIGHBOURS}, first, pairs)[1]
    right = 2 if row.noise else 1 if row.difference < 0 else 0
    return right, words.say("ask noise.answer", row, first=title_of(first), second=title_of(second))


def stretched(words: Words) -> tuple[int, str]:
    """Whose loss changes least beyond the window."""
    view = Long(NOBODY)
    ends = (view.ends_of(key) for key in STRETCHED)
    rises = [last - inside for inside, last in ends]
    right = min((at for at, rise in enumerate(rises) if rise == rise), key=lambda at: abs(rises[at]))
    said = (
        f"{title_of(key)} {signed(rise) if rise == rise else 'refuses'}"
        for key, rise in zip(STRETCHED, rises, strict=True)
    )
    return right, words.say("ask long.answer", listed=", ".join(said))


def turned(words: Words, layers: int) -> tuple[int, str]:
    """Whether reversing earlier characters changes the next."""
    found = Positions(NOBODY).changes[layers - 1]
    return int(found.same), words.say("ask one.same" if found.same else "ask one.changed", found)


def untrained(words: Words) -> tuple[int, str]:
    """Whether it begins at ln V."""
    view = Losses(NOBODY)
    start = float(view.untrained.mean())
    right = 1 if abs(start - view.base.uniform) < 0.1 else 0
    return right, words.say("ask untrained.answer", view, start=start)


_NONE = {"scheme": "none"}
QUESTIONS = (
    asked(WORDS, "none", without_positions, _NONE, "losses"),
    asked(WORDS, "noise", noise, {"scheme": "alibi"}, "comparison"),
    asked(WORDS, "long", stretched, {"scheme": "alibi"}, "beyond"),
    asked(WORDS, "one", partial(turned, layers=1), _NONE, "order"),
    asked(WORDS, "two", partial(turned, layers=2), {**_NONE, "layers": 2}, "order"),
    asked(WORDS, "untrained", untrained, {"moment": 0}, "losses"),
)
