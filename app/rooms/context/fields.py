"""The controls that follow the model: each shows the value in effect, and changing one is the reader's own.

The State holds what a reader asked for and None for the rest. A control cannot show None; it shows what the
model has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import panel as pn
from bokeh.models import CustomJSTickFormatter

from app.kit.controls import encodable, style
from app.kit.html import Markup, counted, join, number, tag
from app.rooms.context.methods import Core
from app.rooms.context.setting import MODELS, OWN, Setting, State, factor_of
from lab.context_extension import EXTENSIONS, READINGS, ModelRope

FACTORS = (1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 96, 128)
TRAINED = tuple(2**power for power in range(5, 18))
BASES = (
    100, 500, 1_000, 5_000, 10_000, 20_000, 50_000, 100_000, 150_000, 250_000, 500_000, 1_000_000, 2_000_000,
    5_000_000, 10_000_000,
)  # fmt: skip
WIDTHS = (2, 4, 8, 16, 32, 48, 64, 80, 96, 112, 128, 160, 192, 256)
CHANGED: dict[str, Any] = {
    **dict.fromkeys(("factor", "trained", "base", "d", "length")),
    "layers": "",
    "maximum": READINGS[0],
}
"""What another model brings with it."""
PASTED = "pasted"
PUBLISHED = {model.title: key for key, model in MODELS.items()}
METHODS = {made.title: key for key, made in EXTENSIONS.items()}
HINT = '{"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}'
STEPS = 16
"""Steps of the present length in a trained window."""


class Stops:
    """A slider over stops; a value that is none of them becomes one."""

    def __init__(self, label: str, stops: Sequence[float], changed: Callable[[float], None]) -> None:
        self._usual, self._stops = tuple(stops), list(stops)
        self._changed, self._following = changed, False
        self._named = CustomJSTickFormatter(args={"names": self._names()}, code="return names[tick]")
        self.slider = pn.widgets.IntSlider(
            label=label,
            start=0,
            end=len(stops) - 1,
            value=0,
            format=self._named,
            **style("lab-slider"),
        )
        self.slider.param.watch(self._slid, "value")

    def show(self, value: float) -> None:
        """Stand at a value."""
        stops = list(self._usual) if value in self._usual else sorted({*self._usual, value})
        self._following = True
        if stops != self._stops:
            self._stops = stops
            self._named.args = {"names": self._names()}
            self.slider.end = len(stops) - 1
        self.slider.value = stops.index(value)
        self._following = False

    def _names(self) -> list[str]:
        return [number(value) for value in self._stops]

    def _slid(self, event: Any) -> None:
        if not self._following:
            self._changed(self._stops[event.new])


class Fields:
    """Method, model, sizes and JSON, each bound to the State by hand."""

    def __init__(self, state: State) -> None:
        self._state, self._following = state, False
        self._usual: dict[str, Any] = {}
        label = {name: str(state.param[name].label) for name in state.param}
        self.method = pn.widgets.Select(label=label["method"], options=METHODS, **style("lab-select"))
        self.model = pn.widgets.Select(label=label["model"], options=PUBLISHED, **style("lab-select"))
        stops: dict[str, Sequence[float]] = {
            "factor": FACTORS, "trained": TRAINED, "base": BASES, "d": WIDTHS
        }  # fmt: skip
        self.sizes = {name: Stops(label[name], values, self._setter(name)) for name, values in stops.items()}
        self.length = pn.widgets.IntSlider(
            label=label["length"], start=1, end=2, value=2, format="0,0", **style("lab-slider")
        )
        self.config = pn.widgets.TextAreaInput(
            label=label["config"],
            placeholder=HINT,
            max_length=200_000,
            rows=4,
            **style("lab-field lab-context-config"),
        )
        self.layers = pn.widgets.Select(
            label=label["layers"], options={"": ""}, visible=False, **style("lab-select")
        )
        self.maximum = pn.widgets.Select(
            label=label["maximum"],
            options={f"{reading} length": reading for reading in READINGS},
            visible=False,
            **style("lab-select"),
        )
        self._watch()

    def _watch(self) -> None:
        self.layers.param.watch(lambda event: self._set("layers", event.new), "value")
        self.maximum.param.watch(lambda event: self._set("maximum", event.new), "value")
        self.method.param.watch(lambda event: self._set("method", event.new), "value")
        self.model.param.watch(lambda event: self._choose(event.new), "value")
        self.length.param.watch(lambda event: self._set("length", event.new), "value")
        self.config.param.watch(lambda event: self._paste(event.new or ""), "value")

    def follow(self, setting: Setting, uses_length: bool) -> None:
        """Show the values in effect."""
        core, rope = setting.core, setting.rope
        self._usual = {
            "method": rope.extension.key,
            "factor": factor_of(rope),
            "trained": rope.trained,
            "base": rope.base,
            "d": rope.width,
            "length": core.window,
            "layers": usual_layers(rope),
            "maximum": READINGS[0],
        }
        self._following = True
        try:
            self.method.value = setting.method
            for name, stops in self.sizes.items():
                stops.show(getattr(core, name))
            if setting.pasted and self.config.value != self._state.config:
                self.config.value = self._state.config
            self._offer(PASTED if setting.pasted else setting.model)
            self._offer_readings(rope)
            self.length.visible = uses_length
            self._show_length(core)
        finally:
            self._following = False

    def _setter(self, name: str) -> Callable[[float], None]:
        return lambda value: self._set(name, value)

    def _show_length(self, core: Core) -> None:
        step = max(core.trained // STEPS, 1)
        reach = {"start": min(step, core.length), "end": max(core.window, core.length, 2), "step": step}
        if any(getattr(self.length, name) != value for name, value in reach.items()):
            self.length.param.update(**reach, value=core.length)
        self.length.value = core.length

    def _offer(self, chosen: str) -> None:
        # the pasted model stays on offer while its text is in the field
        options = {**PUBLISHED, "Your JSON": PASTED} if self.config.value.strip() else PUBLISHED
        if len(options) != len(self.model.options):
            self.model.options = options
        self.model.value = chosen

    def _offer_readings(self, rope: ModelRope) -> None:
        named = {kind.replace("_", " "): kind for kind in rope.layer_types or ("",)}
        if self.layers.options != named:
            self.layers.options = named
        self.layers.value = rope.layer_type
        self.maximum.value = self._state.maximum

    def _choose(self, key: str) -> None:
        if self._following:
            return
        if key == PASTED:
            self._state.param.update(config=encodable(self.config.value), method=OWN, **CHANGED)
        else:
            self._state.param.update(model=key, config="", method=OWN, **CHANGED)

    def _paste(self, text: str) -> None:
        if self._following:
            return
        self._following = True
        # also where the text is refused: choosing any published model is then a change, and the way out
        self._offer(PASTED if text.strip() else self._state.model)
        self._following = False
        self._state.param.update(config=encodable(text), method=OWN, **CHANGED)

    def _set(self, name: str, value: Any) -> None:
        if self._following:
            return
        usual = self._usual.get(name)
        back = {"method": OWN, "layers": "", "maximum": READINGS[0]}
        wanted = value if value != usual else back.get(name)
        changed = {name: wanted}
        if name in ("factor", "trained"):
            changed["length"] = None  # the whole of another window
        self._state.param.update(**changed)


def usual_layers(rope: ModelRope) -> str:
    """The layers that are shown where none are asked for."""
    full = "full_attention"
    return full if full in rope.layer_types else next(iter(rope.layer_types), "")


def _sentence(text: str) -> str:
    # the name of a field or of a model type keeps its letters
    first = text.split(" ", 1)[0]
    return text if "_" in first or any(sign.isdigit() for sign in first) else text[0].upper() + text[1:]


def model(setting: Setting) -> Markup:
    """The model's own numbers, what was changed, how its JSON was read, and the source."""
    rope, core = setting.rope, setting.core
    factor = factor_of(rope)
    title, stretch = _sentence(rope.title), f", factor {number(factor)}"
    said = (
        f"{title}: {rope.extension.title}{stretch if factor > 1 else ''}, d {rope.width:,}, "
        f"base {number(rope.base)}, trained on {counted(rope.trained, 'position')}, used for "
        f"{number(rope.target)}."
    )
    pairs = (
        ("factor", core.factor, factor),
        ("trained length", core.trained, rope.trained),
        ("base", core.base, rope.base),
        ("d", core.d, rope.width),
    )
    changed = [f"{name} {number(now)}" for name, now, before in pairs if now != before]
    if setting.method != rope.extension.key:
        changed.insert(0, EXTENSIONS[setting.method].title)
    partial = [f"Of {rope.d:,} dimensions of a head {rope.width:,} turn."] if rope.width != rope.d else []
    notes = [f"{_sentence(note)}." for note in rope.notes]
    lines = [
        tag("p", said),
        tag("p", "Changed here: ", tag("b", ", ".join(changed)), ".") if changed else "",
        tag("p", " ".join((*partial, *notes))) if partial or notes else "",
        tag("p", f"Source: {rope.source}."),
    ]
    return join(lines)
