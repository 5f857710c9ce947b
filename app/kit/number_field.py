"""A field for a number that reads what people write: decimal commas, thousands signs, a real minus.

A browser's own number field drops signs it does not know, so "2,5" becomes 25. This one is a text field; what
cannot be read, or is out of bounds, is said in a sentence, and the field returns to its last value.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, ClassVar

import param

from app.compat import TextField
from app.kit import guard
from app.kit.html import number, visible

_SPACES = re.compile(r"[\s\u00a0\u2009\u202f_'’]+")
_GROUPED = {
    mark: re.compile(rf"[+-]?\d{{1,3}}(?:{re.escape(mark)}\d{{3}})+(?:{re.escape(other)}\d+)?")
    for mark, other in ((",", "."), (".", ","))
}


def readings(text: str) -> list[float]:
    """All numbers that a text can mean.

    >>> readings("2,5"), readings("1,234"), readings("1.234,5"), readings("12 000"), readings("−3")
    ([2.5], [1.234, 1234.0], [1234.5], [12000.0], [-3.0])
    """
    plain = _SPACES.sub("", text).replace("−", "-")
    found = []
    for written in (plain, plain.replace(",", ".") if plain.count(",") == 1 and "." not in plain else ""):
        found += _float(written)
    for mark, pattern in _GROUPED.items():
        if pattern.fullmatch(plain):
            found += _float(plain.replace(mark, "").replace(",", "."))
    return sorted(set(found))


def _float(text: str) -> list[float]:
    # float() knows more than people write: "nan", "infinity", digits of other scripts are fine, words are not
    try:
        value = float(text)
    except ValueError:
        return []
    return [value] if math.isfinite(value) else []


def read(text: str, *, whole: bool, low: float | None, high: float | None) -> float:
    """The number that a text means within bounds.

    Raises
    ------
    ValueError
        If it means none, or more than one; it names the text and what can be typed.
    """
    found = readings(text)
    if not found:
        raise ValueError(f"“{visible(text, 40)}” is not a number")
    fitting = [value for value in found if not whole or value == int(value)]
    if not fitting:
        raise ValueError(f"“{visible(text, 40)}” is not a whole number")
    within = [value for value in fitting if (low is None or value >= low) and (high is None or value <= high)]
    if not within:
        raise ValueError(f"{number(fitting[0], 6)} is out of range: it takes {_between(low, high)}")
    if len(within) > 1:
        meant = " or ".join(str(value).removesuffix(".0") for value in within)
        raise ValueError(f"“{visible(text, 40)}” can mean {meant}: write it in one of these ways")
    return within[0]


def _between(low: float | None, high: float | None) -> str:
    if low is None:
        return "any number" if high is None else f"at most {number(high, 6)}"
    return f"at least {number(low, 6)}" if high is None else f"{number(low, 6)} to {number(high, 6)}"


class NumberField(TextField):
    """The field. ``value`` is a number, or None where there is none to show.

    Parameters
    ----------
    parameter : param.Number
        Whose owner's room says what is refused; its bounds and kind hold for what is typed.
    """

    value = param.Number(default=None, allow_None=True, doc="The number.")
    step = param.Number(default=1, doc="What an arrow key adds.")
    end = param.Number(
        default=None, allow_None=True, doc="The largest number, where the parameter has no bound."
    )

    _rename: ClassVar[Mapping[str, str | None]] = {"step": None, "end": None}

    def __init__(self, parameter: param.Number, **options: Any) -> None:
        self._parameter = parameter
        self._whole = isinstance(parameter, param.Integer)
        low, high = parameter.bounds or (None, None)
        self._low: float | None = low
        options.setdefault("step", parameter.step or 1)
        options.setdefault("label", str(parameter.label))
        self._highest: float | None = high if high is not None else options.get("end")
        ends = ",".join("" if end is None else str(end) for end in (low, self._highest, options["step"]))
        kind = "whole" if self._whole else "any"
        super().__init__(tags=[f"number:{kind},{ends}"], **options)

    @classmethod
    def bound(cls, parameter: param.Number, **options: Any) -> NumberField:
        """A field that is the parameter: each follows the other."""
        owner, name = parameter.owner, parameter.name
        made = cls(parameter, value=getattr(owner, name), **options)
        made.param.watch(lambda event: setattr(owner, name, event.new), "value")
        owner.param.watch(lambda event: setattr(made, "value", event.new), name)
        return made

    def _text(self, value: float | None) -> str:
        if value is None:
            return ""
        written = repr(value).removesuffix(".0")
        return written.replace("e+", "e")

    def to_page(self, changes: dict[str, Any]) -> dict[str, Any]:
        """The number as text."""
        if "value" in changes:
            changes["value"] = self._text(changes["value"])
        return changes

    def from_page(self, changes: dict[str, Any]) -> dict[str, Any]:
        """The text as a number."""
        if "value" in changes and not (
            changes["value"] is None or isinstance(changes["value"], (int, float))
        ):
            changes["value"] = self._taken(changes["value"])
        return changes

    def arrived(self, events: dict[str, Any]) -> None:
        """The field shows the number as it was taken, or the one before."""
        if "value" in events and events["value"] != self._text(self.value):
            self.param.trigger("value")

    def _taken(self, text: str) -> float | None:
        last: float | None = self.value
        if not text.strip():
            return last
        try:
            value = read(text, whole=self._whole, low=self._low, high=self._highest)
        except ValueError as reason:
            kept = "" if last is None else f" It stays at {number(last, 6)}."
            guard.tell(self._parameter.owner, f"{self.label}: {reason}.{kept}")
            return last
        return int(value) if self._whole else value
