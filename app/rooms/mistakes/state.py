"""What a reader can set: what she sees, which mistake it is, and the numbers of single mistakes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import panel as pn
import param

from app.kit import controls, fields, url
from app.kit.controls import style
from app.kit.html import tag
from app.kit.panes import Html
from app.kit.radios import Radios
from app.rooms.mistakes.model import ANY, fitting
from lab.mistakes import MISTAKES, SYMPTOM_SENTENCES

EVERY = "Show all twelve"
VERSIONS = {"wrong": "wrong", "right": "right"}
SCHEMES = {"learned": "learned table", "rope": "RoPE"}
PADS = {"end": "the end token", "own": "its own"}
EXAMPLE_IDS = "0 0 1 1 2"
TRAINED = 512
"""Positions that the model of the mistake "longer" was trained for."""
DYNAMIC = (2048, 4096)
"""Trained length and present length of the mistake "stale"."""
PACKED = 7
"""Tokens of both packed documents together."""


class State(param.Parameterized):
    """What a reader can set; numbers below `at` belong to one mistake each."""

    symptom = param.Selector(default=ANY, objects=[ANY, *SYMPTOM_SENTENCES], label="What do you see?")
    mistake = param.Selector(default="layout", objects=list(MISTAKES), label="Mistake")
    version = param.Selector(default="wrong", objects=list(VERSIONS), label="Version")
    at = param.Integer(
        default=None,
        bounds=(0, DYNAMIC[1]),
        allow_None=True,
        label="Position read off",
        doc="Along the figure; its nearest value is taken.",
    )
    m = param.Integer(default=7, bounds=(1, 32), label="Position m of the query")
    prompt = param.Integer(default=9, bounds=(1, 64), label="Prompt length, in tokens")
    scheme = param.Selector(default="learned", objects=list(SCHEMES), label="Positions of the model")
    pad = param.Selector(default="end", objects=list(PADS), label="Padding token")
    cached_at = param.Integer(
        default=DYNAMIC[0] + 1,
        bounds=(DYNAMIC[0] + 1, DYNAMIC[1]),
        label="Length when cached",
        doc="In tokens.",
    )
    ids = param.String(default=EXAMPLE_IDS, label="Token ids of a batch")
    first = param.Integer(
        default=4, bounds=(1, PACKED - 1), label="Tokens of the first document", doc=f"Of {PACKED} in all."
    )
    length = param.Integer(default=2048, bounds=(TRAINED, 4096), step=1, label="Text length, in tokens")
    counts = param.Parameter(default=None, precedence=-1, doc="The teacher's, of each id.")


DEFAULTS = {name: item.default for name, item in url.settings(State).items()}


class Titles(fields.Derived):
    """The mistakes that fit what a reader sees, under a line that counts them."""

    def __init__(self, parameter: param.Selector) -> None:
        label = f"label:{controls.label_of(parameter)}"
        super().__init__(parameter, Radios(tags=[label], **style("lab-mistakes-list")))
        self._counted = Html(css="lab-mistakes-fits")
        self.pane = pn.Column(self._counted.pane, self.widget, margin=0, css_classes=["lab-mistakes-choice"])

    def show(self, value: Any, shown: Mapping[str, Any]) -> None:
        """List what fits, one of it chosen."""
        fits, symptom = fitting(shown["symptom"]), shown["symptom"]
        titles = {MISTAKES[key].title: key for key in fits}
        if titles != self.widget.options:
            self.widget.param.update(options=titles, value=value)
        self.widget.value = value
        count = f"{len(fits)} of {len(MISTAKES)} fit" if len(fits) > 1 else "One mistake fits"
        all_of_them = f"All {len(fits)} mistakes"
        said = all_of_them if symptom == ANY else f"{count}: “{SYMPTOM_SENTENCES[symptom]}”"
        self._counted.set(tag("p", said))


class Cursor(fields.Stops):
    """A slider along the picture at hand, under the name that its positions have there."""

    def __init__(self, parameter: param.Integer) -> None:
        super().__init__(parameter, (0, 1))

    def show(self, value: Any, shown: Mapping[str, Any]) -> None:
        """Stand where the picture is read off; some have no line to read."""
        if "stops" in shown:
            self._usual = tuple(shown["stops"])
            self.widget.label = shown["slider"]
            super().show(value, shown)


CONTROLS: Mapping[str, Callable[..., fields.Field]] = {
    "symptom": partial(
        fields.Listed,
        offered=lambda _: {EVERY: ANY, **{said: key for key, said in SYMPTOM_SENTENCES.items()}},
    ),
    "mistake": Titles,
    "version": fields.choices(VERSIONS, controls.segmented),
    "at": Cursor,
    "scheme": fields.choices(SCHEMES, controls.segmented),
    "pad": fields.choices(PADS, controls.segmented),
}
