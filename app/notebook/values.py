"""Values of a State as Python has them, checked as an address is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import param
from traitlets import TraitError, TraitType

from app.kit import url
from app.kit.room import Room


class Setting(TraitType[Any, Any]):
    """A setting of a room: what is set is read as an address reads it, or refused with its name."""

    def __init__(self, parameter: param.Parameter) -> None:
        super().__init__(default_value=parameter.default, help=parameter.doc or parameter.label)
        self.parameter = parameter

    def validate(self, obj: Any, value: Any) -> Any:
        """The value as the State takes it."""
        return taken(self.parameter, value)


def taken(parameter: param.Parameter, value: Any) -> Any:
    """A value as a State takes it: 10 and 10.0 are one choice, and a list of numbers may be an array.

    Raises
    ------
    TraitError
        Naming the setting, the value, and what it takes.
    """
    if value is None and parameter.default is None:
        return None
    try:
        return url.read(parameter, _text(value))
    except ValueError as reason:
        raise TraitError(f"{parameter.name} is {value!r}, but {str(reason).removesuffix('.')}.") from reason


def checked(room: type[Room] | Room, values: Mapping[str, Any]) -> dict[str, Any]:
    """Values for settings of a room, each checked by itself.

    Raises
    ------
    TraitError
        If there is no setting of a name, or it does not take its value.
    """
    known = url.settings(room.State)
    for name in values:
        if name not in known:
            raise TraitError(f"{room.key} has no setting {name!r}; it has {', '.join(known)}.")
    return {name: taken(known[name], value) for name, value in values.items()}


def plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values as JSON has them."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def _text(value: Any) -> str:
    value = value.tolist() if hasattr(value, "tolist") else value  # numbers and arrays of NumPy
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Iterable) and not isinstance(value, str):
        return ",".join(_text(part) for part in value)
    return str(value)
