"""Lines that belong together, in shades of one colour, with places marked and named on the picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bokeh.models import ColumnDataSource, Range1d

from app.kit.figures import FONT, Plot
from app.kit.theme import paint


@dataclass(frozen=True)
class Line:
    """One line: its heights, the word at its end, and how strong it is drawn, from 0 to 1."""

    heights: Any
    name: str = ""
    strength: float = 1.0
    width: float = 2.0


@dataclass(frozen=True)
class Mark:
    """A place marked across the picture with a word at its top, and a dot at ``height`` where one is given."""

    x: float
    word: str = ""
    height: float | None = None


class Bundle(Plot):
    """Any number of lines over one axis in one glyph, so that all of them are assigned at once."""

    def __init__(self, *, colour: str = "dim-d", **options: Any) -> None:
        super().__init__(x_range=Range1d(0, 1), y_range=Range1d(-1, 1), **options)
        self.lines = ColumnDataSource({"xs": [], "ys": [], "name": [], "alpha": [], "width": []})
        lines = self.figure.multi_line(
            "xs", "ys", source=self.lines, line_alpha="alpha", line_width="width", line_join="round"
        )
        paint(lines.glyph, line_color=colour)
        self._hover(lines, [("", "@name"), ("", "$x{0,0}, $y{0.000}")])
        self.ends = ColumnDataSource({"x": [], "y": [], "word": []})
        ends = self.figure.text("x", "y", "word", source=self.ends, x_offset=5, text_baseline="middle")
        self._write(ends.glyph)
        self.marks = ColumnDataSource({"x": [], "y": [], "word": []})
        spans = self.figure.vspan("x", source=self.marks, line_dash="dashed")
        paint(spans.glyph, line_color="ink-soft")
        words = self.figure.text("x", "y", "word", source=self.marks, x_offset=5, text_baseline="top")
        self._write(words.glyph)
        self.dots = ColumnDataSource({"x": [], "y": []})
        dots = self.figure.scatter("x", "y", source=self.dots, size=9)
        paint(dots.glyph, fill_color=colour, line_color="paper")

    def set(self, x: Any, lines: Sequence[Line], *, top: float, bottom: float | None = None) -> None:
        """Assign all lines over the same places ``x``; the vertical range is fixed, -top to top by default.

        Words at the ends of lines are pushed apart where they would overlap.
        """
        low = -top if bottom is None else bottom
        places = x.astype("float32")
        self.lines.data = {
            "xs": [places] * len(lines),
            "ys": [line.heights.astype("float32") for line in lines],
            "name": [line.name for line in lines],
            "alpha": [line.strength for line in lines],
            "width": [line.width for line in lines],
        }
        named = [line for line in lines if line.name]
        last = [float(line.heights[-1]) for line in named]
        self.ends.data = {
            "x": [float(places[-1])] * len(named),
            "y": apart(last, (top - low) * 15 / (self.figure.height - 50)),
            "word": [line.name for line in named],
        }
        room = max((len(line.name) for line in named), default=0) * 0.011
        first, end = float(places[0]), float(places[-1])
        reach = (end - first) or 1.0
        self.set_x(first - 0.012 * reach, end + (0.012 + room) * reach)
        self.set_y(low, top)

    def mark(self, marks: Sequence[Mark]) -> None:
        """Move the marks."""
        top = self.figure.y_range.end
        self.marks.data = {
            "x": [mark.x for mark in marks],
            "y": [top] * len(marks),
            "word": [mark.word for mark in marks],
        }
        dotted = [mark for mark in marks if mark.height is not None]
        self.dots.data = {"x": [mark.x for mark in dotted], "y": [mark.height for mark in dotted]}

    def _write(self, glyph: Any) -> None:
        paint(glyph, text_color="ink")
        glyph.update(text_font=FONT, text_font_size="12px")


def apart(heights: Sequence[float], gap: float) -> list[float]:
    """Heights moved as little as needed so that neighbours are at least ``gap`` apart.

    >>> apart([1.0, 0.0, 1.0], 0.5)
    [0.75, 0.0, 1.25]
    """
    order = sorted(range(len(heights)), key=lambda index: heights[index])
    # groups of neighbours that touch share their mean; a group is its members and the height of its middle
    groups: list[tuple[list[int], float]] = []
    for index in order:
        members, middle = [index], float(heights[index])
        while groups and middle - groups[-1][1] < gap * (len(members) + len(groups[-1][0])) / 2:
            before, other = groups.pop()
            middle = (other * len(before) + middle * len(members)) / (len(before) + len(members))
            members = before + members
        groups.append((members, middle))
    moved = [0.0] * len(heights)
    for members, middle in groups:
        for place, index in enumerate(members):
            moved[index] = middle + gap * (place - (len(members) - 1) / 2)
    return moved


def even(value: float) -> float:
    """The next even end for an axis, at or above a magnitude: 1, 2, 2.5 or 5 times a power of ten.

    >>> even(0.7), even(2.1), even(37.0), even(0.0)
    (1.0, 2.5, 50.0, 1.0)
    """
    if value <= 0:
        return 1.0
    power = 10.0 ** len(f"{int(value)}") if value >= 1 else 1.0
    while power / 10 >= value:
        power /= 10
    return min(step for step in (power, power / 2, power / 4, power / 5) if step >= value)
