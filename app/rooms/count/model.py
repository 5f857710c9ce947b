"""Which model is counted: a published one or a pasted config.json, with what the reader changed in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import gcd
from typing import Any

from app.kit.html import counted
from lab.counting import (
    BERT,
    GPT2,
    MODELS,
    T5,
    Architecture,
    Latent,
    Llama,
    Mixture,
    ModernBERT,
    Stack,
    check_size,
    read_config,
)
from lab.json_text import read_json

MOST_TEXT = 100_000
"""Characters of a pasted config.json; the files of published models have about a thousand."""
SIZES = {
    "V": "V",
    "d": "D",
    "layers": "layers",
    "max_positions": "max_positions",
    "tied": "tied",
}
"""What a reader may change: the State's name and the lab's."""
COMPARED = (
    ("V", "V"),
    ("D", "D"),
    ("mlp_width", "with it the MLP"),
    ("head_width", "with it each head"),
    ("expert_width", "with it each expert"),
    ("shared_width", "with it the shared expert"),
    ("layers", "layers"),
    ("decoder_layers", "decoder layers"),
    ("max_positions", "learned positions"),
    ("tied", "output layer"),
)
"""What can differ from the origin, and the word for it; some sizes follow the width."""
NUMBERED_FROM_PAD = ("camembert", "roberta", "xlm-roberta")
"""Model types whose positions are counted from behind the padding id."""
PADDING_ID = 1
"""Theirs, unless a config says another."""
OFFSET_ROWS = {"opt": 2}
"""Model types whose table has rows that no token uses in front of the first token's, and how many."""
FAMILIES: dict[type[Architecture], str] = {
    GPT2: "GPT-2 type",
    BERT: "BERT type",
    Llama: "Llama type",
    Stack: "layer norms and a plain MLP",
    Mixture: "mixture of experts",
    Latent: "mixture of experts with latent attention",
    T5: "T5 type, encoder and decoder",
    ModernBERT: "ModernBERT type",
}


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


@dataclass(frozen=True)
class Change:
    """One size that differs from the origin's."""

    name: str
    before: str
    after: str


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
        kind = preset.split("-")[0]
        skipped = PADDING_ID + 1 if kind in NUMBERED_FROM_PAD else OFFSET_ROWS.get(kind, 0)
        return Origin(model.title, model.architecture, model.published, skipped)
    if len(text) > MOST_TEXT:
        raise ValueError(
            f"A config.json of {len(text):,} characters is not read; at most {MOST_TEXT:,} are. "
            "Did a whole tokenizer.json come along?"
        )
    try:
        values = read_json(text)
        found = read_config(values)
    except ValueError as reason:
        raise ValueError(f"This config.json cannot be counted: {reason}.") from None
    skipped = _skipped(found.kind, values)
    return Origin("your config.json", found.architecture, skipped=skipped, notes=found.notes)


def _skipped(kind: str, config: Mapping[str, Any]) -> int:
    if kind not in NUMBERED_FROM_PAD:
        return OFFSET_ROWS.get(kind, 0)
    padding = config.get("pad_token_id")
    return 1 + (padding if isinstance(padding, int) and padding >= 0 else PADDING_ID)


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
    model = origin.architecture
    wanted = {name: value for name, value in asked.items() if value is not None}
    if "max_positions" in wanted and size_of(model, "max_positions") is None:
        raise ValueError(
            f"There are no learned positions to change in {origin.title}: {WITHOUT_ROWS[model.positions]}."
        )
    if "tied" in wanted and not model.has_output:
        raise ValueError(f"There is nothing to tie in {origin.title}: it has no output layer.")
    try:
        if "d" in wanted:
            model = _widened(model, check_size("D", wanted.pop("d")))
        if isinstance(model, T5) and "layers" in wanted and model.decoder_layers == model.layers:
            model = replace(model, decoder_layers=check_size("layers", wanted["layers"]))
        return replace(model, **{SIZES[name]: value for name, value in wanted.items()})
    except ValueError as reason:
        raise ValueError(
            f"{origin.title[0].upper()}{origin.title[1:]} cannot be changed so: {reason}."
        ) from None


def changes_of(origin: Origin, model: Architecture) -> tuple[Change, ...]:
    """What differs, in the words of the controls."""
    before = origin.architecture
    pairs = ((word, getattr(before, name, None), getattr(model, name, None)) for name, word in COMPARED)
    return tuple(Change(word, _said(a), _said(b)) for word, a, b in pairs if a != b)


def width_step(model: Architecture) -> int:
    """Widths that fit the heads of a model are multiples of this; 1 where any does."""
    if isinstance(model, Latent) or not isinstance(model, (Llama, Stack)):
        return 1
    if isinstance(model, Stack) and model.positions != "rotary":
        return model.heads
    # RoPE turns pairs, so the width of a head must stay even
    half = (getattr(model, "head_width", None) or model.D // model.heads) // 2 or 1
    return model.D // gcd(model.D, half)


WITHOUT_ROWS = {
    "rotary": "it turns queries and keys instead of storing rows",
    "alibi": "it lowers scores by their distance instead of storing rows",
    "relative": "it stores a bias for each distance instead of rows",
}
"""What models do that have no table of positions."""


def _widened(model: Architecture, D: int) -> Architecture:
    step = width_step(model)
    if D % step:
        raise ValueError(
            f"it keeps its {counted(model.heads, 'head')} when its width changes, and the width of each must "
            f"stay whole{' and even' if model.positions == 'rotary' else ''}; {D:,} is no multiple of "
            f"{step:,}, {max(D // step, 1) * step:,} is one"
        )
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


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return "tied" if value else "its own"
    return f"{value:,}"
