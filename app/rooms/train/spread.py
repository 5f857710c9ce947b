"""Curves with the spread between repeated runs around them, levels to beat, and a run under way on top."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bokeh.models import ColumnDataSource, HoverTool, HSpan, Line, Range1d, Scatter, Text, VArea

from app.kit.html import Markup, join, tag
from app.kit.plot import FONT, Plot
from app.kit.sources import assign
from app.kit.theme import paint

FAINT, CLEAR = 0.45, 1.0
BAND = 0.22
LINE, FRAME = 16, 60
"""Height of a line of words, and of what stands around the frame of a figure, in pixels."""


class Spread(Plot):
    """One band and mean line a series; only those that are put forward show their band.

    It has no legend of its own, since one on a canvas does not wrap: `legend` makes one in HTML.

    Parameters
    ----------
    series : mapping
        From a key to its title and colour token.
    own : mapping
        Further lines without a band, drawn over the others, in the same form.
    dashes : mapping, optional
        Dash pattern of own lines.
    """

    def __init__(
        self,
        series: Mapping[str, tuple[str, str]],
        *,
        own: Mapping[str, tuple[str, str]],
        dashes: Mapping[str, str] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(x_range=Range1d(0, 1), y_range=Range1d(0, 1), **options)
        self._x = options.get("x") or "x"
        self.sources: dict[str, ColumnDataSource] = {}
        self._bands: dict[str, Any] = {}
        self._lines: dict[str, Any] = {}
        for key, (title, colour) in series.items():
            self._add_series(key, title, colour)
        self.dots = ColumnDataSource({"x": [], "y": []})
        cloud = self.draw(Scatter(x="x", y="y", size=3, fill_alpha=0.55, line_color=None), self.dots)
        paint(cloud.glyph, fill_color="ink-soft")
        for key, (title, colour) in own.items():
            self._add_own(key, title, colour, (dashes or {}).get(key, "solid"))
        self._hover_all(own)
        self._add_levels()

    def set(self, key: str, x: Sequence[float], mean: Any, low: Any, high: Any) -> None:
        """Assign one series of arrays; entries that are not a number are left out."""
        kept = [
            row for row in zip(x, mean.tolist(), low.tolist(), high.tolist(), strict=True) if row[1] == row[1]
        ]
        columns = zip(*kept, strict=True) if kept else ((), (), (), ())
        self.sources[key].data = dict(zip(("x", "y", "low", "high"), map(list, columns), strict=True))

    def set_own(self, key: str, x: Any, y: Any) -> None:
        """Assign one of the own lines."""
        assign(self.sources[key], x=x, y=y)

    def set_dots(self, x: Any, y: Any) -> None:
        """Assign the dots."""
        assign(self.dots, x=x, y=y)

    def put_forward(self, keys: Sequence[str]) -> None:
        """Show the bands of these series, and the others as faint lines."""
        for key, band in self._bands.items():
            shown = key in keys
            band.visible = shown
            self._lines[key].glyph.update(line_alpha=CLEAR if shown else FAINT, line_width=2 if shown else 1)

    def set_levels(self, levels: Sequence[tuple[float, str]]) -> None:
        """Draw dashed lines across the picture, each with its words at the right end.

        Levels closer than a line of words share one label: set the vertical range before.
        """
        assign(
            self.levels,
            x=[self.figure.x_range.end] * len(levels),
            y=[height for height, _ in levels],
            word=self._labels(levels),
        )

    def _labels(self, levels: Sequence[tuple[float, str]]) -> list[str]:
        """The words at each level; where several are close, the highest has those of all."""
        axis = self.figure.y_range
        least = LINE * abs(axis.end - axis.start) / (self.figure.height - FRAME)
        words, first = [""] * len(levels), -1
        above, top = math.inf, max(axis.start, axis.end)
        for at in sorted(range(len(levels)), key=lambda at: -levels[at][0]):
            height, word = levels[at]
            # a label above the frame would not be seen
            if above <= top and above - height < least:
                words[first] += f" and {word}"
            else:
                words[at], first = word, at
            above = height
        return words

    def _add_series(self, key: str, title: str, colour: str) -> None:
        source = self.sources[key] = ColumnDataSource({"x": [], "y": [], "low": [], "high": []})
        band = self.draw(VArea(x="x", y1="low", y2="high", fill_alpha=BAND), source)
        paint(band.glyph, fill_color=colour)
        line = self.draw(Line(x="x", y="y", line_width=2), source, name=title)
        paint(line.glyph, line_color=colour)
        self._bands[key], self._lines[key] = band, line

    def _add_own(self, key: str, title: str, colour: str, dash: str) -> None:
        source = self.sources[key] = ColumnDataSource({"x": [], "y": []})
        stroke = Line(x="x", y="y", line_width=2.5, line_dash=dash, line_join="round")
        line = self.draw(stroke, source, name=title)
        paint(line.glyph, line_color=colour)
        ends = self.draw(Scatter(x="x", y="y", size=5), source)
        paint(ends.glyph, fill_color=colour, line_color=colour)
        self._lines[key] = line

    def _hover_all(self, own: Iterable[str]) -> None:
        # one tool for many lines: every tool and renderer costs time when the page is made
        name, loss, place = ("", "$name"), ("loss", "@y{0.000}"), (self._x, "@x{0,0}")
        spread = ("lowest, highest", "@low{0.000}, @high{0.000}")
        series = [self._lines[key] for key in self._bands]
        self.figure.add_tools(
            HoverTool(renderers=series, tooltips=[name, loss, spread, place]),
            HoverTool(renderers=[self._lines[key] for key in own], tooltips=[name, loss, place]),
        )

    def _add_levels(self) -> None:
        self.levels = ColumnDataSource({"x": [], "y": [], "word": []})
        lines = self.draw(HSpan(y="y", line_dash="dashed", line_width=1), self.levels)
        paint(lines.glyph, line_color="ink-soft")
        word = Text(x="x", y="y", text="word", x_offset=-4, y_offset=-2, text_align="right")
        words = self.draw(word, self.levels)
        paint(words.glyph, text_color="ink-soft")
        words.glyph.update(text_font={"value": FONT}, text_font_size={"value": "12px"})


def legend(series: Iterable[tuple[str, str]], own: Iterable[tuple[str, str, str]] = ()) -> Markup:
    """Series by title and colour token; own lines by title, colour token and kind: line, dotted, dots."""
    signs = [
        tag("span", tag("i", class_="lab-key-line"), title, style=f"--c:var(--{colour})")
        for title, colour in series
    ]
    signs += [
        tag("span", tag("i", class_=f"lab-key-{kind}"), title, style=f"--c:var(--{colour})")
        for title, colour, kind in own
    ]
    return tag("p", join(signs, " "), class_="lab-legend lab-key")


def span(values: Sequence[Any], room: float = 0.06) -> tuple[float, float]:
    """The ends of an axis that holds all finite entries of some arrays, with a margin.

    Raises
    ------
    ValueError
        If there is no finite entry.
    """
    found = [v for array in values for v in array.ravel().tolist() if abs(v) < float("inf")]
    low, high = min(found), max(found)
    margin = room * ((high - low) or 1.0)
    return low - margin, high + margin
