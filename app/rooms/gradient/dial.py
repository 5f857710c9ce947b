"""Two controls of this room: a number that slides over its usual values, and a step that plays."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any

import panel as pn
import param

from app.kit import controls
from app.kit.fields import Derived, Field
from app.kit.player import Player


class Dial(Derived):
    """A field for any number over a slider whose stops are ``values``, rising.

    The slider stands at the nearest stop when the field holds a value between two. What belongs to the
    ``law`` is out of use while the tokens are those of a text.
    """

    def __init__(
        self, parameter: param.Number, values: Sequence[float], law: bool = False, **field: Any
    ) -> None:
        self._values, self._law = list(values), law
        slider = pn.widgets.IntSlider(
            label="",
            start=0,
            end=len(values) - 1,
            value=0,
            show_value=False,
            tags=[f"label:{controls.label_of(parameter)}, on a scale"],
            **controls.style("lab-slider"),
        )
        super().__init__(parameter, slider)
        self.field = controls.number(parameter, **field)
        self.pane = pn.Column(self.field, slider, **controls.style("lab-dial"))

    def show(self, value: Any, shown: Mapping[str, Any]) -> None:
        """Stand at the nearest stop."""
        above = min(bisect_left(self._values, value), len(self._values) - 1)
        below = max(above - 1, 0)
        self.widget.value = below if value - self._values[below] < self._values[above] - value else above
        self.widget.disabled = self.field.disabled = self._law and shown["source"] != "zipf"

    def meant(self, value: Any) -> float:
        """The stop at a notch of the slider."""
        return self._values[value]


class Played(Field):
    """The step shown, by hand or as an animation; the run says where it ends."""

    def __init__(self, parameter: param.Integer) -> None:
        self.player = Player(parameter)
        super().__init__(self.player.pane)

    def follow(self, value: Any, shown: Mapping[str, Any]) -> None:
        """Stand at the step on screen."""
        self.player.show(min(value, shown["steps"]), shown["steps"])
