"""What a reader asks for, and what it comes to: a model, its window, and every method built for it.

The State holds what was asked for and None for the rest, so an address that names only a model gives that
model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import param

from app.kit.html import visible
from app.rooms.context.methods import PLAIN, Core, Method, chosen_of, method_of, unseen_of
from lab.context_extension import (
    EXTENSIONS,
    PRESETS,
    READINGS,
    ModelRope,
    NoRotation,
    UnseenAngles,
    Yarn,
    from_config,
    is_fragment,
    parse,
)

SHOWN = {"pairs": "Pairs", "angles": "New angles", "scores": "Scores", "heads": "Real heads"}
OVERLAYS = {"all": "all methods", "one": "one and plain"}
OWN = "own"
EXAMPLE = "example"

MODELS: Mapping[str, ModelRope] = {
    EXAMPLE: ModelRope(
        title="Example, 4 times 4,096",
        d=128,
        base=10_000.0,
        trained=4096,
        target=16_384,
        extension=Yarn(factor=4.0, trained=4096),
        source="the sizes of Llama 2, stretched by YaRN",
    ),
    **PRESETS,
}
"""The example and the published models, by key."""


class State(param.Parameterized):
    """What a reader can set; None and "own" are the model's."""

    show = param.Selector(default="pairs", objects=list(SHOWN), label="Show")
    method = param.Selector(default=OWN, objects=[OWN, *EXTENSIONS], label="Method")
    overlay = param.Selector(default="all", objects=list(OVERLAYS), label="Drawn")
    factor = param.Number(
        default=None,
        allow_None=True,
        bounds=(1, 65_536),
        label="Factor s",
        doc="Stretched over trained length.",
    )
    model = param.Selector(default=EXAMPLE, objects=list(MODELS), label="Model")
    trained = param.Integer(
        default=None, allow_None=True, bounds=(1, 2**24), label="Trained length L", doc="In positions."
    )
    base = param.Number(default=None, allow_None=True, bounds=(1, 1e15), label="Base b")
    d = param.Integer(
        default=None, allow_None=True, bounds=(2, 1024), label="Head width d", doc="Dimensions that turn."
    )
    length = param.Integer(
        default=None, allow_None=True, bounds=(1, 2**24), label="Present length n", doc="In tokens."
    )
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


DEFAULTS = {name: State.param[name].default for name in State.param if name != "name"}


@dataclass(frozen=True)
class Setting:
    """The values of the State, with the model's in place of None."""

    show: str
    rope: ModelRope
    pasted: bool
    model: str
    core: Core
    method: str
    overlay: str
    pair: int
    position: int
    a: str
    b: str
    head: int

    @classmethod
    def of(cls, **state: Any) -> Setting:
        """Read a State; a pair beyond the last stands for the last.

        Raises
        ------
        ValueError
            If the pasted JSON cannot be read.
        """
        asked = (state[name] for name in ("d", "base", "trained"))
        rope = model_of(state["model"], state["config"], *asked, state["layers"].strip(), state["maximum"])
        core = _core(rope, state)
        return cls(
            show=state["show"],
            rope=rope,
            pasted=bool(state["config"].strip()),
            model=state["model"],
            core=core,
            method=rope.extension.key if state["method"] == OWN else state["method"],
            overlay=state["overlay"],
            pair=min(state["pair"], core.pairs - 1),
            position=state["position"],
            a=state["a"],
            b=state["b"],
            head=int(state["head"]),
        )


@lru_cache(maxsize=8)
def model_of(
    key: str,
    config: str,
    d: int | None = None,
    base: float | None = None,
    trained: int | None = None,
    layers: str = "",
    maximum: str = READINGS[0],
) -> ModelRope:
    """The pasted model if there is one, else the chosen one.

    What a whole file does not say is as its class has it, or as asked for; a rope part alone is completed by
    the chosen model, and the notes say so.

    Raises
    ------
    ValueError
        If the JSON cannot be read, its model does not rotate, or there are no such layers.
    """
    rope, text = MODELS[key], config.strip().removeprefix("\ufeff")
    if not text:
        if layers:
            raise ValueError(
                f"All layers of {rope.title} turn alike: none is of type ‘{visible(layers, 40)}’."
            )
        return rope
    try:
        values = parse(text)
        if not is_fragment(values):
            return from_config(
                values, d=d, base=base, trained=trained, layer_type=layers or None, maximum=maximum
            )
        return _completed(values, rope, (d, base, trained), layers, maximum)
    except NoRotation as reason:
        raise ValueError(f"{str(reason)[0].upper()}{str(reason)[1:]}.") from None
    except ValueError as reason:
        raise ValueError(
            f"Your JSON cannot be used: {reason}.{_way_out(str(reason), text, d, rope)}"
        ) from None


