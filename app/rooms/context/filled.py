"""The formulas of the methods with the present numbers in them."""

from __future__ import annotations

from typing import Any

from app.kit.formula import Formula, numeral, power
from app.rooms.context.look import WORDS
from app.rooms.context.model import Stage
from lab.context_extension import LongRope

_MULTIPLIER = r", \quad m"
_GIVEN = r"\theta_i' = b'^{-2i/d}, \quad b' \text{ given}"


def method(stage: Stage) -> Formula:
    """The rule of the chosen method at the pair that is looked at."""
    found, pair = stage.chosen, stage.pair
    extension: Any = found.extension
    ends = f"= {numeral(float(found.inv_freq[pair]))}"
    rule = rf"\theta_{{{pair}}}' = {_filled(stage, extension, pair)} {ends}"
    # a base that is given follows from no rule
    general = _GIVEN if getattr(extension, "new_base", None) is not None else extension.formula
    searched = isinstance(extension, LongRope)
    # nor does a multiplier that is given follow from one
    if getattr(extension, "given_multiplier" if searched else "attention_factor", None) is not None:
        general = f"{general.split(_MULTIPLIER)[0]}{_MULTIPLIER} \\text{{ given}}"
    says = f"{found.title}: {extension.source}."
    if searched and extension.stands_in(stage.core.d):
        says += f" {WORDS.say('any.stand in', stage)}"
    return Formula(general, rule, says)


def gain(stage: Stage) -> Formula:
    """The multiplier of cos and sin, and the gain of the logits: its square."""
    found = stage.chosen
    says, more = WORDS.say("any.gain"), getattr(found.extension, "softmax_gain", 1.0)
    if more != 1:
        says += f" {WORDS.say('any.more gain', more=more)}"
    filled = rf"m = {numeral(found.multiplier)}, \quad m^2 = {numeral(found.gain)}"
    return Formula(r"(m R_a q) \cdot (m R_b k) = m^2 \, (R_a q) \cdot (R_b k)", filled, says)


def _filled(stage: Stage, x: Any, pair: int) -> str:
    core, theta = stage.core, numeral(float(stage.plain.inv_freq[pair]))
    exponent = f"-{2 * pair}/{core.d}"
    match stage.chosen.key:
        case "linear":
            return rf"\frac{{{theta}}}{{{numeral(x.factor)}}}"
        case "ntk" | "dynamic":
            scale = power(getattr(x, "scale", x.factor), f"{core.d}/{core.d - 2}")
            inner = rf"\left( {numeral(core.base)} \cdot {scale} \right)^{{{exponent}}}"
            return f"{inner} = {power(x.effective_base(core.d, core.base), exponent)}"
        case "yarn" | "llama3":
            share = float(x.interpolated(core.d, core.base)[pair])
            divided = rf"\frac{{{theta}}}{{{numeral(x.factor)}}}"
            return rf"{numeral(1 - share)} \cdot {theta} + {numeral(share)} \cdot {divided}"
        case "longrope":
            return rf"\frac{{{theta}}}{{{numeral(float(x.divisors(core.d)[pair]))}}}"
        case "base":
            return power(x.effective_base(core.d, core.base), exponent)
        case _:
            return power(core.base, exponent)
