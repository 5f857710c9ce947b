"""States drawn from the parameters of a State: corners often, everything in between as well."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import param
from hypothesis import strategies as st

from app.kit import url
from app.kit.room import Room
from tests.sweep import typed

UNBOUNDED = 10**9
"""How far a setting without a bound is drawn in the usual case."""
_HUGE = (10**12, 2**63, 10**309)


def _integers(low: int | None, high: int | None, default: Any) -> st.SearchStrategy[int]:
    first, last = (-3 if low is None else low), (UNBOUNDED if high is None else high)
    corners = {first, first + 1, last - 1, last, 0, 1, 2, 3}
    corners |= {default} if isinstance(default, int) else set()
    corners |= set(_HUGE) if high is None else set()
    powers = {2**power + more for power in range(1, 26) for more in (-1, 0, 1)}
    inside = sorted(value for value in corners if first <= value and (high is None or value <= last))
    near = sorted(value for value in powers if first <= value <= last)
    choices = [st.sampled_from(inside), st.integers(first, last), st.integers(first, min(first + 40, last))]
    if high is None:
        # what is far too large is refused, whatever else is set
        choices += [
            st.integers(1, 4096),
            st.integers(1, 300_000),
            st.integers(1, 64).map(lambda value: 64 * value),
        ]
    return st.one_of(*choices, *([st.sampled_from(near)] if near else []))


def _floats(low: float | None, high: float | None) -> st.SearchStrategy[float]:
    first, last = (-1e9 if low is None else float(low)), (1e6 if high is None else float(high))
    corners = {first, last, 0.0, 0.5, 1.0, 1.5, 2.0, *(() if high is not None else (1e15, 1e300))}
    corners |= {10.0**power for power in range(-9, 16)}
    inside = sorted(value for value in corners if first <= value and (high is None or value <= last))
    anywhere = st.floats(first, last, allow_nan=False)
    rounded = anywhere.map(lambda value: min(max(float(f"{value:.2g}"), first), last))
    near = st.floats(first, min(first + 8, last)).map(lambda value: max(round(value, 2), first))
    return st.one_of(st.sampled_from(inside), anywhere, rounded, near)


def _generic(parameter: param.Parameter) -> st.SearchStrategy[Any]:
    bounds = getattr(parameter, "bounds", None) or (None, None)
    if isinstance(parameter, param.Boolean):
        return st.booleans()
    if isinstance(parameter, param.NumericTuple):
        number = st.one_of(st.integers(-1, 12), st.integers(1, 600))
        return st.tuples(*[number] * parameter.length)
    if isinstance(parameter, param.Integer):
        return _integers(*bounds, parameter.default)
    if isinstance(parameter, param.Number):
        return _floats(*bounds)
    if isinstance(parameter, param.ListSelector):
        return st.lists(st.sampled_from(list(parameter.objects)), unique=True)
    if isinstance(parameter, param.Selector):
        return st.sampled_from(list(parameter.objects))
    if isinstance(parameter, param.List):
        return st.lists(st.floats(-1e6, 1e6), max_size=8)
    raise TypeError(f"no strategy for {type(parameter).__name__}")


def values(parameter: param.Parameter) -> st.SearchStrategy[Any]:
    """What one parameter takes, None where it is allowed."""
    taken = _generic(parameter)
    may_be_none = parameter.allow_None and not isinstance(parameter, param.Selector)
    return st.one_of(st.none(), taken) if may_be_none else taken


@st.composite
def _drawn(
    draw: st.DrawFn, key: str, settings: Mapping[str, param.Parameter], made: Mapping[str, Any]
) -> Any:
    state: dict[str, Any] = {}
    # one setting away from the default is where readers are; all at once is where bounds multiply
    stays = draw(st.sampled_from([0, 1, 3, 6]))
    # most readers type what belongs in a field; the others are here too
    tame = bool(draw(st.integers(0, 2)))
    for name, parameter in settings.items():
        if draw(st.integers(0, 6)) < stays:
            state[name] = parameter.default
        elif isinstance(parameter, param.String):
            state[name] = draw(typed.text(key, name, state, tame=tame))
        else:
            state[name] = draw(made[name])
    return state


def states(room: type[Room]) -> st.SearchStrategy[dict[str, Any]]:
    """States of a room, all of them within what its State allows."""
    settings = url.settings(room.State)
    made = {name: values(item) for name, item in settings.items() if not isinstance(item, param.String)}
    return _drawn(room.key, settings, made)
