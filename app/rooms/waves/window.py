"""A heatmap of a stretch of positions: its columns are numbered from the first of them."""

from __future__ import annotations

from typing import Any

from bokeh.models import NumeralTickFormatter

from app.kit.figures import Heatmap


class WindowHeatmap(Heatmap):
    """A heatmap that need not begin at 0, for tables that have no end."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        # positions of five digits would be written as powers of ten
        self.figure.xaxis.formatter = NumeralTickFormatter(format="0,0")

    def set_window(self, values: Any, first: int, strongest: float) -> None:
        """Assign a matrix (rows, columns) whose first column stands at ``first`` of the horizontal axis."""
        rows, columns = values.shape
        self.mapper.update(low=-strongest if self.signed else 0.0, high=strongest)
        self.source.data = {
            "image": [values.astype("float32")],
            "x": [first - 0.5],
            "y": [-0.5],
            "dw": [columns],
            "dh": [rows],
        }
        self.set_x(first - 0.5, first + columns - 0.5)
        self.set_y(rows - 0.5, -0.5)
