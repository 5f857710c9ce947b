"""The answers of the questions: the right option, and the sentence with its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.kit.figure import Snapshot
from app.kit.html import number
from app.kit.words import Words
from app.rooms.gradient.model import views
from app.rooms.gradient.model.views import EXAMPLE
from lab import zipf

USUAL = {
    "step": 60, "source": "zipf", "own": None, "exponent": 1.0, "V": 50_257, "batch": 8, "length": 500,
    "subsample": 0.0, "steps": 30, "optimizer": "sgd", "tied": False, "zoom": 0, "closer": "rank",
    "row": 5_000, "ids": EXAMPLE, "seed": 0,
}  # fmt: skip
ONE: Mapping[str, Any] = {"step": 1}
ADAM: Mapping[str, Any] = {"optimizer": "adam"}
RARE: Mapping[str, Any] = {"closer": "row", "row": 10_000}
TIED: Mapping[str, Any] = {"closer": "tied", "tied": True}
TWICE: Mapping[str, Any] = {"closer": "ways", "ids": EXAMPLE}
TEXT: Mapping[str, Any] = {"source": "shakespeare"}


def _of(view: type[Any], values: Mapping[str, Any]) -> Any:
    return view(Snapshot({**USUAL, **values}))


def moved(words: Words) -> tuple[int, str]:
    view = _of(views.Rows, ONE)
    right = 0 if view.now == view.run.V else 1 if view.now == view.run.N else 2
    return right, words.say("ask moved.answer", view, repeats=view.run.N - view.now)


def adam(words: Words) -> tuple[int, str]:
    view = _of(views.Rows, ADAM)
    return (0 if view.now == view.touched else 1 if view.now == view.seen else 2), words.say(
        "ask adam.answer", view
    )


def rare(words: Words) -> tuple[int, str]:
    view = _of(views.OneRow, RARE)
    run, wait = view.run, view.row.wait
    first = float(zipf.mean_wait(run.p, run.N)[0])
    return (1 if wait > 2 * first else 2), words.say("ask rare.answer", view, often=run.p[0] * run.N)


def tied(words: Words) -> tuple[int, str]:
    view = _of(views.Tied, TIED)
    right = 1 if view.pushed == view.V else 0 if view.pushed == 0 else 2
    return right, words.say("ask tied.answer", view)


def wrong(words: Words) -> tuple[int, str]:
    toy = _of(views.Repeats, TWICE).toy
    left, right = (", ".join(map(number, sums.tolist())) for sums in (toy.wrong, toy.summed))
    return words.several("ask wrong.options").index(left), words.say(
        "ask wrong.answer", left=left, right=right
    )


def text(words: Words) -> tuple[int, str]:
    run = _of(views.Ways, TEXT).run
    less = "fewer" if run.shortfall > 0 else "more"
    right = 2 if abs(run.shortfall) < 0.01 else 1 if run.shortfall > 0 else 0
    return right, words.say("ask text.answer", run, share=abs(run.shortfall), less=less)