def _completed(
    values: Mapping[str, Any],
    rope: ModelRope,
    asked: tuple[int | None, float | None, int | None],
    layers: str,
    maximum: str,
) -> ModelRope:
    d, base, trained = asked
    found = from_config(
        values,
        d=d or rope.width,
        base=base or rope.base,
        trained=trained or rope.trained,
        layer_type=layers or None,
        maximum=maximum,
    )
    if not any("is not in the file" in note for note in found.notes):
        return found
    said = f"a rope part alone is completed by {rope.title}, the model chosen above: set the sliders to yours"
    return replace(found, notes=(*found.notes, said))


def _way_out(reason: str, text: str, d: int | None, rope: ModelRope) -> str:
    if "is not given" in reason:
        return " Or set it with its slider here."
    if "a width of" in reason and not any(name in text for name in ("head_dim", "hidden_size")):
        return f" It does not say how wide a head is: d is taken as {d or rope.width}."
    return ""


def factor_of(rope: ModelRope) -> float:
    """The factor that the model's method takes; where it takes none, what its lengths come to."""
    factor: float | None = getattr(rope.extension, "factor", None)
    return max(rope.target / rope.trained, 1.0) if factor is None else factor


def _core(rope: ModelRope, state: Mapping[str, Any]) -> Core:
    usual = factor_of(rope)
    trained = rope.trained if state["trained"] is None else state["trained"]
    factor = usual if state["factor"] is None else float(state["factor"])
    window = rope.target if (trained, factor) == (rope.trained, usual) else round(trained * factor)
    return Core(
        d=rope.width if state["d"] is None else state["d"],
        base=rope.base if state["base"] is None else float(state["base"]),
        trained=trained,
        window=window,
        factor=factor,
        length=window if state["length"] is None else state["length"],
        own=rope.extension,
    )


@dataclass(frozen=True, eq=False)
class Stage:
    """What every section shows: the setting, and the methods at work on its core."""

    setting: Setting
    core: Core
    methods: Mapping[str, Method]
    """The methods that are drawn, in the order of the registry."""
    refused: tuple[Method, ...]

    @property
    def pair(self) -> int:
        """The pair that is looked at, which the core may be too narrow for: then its last."""
        return min(self.setting.pair, self.core.pairs - 1)

    @property
    def chosen(self) -> Method:
        """The method that is put forward."""
        return self.methods[self.setting.method]

    @property
    def plain(self) -> Method:
        """Plain RoPE."""
        return self.methods[PLAIN]

    @property
    def mismatch(self) -> bool:
        """Whether the model is used for another window than its factor makes."""
        return abs(self.core.window - self.core.trained * self.core.factor) >= 1

    @property
    def new(self) -> UnseenAngles:
        """New angles under the chosen method."""
        return unseen_of(self.core, self.setting.method)

    @property
    def new_plain(self) -> UnseenAngles:
        """New angles under plain RoPE."""
        return unseen_of(self.core, PLAIN)


def stage_of(setting: Setting, core: Core) -> tuple[Setting, Core, dict[str, Method], tuple[Method, ...]]:
    """The fields of a Stage.

    Raises
    ------
    ValueError
        If plain RoPE or the chosen method refuses, or the window is too long.
    """
    chosen_of(core, setting.method)
    unseen_of(core, PLAIN)
    keys = EXTENSIONS if setting.overlay == "all" else (PLAIN, setting.method)
    found = [method_of(core, key) for key in EXTENSIONS if key in keys]
    drawn = {method.key: method for method in found if not method.error}
    return setting, core, drawn, tuple(method for method in found if method.error)
