"""What goes wrong without an error? Twelve mistakes made on purpose, each with the test that catches it."""

from __future__ import annotations

from typing import Any

import panel as pn

from app.kit import controls, picture
from app.kit.html import Markup
from app.kit.panes import Html
from app.kit.radios import Radios
from app.kit.room import Room
from app.kit.versus import VersusBars, VersusCurves
from app.rooms.mistakes import stage, words
from app.rooms.mistakes.compute import DEFAULTS, State, View, compute
from app.rooms.mistakes.cursor import Cursor
from app.rooms.mistakes.pages import RIGHT, WRONG
from app.rooms.mistakes.state import ANY, PADS, SCHEMES, VERSIONS, chosen, fitting
from lab.mistakes import MISTAKES, SYMPTOM_SENTENCES

EVERY = "Show all twelve"


class MistakesRoom(Room):
    """A gallery: choose what is seen or what is done wrong, and flip between both versions."""

    key = "mistakes"
    title = "What goes wrong without an error?"
    lead = "Twelve mistakes that raise no error, and the small test that finds each."
    place = "scores"
    State = State
    compute = staticmethod(compute)
    describe = staticmethod(words.describe)
    numbers = staticmethod(words.numbers)
    formula = staticmethod(words.formula)
    code = staticmethod(words.code)
    code_answer = staticmethod(words.code_answer)
    questions = staticmethod(words.questions)

    @classmethod
    def picture(cls) -> Markup:
        """A small true picture for the start page: scores with the pairs as trained, and mixed up."""
        symptom = compute(**DEFAULTS).run.symptom
        return picture.curves([(symptom.right, stage.COLOURS[RIGHT]), (symptom.wrong, stage.COLOURS[WRONG])])

    def build(self) -> None:
        """Make the controls and the figures."""
        state = self.state.param
        self._following = False
        self._still: tuple[Any, ...] = ()
        self._drawn: Any = None
        self._make_choices()
        self._cursor = Cursor(self._look)
        self._numbers: dict[str, Any] = {
            "m": controls.slider(state.m),
            "prompt": controls.slider(state.prompt),
            "scheme": controls.segmented(state.scheme, SCHEMES),
            "pad": controls.segmented(state.pad, PADS),
            "cached_at": controls.slider(state.cached_at),
            "ids": controls.text(state.ids),
            "first": controls.slider(state.first),
            "length": controls.slider(state.length),
        }
        self.controls = [
            self._symptom,
            pn.Column(self._fits.pane, self._list, margin=0, css_classes=["lab-mistakes-choice"]),
            self._cursor.slider,
            *self._numbers.values(),
        ]
        self._make_figures(controls.segmented(state.version, VERSIONS))

    def _make_choices(self) -> None:
        options = {EVERY: ANY, **{sentence: tag for tag, sentence in SYMPTOM_SENTENCES.items()}}
        self._symptom = pn.widgets.Select(
            options=options,
            value=self.state.symptom,
            label=str(self.state.param.symptom.label),
            css_classes=["lab-select"],
            sizing_mode="stretch_width",
            margin=0,
        )
        self._fits = Html(css="lab-mistakes-fits")
        self._list = Radios(
            options=_titles(fitting(self.state.symptom)),
            value=chosen(self.state.symptom, self.state.mistake),
            css_classes=["lab-mistakes-list"],
            sizing_mode="stretch_width",
            margin=0,
            tags=["label:Mistake"],
        )
        self._symptom.param.watch(self._see, "value")
        self._list.param.watch(self._choose, "value")

    def _make_figures(self, switch: pn.Column) -> None:
        versions = {name: (name, stage.COLOURS[name]) for name in (RIGHT, WRONG)}
        self._top, self._head = Html(), Html(css="lab-mistakes-head")
        self._matrices, self._readings = Html(), Html(css="lab-mistakes-readings")
        self._checks, self._source = Html(css="lab-mistakes-section"), Html(css="lab-mistakes-section")
        self._rivals = Html(css="lab-mistakes-section")
        label = "Right and wrong version of the mistake"
        self._curves = VersusCurves(versions, label=label, height=260)
        self._bars = VersusBars(versions, label=label, height=260)
        bar = pn.Row(self._head.pane, switch, css_classes=["lab-mistakes-bar"], margin=0)
        self.figures = [
            self._top.pane,
            bar,
            self._curves.pane,
            self._bars.pane,
            self._matrices.pane,
            self._readings.pane,
            self._checks.pane,
            self._source.pane,
            self._rivals.pane,
        ]

    def draw(self, view: View) -> None:
        """Show the mistake, and only the controls it has."""
        self._follow(view)
        self._draw_figure(view)
        self._readings.set(stage.readings(view))
        still = (view.run, view.version, view.symptom)
        if still == self._still:
            return  # only the cursor moved
        self._still = still
        self._top.set(stage.top(view))
        self._head.set(stage.head(view))
        self._matrices.set(stage.matrices(view))
        self._checks.set(stage.checks(view))
        self._source.set(stage.source(view))
        self._rivals.set(stage.rivals(view))

    def _follow(self, view: View) -> None:
        self._following = True
        try:
            titles = _titles(view.fits)
            if titles != self._list.options:
                self._list.param.update(options=titles, value=view.key)
            self._list.value = view.key
            self._symptom.value = view.symptom
        finally:
            self._following = False
        self._fits.set(stage.fits(view))
        self._cursor.follow(view)
        for name, control in self._numbers.items():
            control.visible = name in view.page.uses

    def _draw_figure(self, view: View) -> None:
        symptom = view.run.symptom
        values = {RIGHT: symptom.right, WRONG: symptom.wrong}
        self._curves.pane.visible = symptom.kind == "curve"
        self._bars.pane.visible = symptom.kind == "bars"
        if symptom.kind == "curve":
            if self._drawn is not symptom:
                self._drawn = symptom
                self._curves.set(symptom.x, values, x=symptom.x_label, y=symptom.y_label)
            self._curves.forward(view.version)
            self._curves.read(view.place)
        elif symptom.kind == "bars":
            self._bars.set(symptom.names, values, x=symptom.x_label, y=symptom.y_label)
            self._bars.forward(view.version)

    def _see(self, event: Any) -> None:
        if self._following:
            return
        self._lead(event.new, chosen(event.new, chosen(self.state.symptom, self.state.mistake)))

    def _choose(self, event: Any) -> None:
        if not self._following and event.new is not None:
            self._lead(self.state.symptom, event.new)

    def _lead(self, symptom: str, key: str) -> None:
        # a place looked at belongs to one mistake: the next begins at its own
        stays = key == chosen(self.state.symptom, self.state.mistake)
        self.state.param.update(symptom=symptom, mistake=key, at=self.state.at if stays else None)

    def _look(self, at: int) -> None:
        self.state.at = at


def _titles(keys: tuple[str, ...]) -> dict[str, str]:
    return {MISTAKES[key].title: key for key in keys}


ROOM = MistakesRoom
