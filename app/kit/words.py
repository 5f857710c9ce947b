"""The sentences of a room, from one text file beside it.

A line ``# key`` begins a figure or a question, ``name:`` a sentence; what follows indented belongs to it. In
braces stands what a view has, as in ``{row.length}``; after a colon how it is said:

    {x}          a number as the page prints it, or a text as it is
    {x:5}        the same with five decimals
    {n:pair}     a number of things: 1 pair, 3 pairs; ``{n:frequency frequencies}`` where an s is not enough
    {x:%}        a share in per cent
    {x:v}        a vector in brackets; ``v4`` with four decimals
    {x:tiny}     a number whose size matters even where it is nearly 0
    {t:visible}  text of a reader, its spaces made visible
"""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from pathlib import Path
from string import Formatter
from typing import Any

from app.kit.html import counted, minus, number, vector, visible
from app.kit.shares import percent


class Words(Formatter):
    """Sentences by key and name.

    Parameters
    ----------
    module : str
        ``__file__`` of the room's module; the file is ``words.txt`` beside it.
    """

    def __init__(self, module: str) -> None:
        path = Path(module).with_name("words.txt")
        self._said = _read(path.read_text(encoding="utf-8"))

    def __contains__(self, name: object) -> bool:
        return name in self._said

    def raw(self, name: str, otherwise: str | None = None) -> str:
        """A sentence as it stands in the file.

        Raises
        ------
        KeyError
            If there is none of that name.
        """
        return self._said[name] if otherwise is None else self._said.get(name, otherwise)

    def several(self, name: str) -> tuple[str, ...]:
        """Lines that begin with a hyphen, such as the options of a question."""
        return tuple(line.strip() for line in self._said[name].split("- ")[1:])

    def say(self, name: str, view: Any = None, **more: Any) -> str:
        """A sentence with the numbers of a view, and of what else is given, in it."""
        return self.vformat(self._said[name], (view,), more)

    def get_value(self, key: int | str, args: Any, kwargs: Mapping[str, Any]) -> Any:
        """A name is one of those given, or an attribute of the view."""
        name = str(key)
        return kwargs[name] if name in kwargs else getattr(args[0], name)

    def format_field(self, value: Any, spec: str) -> str:
        """One value as the page says it."""
        kind, _, rest = spec.partition(" ")
        if isinstance(value, str):
            return visible(value) if kind == "visible" else value
        if kind.startswith("v"):
            return vector([float(one) for one in value], int(kind[1:] or 3))
        if kind == "%":
            return percent(float(value))
        if kind == "tiny":
            return tiny(float(value))
        if kind and not kind.isdigit():
            return counted(int(value), kind, rest)
        if not isinstance(value, numbers.Real):
            return str(value)
        if isinstance(value, int):
            # a double would round what is beyond 2**53
            return minus(f"{value:,}")
        return number(float(value), int(kind or 3))


def tiny(value: float) -> str:
    """A number with its exponent where three decimals would make it 0.

    >>> tiny(1.5e-7), tiny(0.25), tiny(0)
    ('1.5e−7', '0.25', '0')
    """
    return f"{value:.1e}".replace("e-0", "e-").replace("-", "−") if 0 < abs(value) < 1e-3 else number(value)


def _read(text: str) -> dict[str, str]:
    """Sentences by ``key.name``; those before the first key by their name alone."""
    said: dict[str, list[str]] = {}
    key, lines = "", []
    for line in text.splitlines():
        if line.startswith("# "):
            key = f"{line[2:].strip()}."
        elif line[:1].strip():
            name, _, rest = line.partition(":")
            lines = said[key + name] = [rest.strip()]
        elif line.strip():
            lines.append(line.strip())
    return {name: " ".join(filter(None, parts)) for name, parts in said.items()}
