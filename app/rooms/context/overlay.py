"""Lines of several kinds laid over each other, one of them put forward, with places and heights named.

Columns behind the lines shade stretches of the horizontal axis; the pointer reads a whole column, so that
one tooltip serves however many lines cross it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bokeh.core.properties import value
from bokeh.models import BasicTicker, ColumnDataSource, FixedTicker, HSpan, Line, Range1d, Text, VSpan, VStrip

from app.kit.plot import FONT, Plot
from app.kit.sources import assign
from app.kit.theme import paint

FORWARD, BEHIND = 3.0, 1.4
FAINT = 0.65
EDGE = 0.25
LETTER = 0.022
"""Width of a letter as a share of the narrowest picture; a name wider than its columns is left out."""


@dataclass(frozen=True)
class Stroke:
    """How one line is drawn: its name, the token of its colour, and its dash pattern."""

    title: str
    colour: str
    dash: str = "solid"


@dataclass(frozen=True)
class Columns:
    """Columns 0, 1, 2, … behind the lines.

    ``zone`` is the name of the stretch each column belongs to, ``strength`` how strong each is shaded, from 0
    to 1, and ``tips`` what the tooltip says of each, by name.
    """

    zone: Sequence[str]
    strength: Sequence[float]
    tips: Mapping[str, Sequence[str]] = field(default_factory=dict)


class Overlay(Plot):
    """Lines by key over one axis; those that are not assigned are hidden.

    Parameters
    ----------
    strokes : mapping
        From a key to its stroke.
    tips : sequence of str, optional
        Names of what a column's tooltip says; without them each line has a tooltip of its own.
    columns : Overlay, optional
        A picture whose columns this one shares, so that they are sent once.
    colour : str
        Token of the columns' shading.
    """

    def __init__(
        self,
        strokes: Mapping[str, Stroke],
        *,
        tips: Sequence[str] = (),
        columns: Overlay | None = None,
        colour: str = "dim-d",
        digits: str = "0.000",
        **options: Any,
    ) -> None:
        super().__init__(x_range=Range1d(1, 2), y_range=Range1d(1, 2), **options)
        empty: dict[str, list[Any]] = {name: [] for name in ("left", "right", *tips)}
        shades: dict[str, list[Any]] = {name: [] for name in ("left", "right", "alpha")}
        self.columns: ColumnDataSource = columns.columns if columns else ColumnDataSource(empty)
        self.shades: ColumnDataSource = columns.shades if columns else ColumnDataSource(shades)
        self._state: tuple[Any, ...] = ()
        if tips:
            self._make_columns(tips, colour)
        self.sources: dict[str, ColumnDataSource] = {}
        self._lines: dict[str, Any] = {}
        for key, stroke in strokes.items():
            source = self.sources[key] = ColumnDataSource({"x": [], "y": []})
            drawn = Line(x="x", y="y", line_dash=stroke.dash, line_join="round", line_width=BEHIND)
            line = self.draw(drawn, source)
            paint(line.glyph, line_color=stroke.colour)
            if not tips:
                self._hover(line, [(stroke.title, f"@y{{{digits}}}"), (options.get("x") or "x", "@x{0,0}")])
            self._lines[key] = line
        self._make_marks()

    def set(self, lines: Mapping[str, tuple[Any, Any]], forward: str) -> None:
        """Assign the lines, each as its places and heights, and put one of them forward."""
        for key, source in self.sources.items():
            if key in lines:
                x, y = lines[key]
                assign(source, x=x, y=y)
        if self._state == (forward, *lines):
            return
        self._state = (forward, *lines)
        for key, line in self._lines.items():
            first = key == forward
            line.update(visible=key in lines, level="annotation" if first else "glyph")
            line.glyph.update(line_width=FORWARD if first else BEHIND, line_alpha=1.0 if first else FAINT)

    def frame(self, left: float, right: float, bottom: float, top: float) -> None:
        """Fix both ranges; do so before marks and columns are set, which reach from end to end."""
        self.set_x(left, right)
        self.set_y(bottom, top)

    def name_heights(self, ticks: Mapping[float, str]) -> None:
        """Put these words at these heights of the vertical axis, and no others."""
        axis = self.figure.yaxis[0]
        if not isinstance(axis.ticker, FixedTicker):
            axis.ticker = FixedTicker(ticks=list(ticks), minor_ticks=[])
        # a new ticker would be a new model, and Bokeh walks the whole document for one
        axis.ticker.ticks = list(ticks)
        axis.major_label_overrides = dict(ticks)

    def set_columns(self, columns: Columns) -> None:
        """Assign the columns, also those of the pictures that share them."""
        count = len(columns.zone)
        assign(
            self.columns,
            left=[place - 0.5 for place in range(count)],
            right=[place + 0.5 for place in range(count)],
            **{name: list(said) for name, said in columns.tips.items()},
        )
        # a stretch is one strip: between strips side by side the paper would show
        found = stretches(columns.zone)
        assign(
            self.shades,
            left=[start - 0.5 for start, _, _ in found],
            right=[end - 0.5 for _, end, _ in found],
            alpha=[columns.strength[start] for start, _, _ in found],
        )

    def name_zones(self, zone: Sequence[str]) -> None:
        """Name each stretch of columns that is wide enough for its name."""
        named = [
            (start, end, name)
            for start, end, name in stretches(zone)
            if (end - start) / len(zone) >= LETTER * len(name)
        ]
        assign(
            self._zones,
            x=[(start + end - 1) / 2 for start, end, _ in named],
            y=[self.figure.y_range.end] * len(named),
            word=[name for *_, name in named],
        )

    def set_marks(
        self, places: Sequence[tuple[float, str]] = (), heights: Sequence[tuple[float, str]] = ()
    ) -> None:
        """Draw dashed lines down from named places and across from named heights."""
        start, end = self.figure.x_range.start, self.figure.x_range.end
        # a word stands to the left of its line unless it would run out of the picture
        right = [x - start < EDGE * (end - start) for x, _ in places]
        assign(
            self._places,
            x=[x for x, _ in places],
            y=[self.figure.y_range.end] * len(places),
            word=[word for _, word in places],
            align=["left" if follows else "right" for follows in right],
            offset=[5 if follows else -5 for follows in right],
        )
        assign(
            self._heights,
            x=[self.figure.x_range.start] * len(heights),
            y=[y for y, _ in heights],
            word=[word for _, word in heights],
        )

    def _make_columns(self, tips: Sequence[str], colour: str) -> None:
        self.figure.xaxis[0].ticker = BasicTicker(min_interval=1)
        shade = VStrip(x0="left", x1="right", fill_alpha="alpha", line_color=None)
        shades = self.draw(shade, self.shades, level="image")
        paint(shades.glyph, fill_color=colour)
        strip = VStrip(x0="left", x1="right", fill_alpha=0, line_color=None)
        strips = self.draw(strip, self.columns)
        self._hover(strips, [(name, f"@{{{name}}}") for name in tips])
        self._zones = ColumnDataSource({"x": [], "y": [], "word": []})
        self._words(self._zones, x_offset=0, y_offset=4, text_align="center", text_baseline="top")

    def _make_marks(self) -> None:
        self._places = ColumnDataSource({"x": [], "y": [], "word": [], "align": [], "offset": []})
        self._heights = ColumnDataSource({"x": [], "y": [], "word": []})
        down = self.draw(VSpan(x="x", line_dash="dashed", line_width=1), self._places)
        across = self.draw(HSpan(y="y", line_dash="dashed", line_width=1), self._heights)
        for spans in (down, across):
            paint(spans.glyph, line_color="ink-soft")
        self._words(self._places, x_offset="offset", y_offset=2, text_align="align", text_baseline="top")
        self._words(self._heights, x_offset=6, y_offset=-2, text_align="left", text_baseline="bottom")

    def _words(self, source: ColumnDataSource, **place: Any) -> None:
        words = self.draw(Text(x="x", y="y", text="word", **place), source)
        paint(words.glyph, text_color="ink-soft")
        # a plain string in a vector property would be read as the name of a column
        words.glyph.update(text_font=value(FONT), text_font_size=value("12px"))


def stretches(names: Sequence[str]) -> list[tuple[int, int, str]]:
    """Runs of equal names as (start, end, name), the end not included.

    >>> stretches(["kept", "kept", "divided"])
    [(0, 2, 'kept'), (2, 3, 'divided')]
    """
    found: list[tuple[int, int, str]] = []
    for place, name in enumerate(names):
        if found and found[-1][2] == name:
            found[-1] = (found[-1][0], place + 1, name)
        else:
            found.append((place, place + 1, name))
    return found
