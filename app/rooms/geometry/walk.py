"""A walk through the room: states worth seeing, in an order in which each prepares the next."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import panel as pn

from app.kit import controls
from app.rooms.geometry.state import DEFAULTS
from app.rooms.geometry.words import WORDS

STATIONS: dict[str, dict[str, Any]] = {
    "cat, dog, car by hand": {},
    "… in four dimensions": {"table": "chapter"},
    "… and trained": {"table": "minilm", "a": "cat", "b": "dog", "c": "car"},
    "Cat's real neighbours": {"table": "minilm", "look": "near"},
    "Good and bad": {"table": "minilm", "a": "good", "b": "bad", "c": "excellent"},
    "Bank has two senses": {"table": "minilm"},
    "man : king :: woman : ?": {"table": "minilm", "look": "analogy"},
    "A map of six words": {"table": "minilm", "look": "map"},
    "Two random rows": {"table": "minilm", "look": "pairs"},
    "… in another model": {"table": "smollm2", "look": "pairs"},
    "Rare words, short rows?": {"table": "minilm", "look": "rarity"},
    "Word + position, one sum": {"table": "minilm", "look": "sums"},
    "Sums that coincide": {"table": "running", "look": "sums", "place": 1},
    "Save, invest, spend": {"table": "finance"},
    "A vector of zeros": {"c": "[0]"},
}
"""Values that differ from the defaults, by the words that offer them."""
CHANGED = WORDS.raw("changed")
"""What the list says when the state is none of the stations."""


class Walk:
    """The list of the stations, and the way to the next one and back."""

    def __init__(self, go: Callable[[Mapping[str, Any]], None]) -> None:
        self._go, self._at, self._following = go, -1, False
        self.select = pn.widgets.Select(label=WORDS.raw("walk"), **controls.style("lab-select"))
        self.select.param.watch(self._chosen, "value")
        self.back = controls.button("Back", lambda: self._step(-1))
        self.next = controls.button("Next", lambda: self._step(1), "lab-primary")
        self.panes = [self.select, pn.Row(self.back, self.next, css_classes=["lab-steps"], margin=0)]

    def follow(self, values: Mapping[str, Any]) -> None:
        """Stand where the state is, which is no choice of the reader's."""
        here = {name: values[name] for name in DEFAULTS}
        names, there = list(STATIONS), [{**DEFAULTS, **station} for station in STATIONS.values()]
        self._at = there.index(here) if here in there else -1
        name = CHANGED if self._at < 0 else names[self._at]
        self._following = True
        try:
            self.select.param.update(options=[*names, CHANGED] if self._at < 0 else names, value=name)
        finally:
            self._following = False
        self.back.disabled, self.next.disabled = self._at == 0, self._at == len(names) - 1

    def _step(self, steps: int) -> None:
        stations = list(STATIONS.values())
        self._go(stations[min(max(self._at + steps, 0), len(stations) - 1)])

    def _chosen(self, event: Any) -> None:
        if not self._following and event.new in STATIONS:
            self._go(STATIONS[event.new])
