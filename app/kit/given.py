"""A teacher's own numbers in a specification: how each part is read, and as what a schema publishes it.

A reader takes what JSON holds and returns plain tuples, or says in a ValueError what it takes and what it got
instead. What the parts make together is the room's affair: see `Guarded.take`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import param

from app.kit import controls
from app.kit.fields import Field
from app.kit.html import counted
from lab.given import given as named

Vector = tuple[float, ...]
Matrix = tuple[Vector, ...]
Counts = tuple[tuple[str, int], ...]

GIVEN = "given"
"""The teacher's own among the examples of a room."""
TITLE = "Table of this page"
"""What they are called where she gives no name."""
LARGEST = 1e9
"""Magnitude of a number: products of several still are finite."""
LONGEST = 40
"""Characters of a token."""


@dataclass(frozen=True)
class Given:
    """How one part is read.

    Parameters
    ----------
    schema : mapping
        The same as JSON Schema says it.
    read : callable
        From JSON to a value that cannot change.
    """

    schema: Mapping[str, Any]
    read: Callable[[Any], Any]

    def __call__(self, value: Any) -> Any:
        """Read a value.

        Raises
        ------
        ValueError
            Saying what it takes.
        """
        return self.read(value)


def matrix(*, most_rows: int, most_columns: int, least_rows: int = 1) -> Given:
    """A list of rows of numbers, all of one length.

    >>> matrix(most_rows=4, most_columns=3)([[1, 2], [3, 4.5]])
    ((1.0, 2.0), (3.0, 4.5))
    """
    row = vector(most=most_columns)

    def read(value: Any) -> Matrix:
        lines = _items(value, "row", least_rows, most_rows)
        rows = []
        for at, line in enumerate(lines, start=1):
            rows.append(_within(f"row {at}", row, line))
            if len(rows[-1]) != len(rows[0]):
                first, here = counted(len(rows[0]), "number"), len(rows[-1])
                raise ValueError(f"row {at} has {counted(here, 'number')}, and row 1 has {first}")
        return tuple(rows)

    return Given(_list(row.schema, least_rows, most_rows), read)


def vector(*, most: int, least: int = 1, low: float | None = None) -> Given:
    """A list of numbers; ``low`` is the least that each may be.

    >>> vector(most=3)([1, -0.5])
    (1.0, -0.5)
    """

    def read(value: Any) -> Vector:
        numbers = _items(value, "number", least, most)
        return tuple(_number(one, f"number {at}", low) for at, one in enumerate(numbers, start=1))

    lowest = -LARGEST if low is None else low
    return Given(_list({"type": "number", "minimum": lowest, "maximum": LARGEST}, least, most), read)


def tokens(*, most: int, different: bool = True) -> Given:
    """A list of tokens; a leading space is part of one.

    >>> tokens(most=3)(["the", " cat"])
    ('the', ' cat')
    """
    one = text(most=LONGEST)

    def read(value: Any) -> tuple[str, ...]:
        listed = _items(value, "token", 1, most)
        found = tuple(_within(f"token {at}", one, token) for at, token in enumerate(listed, start=1))
        places: dict[str, int] = {}
        for at, token in enumerate(found, start=1):
            if different and token in places:
                raise ValueError(f"token {at}, {named(token)}, is token {places[token]} already")
            places[token] = at
        return found

    unique = {"uniqueItems": True} if different else {}
    return Given({**_list(one.schema, 1, most), **unique}, read)


def text(*, most: int) -> Given:
    """A text that is not blank.

    >>> text(most=12)("the cat")
    'the cat'
    """

    def read(value: Any) -> str:
        if not isinstance(value, str):
            raise ValueError(f"it takes a text, not {_kind(value)}")
        if not 1 <= len(value) <= most:
            raise ValueError(f"it takes 1 to {most:,} characters, and it has {len(value):,}")
        # half a surrogate pair has no code, in an address or on a page
        return value.encode("utf-8", "replace").decode("utf-8")

    return Given({"type": "string", "minLength": 1, "maxLength": most}, read)


def whole(*, least: int, most: int) -> Given:
    """A whole number.

    >>> whole(least=1, most=8)(2)
    2
    """

    def read(value: Any) -> int:
        number = not isinstance(value, bool) and isinstance(value, (int, float))
        if not number or not least <= value <= most or value != int(value):
            raise ValueError(f"it takes a whole number from {least:,} to {most:,}, not {named(value)}")
        return int(value)

    return Given({"type": "integer", "minimum": least, "maximum": most}, read)


