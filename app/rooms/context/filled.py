"""The formulas of the methods with the present numbers in them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from app.kit.formula import Formula, row
from app.kit.html import counted, number
from app.rooms.context.setting import Stage
from lab.context_extension import LongRope


def tex(value: float) -> str:
    """A number as LaTeX with five significant digits; small and large ones as a power of ten.

    >>> tex(0.25), tex(0.01154781), tex(50265.48), tex(1.5e-7)
    ('0.25', '0.011548', '50{,}265', '1.5 \\\\cdot 10^{-7}')
    """
    if value == 0:
        return "0"
    power = math.floor(math.log10(abs(value)))
    if not -3 <= power < 9:
        return rf"{row(number(value / 10.0**power, 4))} \cdot 10^{{{power}}}"
    return row(number(value, max(4 - power, 0))).replace(",", "{,}")


def method(stage: Stage) -> Formula:
    """The rule of the chosen method at the pair that is looked at."""
    found, pair = stage.chosen, stage.pair
    extension: Any = found.extension
    fill = _FILLED.get(found.key, _plain)
    ends = f"= {tex(float(found.inv_freq[pair]))}"
    rule = rf"\theta_{{{pair}}}' = {fill(stage, extension, pair)} {ends}"
    # a base that is given follows from no rule
    general = _GIVEN if getattr(extension, "new_base", None) is not None else extension.formula
    return Formula(general, rule, f"{found.title}: {extension.source}.{_stand_in(stage, extension)}")


_GIVEN = r"\theta_i' = b'^{-2i/d}, \quad b' \text{ given}"


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
    m, squared = tex(found.multiplier), tex(found.gain)
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
    return tex(stage.core.base)


def _power(stage: Stage, base: float, pair: int) -> str:
    return rf"{tex(base)}^{{-{2 * pair}/{stage.core.d}}}"


def _theta(stage: Stage, pair: int) -> str:
    return tex(float(stage.plain.inv_freq[pair]))


def _plain(stage: Stage, extension: Any, pair: int) -> str:
    return _power(stage, stage.core.base, pair)


def _linear(stage: Stage, extension: Any, pair: int) -> str:
    return rf"\frac{{{_theta(stage, pair)}}}{{{tex(extension.factor)}}}"


def _new_base(stage: Stage, extension: Any, pair: int) -> str:
    return _power(stage, extension.effective_base(stage.core.d, stage.core.base), pair)


def _ntk(stage: Stage, extension: Any, pair: int) -> str:
    d = stage.core.d
    scale = tex(getattr(extension, "scale", extension.factor))
    inner = rf"\left( {_base(stage)} \cdot {scale}^{{{d}/{d - 2}}} \right)^{{-{2 * pair}/{d}}}"
    return f"{inner} = {_new_base(stage, extension, pair)}"


def _blend(kept: float, stage: Stage, extension: Any, pair: int) -> str:
    theta = _theta(stage, pair)
    divided = rf"\frac{{{theta}}}{{{tex(extension.factor)}}}"
    return rf"{tex(kept)} \cdot {theta} + {tex(1 - kept)} \cdot {divided}"


def _by_parts(stage: Stage, extension: Any, pair: int) -> str:
    share = float(extension.interpolated(stage.core.d, stage.core.base)[pair])
    return _blend(1 - share, stage, extension, pair)


def _longrope(stage: Stage, extension: Any, pair: int) -> str:
    divisor = float(extension.divisors(stage.core.d)[pair])
    return rf"\frac{{{_theta(stage, pair)}}}{{{tex(divisor)}}}"


_FILLED: dict[str, Callable[[Stage, Any, int], str]] = {
    "linear": _linear,
    "ntk": _ntk,
    "dynamic": _ntk,
    "yarn": _by_parts,
    "llama3": _by_parts,
    "longrope": _longrope,
    "base": _new_base,
}
