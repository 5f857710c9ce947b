"""Predict, then check: the lab computes the right answer, and "show me" sets the case that settles it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import panel as pn

from app.kit.html import Markup, tag
from app.kit.panes import Html
from app.kit.radios import Radios
from app.kit.words import Words


@dataclass(frozen=True)
class Question:
    """A question with options.

    ``answer`` runs the lab and returns the index of the right option with a sentence that gives the
    numbers; it is called when a reader answers. ``show`` holds the values of the State that settle it.
    """

    prompt: str
    options: tuple[str, ...]
    answer: Callable[[], tuple[int, str]]
    show: Mapping[str, Any] = field(default_factory=dict)
    figure: str = ""
    """Key of the figure that settles it."""
    key: str = ""
    """What a specification calls it."""


def asked(
    words: Words,
    key: str,
    answer: Callable[[Words], tuple[int, str]],
    show: Mapping[str, Any],
    figure: str = "",
) -> Question:
    """A question whose words stand in the room's text file under ``ask`` and its key."""
    name = f"ask {key}"
    return Question(
        words.raw(f"{name}.prompt"),
        words.several(f"{name}.options"),
        lambda: answer(words),
        show,
        figure,
        key,
    )


def card(question: Question, place: int, apply: Callable[[Mapping[str, Any]], None]) -> pn.Column:
    """One question as a card: options, the verdict once one is chosen, and the way to see it."""
    options = Radios(
        options=list(question.options),
        value=None,
        css_classes=["lab-options"],
        tags=[f"label:{question.prompt}"],
    )
    options.value = None  # the constructor takes the first option for a missing one
    verdict = Html(role="status")
    # the page scrolls to what is shown: the figure, or the top of the room
    to = [f"lab-to-{question.figure}"] if question.figure else []
    show = pn.widgets.Button(
        label="Show me", css_classes=["lab-button", "lab-show", *to], visible=False, margin=0
    )

    def check(event: Any) -> None:
        if event.new is None:
            return
        right, sentence = question.answer()
        chosen = question.options.index(event.new)
        verdict.set(_verdict(chosen == right, question.options[right], sentence))
        show.visible = bool(question.show)

    options.param.watch(check, "value")
    show.on_click(lambda _: apply(question.show))
    prompt = Html(tag("h3", f"{place}. {question.prompt}"))
    return pn.Column(prompt.pane, options, verdict.pane, show, css_classes=["lab-question"])


def check_yourself(asked: Sequence[Question], apply: Callable[[Mapping[str, Any]], None]) -> pn.Column:
    """The questions behind a switch; the cards are made when it is first turned on."""
    cards = pn.Column(css_classes=["lab-questions"], margin=0, visible=False)
    switch = pn.widgets.CheckBoxGroup(
        options=["Check yourself"], value=[], inline=True, css_classes=["lab-tabs", "lab-ask"], margin=0,
        tags=["label:Questions"],
    )  # fmt: skip

    def turn(_: Any) -> None:
        cards.visible = bool(switch.value)
        if switch.value and not len(cards):
            cards.extend(card(one, at, apply) for at, one in enumerate(asked, start=1))

    switch.param.watch(turn, "value")
    return pn.Column(switch, cards, margin=0, sizing_mode="stretch_width")


def _verdict(right: bool, answer: str, sentence: str) -> Markup:
    head = tag(
        "b", "Right." if right else f"Not so. It is: {answer}.", class_="lab-good" if right else "lab-bad"
    )
    return tag("p", head, " ", sentence)
