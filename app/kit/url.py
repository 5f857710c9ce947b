"""The state of a room in the address: each parameter is read and refused by itself.

`Location.sync` drops every value of a call when one is bad, and turns the text ``123`` into a number.
Here the parameter's own type decides how its text is read, a bad one is named in a notice and falls
back to its default, and none disturbs another.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qsl, quote

import param

from app.compat import check
from app.kit.html import number, shorten, visible

LONGEST_QUERY = 4000
LONGEST_TEXT = 1200
EXACT = 2**53
"""The largest whole number that is one in the browser too: beyond it a double skips some."""
PARTS = ("controls", "formula", "code", "questions", "numbers", "title", "caption", "menu")
BESIDE = ("room", "spec")
"""What an address says to the page: which room, and where a specification is."""
THEMES = ("light", "dark", "auto")


@dataclass(frozen=True)
class Options:
    """What the address says about the page and not about the room."""

    embed: bool = False
    hide: frozenset[str] = frozenset()
    theme: str = "auto"
    figure: str = ""
    """The one figure that is shown; "" is all of the room."""


@dataclass(frozen=True)
class Parsed:
    """A query string, read: the values for the State, the options, and what was refused and why."""

    values: dict[str, Any] = field(default_factory=dict)
    options: Options = Options()
    notices: tuple[str, ...] = ()


def parse(
    query: str,
    state: type[param.Parameterized],
    figures: Collection[str] = (),
    before: Mapping[str, Any] = MappingProxyType({}),
) -> Parsed:
    """Read a query string, with or without its question mark, against the parameters of ``state``.

    ``figures`` are those that can be shown alone, ``before`` the options where the address has none.
    """
    text = query.removeprefix("?")
    if len(text) > LONGEST_QUERY:
        return Parsed(
            options=Options(**before),
            notices=(
                f"The address holds {len(text):,} characters; at most {LONGEST_QUERY:,} are read. "
                "Every setting is at its default.",
            ),
        )
    pairs = parse_qsl(text, keep_blank_values=True)
    given: dict[str, list[str]] = {}
    for name, value in pairs:
        given.setdefault(name, []).append(value)
    notices: list[str] = []
    values: dict[str, Any] = {}
    options: dict[str, Any] = {}
    known = settings(state)
    readers = {*_OPTIONS, "figure"} if figures else set(_OPTIONS)
    for name, texts in given.items():
        if name in BESIDE:
            continue
        try:
            if name not in known and name not in readers:
                raise ValueError("there is no setting of that name here")
            if len(texts) > 1:
                raise ValueError(f"it is given {len(texts)} times")
            if name in known:
                values[name] = read(known[name], texts[0])
            else:
                options[name] = option(name, texts[0], figures)
        except ValueError as error:
            notices.append(_notice(name, texts[-1], str(error), known))
    return Parsed(values, Options(**{**before, **options}), tuple(notices))


def settings(state: type[param.Parameterized]) -> dict[str, param.Parameter]:
    """The parameters of a State that a reader may set, by name."""
    return {
        name: state.param[name]
        for name in state.param
        if name != "name" and (state.param[name].precedence or 0) >= 0
    }


def given(state: type[param.Parameterized]) -> tuple[str, ...]:
    """The parameters of a State that hold a teacher's own data: no address has them."""
    return tuple(name for name in state.param if (state.param[name].precedence or 0) < 0)


def option(name: str, text: str, figures: Collection[str] = ()) -> Any:
    """One option of a page from its text.

    Raises
    ------
    ValueError
        Saying what the option takes.
    """
    return _one_of(figures, text) if name == "figure" else _OPTIONS[name](text)


def read(parameter: param.Parameter, text: str) -> Any:
    """One value from its text, checked against the parameter's own bounds and choices.

    Raises
    ------
    ValueError
        Saying what the parameter takes.
    """
    value = _reader(parameter)(text)
    if isinstance(parameter, param.Number) and not isinstance(parameter, param.Boolean):
        low, high = parameter.bounds or (None, None)
        if (low is not None and value < low) or (high is not None and value > high):
            raise ValueError(f"it takes {_between(low, high)}")
    try:
        check(parameter, value)
    except ValueError as error:
        raise ValueError(_plain(parameter, error)) from error
    return value


