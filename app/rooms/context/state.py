"""What a reader can set, and how the controls follow the model.

The State holds what was asked for and None for the rest, so an address that names only a model gives that
model; the controls show what the model has.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any, ClassVar

import param

from app.kit import controls, fields, pasted
from app.kit.figure import Snapshot
from app.kit.pasted import ModelRoom
from app.rooms.context.methods import OWN, SIZES
from app.rooms.context.model import PRESENT, Stage
from app.rooms.context.reading import EXAMPLE, MODELS, model_of, usual_layers
from lab.context_extension import EXTENSIONS, READINGS, ModelRope

SHOWN = {"pairs": "Pairs", "angles": "New angles", "scores": "Scores", "heads": "Real heads"}
OVERLAYS = {"all": "all methods", "one": "one and plain"}
FACTORS = (1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 96, 128)
TRAINED = tuple(2**power for power in range(5, 18))
BASES = (
    100, 500, 1_000, 5_000, 10_000, 20_000, 50_000, 100_000, 150_000, 250_000, 500_000, 1_000_000, 2_000_000,
    5_000_000, 10_000_000,
)  # fmt: skip
WIDTHS = (2, 4, 8, 16, 32, 48, 64, 80, 96, 112, 128, 160, 192, 256)
PUBLISHED = {model.title: key for key, model in MODELS.items()}
METHODS = {made.title: key for key, made in EXTENSIONS.items()}
HINT = '{"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}'
STEPS = 16
"""Steps of the present length in a trained window."""


def _own(kind: Any, high: float, label: str, doc: str = "", low: int = 1) -> Any:
    return kind(default=None, allow_None=True, bounds=(low, high), label=label, doc=doc)


class State(param.Parameterized):
    """What a reader can set; None and "own" are the model's."""

    show = param.Selector(default="pairs", objects=list(SHOWN), label="Show")
    method = param.Selector(default=OWN, objects=[OWN, *EXTENSIONS], label="Method")
    factor = _own(param.Number, 65_536, "Factor s", "Stretched over trained length.")
    overlay = param.Selector(default="all", objects=list(OVERLAYS), label="Drawn")
    model = param.Selector(default=EXAMPLE, objects=list(MODELS), label="Model")
    trained = _own(param.Integer, 2**24, "Trained length L", "In positions.")
    base = _own(param.Number, 1e15, "Base b")
    d = _own(param.Integer, 1024, "Head width d", "Dimensions that turn.", low=2)
    length = _own(param.Integer, 2**24, "Present length n", "In tokens.")
    config = param.String(default="", label="Your model's JSON")
    layers = param.String(default="", label="Layers")
    maximum = param.Selector(
        default=READINGS[0], objects=list(READINGS), label="max_position_embeddings is the"
    )
    pair = param.Integer(default=31, bounds=(0, 511), label="Pair")
    position = param.Integer(default=12_000, bounds=(0, 2**24), label="Position p, from 0")
    a = param.String(default="people", label="Word a, the query")
    b = param.String(default="water", label="Word b, the key")
    head = param.Selector(default="8", objects=[str(head) for head in range(9)], label="Head")
    configuration = param.Parameter(default=None, precedence=-1, doc="The teacher's model.")


DEFAULTS = {name: State.param[name].default for name in State.param if name != "name"}


def _reach(shown: Mapping[str, Any]) -> Mapping[str, int]:
    core = shown["core"]
    step = max(core.trained // STEPS, 1)
    return {"start": min(step, core.length), "end": max(core.window, core.length, 2), "step": step}


def _layers(shown: Mapping[str, Any]) -> Mapping[str, str]:
    return {kind.replace("_", " "): kind for kind in shown["rope"].layer_types or ("",)}


CONTROLS: Mapping[str, Callable[..., fields.Field]] = {
    "show": fields.tabs(SHOWN),
    "method": partial(fields.Listed, offered=lambda _: METHODS),
    "factor": partial(fields.Stops, stops=FACTORS),
    "overlay": fields.choices(OVERLAYS, controls.segmented),
    "model": pasted.models(PUBLISHED, "Your JSON"),
    "trained": partial(fields.Stops, stops=TRAINED),
    "base": partial(fields.Stops, stops=BASES),
    "d": partial(fields.Stops, stops=WIDTHS),
    "length": partial(fields.Reach, reach=_reach),
    "config": partial(fields.Draft, placeholder=HINT),
    "layers": partial(fields.Listed, offered=_layers),
    "maximum": fields.choices({reading: f"{reading} length" for reading in READINGS}),
    "pair": partial(fields.Within, last=lambda shown: shown["core"].pairs - 1),
    "position": fields.of(controls.number),
}


def _pasted(text: str) -> ModelRope:
    return model_of(EXAMPLE, text, None, None, None, "", READINGS[0])


class Controlled(ModelRoom):
    """A room with these controls."""

    State = State
    fields: ClassVar = CONTROLS
    tabs, chooses = "show", "model"
    brought = ("method", *SIZES, "layers", "maximum")

    @classmethod
    def read(cls, text: str) -> None:
        """Read a config.json, or a part of one."""
        _pasted(text)

    @classmethod
    def begins(cls, data: Mapping[str, Any]) -> dict[str, Any]:
        """Her model is the one that is meant, and the pair one of its pairs."""
        last = _pasted(data["configuration"]).width // 2 - 1 if data else 0
        return {**super().begins(data), **({"pair": min(DEFAULTS["pair"], last)} if data else {})}

    def effective(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The sizes of the core, and what the model has by itself."""
        stage = Stage(Snapshot(values))
        rope, core, own = stage.rope, stage.core, {"method": stage.rope.extension.key}
        return {
            **super().effective(values),
            **core._asdict(),
            "method": stage.key,
            "layers": rope.layer_type,
            "usual": {**stage.own._asdict(), **own, "length": core.window, "layers": usual_layers(rope)},
            "core": core,
            "rope": rope,
        }

    def unused(self, shown: Mapping[str, Any]) -> Collection[str]:
        """The present length without a method that depends on it, and what only some files ask for."""
        needed = {
            "length": shown["overlay"] == "all" or shown["method"] in PRESENT,
            "layers": shown["rope"].layer_types,
            "maximum": shown["rope"].ambiguous,
        }
        return [name for name, used in needed.items() if not used]

    def changes(self, name: str, value: Any, shown: Mapping[str, Any]) -> dict[str, Any]:
        """Another window is shown whole."""
        changed = super().changes(name, value, shown)
        return {**changed, "length": None} if name in ("factor", "trained") else changed
