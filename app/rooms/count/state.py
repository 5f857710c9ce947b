"""What a reader can set, and how the controls follow the model.

The State holds what was asked for and None for the rest, so an address that names only a model gives that
model. A control cannot show None; it shows what the model has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar

import panel as pn
import param

from app.kit import controls, fields, pasted
from app.kit.controls import style
from app.kit.figure import Snapshot
from app.kit.number_field import NumberField
from app.kit.pasted import ModelRoom
from app.kit.radios import Radios
from app.kit.url import EXACT
from app.rooms.count.model import FIRST_V, LAST_V, Counted
from app.rooms.count.origin import SIZES, WORDS, origin_of, size_of
from lab.counting import DTYPES, MODELS
from lab.counting.memory import LONGEST, MOST_SEQUENCES

MULTIPLES = (8, 64, 128, 256, 1024)
PUBLISHED = {model.title: key for key, model in MODELS.items()}
HINT = '{"model_type": "llama", "vocab_size": 128256, …}'
SLIDE = 500
"""Entries that the slider moves at a time; the field above it takes any number."""
LARGEST = 10**15
"""Larger numbers are not whole in a browser."""


def _own(kind: Any, label: str) -> Any:
    # what is too small or too large is refused by the lab, in a sentence
    return kind(default=None, allow_None=True, label=label)


class State(param.Parameterized):
    """What a reader can set. A size of None is the model's own; a config takes the place of the preset.

    V counts rows of the token table, d numbers in a row, max_positions rows of the position table where a
    model stores one, dimension the numbers in each vector of a store.
    """

    preset = param.Selector(default="gpt2", objects=list(MODELS), label="Model")
    V = _own(param.Integer, "Vocabulary V")
    d = _own(param.Integer, "Width D")
    layers = _own(param.Integer, "Layers")
    max_positions = _own(param.Integer, "Learned positions")
    tied = _own(param.Boolean, "Output layer")
    dtype = param.Selector(default="float32", objects=list(DTYPES), label="Stored as")
    config = param.String(default="", label="Your model's config.json")
    multiple = param.Selector(default=64, objects=list(MULTIPLES), label="Rows, a multiple of")
    logit = param.Number(default=-2.0, bounds=(-10.0, 2.0), step=0.5, label="Logit of each real token")
    dimension = param.Integer(default=768, bounds=(-EXACT, EXACT), label="Dimension of the store")
    length = param.Integer(default=1024, bounds=(1, LONGEST), label="Length of a sequence")
    batch = param.Integer(default=1, bounds=(1, MOST_SEQUENCES), label="Sequences side by side")
    configuration = param.Parameter(default=None, precedence=-1, doc="The teacher's model.")


DEFAULTS = {name: State.param[name].default for name in State.param if name != "name"}


class Size(fields.Derived):
    """A field for a size; where the model has none, it says why."""

    def __init__(self, parameter: param.Integer, step: int = 1) -> None:
        field = NumberField(parameter, value=1, end=LARGEST, step=step, **style("lab-field lab-number"))
        super().__init__(parameter, field)

    def show(self, value: Any, shown: Mapping[str, Any]) -> None:
        """Show the size in effect."""
        without = "" if value is not None else WORDS.raw(f"scheme {shown['scheme']}.without")
        self.widget.param.update(value=value, disabled=value is None, placeholder=without)


class Vocabulary(Size):
    """A field for any V, and a slider below it."""

    def __init__(self, parameter: param.Integer) -> None:
        super().__init__(parameter)
        self.slider = pn.widgets.IntSlider(
            start=FIRST_V,
            end=LAST_V,
            step=SLIDE,
            value=FIRST_V,
            label="",
            show_value=False,
            tags=[f"label:{parameter.label} as a slider"],
            **style("lab-slider"),
        )
        self.slider.param.watch(self._moved, "value")
        self.pane = pn.Column(self.widget, self.slider, margin=0, sizing_mode="stretch_width")

    def show(self, value: Any, shown: Mapping[str, Any]) -> None:
        """Show V in both; a slider whose value lies outside its bounds would show another one."""
        super().show(value, shown)
        self.slider.param.update(start=min(FIRST_V, value), end=max(LAST_V, value), value=value)


class Output(fields.Derived):
    """Whether the output layer is tied; a model without one says so."""

    def __init__(self, parameter: param.Boolean) -> None:
        self._label = controls.label_of(parameter)
        options = {"tied": True, "its own": False}
        tags = [f"label:{self._label}"]
        radios = Radios(options=options, value=True, inline=True, tags=tags, **style("lab-segmented"))
        super().__init__(parameter, radios)
        self.pane = controls.labelled(self._label, radios)

    def show(self, value: Any, shown: Mapping[str, Any]) -> None:
        """Show which one, or that there is none."""
        self.widget.param.update(value=value is not False, disabled=value is None)
        self.pane[0].object = f"<span>{self._label}{': none here' if value is None else ''}</span>"


CONTROLS: Mapping[str, Callable[..., fields.Field]] = {
    "preset": pasted.models(PUBLISHED, "Your config.json"),
    "V": Vocabulary,
    "d": partial(Size, step=64),
    "layers": Size,
    "max_positions": partial(Size, step=64),
    "tied": Output,
    "config": partial(fields.Draft, placeholder=HINT),
    "multiple": fields.choices({many: f"{many:,}" for many in MULTIPLES}),
    "dimension": fields.of(controls.number, step=64),
    "length": fields.of(controls.number),
    "batch": fields.of(controls.number),
}


class Controlled(ModelRoom):
    """A room with these controls."""

    State = State
    fields: ClassVar = CONTROLS
    chooses, brought = "preset", tuple(SIZES)

    @classmethod
    def read(cls, text: str) -> None:
        """Read a config.json."""
        origin_of("", text)

    def effective(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The sizes of the model, and those that it has by itself."""
        view = Counted(Snapshot(values))
        own, now = (
            {name: size_of(of, name) for name in SIZES} for of in (view.origin.architecture, view.model)
        )
        return {**super().effective(values), **now, "usual": own, "scheme": view.model.positions}
