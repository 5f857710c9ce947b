"""Predict, then check: the lab computes the right answer, and "show me" sets the case that settles it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import panel as pn

from app.kit.html import EMPTY, Markup, tag
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
    why: tuple[str, ...] = ()
    """What is said of each option that is not right, where there is something to say."""


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


Told = Callable[[Question, int, int], None]
"""Called with a question, the option that was chosen and the right one."""


class Card:
    """One question: options, a button that checks the chosen one, the verdict, and the way to see it.

    Choosing is not checking: with the keyboard an option is chosen on the way to the next.

    Parameters
    ----------
    question : Question
    apply : callable
        Sets the case that settles it.
    told : callable, optional
        Called with every answer.
    place : int, optional
        Its number among several.
    """

    def __init__(
        self,
        question: Question,
        apply: Callable[[Mapping[str, Any]], None],
        told: Told | None = None,
        place: int = 0,
    ) -> None:
        self._question, self._told = question, told
        self._options = Radios(
            options=list(question.options),
            value=None,
            css_classes=["lab-options"],
            tags=[f"label:{question.prompt}"],
        )
        self._options.value = None  # the constructor takes the first option for a missing one
        self._verdict = Html(role="status")
        self._check = pn.widgets.Button(
            label="Check", css_classes=["lab-button", "lab-check"], disabled=True, margin=0
        )
        # the page scrolls to what is shown: the figure, or the top of the room
        to = [f"lab-to-{question.figure}"] if question.figure else []
        self._show = pn.widgets.Button(
            label="Show me", css_classes=["lab-button", "lab-show", *to], visible=False, margin=0
        )
        self._options.param.watch(self._chosen, "value")
        self._check.on_click(self._checked)
        self._show.on_click(lambda _: apply(question.show))
        number = f"{place}. " if place else ""
        buttons = pn.Row(self._check, self._show, css_classes=["lab-answers"], margin=0)
        prompt = Html(tag("h3", f"{number}{question.prompt}"))
        self.pane = pn.Column(
            prompt.pane, self._options, buttons, self._verdict.pane, css_classes=["lab-question"]
        )

    def _chosen(self, event: Any) -> None:
        self._check.disabled = event.new is None
        self._verdict.set(EMPTY)

    def _checked(self, _: Any) -> None:
        question = self._question
        chosen = question.options.index(self._options.value)
        right, sentence = question.answer()
        said = [question.why[chosen]] if chosen != right and question.why and question.why[chosen] else []
        self._verdict.set(_verdict(chosen == right, question.options[right], " ".join([*said, sentence])))
        self._check.disabled = True
        self._show.visible = bool(question.show)
        if self._told is not None:
            self._told(question, chosen, right)


def check_yourself(
    asked: Sequence[Question], apply: Callable[[Mapping[str, Any]], None], told: Told | None = None
) -> pn.Column:
    """The questions behind a switch; the cards are made when it is first turned on."""
    cards = pn.Column(css_classes=["lab-questions"], margin=0, visible=False)
    switch = pn.widgets.CheckBoxGroup(
        options=["Check yourself"], value=[], inline=True, css_classes=["lab-tabs", "lab-ask"], margin=0,
        tags=["label:Questions"],
    )  # fmt: skip

    def turn(_: Any) -> None:
        cards.visible = bool(switch.value)
        if switch.value and not len(cards):
            cards.extend(Card(one, apply, told, at).pane for at, one in enumerate(asked, start=1))

    switch.param.watch(turn, "value")
    return pn.Column(switch, cards, margin=0, sizing_mode="stretch_width")


def _verdict(right: bool, answer: str, sentence: str) -> Markup:
    head = tag(
        "b", "Right." if right else f"Not so. It is: {answer}.", class_="lab-good" if right else "lab-bad"
    )
    return tag("p", head, " ", sentence)
