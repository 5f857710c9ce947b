"""Rows of a large table against the steps of a run: a row of the picture is a range of ranks.

The picture of the whole run is assigned once; a step of the animation moves the sheet that covers what is
still to come, which costs a number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bokeh.models import BoxAnnotation, ColumnDataSource, CustomJSHover, FixedTicker, HoverTool

from app.kit.figures import Heatmap
from app.kit.theme import paint


class RankMap(Heatmap):
    """Shares between 0 and 1, most frequent rows on top, steps counted from 1."""

    def __init__(self, *, says: str, **options: Any) -> None:
        super().__init__(signed=False, **options)
        self.mapper.update(low=0.0, high=1.0)
        self._names = ColumnDataSource({"name": []})
        self.figure.select({"type": HoverTool}).update(
            tooltips=[("rows", "$y{custom}"), ("step", "$x{0}"), (says, "@image{0.0 %}")],
            formatters={
                "$y": CustomJSHover(
                    args={"names": self._names}, code="return names.data.name[Math.round(value)] ?? ''"
                )
            },
        )
        self._cover = BoxAnnotation(left=0, fill_alpha=1.0, line_alpha=0.0)
        paint(self._cover, fill_color="surface")
        self._now = BoxAnnotation(left=0, right=0, fill_alpha=0.0, line_alpha=0.9, line_width=1)
        paint(self._now, line_color="ink")
        for sheet in (self._cover, self._now):
            self.figure.add_layout(sheet)

    def set_rows(self, shares: Any, names: Sequence[str], ticks: Mapping[float, str]) -> None:
        """Assign the picture: shares of shape (rows, steps), a name for each row, words on the axis."""
        rows, steps = shares.shape
        self._names.data = {"name": list(names)}
        self.source.data = {
            "image": [shares.astype("float32")],
            "x": [0.5],
            "y": [-0.5],
            "dw": [steps],
            "dh": [rows],
        }
        self.set_x(0.5, steps + 0.5)
        self.set_y(rows - 0.5, -0.5)
        axis = self.figure.yaxis[0]
        axis.ticker = FixedTicker(ticks=list(ticks))
        axis.major_label_overrides = dict(ticks)

    def reveal(self, step: int) -> None:
        """Uncover the picture up to a step, and frame that step."""
        self._cover.left = step + 0.5
        self._now.update(left=step - 0.5, right=step + 0.5)
