"""The controls that follow the model: each shows the size in effect, and changing one is the reader's own.

The State holds what a reader asked for and None for the rest, so an address that names only a model gives
that model. A control cannot show None; it shows what the model has.
"""

from __future__ import annotations

from typing import Any

import panel as pn

from app.kit import controls
from app.kit.controls import encodable, style
from app.kit.number_field import NumberField
from app.kit.radios import Radios
from app.rooms.count.compute import FIRST_V, LAST_V, State, View
from app.rooms.count.model import SIZES, size_of, width_step
from lab.counting import MODELS

OWN = "own"
PUBLISHED = {model.title: key for key, model in MODELS.items()}
UNCHANGED: dict[str, Any] = dict.fromkeys(SIZES)
SLIDE = 500
"""Entries that the slider moves at a time; the field above it takes any number."""
LARGEST = 10**15
"""Larger numbers are not whole in a browser."""
NOT_STORED = {
    "learned": "",
    "rotary": "none: rotations",
    "alibi": "none: slopes",
    "relative": "none: biases by distance",
}
"""What stands where a table of positions is not, by the model's scheme."""


class Fields:
    """Model, sizes and config, each bound to the State by hand."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._shown: dict[str, Any] = {}
        self._scheme = "learned"
        self._following = False
        self.model = pn.widgets.Select(label="Model", options=PUBLISHED, **style("lab-select"))
        self.sizes = {
            name: _whole(state, name, step)
            for name, step in (("V", 1), ("d", 64), ("layers", 1), ("max_positions", 64))
        }
        self.slider = pn.widgets.IntSlider(
            start=FIRST_V,
            end=LAST_V,
            step=SLIDE,
            value=FIRST_V,
            label="",
            show_value=False,
            tags=["label:Vocabulary V as a slider"],
            **style("lab-slider"),
        )
        self._tied = Radios(
            options={"tied": True, "its own": False},
            value=True,
            inline=True,
            tags=["label:Output layer"],
            **style("lab-segmented"),
        )
        self.tied = controls.labelled("Output layer", self._tied)
        self.config = pn.widgets.TextAreaInput(
            label=state.param.config.label,
            placeholder='{"model_type": "llama", "vocab_size": 128256, …}',
            max_length=200_000,
            rows=4,
            **style("lab-field lab-count-config"),
        )
        self.dimension = _whole(state, "dimension", 64)
        self._watch()

    def _watch(self) -> None:
        self.model.param.watch(lambda event: self._choose(event.new), "value")
        self.config.param.watch(lambda event: self._paste(event.new or ""), "value")
        for name, widget in (*self.sizes.items(), ("V", self.slider), ("tied", self._tied)):
            widget.param.watch(lambda event, name=name: self._set(name, event.new), "value")
        self.dimension.param.watch(lambda event: self._set_dimension(event.new), "value")

    def follow(self, view: View) -> None:
        """Show the sizes in effect."""
        model = view.model
        self._scheme = model.positions
        self._shown = {name: size_of(model, name) for name in SIZES}
        self._usual = {name: size_of(view.origin.architecture, name) for name in SIZES}
        self._following = True
        try:
            if view.own and self.config.value != self._state.config:
                self.config.value = self._state.config
            self._offer(OWN if view.own else view.preset)
            self._show()
            self.dimension.value = view.dimension
            self.sizes["d"].step = max(width_step(model), 64)
        finally:
            self._following = False

    def _show(self) -> None:
        for name, widget in self.sizes.items():
            widget.param.update(value=self._shown[name], disabled=self._shown[name] is None)
        stored = self._shown["max_positions"] is not None
        self.sizes["max_positions"].placeholder = "" if stored else NOT_STORED[self._scheme]
        V = self._shown["V"]
        # a slider whose value lies outside its bounds would show another one
        self.slider.param.update(start=min(FIRST_V, V), end=max(LAST_V, V), value=V)
        tied = self._shown["tied"]
        self._tied.param.update(value=tied is not False, disabled=tied is None)
        self.tied[0].object = f"<span>Output layer{': none here' if tied is None else ''}</span>"

    def _offer(self, chosen: str) -> None:
        # the pasted model stays on offer while its text is in the field
        options = {**PUBLISHED, "Your config.json": OWN} if self.config.value.strip() else PUBLISHED
        if len(options) != len(self.model.options):
            self.model.options = options
        self.model.value = chosen

    def _choose(self, key: str) -> None:
        if self._following:
            return
        if key == OWN:
            self._state.param.update(config=encodable(self.config.value), **UNCHANGED)
        else:
            self._state.param.update(preset=key, config="", **UNCHANGED)

    def _paste(self, text: str) -> None:
        if self._following:
            return
        self._following = True
        # also where the text is refused: choosing any published model is then a change, and the way out
        self._offer(OWN if text.strip() else self._state.preset)
        self._following = False
        self._state.param.update(config=encodable(text), **UNCHANGED)

    def _set(self, name: str, value: Any) -> None:
        if self._following:
            return
        wanted = None if value is None or value == self._usual[name] else value
        if wanted != getattr(self._state, name):
            setattr(self._state, name, wanted)
        elif value is None:
            self._following = True
            self._show()
            self._following = False

    def _set_dimension(self, value: int | None) -> None:
        if value is None:
            self.dimension.value = self._state.dimension
        else:
            self._state.dimension = value


def _whole(state: State, name: str, step: int) -> NumberField:
    # the State's bounds are the lab's to refuse, aloud: the field only keeps to what a browser can hold
    return NumberField(state.param[name], value=1, end=LARGEST, step=step, **style("lab-field lab-number"))