def counts(*, most: int, largest: int) -> Given:
    """How often each token comes: an object from tokens to counts, or a list of counts alone.

    >>> counts(most=3, largest=99)({"the": 5, "cat": 2}), counts(most=3, largest=99)([5, 2])
    ((('the', 5), ('cat', 2)), (('', 5), ('', 2)))
    """
    count = whole(least=0, most=largest)
    one = text(most=LONGEST)

    def read(value: Any) -> Counts:
        if isinstance(value, Mapping):
            _size(len(value), "token", 1, most)
            pairs = tuple((_within("a token", one, name), number) for name, number in value.items())
        else:
            pairs = tuple(("", number) for number in _items(value, "count", 1, most))
        found = tuple(
            (name, _within(f"the count of {named(name)}" if name else f"count {at}", count, number))
            for at, (name, number) in enumerate(pairs, start=1)
        )
        if not any(number for _, number in found):
            raise ValueError("it takes at least one count above 0")
        return found

    by_name = {"type": "object", "minProperties": 1, "maxProperties": most}
    schema = {"anyOf": [{**by_name, "additionalProperties": count.schema}, _list(count.schema, 1, most)]}
    return Given(schema, read)


def parts(required: Mapping[str, Given], optional: Mapping[str, Given] = MappingProxyType({})) -> Given:
    """An object with all of these parts, and perhaps some more.

    >>> parts({"x": vector(most=2)}, {"y": vector(most=2)})({"x": [1]})
    {'x': (1.0,)}
    """
    readers = {**required, **optional}

    def read(value: Any) -> dict[str, Any]:
        if not isinstance(value, Mapping) or not set(required) <= set(value) <= set(readers):
            more = f", and perhaps {' and '.join(optional)}" if optional else ""
            raise ValueError(f"it takes an object with {' and '.join(required)}{more}")
        return {name: _within(name, readers[name], part) for name, part in value.items()}

    schema = {name: reader.schema for name, reader in readers.items()}
    closed = {"required": [*required], "additionalProperties": False}
    return Given({"type": "object", "properties": schema, **closed}, read)


def one_of(*names: str) -> Given:
    """One of a few words.

    >>> one_of("interleaved", "half")("half")
    'half'
    """

    def read(value: Any) -> str:
        if value not in names:
            raise ValueError(f"it takes {' or '.join(names)}, not {named(value)}")
        return str(value)

    return Given({"enum": [*names]}, read)


def document(*, most: int) -> Given:
    """An object that another reader knows, handed on as JSON text of at most so many characters.

    >>> document(most=40)({"vocab_size": 50257})
    '{\\n "vocab_size": 50257\\n}'
    """

    def read(value: Any) -> str:
        if not isinstance(value, Mapping):
            raise ValueError(f"it takes an object, not {_kind(value)}")
        written = json.dumps(value, ensure_ascii=False, indent=1)
        if len(written) > most:
            raise ValueError(f"it takes at most {most:,} characters of JSON, and this has {len(written):,}")
        return written

    return Given({"type": "object"}, read)


def beginning(state: type[param.Parameterized], begins: Mapping[str, Any]) -> type[param.Parameterized]:
    """The State of a page whose settings have other defaults; a choice offers its own beside the others."""
    made: dict[str, Any] = {}
    for name, value in begins.items():
        usual = state.param[name]
        offered = [*usual.objects] if isinstance(usual, param.Selector) else None
        more = {} if offered is None else {"objects": offered if value in offered else [value, *offered]}
        # what is not said here, such as its bounds and its label, a parameter has from the class above
        made[name] = type(usual)(default=value, label=usual.label, **more)
    return type(state.__name__, (state,), made)


def own_choice(
    parameter: param.Selector,
    labels: Mapping[str, str],
    of: str,
    kind: Callable[..., Any] = controls.select,
) -> Field:
    """The list of a room's examples, and the teacher's own in the State's ``of`` by its ``name``."""
    own = getattr(parameter.owner, of)
    if own is None:
        return Field(kind(parameter, labels))
    # with one more they are too many to stand side by side
    return Field(controls.select(parameter, {GIVEN: own.name, **labels}))


def _items(value: Any, what: str, least: int, most: int) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"it takes a list of {what}s, not {_kind(value)}")
    _size(len(value), what, least, most)
    return value


def _size(count: int, what: str, least: int, most: int) -> None:
    if not least <= count <= most:
        bounds = f"{least:,} to {most:,}" if least < most else f"{most:,}"
        raise ValueError(f"it takes {bounds} {what}s, and it has {count:,}")


def _number(value: Any, where: str, low: float | None) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"{where} is {_kind(value)}, {named(value)}, and no number")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{where} is {named(value)}; every number must be finite")
    if abs(value) > LARGEST:
        raise ValueError(f"{where} is {named(value)}; every number must lie within ±{LARGEST:,.0f}")
    if low is not None and value < low:
        raise ValueError(f"{where} is {named(value)}; every number must be at least {low:g}")
    return float(value)


def _within(where: str, read: Given, value: Any) -> Any:
    try:
        return read(value)
    except ValueError as reason:
        raise ValueError(f"{where}: {reason}") from None


def _list(item: Mapping[str, Any], least: int, most: int) -> dict[str, Any]:
    return {"type": "array", "minItems": least, "maxItems": most, "items": dict(item)}


def _kind(value: Any) -> str:
    """What JSON calls a value."""
    names = {str: "a text", bool: "true or false", list: "a list", dict: "an object", type(None): "null"}
    return names.get(type(value), "a number")
