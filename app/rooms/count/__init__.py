"""What does the table cost? Parameters and bytes by part, published models or your own config.json."""

from __future__ import annotations

from typing import Any

import panel as pn

from app.kit import controls
from app.kit.bundle import Bundle, Line, Mark
from app.kit.html import Markup
from app.kit.panes import Html
from app.kit.room import Room
from app.kit.shares import picture
from app.rooms.count import sections, stage, words
from app.rooms.count.compute import MULTIPLES, State, View, compute
from app.rooms.count.fields import Fields
from lab.counting import MODELS

DRAWN = ("bge-small", "gpt2", "llama-3.2-1b", "llama-3-8b")


class CountRoom(Room):
    """Parameters of a model part by part, with its token table in front."""

    key = "count"
    title = "What does the table cost?"
    lead = (
        "A row of D numbers for each entry of the vocabulary: half of a small model, a few per cent of a "
        "large one. The rest is layers."
    )
    place = "ids"
    State = State
    compute = staticmethod(compute)
    describe = staticmethod(words.describe)
    numbers = staticmethod(words.numbers)
    formula = staticmethod(words.formula)
    code = staticmethod(words.code)
    code_answer = staticmethod(words.code_answer)
    questions = staticmethod(words.questions)

    @classmethod
    def picture(cls) -> Markup:
        """A small true picture for the start page: four models cut into their parts."""
        return picture([stage.slices(MODELS[key].architecture) for key in DRAWN])

    def build(self) -> None:
        """Make the controls and the figures."""
        state = self.state.param
        self._fields = fields = Fields(self.state)
        size = fields.sizes
        self.controls = [
            fields.model,
            pn.Column(size["V"], fields.slider, margin=0, sizing_mode="stretch_width"),
            pn.Row(size["d"], size["layers"], css_classes=["lab-pair"], margin=0),
            size["max_positions"],
            fields.tied,
            controls.select(state.dtype),
            fields.config,
        ]
        names = ("curve", "tying", "padding", "positions", "models")
        self._html = {name: Html(css="lab-count-section") for name in names}
        self._html |= {"heart": Html(), "widths": Html(), "memory": Html(), "store": Html(role="status")}
        self._curve = Bundle(
            label="Share of the token table against the size of the vocabulary",
            colour="dim-V",
            ends="model",
            x="V, in thousands",
            y="token table, % of all parameters",
            height=300,
        )
        pane = {name: made.pane for name, made in self._html.items()}
        remembered = Html(sections.head("memory"), css="lab-count-section")
        keeping = Html(sections.head("store"), css="lab-count-section")
        self.figures = [
            pane["heart"],
            pane["curve"],
            self._curve.pane,
            pane["tying"],
            pane["padding"],
            *self._inline(
                controls.select(state.multiple, {many: f"{many:,}" for many in MULTIPLES}),
                controls.slider(state.logit),
            ),
            pane["widths"],
            pane["positions"],
            remembered.pane,
            *self._inline(controls.number(state.length), controls.number(state.batch)),
            pane["memory"],
            keeping.pane,
            *self._inline(fields.dimension),
            pane["store"],
            pane["models"],
        ]

    def _inline(self, *widgets: Any) -> list[Any]:
        if "controls" in self.options.hide:
            return []
        return [pn.Row(*widgets, css_classes=["lab-inline"], margin=0, sizing_mode="stretch_width")]

    def draw(self, view: View) -> None:
        """Show the parts, the curve with the present V on it, and the sections below."""
        self._fields.follow(view)
        for name, make in sections.PANES.items():
            self._html[name].set(make(view))
        lines = [
            Line(
                curve.shares,
                curve.name,
                strength=1.0 if curve.yours else 0.35,
                width=3 if curve.yours else 1.5,
            )
            for curve in view.curves
        ]
        self._curve.set(view.grid, lines, top=100.0, bottom=0.0)
        V = view.model.V
        self._curve.set_marks([Mark(V / 1000, f"V = {V:,}", 100 * view.share)])


ROOM = CountRoom
