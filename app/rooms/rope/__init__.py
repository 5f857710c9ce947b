"""How does a rotation become a distance? Two hands that turn, their angle, and the score it gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import panel as pn

from app.kit import controls, picture
from app.kit.html import EMPTY, Markup, number, vector
from app.kit.panes import Html
from app.kit.room import Room
from app.kit.smollm2 import smollm2_words
from app.rooms.rope import plots, sections, stage, words
from app.rooms.rope.compute import BASES, REACHES, State, View, compute, cost
from app.rooms.rope.parts import FARTHEST, MOVES
from lab.positions import Rope
from lab.rope_study import average_by_distance

VIEWS = {
    "all": "everything",
    "hands": "hands and score",
    "pairs": "what each pair adds",
    "average": "the average",
    "heads": "real heads",
    "layouts": "layouts of pairs",
    "storage": "half precision",
}
UNUSED = {
    "average": {"q, k", "m", "n", "move", "pairing", "precision"},
    "heads": {"turn", "theta", "base", "d", "q, k", "move", "pairing", "precision", "reach", "seed"},
    "layouts": {"move", "precision"},
    "storage": {"move", "precision", "reach"},
}
"""Controls that do nothing in a view that is shown alone."""


class RopeRoom(Room):
    """One query and one key, turned by their positions and scored."""

    key = "rope"
    title = "How does a rotation become a distance?"
    lead = (
        "RoPE turns q by its position and k by its own. Of the two positions their product keeps the "
        "distance alone."
    )
    place = "q, k"
    data: ClassVar[tuple[str, ...]] = ("smollm2_rope_pack.npz",)
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
    def picture(cls) -> Markup:
        """A small true picture for the start page: the mean score of equal vectors, falling with distance."""
        average = average_by_distance(Rope(64), range(128), 1, 0)
        return picture.curves([(average.expected, "scheme-rope")])

    def build(self) -> None:
        """Make the controls and the figures."""
        self._drawn: dict[str, tuple[Any, ...]] = {}
        self._make_controls()
        self._html = {
            name: Html() for name in ("hands", "pairs", "bars", "average", "heads", "layouts", "storage")
        }
        self._plots = plots.make()
        html, drawn = self._html, self._plots
        self.figures = [
            html["hands"].pane,
            drawn["curve"].pane,
            html["pairs"].pane,
            html["bars"].pane,
            drawn["pairs"].pane,
            html["average"].pane,
            drawn["average"].pane,
            html["heads"].pane,
            self._words,
            drawn["heads"].pane,
            html["layouts"].pane,
            drawn["layouts"].pane,
            html["storage"].pane,
            drawn["storage"].pane,
        ]

    def _make_controls(self) -> None:
        state = self.state.param
        self._q, self._k = controls.text(state.q), controls.text(state.k)
        self._m, self._n = controls.slider(state.m), controls.slider(state.n)
        self._by_name = {
            "turn": controls.segmented(state.turn, {"theta": "one angle θ", "base": "base and d"}),
            "theta": controls.slider(state.theta),
            "base": controls.choice_slider(state.base, options=_spelled(BASES)),
            "d": controls.choice_slider(state.d),
            "q, k": _hideable(pn.Row(self._q, self._k, css_classes=["lab-pair"], margin=0)),
            "m": self._m,
            "n": self._n,
            "move": controls.choice_slider(state.move, options=_spelled(MOVES)),
            "pairing": controls.segmented(state.pairing),
            "precision": controls.select(state.precision, {"float64": "float64, exact here"}),
            "reach": controls.choice_slider(state.reach, options=_spelled(REACHES)),
            "seed": controls.number(state.seed),
            "view": controls.select(state.view, VIEWS),
        }
        self.controls = list(self._by_name.values())
        fields = [
            controls.text(state.a),
            controls.text(state.b),
            controls.select(state.head, {"all": "all nine"}),
        ]
        row = pn.Row(*fields, css_classes=["lab-rope-words"], margin=0, sizing_mode="stretch_width")
        self._pack = Html()
        self._words = pn.Column(_hideable(row), self._pack.pane, margin=0, sizing_mode="stretch_width")

    def draw(self, view: View) -> None:
        """Show what is asked for; redraw only the pictures whose part has changed."""
        self._fit_controls(view)
        self._html["hands"].set(stage.hands(view) if view.shows("hands") else EMPTY)
        self._html["bars"].set(stage.bars(view) if view.several and view.shows("pairs") else EMPTY)
        for name in sections.SENTENCES:
            self._html[name].set(sections.section(view, name))
        self._pack.set(smollm2_words() if view.shows("heads") else EMPTY)
        self._words.visible = view.shows("heads") and "controls" not in self.options.hide
        drawn: dict[str, tuple[bool, tuple[Any, ...], Any]] = {
            "curve": (view.shows("hands"), (view.curve,), plots.draw_curve),
            "pairs": (view.several and view.shows("pairs"), (view.curve,), plots.draw_pairs),
            "average": (view.shows("average"), (view.average,), plots.draw_average),
            "heads": (view.shows("heads"), (view.heads, view.head), plots.draw_heads),
            "layouts": (view.several and view.shows("layouts"), (view.curve,), plots.draw_layouts),
            "storage": (view.shows("storage"), (view.storage,), plots.draw_storage),
        }
        for name, (visible, parts, draw) in drawn.items():
            plots.show(self._plots[name], visible)
            if visible and self._is_new(name, parts):
                draw(self._plots[name], view)
        for name, marks in plots.marks(view).items():
            if drawn[name][0]:
                self._plots[name].set_marks(marks)

    def _is_new(self, name: str, parts: tuple[Any, ...]) -> bool:
        # parts of a view are cached: the same object is the same picture
        before = self._drawn.get(name)
        self._drawn[name] = parts
        return before is None or any(old is not new for old, new in zip(before, parts, strict=True))

    def _fit_controls(self, view: View) -> None:
        hidden = UNUSED.get(view.shown, set()) | (
            {"base", "d", "pairing"} if view.setting.turn == "theta" else {"theta"}
        )
        for name, control in self._by_name.items():
            control.visible = name not in hidden
        for field, values in ((self._q, view.setting.q), (self._k, view.setting.k)):
            field.placeholder = "drawn" if view.setting.turn == "base" else vector(values).strip("[]")
        for slider, place in ((self._m, view.m), (self._n, view.n)):
            # a slider reaches as far as the figure, and farther only where the place already is
            farthest = max(view.window.stop - view.window.start, place)
            slider.end = min(next(reach for reach in REACHES if reach >= farthest), FARTHEST)


def _hideable(row: Any) -> pn.Column:
    # a grid keeps its display whatever its visibility says; a plain column around it does not
    return pn.Column(row, margin=0, sizing_mode="stretch_width")


def _spelled(values: Sequence[int]) -> dict[str, int]:
    return {number(value): value for value in values}


ROOM = RopeRoom
