"""The slider along the figure: it moves from place to place of the line at hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import panel as pn
from bokeh.models import CustomJSTickFormatter

from app.rooms.mistakes.compute import View


class Cursor:
    """A slider over the places of a line; ``look`` takes the place that a reader moves to."""

    def __init__(self, look: Callable[[int], None]) -> None:
        self._look = look
        self._following = False
        self._stops: list[int] = [0, 1]
        # it slides over the numbers of the places; the formatter names the place
        self._named = CustomJSTickFormatter(
            args={"stops": self._stops}, code="return Number(stops[tick]).toLocaleString('en')"
        )
        self.slider = pn.widgets.IntSlider(
            label="Position read off",
            start=0,
            end=1,
            value=0,
            format=self._named,
            css_classes=["lab-slider"],
            sizing_mode="stretch_width",
            margin=0,
        )
        self.slider.param.watch(self._moved, "value")

    def follow(self, view: View) -> None:
        """Stand where the view looks, along its line."""
        page = view.page
        self.slider.visible = bool(page.cursor)
        if not page.cursor:
            return
        stops = [round(place) for place in view.run.symptom.x.tolist()]
        self._following = True
        try:
            if stops != self._stops:
                self._stops = stops
                self._named.args = {"stops": stops}
            label = page.slider or f"{page.cursor.capitalize()} looked at"
            self.slider.param.update(label=label, end=len(stops) - 1, value=view.place)
        finally:
            self._following = False

    def _moved(self, event: Any) -> None:
        if not self._following:
            self._look(self._stops[event.new])
