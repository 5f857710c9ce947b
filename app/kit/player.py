"""A step slider with a button that plays it: the clock runs in the page, so no thread and no timer of Python.

It never starts by itself, stops at the last step, and then starts again from the first.
"""

from __future__ import annotations

from typing import Any

import panel as pn
import param
from bokeh.models import ColumnDataSource

from app.kit.controls import label_of
from app.kit.script import on_click

INTERVAL = 250
"""Milliseconds a step at least: a step that is not drawn yet is waited for."""

# the clock lives on the button's model; a slider that has left the page has no document, and the clock stops
_PLAY = """
const button = source;
const stop = () => { clearInterval(button.playing); button.playing = null; button.label = "Play" };
if (button.playing) { stop(); return }
if (slider.value >= slider.end) slider.value = slider.start;
button.label = "Pause";
button.playing = setInterval(() => {
  if (!slider.document || slider.value >= slider.end) stop();
  else if (drawn.data.step[0] === slider.value) slider.value += 1;
}, %d)
"""


class Player:
    """The control of an integer parameter whose last step depends on the rest of the state.

    ``show`` is called in draw with the step on screen and the last one; what the reader does goes to the
    parameter.
    """

    def __init__(self, parameter: param.Integer, interval: int = INTERVAL) -> None:
        self._parameter = parameter
        self._showing = False
        start, end = parameter.bounds
        value = getattr(parameter.owner, parameter.name)
        look: dict[str, Any] = {"sizing_mode": "stretch_width", "margin": 0}
        self.slider = pn.widgets.IntSlider(
            label=label_of(parameter), start=start, end=end, value=value, css_classes=["lab-slider"], **look
        )
        self.button = pn.widgets.Button(label="Play", css_classes=["lab-button"], **look)
        self._drawn = ColumnDataSource({"step": [value]})
        self.slider.param.watch(self._moved, "value")
        on_click(self.button, _PLAY % interval, slider=self.slider, drawn=self._drawn)
        self.pane = pn.Column(self.slider, self.button, css_classes=["lab-player"], **look)

    def show(self, step: int, last: int) -> None:
        """Follow the picture: it shows ``step`` of ``last``."""
        self._showing = True
        self.slider.param.update(end=last, value=step)
        self._drawn.data = {"step": [step]}
        self._showing = False

    def _moved(self, event: param.parameterized.Event) -> None:
        if not self._showing:
            setattr(self._parameter.owner, self._parameter.name, event.new)
