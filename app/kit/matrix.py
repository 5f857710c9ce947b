"""Small pictures in HTML: token chips and matrices with their numbers, selectable and read aloud."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from app.kit.html import Markup, join, number, tag, visible

LARGEST = 12


@dataclass(frozen=True)
class Chip:
    """A token with its id and, where asked, its position; ``note`` is a third line such as "unknown"."""

    token: str
    id: int | None = None
    position: int | None = None
    marked: bool = False
    note: str = ""


def chips(tokens: Sequence[Chip], label: str = "Tokens") -> Markup:
    """A row of token chips, its leading spaces shown as ␣."""
    return tag("ul", join(_chip(token) for token in tokens), class_="lab-chips", aria_label=label)


def _chip(chip: Chip) -> Markup:
    parts = []
    if chip.id is not None:
        parts.append(f"id {chip.id}")
    if chip.position is not None:
        parts.append(f"position {chip.position}")
    if chip.note:
        parts.append(chip.note)
    return tag(
        "li",
        tag("span", " · ".join(parts), class_="lab-chip-note") if parts else "",
        tag("span", visible(chip.token, 40) or "(empty)", class_="lab-chip-token", dir="auto"),
        class_="lab-chip lab-marked" if chip.marked else "lab-chip",
    )


def fits(rows: int, columns: int) -> bool:
    """Whether a matrix is small enough to print its numbers."""
    return rows <= LARGEST and columns <= LARGEST


def matrix(
    values: Any,
    *,
    title: Markup | str,
    under: Markup | str = "",
    rows: Sequence[Markup | str] = (),
    columns: Sequence[str] = (),
    strongest: float | None = None,
    marked_rows: Collection[int] = (),
    marked_cells: Collection[tuple[int, int]] = (),
    faded_rows: Collection[int] = (),
    digits: int = 3,
    signed: bool = True,
) -> Markup:
    """A matrix as a table whose cells carry their colour.

    Parameters
    ----------
    values : (n, m) sequence or array
        NaN and infinities are printed and get no colour.
    strongest : float, optional
        The magnitude at full colour; by default the largest in the matrix. Share it between matrices
        that are compared.
    signed : bool
        Diverging around 0, or one colour for magnitudes.
    """
    grid = values.tolist() if hasattr(values, "tolist") else [list(row) for row in values]
    top = strongest or max((abs(v) for row in grid for v in row if abs(v) < float("inf")), default=0.0) or 1.0
    body = []
    for index, line in enumerate(grid):
        names = [
            name
            for name, on in (("lab-marked", index in marked_rows), ("lab-faded", index in faded_rows))
            if on
        ]
        head = tag("th", rows[index], scope="row") if rows else ""
        cells = (_cell(v, top, (index, j) in marked_cells, digits, signed) for j, v in enumerate(line))
        body.append(tag("tr", head, join(cells), class_=" ".join(names) or None))
    header = ""
    if columns:
        corner = tag("td", "") if rows else ""
        header = tag("thead", tag("tr", corner, join(tag("th", name, scope="col") for name in columns)))
    return tag(
        "figure",
        tag("figcaption", tag("b", title), tag("span", under) if under else ""),
        tag(
            "div",
            tag("table", header, tag("tbody", join(body))),
            class_="lab-scroll",
            tabindex=_scrolls(grid),
        ),
        class_="lab-matrix" if signed else "lab-matrix lab-narrow",
    )


def _scrolls(grid: list[list[float]]) -> str | None:
    # a scrollable region must be reachable with the keyboard; a narrow matrix never scrolls
    return "0" if grid and len(grid[0]) > 4 else None


def _cell(value: float, top: float, marked: bool, digits: int, signed: bool) -> Markup:
    share = min(abs(value) / top, 1.0) if abs(value) < float("inf") else 0.0
    strength = round(share * 100)
    # a sign that rounding has left has no colour, and would differ from one machine to the next
    classes = shade("n" if signed and value < 0 and strength else "p", strength) + (" m" if marked else "")
    return Markup(f'<td class="{classes}" style="--v:{strength}%">{number(value, digits)}</td>')


STRONG = {"n": (97, 52), "p": (82, 60)}
"""Percent of a sign's colour from which the other ink reads better on it: in the light theme, in the dark."""


def shade(sign: str, strength: int) -> str:
    """Classes of a cell: its sign, n or p, and in which theme it is strong."""
    light, dark = STRONG[sign]
    return f"{sign}{' s' if strength >= light else ''}{' d' if strength >= dark else ''}"


def equation(*parts: Markup | str, shared: bool = False) -> Markup:
    """Matrices with signs between them: ``equation(E, "+", P, "=", X)``.

    With ``shared`` their rows are the same tokens: side by side, the first one's heads serve all.
    """
    return tag(
        "div",
        join(part if isinstance(part, Markup) else tag("span", part, class_="lab-sign") for part in parts),
        class_="lab-equation-row lab-shared" if shared else "lab-equation-row",
    )


def row_label(token: str, id: int | None = None) -> Markup:
    """The head of a row: the token, and its id in soft ink."""
    shown = visible(token, 18)
    return join([shown, tag("i", f" {id}")]) if id is not None else join([shown])


def verdict(words: Markup | str, kind: str = "") -> Markup:
    """The sentence under a figure that says what it shows; ``kind`` is good, warn or bad."""
    return tag("p", words, class_=f"lab-verdict lab-{kind}" if kind else "lab-verdict")


def error(message: str) -> Markup:
    """What was refused, and the way out."""
    return tag("p", message, class_="lab-error")
