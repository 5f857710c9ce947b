"""Six ways to say where a token stands, side by side: same x, same Wq and Wk, one scheme after the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import panel as pn
from bokeh.models import CustomJSTickFormatter

from app.kit import controls, picture
from app.kit.html import Markup
from app.kit.panes import Html
from app.kit.radios import Radios
from app.kit.room import Room
from app.kit.schemes import colour_of
from app.rooms.schemes import words
from app.rooms.schemes.compute import DEFAULTS, State, View, compute, cost, section_of
from app.rooms.schemes.figures import ScoreCurves, SlopeDots, TablePictures
from app.rooms.schemes.state import EXAMPLE, FARTHEST, SHOWN
from app.rooms.schemes.tables import TablesView
from lab.compare import TABLES, trained_table

SHIFTS = (
    *range(17), 20, 24, 28, 32, 40, 48, 56, 64, 80, 100, 128, 160, 200, 256, 320, 400, 500, 640, 800,
    *range(1016, 1025), 1280, 1600, 2048, 2560, 3200, 4000, FARTHEST,
)  # fmt: skip
"""Stops of the shift's slider: every place at the start, every place where a learned table ends."""


class SchemesRoom(Room):
    """The same tokens, queries and keys under every scheme at once."""

    key = "schemes"
    title = "What does a position scheme do to a score?"
    lead = "The same tokens, Wq and Wk under every scheme: what differs in the scores is its doing."
    place = "scores"
    State = State
    cost = staticmethod(cost)
    compute = staticmethod(compute)
    describe = staticmethod(words.describe)
    numbers = staticmethod(words.numbers)
    formula = staticmethod(words.formula)
    code = staticmethod(words.code)
    code_answer = staticmethod(words.code_answer)
    questions = staticmethod(words.questions)

    @classmethod
    def normalise(cls, values: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
        """No head beyond the last, and no position beyond the end of the table that is shown."""
        settled, notices = dict(values), []
        head, H = values["head"], values["H"]
        if head > H:
            settled["head"] = H
            notices.append(f"There is no head {head} of {H}: the last one is shown.")
        if values["show"] == "tables":
            last, place = len(trained_table(values["table"]).norms) - 1, values["place"]
            if place > last:
                settled["place"] = last
                notices.append(f"The table has no position {place}: its last one, {last}, is shown.")
        return settled, tuple(notices)

    @classmethod
    def picture(cls) -> Markup:
        """A small true picture for the start page: score against distance."""
        view: Any = compute(**DEFAULTS)
        low, high = view.still.frame
        lines = {key: line.scores[0] for key, line in view.still.lines.items() if line.scores is not None}
        return picture.curves([(line.clip(low, high), colour_of(key)) for key, line in lines.items()])

    def build(self) -> None:
        """Make the controls and the figures."""
        state = self.state.param
        self._tabs = Radios.from_param(
            state.show,
            options={title: key for key, title in SHOWN.items()},
            inline=True,
            css_classes=["lab-tabs"],
            margin=0,
            tags=["label:What is shown"],
        )
        self._shift = self._shift_slider()
        self._head, self._place = controls.slider(state.head), controls.slider(state.place)
        sequence = [controls.text(state.text, placeholder=EXAMPLE), self._shift]
        heads = [controls.slider(state.H), self._head]
        sizes = [controls.segmented(state.D), controls.segmented(state.d), controls.number(state.seed)]
        table = [
            controls.select(state.table, {key: found.title for key, found in TABLES.items()}),
            self._place,
        ]
        self._used = {
            "scores": [*sequence, *heads, *sizes],
            "compare": [*sequence, *heads, *sizes],
            "slopes": heads,
            "tables": table,
        }
        self.controls = [*sequence, *heads, *sizes, *table]
        self._top, self._bottom = Html(), Html()
        self._canvas: dict[str, Any] = {
            "scores": ScoreCurves(),
            "slopes": SlopeDots(),
            "tables": TablePictures(),
        }
        panes = [made.pane for made in self._canvas.values()]
        self.figures = [self._tabs, self._top.pane, *panes, self._bottom.pane]

    def draw(self, view: View) -> None:
        """Show the open section, and only its controls and figures."""
        settings, section = view.settings, section_of(view)
        for control in self.controls:
            control.visible = control in self._used[settings.show]
        for key, made in self._canvas.items():
            made.show(key == settings.show)
        self._keep_within(view)
        self._top.set(section.top(view))
        self._bottom.set(section.bottom(view))
        if settings.show in self._canvas:
            self._canvas[settings.show].draw(view)

    def _keep_within(self, view: View) -> None:
        settings = view.settings
        self._head.end, self._head.disabled = max(settings.H, 2), settings.H == 1
        if isinstance(view, TablesView):
            self._place.end = view.T - 1
        self._follow(settings.shift)

    def _shift_slider(self) -> pn.widgets.IntSlider:
        # it slides over stops that are near where little happens; the formatter names the shift of a stop
        self._stops = sorted({*SHIFTS, self.state.shift})
        self._named = CustomJSTickFormatter(args={"stops": self._stops}, code="return stops[tick]")
        slider = pn.widgets.IntSlider(
            label=str(self.state.param.shift.label),
            start=0,
            end=len(self._stops) - 1,
            value=self._stops.index(self.state.shift),
            format=self._named,
            css_classes=["lab-slider"],
            sizing_mode="stretch_width",
            margin=0,
        )
        slider.param.watch(self._shifted, "value")
        return slider

    def _follow(self, shift: int) -> None:
        if self._stops[self._shift.value] == shift:
            return
        if shift not in self._stops:
            self._stops = sorted({*SHIFTS, shift})
            self._named.args = {"stops": self._stops}
            self._shift.end = len(self._stops) - 1
        self._shift.value = self._stops.index(shift)

    def _shifted(self, event: Any) -> None:
        self.state.shift = self._stops[event.new]


ROOM = SchemesRoom
