"""Many small dots, each with its word on hover, and a line of means through them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bokeh.models import ColumnDataSource, Line, Range1d, Scatter

from app.kit.plot import Plot
from app.kit.sources import assign
from app.kit.theme import paint


class Cloud(Plot):
    """Dots in soft ink and a line in the accent over the same axes."""

    def __init__(self, *, dots: str, line: str, **options: Any) -> None:
        super().__init__(x_range=Range1d(0, 1), y_range=Range1d(0, 1), **options)
        self.source = ColumnDataSource({"x": [], "y": [], "word": []})
        self.means = ColumnDataSource({"x": [], "y": []})
        dot = Scatter(x="x", y="y", size=4, fill_alpha=0.28, line_color=None)
        scattered = self.draw(dot, self.source, legend=dots)
        paint(scattered.glyph, fill_color="ink-soft")
        drawn = self.draw(Line(x="x", y="y", line_width=2.5), self.means, legend=line)
        paint(drawn.glyph, line_color="accent")
        tips = [("", "@word"), (options.get("x") or "x", "@x{0,0}"), (options.get("y") or "y", "@y{0.[000]}")]
        self._hover(scattered, tips)
        self._legend()

    def set(self, x: Any, y: Any, words: Sequence[str]) -> None:
        """Assign the dots."""
        assign(self.source, x=x, y=y, word=list(words))

    def set_line(self, x: Any, y: Any) -> None:
        """Assign the line."""
        assign(self.means, x=x, y=y)
