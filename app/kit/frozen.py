"""Views share cached parts, those of other readers too: their arrays are read-only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

T = TypeVar("T")


def freeze(view: T) -> T:
    """Make every array that a view holds read-only, however deep it lies, and return the view.

    An array is recognised by its ``setflags``: this folder knows no NumPy.
    """
    _freeze(view, set())
    return view


def _freeze(part: Any, seen: set[int]) -> None:
    if isinstance(part, (str, bytes, int, float, type(None))) or id(part) in seen:
        return
    seen.add(id(part))
    if hasattr(part, "setflags"):
        part.setflags(write=False)
    elif is_dataclass(part) and not isinstance(part, type):
        for field in fields(part):
            _freeze(getattr(part, field.name), seen)
    elif isinstance(part, Mapping):
        for value in part.values():
            _freeze(value, seen)
    elif isinstance(part, (tuple, list, set, frozenset)):
        for value in part:
            _freeze(value, seen)
