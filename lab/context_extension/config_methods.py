"""From the rope part of a configuration to the method with its parameters."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from lab.context_extension.base import NoExtension
from lab.context_extension.config_fields import Section
from lab.context_extension.interpolation import Linear
from lab.context_extension.llama3 import Llama3
from lab.context_extension.longrope import LongRope
from lab.context_extension.ntk import DynamicNtk, Ntk
from lab.context_extension.yarn import Yarn


@dataclass(frozen=True)
class Lengths:
    """Positions of the trained window and of the one that the file offers.

    Examples
    --------
    >>> Lengths(4096, 16_384).ratio
    4.0
    """

    trained: int
    maximum: int

    @property
    def ratio(self) -> float:
        """The offered window over the trained one."""
        return self.maximum / self.trained


Made = tuple[NoExtension, float]
"""The method, and the factor by which it stretches."""


def _factor(part: Section, lengths: Lengths, notes: list[str]) -> float:
    if part.values.get("factor") is None and lengths.ratio > 1:
        part.seen("factor")
        notes.append("no factor: max_position_embeddings over the trained length is taken")
        return lengths.ratio
    return part.number("factor")


def _linear(part: Section, lengths: Lengths, notes: list[str]) -> Made:
    factor = part.number("factor")
    return Linear(factor=factor), factor


def _dynamic(part: Section, lengths: Lengths, notes: list[str]) -> Made:
    alpha = part.number("alpha", None)
    if alpha is not None:
        # the Hunyuan models call this dynamic too, but their base does not depend on the present length
        notes.append("alpha sets a fixed NTK-aware base; factor is not used")
        part.number("factor", None)
        return Ntk(factor=alpha), 1.0
    factor = part.number("factor")
    stretched = max(lengths.maximum, round(lengths.trained * factor))
    return DynamicNtk(factor=factor, trained=lengths.trained, length=stretched), factor


def _yarn(part: Section, lengths: Lengths, notes: list[str]) -> Made:
    factor = _factor(part, lengths, notes)
    return Yarn(
        factor=factor,
        trained=lengths.trained,
        beta_fast=part.number("beta_fast", 32.0),
        beta_slow=part.number("beta_slow", 1.0),
        truncate=part.flag("truncate", True),
        mscale=part.number("mscale", None),
        mscale_all_dim=part.number("mscale_all_dim", None),
        attention_factor=part.number("attention_factor", None),
    ), factor


def _llama3(part: Section, lengths: Lengths, notes: list[str]) -> Made:
    factor = part.number("factor")
    low, high = part.number("low_freq_factor"), part.number("high_freq_factor")
    made = Llama3(factor=factor, trained=lengths.trained, low_freq_factor=low, high_freq_factor=high)
    return made, factor


def _longrope(part: Section, lengths: Lengths, notes: list[str]) -> Made:
    stated = part.number("factor", None)
    # the released code takes the ratio of the two lengths where both are known, even if a factor is stated
    factor = lengths.ratio if lengths.ratio > 1 else 1.0 if stated is None else stated
    if stated is not None and stated != factor:
        notes.append(f"factor {stated:g} is not used: the lengths give {factor:g}")
    return LongRope(
        factor=factor,
        trained=lengths.trained,
        length=max(lengths.maximum, round(lengths.trained * factor)),
        short_factor=part.numbers("short_factor"),
        long_factor=part.numbers("long_factor"),
        attention_factor=part.number("attention_factor", None),
        short_mscale=part.number("short_mscale", None),
        long_mscale=part.number("long_mscale", None),
    ), factor


def _proportional(part: Section, lengths: Lengths, notes: list[str]) -> Made:
    factor = part.number("factor", 1.0)
    return (NoExtension(), 1.0) if factor == 1 else (Linear(factor=factor), factor)


def _plain(part: Section, lengths: Lengths, notes: list[str]) -> Made:
    if part.number("factor", None) not in (None, 1.0):
        notes.append("factor is not used: rope_type default stretches nothing")
    return NoExtension(), 1.0


READERS: dict[str, Callable[[Section, Lengths, list[str]], Made]] = {
    "default": _plain,
    "linear": _linear,
    "dynamic": _dynamic,
    "yarn": _yarn,
    "llama3": _llama3,
    "longrope": _longrope,
    "proportional": _proportional,
}
OTHER_NAMES = {"su": "longrope", "mrope": "default", "deepseek_yarn": "yarn"}


def method_name(part: Section, notes: list[str]) -> str:
    """Return the type of rotation that a rope part names, one of ``READERS``.

    Raises
    ------
    ValueError
        If it is unknown, or missing beside a factor.

    Examples
    --------
    >>> method_name(Section("", {"type": "su"}), [])
    'longrope'
    """
    new, old = part.text("rope_type"), part.text("type")
    if new and old and new != old:
        notes.append(f"rope_type ‘{new}’ is read, type ‘{old}’ is not")
    name = new or old
    if name is None:
        if part.values.get("factor") is not None:
            raise ValueError(f"rope_type is missing; it is one of {', '.join(READERS)}")
        return "default"
    if name == "mrope":
        notes.append("mrope: text turns as under plain RoPE; the positions of images are not shown")
    known = OTHER_NAMES.get(name, name)
    if known not in READERS:
        raise ValueError(f"rope_type ‘{name}’ is unknown; this lab knows {', '.join(READERS)}")
    return known


def read_method(name: str, part: Section, lengths: Lengths, notes: list[str]) -> Made:
    """Return the method of a rope part, and the factor by which it stretches.

    Raises
    ------
    ValueError
        If a parameter is missing, of a wrong type or out of range.

    Examples
    --------
    >>> read_method("linear", Section("", {"factor": 4.0}), Lengths(4096, 4096), [])
    (Linear(factor=4.0), 4.0)
    """
    return READERS[name](part, lengths, notes)


def proportional_base(base: float, width: int, rotated: int) -> float:
    """Return the base that gives a narrow rotation the frequencies of a wide one, base^(rotated / width).

    Proportional RoPE turns only the first pairs of a head but counts exponents over all of it:
    base^(-2i / width). That is plain RoPE over the ``rotated`` dimensions with this base.

    Examples
    --------
    >>> round(proportional_base(1e6, 256, 64), 3)
    31.623
    """
    return math.pow(base, rotated / width)
