"""The formulas of the methods with the present numbers in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.kit.formula import Formula, numeral, power
from app.kit.html import counted, number
from app.rooms.context.setting import Stage
from lab.context_extension import LongRope


def method(stage: Stage) -> Formula:
    """The rule of the chosen method at the pair that is looked at."""
    found, pair = stage.chosen, stage.pair
    extension: Any = found.extension
    fill = _FILLED.get(found.key, _plain)
    ends = f"= {numeral(float(found.inv_freq[pair]))}"
    rule = rf"\theta_{{{pair}}}' = {fill(stage, extension, pair)} {ends}"
    # a base that is given follows from no rule
    general = _GIVEN if getattr(extension, "new_base", None) is not None else extension.formula
    if _given_multiplier(extension):
        general = f"{general.split(_MULTIPLIER)[0]}{_MULTIPLIER} \\text{{ given}}"
    return Formula(general, rule, f"{found.title}: {extension.source}.{_stand_in(stage, extension)}")


_MULTIPLIER = r", \quad m"
_GIVEN = r"\theta_i' = b'^{-2i/d}, \quad b' \text{ given}"


def _given_multiplier(extension: Any) -> bool:
    # nor does a multiplier that is given follow from one
    if isinstance(extension, LongRope):
        return extension.given_multiplier is not None
    return getattr(extension, "attention_factor", None) is not None


def _stand_in(stage: Stage, extension: Any) -> str:
    if not isinstance(extension, LongRope) or not extension.stands_in(stage.core.d):
        return ""
    return (
        " Its lists come out of a search for one model. These are Phi-3's, resampled to "
        f"{counted(stage.core.pairs, 'pair')} and raised to a power: an illustration."
    )


def gain(stage: Stage) -> Formula:
    """The multiplier of cos and sin, and the gain of the logits: its square."""
    found = stage.chosen
    m, squared = numeral(found.multiplier), numeral(found.gain)
    says = (
        "m multiplies cos and sin, so q and k alike; in their product it stands twice. "
        "Which of the two is meant has to be said: m, or m²."
    )
    more = getattr(found.extension, "softmax_gain", 1.0)
    if more != 1:
        says += f" Models with mscale_all_dim multiply their scores by {number(more)} besides."
    return Formula(
        r"(m R_a q) \cdot (m R_b k) = m^2 \, (R_a q) \cdot (R_b k)", rf"m = {m}, \quad m^2 = {squared}", says
    )


def _base(stage: Stage) -> str:
    return numeral(stage.core.base)


def _power(stage: Stage, base: float, pair: int) -> str:
    return power(base, f"-{2 * pair}/{stage.core.d}")


def _theta(stage: Stage, pair: int) -> str:
    return numeral(float(stage.plain.inv_freq[pair]))


def _plain(stage: Stage, extension: Any, pair: int) -> str:
    return _power(stage, stage.core.base, pair)


def _linear(stage: Stage, extension: Any, pair: int) -> str:
    return rf"\frac{{{_theta(stage, pair)}}}{{{numeral(extension.factor)}}}"


def _new_base(stage: Stage, extension: Any, pair: int) -> str:
    return _power(stage, extension.effective_base(stage.core.d, stage.core.base), pair)


def _ntk(stage: Stage, extension: Any, pair: int) -> str:
    d = stage.core.d
    scale = power(getattr(extension, "scale", extension.factor), f"{d}/{d - 2}")
    inner = rf"\left( {_base(stage)} \cdot {scale} \right)^{{-{2 * pair}/{d}}}"
    return f"{inner} = {_new_base(stage, extension, pair)}"


def _blend(kept: float, stage: Stage, extension: Any, pair: int) -> str:
    theta = _theta(stage, pair)
    divided = rf"\frac{{{theta}}}{{{numeral(extension.factor)}}}"
    return rf"{numeral(kept)} \cdot {theta} + {numeral(1 - kept)} \cdot {divided}"


def _by_parts(stage: Stage, extension: Any, pair: int) -> str:
    share = float(extension.interpolated(stage.core.d, stage.core.base)[pair])
    return _blend(1 - share, stage, extension, pair)


def _longrope(stage: Stage, extension: Any, pair: int) -> str:
    divisor = float(extension.divisors(stage.core.d)[pair])
    return rf"\frac{{{_theta(stage, pair)}}}{{{numeral(divisor)}}}"


_FILLED: dict[str, Callable[[Stage, Any, int], str]] = {
    "linear": _linear,
    "ntk": _ntk,
    "dynamic": _ntk,
    "yarn": _by_parts,
    "llama3": _by_parts,
    "longrope": _longrope,
    "base": _new_base,
}
