"""How is a window stretched? Every context extension on one model: pairs, angles, scores, real heads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import panel as pn

from app.kit import controls, picture
from app.kit.html import Markup
from app.kit.panes import Html
from app.kit.radios import Radios
from app.kit.room import Room
from app.rooms.context import heads, words
from app.rooms.context.compute import View, compute
from app.rooms.context.cost import cost
from app.rooms.context.fields import Fields, model
from app.rooms.context.figures import AnglesCanvas, HeadsCanvas, PairsCanvas, ScoresCanvas
from app.rooms.context.heads import HeadsView
from app.rooms.context.look import LOOKS
from app.rooms.context.methods import method_of
from app.rooms.context.setting import DEFAULTS, OVERLAYS, SHOWN, Setting, State

PRESENT = ("dynamic", "longrope")
"""Methods that depend on how many tokens are at hand."""
PICTURED = ("linear", "ntk", "none", "yarn")


class ContextRoom(Room):
    """One model, every method of making its window longer."""

    key = "context"
    title = "How is a window stretched?"
    lead = (
        "A model trained on L positions is to read s times as many. Each method slows RoPE’s pairs, some all "
        "alike and some only the slow ones; each has its price."
    )
    place = "q, k"
    State = State
    compute = staticmethod(compute)
    cost = staticmethod(cost)
    describe = staticmethod(words.describe)
    numbers = staticmethod(words.numbers)
    formula = staticmethod(words.formula)
    code = staticmethod(words.code)
    code_answer = staticmethod(words.code_answer)
    questions = staticmethod(words.questions)

    @classmethod
    def normalise(cls, values: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
        """No pair beyond the last."""
        pair, last = values["pair"], Setting.of(**values).pair
        if pair <= last:
            return dict(values), ()
        return {**values, "pair": last}, (f"There is no pair {pair}: the last one, {last}, is shown.",)

    @classmethod
    def picture(cls) -> Markup:
        """A small true picture for the start page: frequency ratio of each pair, four methods."""
        core = Setting.of(**DEFAULTS).core
        return picture.curves([(method_of(core, key).ratio, LOOKS[key][0]) for key in PICTURED])

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
        self._fields = fields = Fields(self.state)
        self._said = Html(css="lab-context-model")
        sizes = fields.sizes
        self._of_model = [
            fields.model,
            sizes["trained"].slider,
            sizes["base"].slider,
            sizes["d"].slider,
            fields.length,
            fields.config,
        ]
        self._of_json = {"layers": fields.layers, "maximum": fields.maximum}
        self.controls = [
            fields.method,
            sizes["factor"].slider,
            controls.segmented(state.overlay, OVERLAYS),
            *self._of_model,
            *self._of_json.values(),
            self._said.pane,
        ]
        self._pair = controls.slider(state.pair)
        pair = _row(self._pair, controls.number(state.position))
        words_row = _row(controls.text(state.a), controls.text(state.b), controls.select(state.head))
        self._choosers = [pair, words_row]
        self._canvas: dict[str, Any] = {
            "pairs": PairsCanvas(pair),
            "angles": AnglesCanvas(),
            "scores": ScoresCanvas(),
            "heads": HeadsCanvas(words_row),
        }
        self.figures = [self._tabs, *(made.pane for made in self._canvas.values())]

    def draw(self, view: View) -> None:
        """Show the open section, and only its controls and figures."""
        setting = view.setting
        for key, made in self._canvas.items():
            made.pane.visible = key == setting.show
        for chooser in self._choosers:
            chooser.visible = "controls" not in self.options.hide
        of_model = setting.show != "heads"
        for control in self._of_model:
            control.visible = of_model
        self._of_json["layers"].visible = of_model and bool(setting.rope.layer_types)
        self._of_json["maximum"].visible = of_model and setting.rope.ambiguous
        uses_length = of_model and (setting.overlay == "all" or setting.method in PRESENT)
        self._fields.follow(setting, uses_length)
        self._said.set(heads.model(view) if isinstance(view, HeadsView) else model(setting))
        self._keep_within(setting)
        self._canvas[setting.show].draw(view)

    def _keep_within(self, setting: Setting) -> None:
        last = setting.core.pairs - 1
        self._pair.end, self._pair.disabled = max(last, 1), last == 0


def _row(*items: Any) -> pn.Column:
    # a grid keeps its display whatever its visibility says; a plain column around it does not
    row = pn.Row(*items, css_classes=["lab-inline"], margin=0, sizing_mode="stretch_width")
    return pn.Column(row, margin=0, sizing_mode="stretch_width")


ROOM = ContextRoom
