"""Read the rotation of a model out of its published configuration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lab.context_extension.base import NoExtension
from lab.context_extension.config_fields import Section, parse
from lab.context_extension.interpolation import Linear
from lab.context_extension.llama3 import Llama3
from lab.context_extension.longrope import LongRope
from lab.context_extension.ntk import DynamicNtk, Ntk
from lab.context_extension.presets import ModelRope
from lab.context_extension.yarn import Yarn

PARTS = ("rope_parameters", "rope_scaling")
ROPE_FIELDS = {"rope_type", "type", "factor", "rope_theta", "original_max_position_embeddings"}
MODEL_FIELDS = {"hidden_size", "num_attention_heads", "head_dim", "max_position_embeddings", "model_type"}
LAYER_TYPES = ("full_attention", "sliding_attention", "chunked_attention", "linear_attention")
LARGEST_BASE = 1e15
CONFIG_SOURCE = "the configuration that was given"


def from_config(
    config: str | Mapping[str, Any],
    *,
    d: int | None = None,
    base: float = 10_000.0,
    trained: int | None = None,
    layer_type: str | None = None,
) -> ModelRope:
    """Read a Hugging Face configuration, or only its ``rope_parameters`` or ``rope_scaling``.

    Both spellings are understood: ``rope_type`` and the older ``type``; ``rope_theta`` and
    ``partial_rotary_factor`` inside the rope part or beside it; parameters for each type of layer, of which
    ``full_attention`` is taken unless another is asked for. What was chosen, derived or not used is in the
    notes of the result.

    Parameters
    ----------
    config : str or mapping
        JSON text, or what it parses to.
    d, base, trained : optional
        Head width, base and trained length where the configuration does not say.
    layer_type : str, optional
        Which of the layers' parameters to read, where they differ.

    Raises
    ------
    ValueError
        If the text is not JSON (with line and column), a field is missing, of a wrong type, not finite or
        out of range, or the type of rotation is unknown.

    References
    ----------
    Field names of Hugging Face transformers, ``modeling_rope_utils``.

    Examples
    --------
    >>> model = from_config('{"rope_type": "linear", "factor": 4.0}', d=128, trained=4096)
    >>> model.extension, model.target
    (Linear(factor=4.0), 16384)
    """
    notes: list[str] = []
    whole = _whole(parse(config), notes)
    part = _rope_part(whole, layer_type, notes)
    theta = part.number("rope_theta", whole.number("rope_theta", None))
    if theta is not None and not 1 <= theta <= LARGEST_BASE:
        raise ValueError(f"rope_theta must be from 1 to {LARGEST_BASE:g}; got {theta:g}")
    if theta is None:
        notes.append(f"no rope_theta: base {base:g} is taken")
    width, rotary = _widths(whole, part, d)
    lengths = _lengths(whole, part, trained, notes)
    extension, factor = _extension(part, lengths, notes)
    if unread := part.unread():
        notes.append(f"not used: {', '.join(unread)}")
    maximum = lengths[1]
    target = maximum if maximum > lengths[0] else round(lengths[0] * factor)
    return ModelRope(
        title=whole.text("model_type") or "your model",
        d=width,
        base=base if theta is None else theta,
        trained=lengths[0],
        target=target,
        extension=extension,
        source=CONFIG_SOURCE,
        rotary_dim=rotary,
        notes=tuple(notes),
    )


def _whole(values: Mapping[str, Any], notes: list[str]) -> Section:
    known = set(PARTS) | ROPE_FIELDS | MODEL_FIELDS
    if known & set(values):
        return Section("", values)
    inner = values.get("text_config")
    if isinstance(inner, Mapping):
        notes.append("read from text_config")
        return Section("text_config", inner)
    if any(name in values for name in LAYER_TYPES):
        return Section("", values)
    raise ValueError(
        "no rope fields found; paste a whole config.json, or its rope_parameters or rope_scaling "
        "with a rope_type"
    )


def _rope_part(whole: Section, layer_type: str | None, notes: list[str]) -> Section:
    present = [name for name in PARTS if whole.values.get(name) is not None]
    if len(present) == 2:
        notes.append("rope_parameters is read, rope_scaling is not")
    if present:
        part = whole.section(present[0])
    elif {"rope_type", "type", "factor"} & set(whole.values) or any(t in whole.values for t in LAYER_TYPES):
        part = whole
    else:
        return Section("", {})
    layers = [name for name, value in part.values.items() if isinstance(value, Mapping)]
    if part is whole:
        layers = [name for name in layers if name in LAYER_TYPES or name == layer_type]
    if not layers:
        if layer_type is not None:
            raise ValueError(f"{layer_type!r} was asked for, but all layers share one set of rope parameters")
        return part
    chosen = layer_type or ("full_attention" if "full_attention" in layers else layers[0])
    if chosen not in layers:
        raise ValueError(f"no layers of type {chosen!r}; there are {', '.join(layers)}")
    notes.append(f"layers differ: {chosen} is read, out of {', '.join(layers)}")
    return part.section(chosen)


def _widths(whole: Section, part: Section, d: int | None) -> tuple[int, int]:
    width = whole.count("qk_rope_head_dim", None) or whole.count("head_dim", None)
    if width is None and "hidden_size" in whole.values and "num_attention_heads" in whole.values:
        D, H = whole.count("hidden_size"), whole.count("num_attention_heads")
        if D % H:
            raise ValueError(f"hidden_size {D} does not split into {H} heads, and no head_dim is given")
        width = D // H
    if width is None:
        width = d
    if width is None:
        raise ValueError("the head width is not given; add head_dim, or paste the whole config.json")
    partial = part.number("partial_rotary_factor", whole.number("partial_rotary_factor", 1.0))
    if not 0 < partial <= 1:
        raise ValueError(f"partial_rotary_factor must be above 0 and at most 1; got {partial}")
    return width, int(width * partial)


def _lengths(whole: Section, part: Section, trained: int | None, notes: list[str]) -> tuple[int, int]:
    name = "original_max_position_embeddings"
    original = part.count(name, None) or whole.count(name, None)
    maximum = whole.count("max_position_embeddings", None) or part.count("max_position_embeddings", None)
    if original is None and maximum is not None:
        notes.append(f"no {name}: the trained length is max_position_embeddings, {maximum}")
    length = original or maximum or trained
    if length is None:
        raise ValueError(f"the trained length is not given; add {name}, or paste the whole config.json")
    return length, maximum or length


Lengths = tuple[int, int]


def _factor(part: Section, lengths: Lengths, notes: list[str]) -> float:
    if part.values.get("factor") is None and lengths[1] > lengths[0]:
        notes.append("no factor: max_position_embeddings over the trained length is taken")
        return lengths[1] / lengths[0]
    return part.number("factor")


def _linear(part: Section, lengths: Lengths, notes: list[str]) -> tuple[NoExtension, float]:
    factor = part.number("factor")
    return Linear(factor=factor), factor


def _dynamic(part: Section, lengths: Lengths, notes: list[str]) -> tuple[NoExtension, float]:
    alpha = part.number("alpha", None)
    if alpha is not None:
        # the Hunyuan models call this dynamic too, but their base does not depend on the present length
        notes.append("alpha sets a fixed NTK-aware base; factor is not used")
        part.number("factor", None)
        return Ntk(factor=alpha), 1.0
    factor = part.number("factor")
    stretched = max(lengths[1], round(lengths[0] * factor))
    return DynamicNtk(factor=factor, trained=lengths[0], length=stretched), factor


def _yarn(part: Section, lengths: Lengths, notes: list[str]) -> tuple[NoExtension, float]:
    factor = _factor(part, lengths, notes)
    return Yarn(
        factor=factor,
        trained=lengths[0],
        beta_fast=part.number("beta_fast", 32.0),
        beta_slow=part.number("beta_slow", 1.0),
        truncate=part.flag("truncate", True),
        mscale=part.number("mscale", None),
        mscale_all_dim=part.number("mscale_all_dim", None),
        attention_factor=part.number("attention_factor", None),
    ), factor


def _llama3(part: Section, lengths: Lengths, notes: list[str]) -> tuple[NoExtension, float]:
    factor = part.number("factor")
    low, high = part.number("low_freq_factor"), part.number("high_freq_factor")
    return Llama3(factor=factor, trained=lengths[0], low_freq_factor=low, high_freq_factor=high), factor


def _longrope(part: Section, lengths: Lengths, notes: list[str]) -> tuple[NoExtension, float]:
    stated = part.number("factor", None)
    # the released code takes the ratio of the two lengths where both are known, even if a factor is stated
    factor = lengths[1] / lengths[0] if lengths[1] > lengths[0] else 1.0 if stated is None else stated
    if stated is not None and stated != factor:
        notes.append(f"factor {stated:g} is not used: the lengths give {factor:g}")
    return LongRope(
        factor=factor,
        trained=lengths[0],
        length=max(lengths[1], round(lengths[0] * factor)),
        short_factor=part.numbers("short_factor"),
        long_factor=part.numbers("long_factor"),
        attention_factor=part.number("attention_factor", None),
    ), factor


def _plain(part: Section, lengths: Lengths, notes: list[str]) -> tuple[NoExtension, float]:
    return NoExtension(), 1.0


READERS: dict[str, Callable[[Section, Lengths, list[str]], tuple[NoExtension, float]]] = {
    "default": _plain,
    "linear": _linear,
    "dynamic": _dynamic,
    "yarn": _yarn,
    "llama3": _llama3,
    "longrope": _longrope,
}
OTHER_NAMES = {"su": "longrope", "mrope": "default"}


def _extension(part: Section, lengths: Lengths, notes: list[str]) -> tuple[NoExtension, float]:
    new, old = part.text("rope_type"), part.text("type")
    if new and old and new != old:
        notes.append(f"rope_type {new!r} is read, type {old!r} is not")
    name = new or old
    if name is None:
        if part.values.get("factor") is not None:
            raise ValueError(f"rope_type is missing; it is one of {', '.join(READERS)}")
        name = "default"
    if name == "mrope":
        notes.append("mrope: text turns as under plain RoPE; the positions of images are not shown")
    known = OTHER_NAMES.get(name, name)
    if known not in READERS:
        raise ValueError(f"rope_type {name!r} is unknown; this lab knows {', '.join(READERS)}")
    return READERS[known](part, lengths, notes)
