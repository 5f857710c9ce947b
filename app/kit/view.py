"""A view: what a figure shows of one snapshot; a part is computed when it is first asked for, read-only."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from app.kit.frozen import freeze


class part(cached_property[Any]):
    """A part of a view: computed once, its arrays read-only."""

    def __init__(self, compute: Callable[[Any], Any]) -> None:
        super().__init__(lambda view: freeze(compute(view)))
        self.__doc__ = compute.__doc__


class View:
    """Base of the views of a room.

    Parameters
    ----------
    s : Snapshot
        What the figure uses of the State.
    """

    s: Any

    def __init__(self, s: Any) -> None:
        self.__dict__["s"] = s

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a view is what was computed: {name} cannot be set")
