"""A number that takes any value in its field and slides over its usual ones: two widgets, one parameter."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

import panel as pn
import param

from app.kit import controls


class Dial:
    """A field over a slider whose stops are ``values``, rising.

    The slider stands at the nearest stop when the field holds a value between two.
    """

    def __init__(self, parameter: param.Number, values: Sequence[float], **field: Any) -> None:
        self._parameter, self._values = parameter, list(values)
        self._following = False
        self.field = controls.number(parameter, **field)
        self.slider = pn.widgets.IntSlider(
            label="",
            start=0,
            end=len(self._values) - 1,
            value=self._nearest(),
            show_value=False,
            css_classes=["lab-slider"],
            sizing_mode="stretch_width",
            margin=0,
            tags=[f"label:{controls.label_of(parameter)}, on a scale"],
        )
        self.slider.param.watch(self._slid, "value")
        parameter.owner.param.watch(self._follow, parameter.name)
        self.pane = pn.Column(
            self.field, self.slider, css_classes=["lab-dial"], sizing_mode="stretch_width", margin=0
        )

    def disable(self, disabled: bool) -> None:
        """Take both widgets out of use, or back."""
        self.field.disabled = self.slider.disabled = disabled

    def _nearest(self) -> int:
        value = getattr(self._parameter.owner, self._parameter.name)
        above = min(bisect_left(self._values, value), len(self._values) - 1)
        below = max(above - 1, 0)
        return below if value - self._values[below] < self._values[above] - value else above

    def _slid(self, event: param.parameterized.Event) -> None:
        if not self._following:
            setattr(self._parameter.owner, self._parameter.name, self._values[event.new])

    def _follow(self, _: param.parameterized.Event) -> None:
        self._following = True
        self.slider.value = self._nearest()
        self._following = False
