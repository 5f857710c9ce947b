"""Typed reading of JSON fields, with errors that name the field."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NoReturn, TypeVar, overload

from lab.given import given
from lab.json_text import read_json

WIDEST_COUNT = 2**24
Default = TypeVar("Default")


class _Required:
    """Stands for "no default": None is a default of its own."""


REQUIRED = _Required()


def parse(config: str | Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the object in a JSON text, or the mapping itself.

    Raises
    ------
    ValueError
        If `read_json` refuses the text, or what it holds is not an object.

    Examples
    --------
    >>> parse('{"factor" 4.0}')
    Traceback (most recent call last):
        ...
    ValueError: not valid JSON at line 1, column 11: Expecting ‘:’ delimiter
    """
    values = read_json(config) if isinstance(config, str) else config
    if not isinstance(values, Mapping):
        raise ValueError(f"a configuration is a JSON object in braces; got {_kind(values)}")
    return values


def words(text: str) -> frozenset[str]:
    """Return the words of a text that lists names.

    Examples
    --------
    >>> sorted(words("gpt2 bert"))
    ['bert', 'gpt2']
    """
    return frozenset(text.split())


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    names = {bool: "true or false", str: "text", list: "a list", dict: "an object", tuple: "a list"}
    return names.get(type(value), "a number")


class Section:
    """One JSON object whose fields are read by type.

    Parameters
    ----------
    path : str
        What messages put before the field, empty at the top.
    values : mapping
        The object. A field that is null counts as missing.

    Examples
    --------
    >>> Section("rope_scaling", {"factor": "4"}).number("factor")
    Traceback (most recent call last):
        ...
    ValueError: rope_scaling.factor must be a number; got text, ‘4’
    """

    def __init__(self, path: str, values: Mapping[str, Any]) -> None:
        self.path = path
        self.values = values
        self._read: set[str] = set()

    def unread(self) -> list[str]:
        """Return the fields nothing has asked for, sorted."""
        return sorted(
            str(name) for name, value in self.values.items() if value is not None and name not in self._read
        )

    def seen(self, *names: str) -> None:
        """Count fields as read that were looked at without being checked."""
        self._read.update(names)

    def section(self, name: str) -> Section:
        """Return the object in a field."""
        value = self._value(name)
        if not isinstance(value, Mapping):
            self._refuse(name, "an object in braces", value)
        return Section(self._full(name), value)

    @overload
    def number(self, name: str) -> float: ...
    @overload
    def number(self, name: str, default: Default) -> float | Default: ...
    def number(self, name: str, default: Any = REQUIRED) -> Any:
        """Return a finite number as a float."""
        value = self._value(name, default)
        return default if value is default else self._number(name, value)

    @overload
    def count(self, name: str) -> int: ...
    @overload
    def count(self, name: str, default: Default) -> int | Default: ...
    def count(self, name: str, default: Any = REQUIRED) -> Any:
        """Return a whole number of at least 1; 4096.0 is one."""
        value = self._value(name, default)
        if value is default:
            return default
        number = self._number(name, value)
        if number < 1 or number != int(number) or number > WIDEST_COUNT:
            self._refuse(name, "a whole number from 1 to 16,777,216", value)
        return int(number)

    def flag(self, name: str, default: bool) -> bool:
        """Return true or false."""
        value = self._value(name, default)
        if not isinstance(value, bool):
            self._refuse(name, "true or false", value)
        return value

    def text(self, name: str) -> str | None:
        """Return a text, or None if there is none."""
        value: object = self._value(name, None)
        if value is not None and not isinstance(value, str):
            self._refuse(name, "text", value)
        return value

    def numbers(self, name: str) -> tuple[float, ...]:
        """Return a list of finite numbers."""
        value = self._value(name)
        if not isinstance(value, (list, tuple)):
            self._refuse(name, "a list of numbers", value)
        return tuple(self._number(f"{name}[{place}]", entry) for place, entry in enumerate(value))

    def _value(self, name: str, default: Any = REQUIRED) -> Any:
        self._read.add(name)
        value = self.values.get(name)
        if value is not None:
            return value
        if default is REQUIRED:
            raise ValueError(f"{self._full(name)} is missing")
        return default

    def _number(self, name: str, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            self._refuse(name, "a number", value)
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            self._refuse(name, "a finite number", number)
        return number

    def _full(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name

    def _refuse(self, name: str, wanted: str, value: Any) -> NoReturn:
        kind = _kind(value)
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        shown = given(value) if number else f"{kind}, {given(value)}"
        raise ValueError(f"{self._full(name)} must be {wanted}; got {shown}")
