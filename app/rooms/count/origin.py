"""Which model is counted: a published one or a pasted config.json, with what the reader changed in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from math import gcd
from typing import Any

from app.kit.words import Words
from lab.counting import (
    BERT,
    GPT2,
    MODELS,
    T5,
    Architecture,
    Latent,
    Llama,
    ModernBERT,
    Stack,
    check_size,
    read_config,
)
from lab.json_text import read_json

WORDS = Words(__file__)
MOST_TEXT = 100_000
"""Characters of a pasted config.json; the files of published models have about a thousand."""
SIZES = {"V": "V", "d": "D", "layers": "layers", "max_positions": "max_positions", "tied": "tied"}
"""What a reader may change: the State's name and the lab's."""
COMPARED = {
    "V": "V",
    "D": "D",
    "mlp_width": "with it the MLP",
    "head_width": "with it each head",
    "expert_width": "with it each expert",
    "shared_width": "with it the shared expert",
    "layers": "layers",
    "decoder_layers": "decoder layers",
    "max_positions": "learned positions",
    "tied": "output layer",
}
"""What can differ from the origin, and the word for it; some sizes follow the width."""


@dataclass(frozen=True)
class Origin:
    """The model before anything is changed."""

    title: str
    architecture: Architecture
    published: int | None = None
    """The total that its files hold; None for a pasted config."""
    skipped: int = 0
    """Rows of the position table before that of the first token: no token ever stands there."""
    notes: tuple[str, ...] = ()
    """How a pasted config was read."""


@lru_cache(maxsize=8)
def origin_of(preset: str, config: str) -> Origin:
    """The pasted config if there is one, else the published model.

    Raises
    ------
    ValueError
        If the text is too long or describes no model that is counted here.
    """
    text = config.strip().removeprefix("\ufeff")
    if not text:
        model = MODELS[preset]
        return Origin(model.title, model.architecture, model.published, model.skipped)
    if len(text) > MOST_TEXT:
        raise ValueError(WORDS.say("refused.long", length=len(text), most=MOST_TEXT))
    try:
        found = read_config(read_json(text))
    except ValueError as reason:
        raise ValueError(WORDS.say("refused.config", reason=reason)) from None
    return Origin("this config.json", found.architecture, skipped=found.skipped, notes=found.notes)


def size_of(model: Architecture, name: str) -> Any:
    """A size by the State's name; None where the model has no such thing."""
    if name == "tied" and not model.has_output:
        return None
    return getattr(model, SIZES[name], None)


def altered(origin: Origin, asked: Mapping[str, Any]) -> Architecture:
    """The origin with the sizes that are asked for; None leaves one as it is.

    Raises
    ------
    ValueError
        If the model has no such size, or its heads do not fit the width.
    """
    model, title = origin.architecture, origin.title
    wanted = {name: value for name, value in asked.items() if value is not None}
    if "max_positions" in wanted and size_of(model, "max_positions") is None:
        instead = WORDS.raw(f"scheme {model.positions}.instead")
        raise ValueError(WORDS.say("refused.rows", title=title, instead=instead))
    if "tied" in wanted and not model.has_output:
        raise ValueError(WORDS.say("refused.output", title=title))
    try:
        if "d" in wanted:
            model = _widened(model, check_size("D", wanted.pop("d")))
        if isinstance(model, T5) and "layers" in wanted and model.decoder_layers == model.layers:
            model = replace(model, decoder_layers=check_size("layers", wanted["layers"]))
        return replace(model, **{SIZES[name]: value for name, value in wanted.items()})
    except ValueError as reason:
        sentence = WORDS.say("refused.size", title=f"{title[0].upper()}{title[1:]}", reason=reason)
        raise ValueError(sentence) from None


def changes_of(origin: Origin, model: Architecture) -> tuple[str, ...]:
    """What differs, in the words of the controls."""
    both = ((getattr(one, name, None) for one in (origin.architecture, model)) for name in COMPARED)
    return tuple(
        f"{word} {_said(before)} → {_said(after)}"
        for word, (before, after) in zip(COMPARED.values(), both, strict=True)
        if before != after
    )


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return "tied" if value else "its own"
    return f"{value:,}"


def width_step(model: Architecture) -> int:
    """Widths that fit the heads of a model are multiples of this; 1 where any does."""
    if isinstance(model, Latent) or not isinstance(model, (Llama, Stack)):
        return 1
    if isinstance(model, Stack) and model.positions != "rotary":
        return model.heads
    # RoPE turns pairs, so the width of a head must stay even
    half = (getattr(model, "head_width", None) or model.D // model.heads) // 2 or 1
    return model.D // gcd(model.D, half)


def _widened(model: Architecture, D: int) -> Architecture:
    step = width_step(model)
    if D % step:
        even = " and even" if model.positions == "rotary" else ""
        fits = max(D // step, 1) * step
        raise ValueError(WORDS.say("refused.width", model, even=even, wanted=D, step=step, fits=fits))
    sizes: dict[str, Any] = {"D": D}
    if isinstance(model, Llama) and not isinstance(model, Latent):
        sizes["head_width"] = (model.head_width or 2) * D // model.D
    elif isinstance(model, (GPT2, BERT, ModernBERT)):
        # heads cut the same matrices into fewer or more pieces: their number costs nothing
        sizes["heads"] = gcd(model.heads, D)
    for name in ("mlp_width", "expert_width", "shared_width"):
        if width := getattr(model, name, None):
            sizes[name] = max(1, round(width * D / model.D))
    return replace(model, **sizes)
