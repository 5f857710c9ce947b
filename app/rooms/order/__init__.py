"""Can attention see who bites whom? One layer, the same words in two orders, and one number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import panel as pn

from app.kit import controls, picture
from app.kit.figures import Curves
from app.kit.html import Markup
from app.kit.panes import Html, section
from app.kit.room import Room
from app.rooms.order import stage, words
from app.rooms.order.compute import ORDERS, SENTENCES, State, View, compute, cost
from lab.positions import SCHEMES


class OrderRoom(Room):
    """Two orders of the same words through one layer."""

    key = "order"
    title = "Can attention see who bites whom?"
    lead = (
        "A recurrent network reads token after token. Attention gave that up: to it alone the tokens are a "
        "set. Permute the rows that go in, and the rows that come out are permuted, nothing else."
    )
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
    def picture(cls) -> Markup:
        """A small true picture for the start page: the weights of a head that sees the past only."""
        view = compute(**{**words.DEFAULTS, "text": "the dog that bites the man", "mask": True})
        return picture.matrix(view.before.weights[0])

    def build(self) -> None:
        """Make the controls and the figures."""
        state = self.state.param
        self._whole = False
        self._text = controls.text(state.text)
        self._permutation = controls.text(state.permutation)
        # before the room's own watcher: a choice takes the place of what was typed
        self.state.param.watch(self._chosen, ["sentence", "text", "order", "permutation"])
        self.controls = [
            controls.select(state.sentence, SENTENCES),
            self._text,
            controls.select(state.order, ORDERS),
            self._permutation,
            controls.select(state.scheme, {key: scheme.title for key, scheme in SCHEMES.items()}),
            controls.switch(state.mask),
            controls.slider(state.head),
            controls.number(state.seed),
        ]
        self._headline, self._panels, self._finding = Html(), Html(), Html()
        self._comparison, self._packed, self._packed_finding = Html(), Html(), Html()
        self._marked_finding = Html()
        self._marked = _marked()
        self.figures = [*self._build_top(), *self._build_packed(), *self._build_marked()]

    def _build_top(self) -> list[Any]:
        return [
            self._headline.pane,
            self._panels.pane,
            self._finding.pane,
            section(
                "Row by row", "The same tokens in the same order, attended before and after the permutation."
            ),
            self._comparison.pane,
        ]

    def _build_packed(self) -> list[Any]:
        state = self.state.param
        return [
            section(
                "Two documents in one sequence",
                "Training packs texts end to end. Nothing but a mask keeps one from reading the other.",
            ),
            *self._beside(
                controls.text(state.second),
                controls.switch(state.boundary),
                controls.switch(state.separate),
                controls.switch(state.restart, "run on", "restart"),
            ),
            self._packed.pane,
            self._packed_finding.pane,
        ]

    def _build_marked(self) -> list[Any]:
        return [
            section(
                "Why a model without positions still knows where a token stands",
                "Under the causal mask even uniform attention counts: token t averages over t tokens.",
            ),
            *self._beside(controls.slider(self.state.param.places)),
            self._marked.pane,
            self._marked_finding.pane,
        ]

    def draw(self, view: View) -> None:
        """Show both orders, the packed documents and the marked token."""
        self._text.placeholder = " ".join(view.words)
        self._permutation.placeholder = ",".join(str(place + 1) for place in view.order.tolist())
        self._headline.set(stage.headline(view))
        self._panels.set(stage.panels(view))
        self._finding.set(stage.finding(view))
        self._comparison.set(stage.comparison(view))
        self._packed.set(stage.packed(view))
        self._packed_finding.set(stage.packed_finding(view))
        self._marked_finding.set(stage.marked_finding(view))
        T = len(view.marked)
        if len(self._marked.sources["causal"].data["x"]) != T:
            places = list(range(1, T + 1))
            self._marked.set("causal", places, view.marked)
            self._marked.set("open", places, view.unmasked)
            self._marked.set_x(0.5, T + 0.5)

    def _beside(self, *items: Any) -> list[Any]:
        hidden = "controls" in self.options.hide
        return [] if hidden else [pn.Row(*items, css_classes=["lab-inline"], margin=0)]

    def apply(self, values: Mapping[str, Any]) -> None:
        """Set the whole state: what was typed before is no part of it, and what is typed in it stays."""
        self._whole = True
        try:
            super().apply(values)
        finally:
            self._whole = False

    def _chosen(self, *events: Any) -> None:
        if self._whole:
            return
        changed = {event.name for event in events}
        # an order typed for three words fits no sentence of two
        for choice, typed in (("sentence", "text"), ("sentence", "permutation"), ("order", "permutation")):
            if choice in changed and typed not in changed:
                setattr(self.state, typed, "")


def _marked() -> Curves:
    return Curves(
        {"causal": ("causal mask: 1/t", "accent"), "open": ("no mask: 1/T", "scheme-none")},
        points=True,
        label="Output of uniform attention at each token",
        x="token t",
        y="output",
        x_range=(0.5, 1.5),
        y_range=(0, 1.05),
        height=240,
    )


ROOM = OrderRoom
