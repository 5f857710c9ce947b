"""How does text become X? Text, ids, one-hot, rows of E, positions, X: step by step, on real numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import panel as pn

from app.kit import controls, picture
from app.kit.figures import Heatmap, largest, typical
from app.kit.html import Markup, join, number, shorten, visible
from app.kit.matrix import fits
from app.kit.panes import Html
from app.kit.room import Room
from app.rooms.build import source, words
from app.rooms.build.compute import EXAMPLES, STEPS, State, View, compute, cost, without_far_swap
from app.rooms.build.stage import stage, tokens
from lab.positions import SCHEMES

NOWHERE = 0
"""The option of a place select that stands for no place."""


class BuildRoom(Room):
    """Text to X, with a swap that asks whether X notices order."""

    key = "build"
    title = "How does text become X?"
    lead = (
        "Each token picks a row of a table; a position scheme may add a second row. "
        "The result, X, is what the blocks of a model begin with."
    )
    place = "X"
    State = State
    cost = staticmethod(cost)
    compute = staticmethod(compute)
    describe = staticmethod(words.describe)
    numbers = staticmethod(words.numbers)
    formula = staticmethod(words.formula)
    code = staticmethod(source.code)
    code_answer = staticmethod(source.code_answer)
    questions = staticmethod(words.questions)
    maps: ClassVar[tuple[str, ...]] = ("E[ids]", "P", "X")

    @classmethod
    def normalise(cls, values: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
        """No swap of a place beyond the text."""
        return without_far_swap(values)

    @classmethod
    def picture(cls) -> Markup:
        """A small true picture for the start page: X of the running example."""
        view = compute(**{name: State.param[name].default for name in words.STATE})
        return picture.matrix(view.X)

    def build(self) -> None:
        """Make the controls and the figures."""
        state = self.state.param
        self._following = False
        self._places = [
            pn.widgets.Select(
                options={"–": NOWHERE},
                value=NOWHERE,
                css_classes=["lab-select"],
                margin=0,
                sizing_mode="stretch_width",
                tags=[f"label:{order} place to swap"],
            )
            for order in ("First", "Second")
        ]
        for place in self._places:
            place.param.watch(self._swapped, "value")
        self._back = controls.button("Back", lambda: self._go(-1))
        self._next = controls.button("Next", lambda: self._go(1), "lab-primary")
        self._text = controls.text(state.text)
        self._step = controls.labelled(
            "Step", controls.slider(state.step, show_value=False, label="", tags=["label:Step"])
        )
        self.controls = [
            controls.select(state.example, EXAMPLES),
            self._text,
            controls.select(state.scheme, {key: scheme.title for key, scheme in SCHEMES.items()}),
            controls.labelled("Swap two places", pn.Row(*self._places, css_classes=["lab-pair"], margin=0)),
            controls.switch(state.scale),
            self._step,
            pn.Row(self._back, self._next, css_classes=["lab-steps"], margin=0),
        ]
        self._tokens, self._stage = Html(), Html()
        self._maps = {
            name: Heatmap(
                label=f"{name} as a heatmap",
                title=name,
                x="dimension",
                y="place",
                height=230,
                tips=("place", "dimension"),
            )
            for name in self.maps
        }
        panes = [made.pane for made in self._maps.values()]
        self.figures = [self._tokens.pane, *panes, self._stage.pane]

    def draw(self, view: View) -> None:
        """Show the tokens and the picture of the present step."""
        self._offer_places(view)
        self._text.placeholder = view.table.example
        self._back.disabled, self._next.disabled = view.step == 1, view.step == len(STEPS)
        self._step[0].object = f"<span>Step {view.step} of {len(STEPS)} · {STEPS[view.step - 1]}</span>"
        self._tokens.set(tokens(view))
        self._stage.set(join([stage(view)]))
        self._draw_maps(view)

    def _draw_maps(self, view: View) -> None:
        # a matrix too large for printed numbers is shown as a picture instead
        large = not fits(len(view.ids), view.table.D)
        shown: dict[str, Any] = {"E[ids]": view.rows, "P": view.added, "X": view.X}
        for name, made in self._maps.items():
            values = shown[name]
            made.pane.visible = large and view.step >= _FIRST_STEP[name] and values is not None
            if not made.pane.visible:
                continue
            strongest = typical(values)
            saturates = f" · colours end at ±{number(strongest)}" if strongest < largest(values) else ""
            made.set(values, strongest)
            made.set_title(f"{name}{saturates}")
            if len(view.ids) <= LISTED_WORDS:
                made.words("y", [shorten(visible(token), 12) for token in view.tokens])
            else:
                made.places("y")

    def _offer_places(self, view: View) -> None:
        options = {"–": NOWHERE, **{f"{place}": place for place in range(1, min(len(view.ids), LISTED) + 1)}}
        wanted = view.swap.places if view.swap else self._half_chosen()
        self._following = True
        for select, value in zip(self._places, wanted, strict=True):
            if list(select.options.values()) != list(options.values()):
                select.options = options
            select.value = value if value in options.values() else NOWHERE
        self._following = False

    def _half_chosen(self) -> tuple[int, int]:
        # one place alone is no swap yet: it stays chosen until the other is
        chosen = self._places[0].value, self._places[1].value
        return chosen if NOWHERE in chosen else (NOWHERE, NOWHERE)

    def _swapped(self, _: Any) -> None:
        if self._following:
            return
        chosen = self._places[0].value, self._places[1].value
        self.state.swap = None if NOWHERE in chosen else chosen

    def _go(self, steps: int) -> None:
        self.state.step = max(1, min(len(STEPS), self.state.step + steps))


LISTED_WORDS = 16
"""Rows of a heatmap that are named by their token; more are numbered by place."""
LISTED = 64
"""Places offered for a swap."""
_FIRST_STEP = {"E[ids]": 4, "P": 5, "X": 5}

ROOM = BuildRoom
