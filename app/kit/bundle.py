"""Lines that belong together, in shades of one colour, with places marked and named on the picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bokeh.core.properties import value
from bokeh.models import (
    ColumnDataSource,
    FixedTicker,
    LinearAxis,
    MultiLine,
    NumeralTickFormatter,
    Range1d,
    Scatter,
    Text,
    VSpan,
)

from app.kit.plot import FONT, Plot
from app.kit.sources import assign
from app.kit.theme import paint

DOTTED = 64
"""Up to so many places every one of them gets a dot: between them a line is only a line."""
NEAR = 0.34
"""Share of the width that a word of a mark may take."""
HEADROOM = 0.16
"""Share of the height that is kept free for the words of marks."""


@dataclass(frozen=True)
class Line:
    """One line: its heights, the word at its end, and how strong it is drawn, from 0 to 1."""

    heights: Any
    name: str = ""
    strength: float = 1.0
    width: float = 2.0


@dataclass(frozen=True)
class Mark:
    """A place marked across the picture with a word at its top, and a dot at ``height`` if one is given."""

    x: float
    word: str = ""
    height: float | None = None


class Bundle(Plot):
    """Any number of lines over one axis in one glyph, so that all of them are assigned at once.

    ``ends`` is what the words at the ends of lines are: they stand outside, in an axis of their own.
    """

    def __init__(self, *, colour: str = "dim-d", ends: str = "", **options: Any) -> None:
        super().__init__(x_range=Range1d(1, 2), y_range=Range1d(-1, 1), **options)
        self._log = options.get("x_type") == "log"
        self.figure.xaxis[0].formatter = NumeralTickFormatter(format="0,0")
        self.lines = ColumnDataSource({"xs": [], "ys": [], "name": [], "alpha": [], "width": []})
        drawn = MultiLine(xs="xs", ys="ys", line_alpha="alpha", line_width="width", line_join="round")
        lines = self.draw(drawn, self.lines)
        paint(lines.glyph, line_color=colour)
        self._hover(lines, [(ends, "@name"), ("", "$x{0,0}, $y{0.000}")])
        self.points = ColumnDataSource({"x": [], "y": []})
        points = self.draw(Scatter(x="x", y="y", size=4), self.points)
        paint(points.glyph, fill_color=colour, line_color=colour)
        self._ends: Any = None
        if ends:
            self._ends = LinearAxis(axis_label=ends, ticker=FixedTicker(ticks=[]))
            paint(self._ends, major_label_text_color="ink", axis_label_text_color="ink-soft")
            self._ends.update(
                axis_line_color=None,
                major_tick_line_color=None,
                axis_label_text_font_style="normal",
                axis_label_text_font=FONT,
                axis_label_text_font_size="12.5px",
                major_label_text_font=FONT,
                major_label_text_font_size="12px",
            )
            self.figure.add_layout(self._ends, "right")
        self._make_marks(colour)

    def _make_marks(self, colour: str) -> None:
        self.marks = ColumnDataSource({name: [] for name in ("x", "y", "word", "drop", "align", "shift")})
        spans = self.draw(VSpan(x="x", line_dash="dashed"), self.marks, level="overlay")
        paint(spans.glyph, line_color="ink-soft")
        word = Text(x="x", y="y", text="word", x_offset="shift", y_offset="drop")
        word.update(text_align={"field": "align"}, text_baseline="top")
        words = self.draw(word, self.marks, level="overlay")
        # the paper behind a word hides the line of the next mark
        paint(words.glyph, text_color="ink", background_fill_color="paper")
        words.glyph.background_fill_alpha = value(0.85)
        # a plain string in a vector property would be read as the name of a column
        words.glyph.update(text_font=value(FONT), text_font_size=value("12px"))
        self.dots = ColumnDataSource({"x": [], "y": []})
        dots = self.draw(Scatter(x="x", y="y", size=11), self.dots, level="overlay")
        paint(dots.glyph, fill_color=colour, line_color="paper")

    def set(self, x: Any, lines: Sequence[Line], *, top: float, bottom: float | None = None) -> None:
        """Assign all lines over the same places ``x``; the vertical range is fixed, -top to top by default.

        Words at the ends of lines are pushed apart where they would overlap.
        """
        low = -top if bottom is None else bottom
        high = low + (top - low) / (1 - HEADROOM)
        places = x.astype("float32")
        self.lines.data = {
            "xs": [places] * len(lines),
            "ys": [line.heights.astype("float32") for line in lines],
            "name": [line.name for line in lines],
            "alpha": [line.strength for line in lines],
            "width": [line.width for line in lines],
        }
        single = lines[0].heights if len(lines) == 1 and len(places) <= DOTTED else places[:0]
        assign(self.points, x=places[: len(single)], y=single)
        if self._ends is not None:
            gap = (high - low) * 14 / (self.figure.height - 60)
            ticks = apart([float(line.heights[-1]) for line in lines], gap)
            names = {tick: line.name for tick, line in zip(ticks, lines, strict=True)}
            # a new ticker would be a new model, and Bokeh walks the whole document for one
            self._ends.ticker.ticks = ticks
            self._ends.major_label_overrides = names
        first, end = float(places[0]), float(places[-1])
        edge = 0.015 * ((end - first) or 1.0)
        self.set_x(*((first, end) if self._log else (first - edge, end + edge)))
        self.set_y(low - 0.04 * (top - low), high)

    def set_marks(self, marks: Sequence[Mark]) -> None:
        """Move the marks; a word that would run into the one before it goes a line lower."""
        start, end = self.figure.x_range.start, self.figure.x_range.end
        near = [
            place > 0 and abs(mark.x - marks[place - 1].x) < NEAR * (end - start)
            for place, mark in enumerate(marks)
        ]
        # at the right edge a word stands before its line
        late = [mark.x > end - NEAR * (end - start) and not self._log for mark in marks]
        assign(
            self.marks,
            x=[mark.x for mark in marks],
            y=[self.figure.y_range.end] * len(marks),
            word=[mark.word for mark in marks],
            drop=[15 if close else 0 for close in near],
            align=["right" if last else "left" for last in late],
            shift=[-5 if last else 5 for last in late],
        )
        dotted = [mark for mark in marks if mark.height is not None]
        assign(self.dots, x=[mark.x for mark in dotted], y=[mark.height for mark in dotted])


def apart(heights: Sequence[float], gap: float) -> list[float]:
    """Heights moved as little as needed so that neighbours are at least ``gap`` apart.

    >>> apart([1.0, 0.0, 1.0], 0.5)
    [0.75, 0.0, 1.25]
    """
    order = sorted(range(len(heights)), key=lambda index: heights[index])
    # neighbours that touch form a group around their mean: its members, and the height of its middle
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


def even(size: float) -> float:
    """The next even end for an axis, at or above a magnitude: 1, 2, 2.5 or 5 times a power of ten.

    >>> even(0.7), even(2.1), even(37.0), even(0.0)
    (1.0, 2.5, 50.0, 1.0)
    """
    if size <= 0:
        return 1.0
    power = 10.0 ** len(f"{int(size)}") if size >= 1 else 1.0
    while power / 10 >= size:
        power /= 10
    return min(step for step in (power, power / 2, power / 4, power / 5) if step >= size)
