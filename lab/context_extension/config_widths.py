"""How wide a head is, and how much of it turns."""

from __future__ import annotations

from lab.context_extension.config_classes import ClassFacts
from lab.context_extension.config_fields import Section
from lab.given import given

HEADS = ("head_dim", "kv_channels", "attention_head_size", "attention_head_dim")
WIDTHS = ("hidden_size", "n_embd", "d_model", "dim")
COUNTS = ("num_attention_heads", "n_head", "n_heads", "num_heads")
SHARES = ("partial_rotary_factor", "rotary_pct", "rotary_percentage", "rope_pct", "rotary_emb_fraction")
"""Names of the part of a head that turns, the present one first."""


def read_widths(
    whole: Section, part: Section, layer_type: str, facts: ClassFacts, given: int | None, notes: list[str]
) -> tuple[int, int]:
    """Return the width of a head, and of what turns in it.

    Raises
    ------
    ValueError
        If the file says neither, its class says nothing and none is given, or a value is out of range.

    Examples
    --------
    >>> gpt_neox = Section("", {"hidden_size": 512, "num_attention_heads": 8, "rotary_pct": 0.25})
    >>> read_widths(gpt_neox, Section("", {}), "", ClassFacts(), None, [])
    (64, 16)
    """
    rope = whole.count("qk_rope_head_dim", None)
    if rope is not None:
        # of such heads a part of its own turns, and the file gives its width; shares do not apply again
        fixed = whole.count("qk_nope_head_dim", None)
        part.seen(*SHARES)
        whole.seen(*SHARES, *HEADS)
        if fixed is not None:
            notes.append(f"each head has {fixed:,} more dimensions that do not turn")
        return rope, rope
    width = _width(whole, layer_type, facts, given, notes)
    return width, _rotated(whole, part, width, facts, notes)


def _width(whole: Section, layer_type: str, facts: ClassFacts, given: int | None, notes: list[str]) -> int:
    kind = whole.text("model_type")
    full = whole.count("global_head_dim", None)
    stated = _first(whole, HEADS)
    if full is not None and layer_type == "full_attention":
        return full
    if stated is not None:
        return stated
    if facts.head is not None:
        notes.append(f"the head width is not in the file: {facts.head:,}, that of the class {kind}, is taken")
        return facts.head
    model, heads = _first(whole, WIDTHS), _first(whole, COUNTS)
    if model is not None and heads is not None:
        if model % heads:
            name = next(name for name in WIDTHS if whole.values.get(name) is not None)
            raise ValueError(
                f"{name} {model:,} does not split into {heads:,} heads, and no head_dim is given"
            )
        return model // heads
    if facts.derived is not None and model is None and heads is None:
        notes.append(
            f"the head width is not in the file: {facts.derived:,}, that of the class {kind}, is taken"
        )
        return facts.derived
    if given is None:
        raise ValueError("the head width is not given; add head_dim, or paste the whole config.json")
    notes.append(f"the head width is not in the file: {given:,} is taken")
    return given


def _rotated(whole: Section, part: Section, width: int, facts: ClassFacts, notes: list[str]) -> int:
    for section in (part, whole):
        for name in SHARES:
            share = section.number(name, None)
            if share is None:
                continue
            if not 0 < share <= 1:
                raise ValueError(f"{name} must be above 0 and at most 1; got {given(share)}")
            whole.seen("rotary_dim")
            return int(width * share)
    absolute = part.count("rotary_dim", None) or whole.count("rotary_dim", None)
    if absolute is not None:
        if absolute > width:
            raise ValueError(f"rotary_dim {absolute:,} is wider than the head, {width:,}")
        return absolute
    if facts.share < 1:
        kind = whole.text("model_type")
        notes.append(
            f"how much of a head turns is not in the file: {facts.share:g} of it, as in the class {kind}"
        )
    return int(width * facts.share)


def _first(section: Section, names: tuple[str, ...]) -> int | None:
    found = [section.count(name, None) for name in names]
    return next((value for value in found if value is not None), None)