def write(state: param.Parameterized) -> tuple[str, tuple[str, ...]]:
    """The query string of a state: what differs from the defaults, and what was too long to go along."""
    written, left_out = [], []
    for name, parameter in settings(type(state)).items():
        value = getattr(state, name)
        if value == parameter.default:
            continue
        # half of a surrogate pair has no place in an address: it becomes a question mark there
        text = quote(as_text(value), safe=",:;", errors="replace")
        if len(text) > LONGEST_TEXT:
            left_out.append(name)
        else:
            written.append(f"{name}={text}")
    return "&".join(written), tuple(left_out)


def as_text(value: Any) -> str:
    """A value as an address has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (tuple, list)):
        return ",".join(as_text(part) for part in value)
    return str(value)


def _reader(parameter: param.Parameter) -> Callable[[str], Any]:
    if isinstance(parameter, param.Boolean):
        return _boolean
    if isinstance(parameter, (param.NumericTuple, param.Range)):
        length = getattr(parameter, "length", 2)
        whole = all(isinstance(part, int) for part in parameter.default or ())
        return lambda text: _numbers(text, length, whole)
    if isinstance(parameter, param.Integer):
        return _integer
    if isinstance(parameter, param.Number):
        return _number
    if isinstance(parameter, param.ListSelector):
        return lambda text: [_choice(parameter, part) for part in text.split(",") if part]
    if isinstance(parameter, param.Selector):
        return lambda text: _choice(parameter, text)
    if isinstance(parameter, param.List):
        return lambda text: [_number(part) for part in text.split(",") if part]
    return str


def _boolean(text: str) -> bool:
    lowered = text.lower()
    if lowered in {"true", "1", "on", "yes"}:
        return True
    if lowered in {"false", "0", "off", "no"}:
        return False
    raise ValueError("it takes true or false")


def _integer(text: str) -> int:
    try:
        value = int(text)
    except ValueError as error:
        raise ValueError("it takes a whole number") from error
    if abs(value) > EXACT:
        raise ValueError(f"it takes a whole number of at most {EXACT:,}")
    return value


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError as error:
        raise ValueError("it takes a number") from error
    if not math.isfinite(value):
        raise ValueError("it takes a finite number")
    return value


def _numbers(text: str, length: int, whole: bool) -> tuple[float, ...]:
    parts = text.split(",")
    if len(parts) != length:
        raise ValueError(f"it takes {length} numbers with commas between them")
    return tuple(_integer(part) if whole else _number(part) for part in parts)


def _choice(parameter: param.Selector, text: str) -> Any:
    choices = list(parameter.objects)
    for choice in choices:
        if str(choice) == text:
            return choice
    # 10 and 10.0 are the same number, however a control or an address writes it
    for choice in choices:
        if isinstance(choice, (int, float)) and not isinstance(choice, bool) and _equals(choice, text):
            return choice
    raise ValueError(f"it takes one of {', '.join(str(choice) for choice in choices[:24])}")


def _equals(choice: float, text: str) -> bool:
    try:
        return _number(text) == choice
    except ValueError:
        return False


def _between(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return f"at least {number(low)}" if low is not None else f"at most {number(high or 0)}"
    return f"a number from {number(low)} to {number(high)}"


def _plain(parameter: param.Parameter, error: Exception) -> str:
    bounds = getattr(parameter, "bounds", None)
    if bounds and any(bound is not None for bound in bounds):
        return f"it takes {_between(*bounds)}"
    return str(error)


def _flag(text: str) -> bool:
    return _boolean(text)


def _hidden(text: str) -> frozenset[str]:
    parts = [part for part in text.split(",") if part]
    unknown = [part for part in parts if part not in PARTS]
    if unknown:
        raise ValueError(f"it takes a list of {', '.join(PARTS)}")
    return frozenset(parts)


def _theme(text: str) -> str:
    if text not in THEMES:
        raise ValueError("it takes light, dark or auto")
    return text


def _one_of(figures: Collection[str], text: str) -> str:
    if text not in figures:
        raise ValueError(f"the figures of this room are {', '.join(figures)}")
    return text


_OPTIONS: Mapping[str, Callable[[str], Any]] = {"embed": _flag, "hide": _hidden, "theme": _theme}


def _notice(name: str, text: str, reason: str, known: Mapping[str, param.Parameter]) -> str:
    said = f"{visible(name, 40)}={visible(text, 40)}"
    if name in known:
        default = known[name].default
        written = "" if default in (None, "") else f", {shorten(as_text(default), 40)}"
        return f"The address says {said}, but {reason}. {name} is at its default{written}."
    if name in _OPTIONS or name == "figure":
        return f"The address says {said}, but {reason}. It is not applied."
    return f"The address says {said}, but {reason}. It is ignored."
