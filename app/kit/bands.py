"""Filled bands between a lowest and a highest value, such as what rounding makes of a constant."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bokeh.models import ColumnDataSource, Line, Range1d, Step, VAreaStep

from app.kit.plot import Plot
from app.kit.sources import assign
from app.kit.theme import paint

LEGEND = 0.3
"""Share of the height that is kept free for the legend."""


class Bands(Plot):
    """Several bands over one axis; ``bands`` maps a key to (legend, colour token).

    A dashed line named ``truth`` shows the value that every band should have stayed at.
    """

    def __init__(self, bands: Mapping[str, tuple[str, str]], *, truth: str, **options: Any) -> None:
        super().__init__(x_range=Range1d(0, 1), y_range=Range1d(-1, 1), **options)
        self.sources: dict[str, ColumnDataSource] = {}
        for key, (title, colour) in bands.items():
            source = ColumnDataSource({"x": [], "low": [], "high": []})
            area = VAreaStep(x="x", y1="low", y2="high", step_mode="after", fill_alpha=0.28)
            band = self.draw(area, source, legend=title)
            paint(band.glyph, fill_color=colour)
            for end in ("low", "high"):
                edge = self.draw(Step(x="x", y=end, mode="after", line_width=1.5), source, legend=title)
                paint(edge.glyph, line_color=colour)
            self.sources[key] = source
        self.truth = ColumnDataSource({"x": [], "y": []})
        dashed = Line(x="x", y="y", line_width=1.5, line_dash="dashed")
        line = self.draw(dashed, self.truth, legend=truth)
        paint(line.glyph, line_color="ink")
        self._legend()

    def set(self, key: str, x: Any, low: Any, high: Any) -> None:
        """Assign one band; each step reaches from its place to the next."""
        assign(self.sources[key], x=x, low=low, high=high)

    def set_truth(self, height: float, end: float, low: float, high: float) -> None:
        """Draw the dashed line from 0 to ``end``, and fix the ranges to it and to ``low`` and ``high``."""
        assign(self.truth, x=[0.0, end], y=[height, height])
        self.set_x(0.0, end)
        self.set_y(low, low + (high - low) / (1 - LEGEND))
