"""A heatmap whose columns are stretches of a long axis, such as bins of distance."""

from __future__ import annotations

from typing import Any

from bokeh.models import BasicTicker, HoverTool, NumeralTickFormatter

from app.kit.figures import Heatmap


class SpanMap(Heatmap):
    """Shares between 0 and 1, the first row on top; columns share the axis evenly from 0 to its end."""

    def __init__(self, *, row: str, column: str, says: str, **options: Any) -> None:
        super().__init__(signed=False, **options)
        self.mapper.update(low=0.0, high=1.0)
        tips = [(row, "$y{0}"), (column, "about $x{0,0}"), (says, "@image{0 %}")]
        self.figure.select({"type": HoverTool}).update(tooltips=tips)
        self.figure.yaxis[0].ticker = BasicTicker(min_interval=1)
        self.figure.xaxis[0].formatter = NumeralTickFormatter(format="0.[0]a")

    def set_span(self, shares: Any, end: float) -> None:
        """Assign shares of shape (rows, columns) over the axis from 0 to ``end``."""
        rows = shares.shape[0]
        self.source.data = {
            "image": [shares.astype("float32")],
            "x": [0.0],
            "y": [-0.5],
            "dw": [end],
            "dh": [rows],
        }
        self.set_x(0.0, end)
        self.set_y(rows - 0.5, -0.5)
