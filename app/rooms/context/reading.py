"""Which model is meant: a published one, or what a reader has pasted, completed where it is a part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from app.kit.html import visible
from lab import context_extension as lab
from lab.context_extension import PRESETS, ModelRope, NoRotation, Yarn

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


def factor_of(rope: ModelRope) -> float:
    """The factor that the model's method takes; where it takes none, what its lengths come to."""
    factor: float | None = getattr(rope.extension, "factor", None)
    return max(rope.target / rope.trained, 1.0) if factor is None else factor


def usual_layers(rope: ModelRope) -> str:
    """The layers that are shown where none are asked for."""
    full = "full_attention"
    return full if full in rope.layer_types else next(iter(rope.layer_types), "")


@lru_cache(maxsize=8)
def model_of(
    key: str, config: str, d: int | None, base: float | None, trained: int | None, layers: str, maximum: str
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
        values = lab.parse(text)
        whole = not lab.is_fragment(values)
        found = lab.from_config(
            values,
            d=d if whole else d or rope.width,
            base=base if whole else base or rope.base,
            trained=trained if whole else trained or rope.trained,
            layer_type=layers or None,
            maximum=maximum,
        )
    except NoRotation as reason:
        raise ValueError(f"{str(reason)[0].upper()}{str(reason)[1:]}.") from None
    except ValueError as reason:
        raise ValueError(
            f"Your JSON cannot be used: {reason}.{_way_out(str(reason), text, d, rope)}"
        ) from None
    if whole or not any("is not in the file" in note for note in found.notes):
        return found
    said = f"a rope part alone is completed by {rope.title}, the model chosen above: set the sliders to yours"
    return replace(found, notes=(*found.notes, said))


def _way_out(reason: str, text: str, d: int | None, rope: ModelRope) -> str:
    if "is not given" in reason:
        return " Or set it with its slider here."
    if "a width of" in reason and not any(name in text for name in ("head_dim", "hidden_size")):
        return f" It does not say how wide a head is: d is taken as {d or rope.width}."
    return ""
