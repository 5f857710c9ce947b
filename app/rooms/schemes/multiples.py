"""Small multiples: matrices of one shape, side by side on one colour scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.kit.html import Markup, escape, join, minus, tag
from app.kit.matrix import shade

_HEAD, _CELL, _LEAST = 36, 34, 216
"""Widths in pixels: a row's head, a cell with its number, and the least of a matrix."""
PRINTED = 8
"""Columns up to which numbers are printed; more would not fit beside each other."""


@dataclass(frozen=True)
class Multiple:
    """One matrix with its title; without values it shows why there are none."""

    title: str
    colour: str
    """A colour token."""
    under: str = ""
    values: Any = None
    """(n, m) array, or None."""
    error: str = ""
    note: Markup | str = ""
    """The line below the matrix."""


def multiples(
    parts: Sequence[Multiple], *, strongest: float, rows: Sequence[str], columns: Sequence[str]
) -> Markup:
    """Matrices that share their rows, columns and colour scale; colours end at ``strongest``.

    Numbers are shortened to fit; where columns are many or the page is narrow, only the colours are left.
    """
    many = len(columns) > PRINTED
    width = _LEAST if many else max(_LEAST, _HEAD + _CELL * len(columns))
    ends = (0, len(columns) - 1)
    named = [name if index in ends or not many else "" for index, name in enumerate(columns)]
    digits = 2 if len(columns) <= 5 else 1
    heads, labels = _head(named), [str(escape(row)) for row in rows]
    return tag(
        "div",
        join(_one(part, strongest, heads, labels, digits) for part in parts),
        class_="lab-multiples lab-many" if many else "lab-multiples",
        style=f"--w: {width}px; --n: {len(columns)}",
    )


def _one(part: Multiple, strongest: float, heads: Markup, labels: Sequence[str], digits: int) -> Markup:
    if part.values is None:
        body = tag("div", tag("p", part.error, class_="lab-error"), style=f"--rows: {len(labels) + 1}")
    else:
        body = tag("table", heads, _body(part.values.tolist(), strongest, labels, digits))
    return tag(
        "figure",
        tag("figcaption", tag("b", part.title), tag("span", part.under) if part.under else ""),
        body,
        tag("p", part.note, class_="lab-multiple-note") if part.note else "",
        class_="lab-matrix lab-multiple",
        style=f"--scheme: var(--{part.colour})",
    )


def _head(columns: Sequence[str]) -> Markup:
    heads = join(tag("th", column, scope="col") for column in columns)
    return tag("thead", tag("tr", tag("td"), heads))


def _body(grid: list[list[float]], strongest: float, labels: Sequence[str], digits: int) -> Markup:
    # hundreds of cells a draw: they are written directly, and hold nothing but numbers
    lines = []
    for label, values in zip(labels, grid, strict=True):
        cells = "".join(_cell(value, strongest, digits) for value in values)
        lines.append(f'<tr><th scope="row">{label}</th>{cells}</tr>')
    return Markup(f"<tbody>{''.join(lines)}</tbody>")


def _cell(value: float, strongest: float, digits: int) -> str:
    strength = round(min(abs(value) / strongest, 1.0) * 100)
    classes = shade("n" if value < 0 else "p", strength)
    return f'<td class="{classes}" style="--v:{strength}%">{short(value, digits)}</td>'


def short(value: float, digits: int = 1) -> str:
    """A number in at most five signs, thousands and millions by their letter.

    >>> short(-1.234, 2), short(0.001), short(345.6), short(-16_000_000.0)
    ('−1.23', '0', '346', '−16M')
    """
    size = abs(value)
    if size < 9.995:
        text = f"{value:.{digits}f}"
        return "0" if float(text) == 0 else minus(text)
    for limit, unit, letter in ((999.5, 1.0, ""), (999.5e3, 1e3, "k"), (999.5e6, 1e6, "M")):
        if size < limit:
            return minus(f"{value / unit:.0f}{letter}")
    return minus(f"{value:.0e}".replace("e+0", "e").replace("e+", "e"))
