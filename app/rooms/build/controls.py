"""Two controls of the room `build`: the step with its buttons, and the two positions of a swap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import panel as pn
import param

from app.kit import controls
from app.kit.fields import Field

LISTED = 64
"""Positions offered for a swap."""
NOWHERE = 0
"""The option that stands for no position."""


class Steps(Field):
    """A slider over the steps, its label their names, and a button back and one on."""

    def __init__(self, parameter: param.Integer, names: Sequence[str]) -> None:
        self._parameter, self._names = parameter, names
        slider = controls.slider(parameter, show_value=False, label="", tags=["label:Step"])
        self._slider = controls.labelled("Step", slider)
        self.back = controls.button("Back", partial(self._go, -1))
        self.next = controls.button("Next", partial(self._go, 1), "lab-primary")
        buttons = pn.Row(self.back, self.next, css_classes=["lab-steps"], margin=0)
        super().__init__(pn.Column(self._slider, buttons, css_classes=["lab-both"], margin=0))

    def follow(self, value: Any, shown: Mapping[str, Any]) -> None:
        """Name the step."""
        last = len(self._names)
        self.back.disabled, self.next.disabled = value == 1, value == last
        self._slider[0].object = f"<span>Step {value} of {last} · {self._names[value - 1]}</span>"

    def _go(self, steps: int) -> None:
        owner, name = self._parameter.owner, self._parameter.name
        setattr(owner, name, max(1, min(len(self._names), getattr(owner, name) + steps)))


class TwoPositions(Field):
    """Two lists of positions; one chosen alone is no swap yet, and stays chosen until the other is."""

    def __init__(self, parameter: param.NumericTuple) -> None:
        self._parameter, self._following = parameter, False
        self.lists = [
            pn.widgets.Select(
                options={"–": NOWHERE},
                value=NOWHERE,
                tags=[f"label:{order} position to swap"],
                **controls.style("lab-select"),
            )
            for order in ("First", "Second")
        ]
        for one in self.lists:
            one.param.watch(self._chosen, "value")
        both = pn.Row(*self.lists, css_classes=["lab-pair"], margin=0)
        super().__init__(controls.labelled(controls.label_of(parameter), both))

    def follow(self, value: Any, shown: Mapping[str, Any]) -> None:
        """Offer the positions of the text."""
        options = {"–": NOWHERE, **{f"{at}": at for at in range(1, min(shown["T"], LISTED) + 1)}}
        chosen = self._values()
        wanted = value or (chosen if NOWHERE in chosen else (NOWHERE, NOWHERE))
        self._following = True
        try:
            for one, position in zip(self.lists, wanted, strict=True):
                if one.options != options:
                    one.options = options
                one.value = position if position in options.values() else NOWHERE
        finally:
            self._following = False

    def _values(self) -> tuple[Any, ...]:
        return tuple(one.value for one in self.lists)

    def _chosen(self, _: Any) -> None:
        if not self._following:
            chosen = self._values()
            setattr(self._parameter.owner, self._parameter.name, None if NOWHERE in chosen else chosen)
