"""What a page must show: the room of its address is made anew, here, with nothing that went before."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any
from unittest.mock import patch

import numpy as np
from bokeh.model import Model
from bokeh.models import FileInput, Plot

from app.kit.place import FIGURE
from app.rooms import ROOMS
from app.rooms.geometry.pictures.wordmap import LABEL
from tests.play.doors import Look, query_of
from tests.sweep import prose

SERVED = "/main"
SKIPPED = frozenset({"lab-questions", "lab-errors", "lab-notices", "lab-train-live"})
SAID = ("value", "active", "text", "title", "start", "end", "labels", "options", "label")
HALVES = ("First position to swap", "Second position to swap")
"""One of a pair: chosen alone it is not in the State yet."""
ASKING = "Questions"
"""The switch that opens a room's questions, which are skipped."""
DRAFT = "Your model's JSON"
"""A text that stays in its field, and on offer, when a published model is chosen in its place."""
RUNS = re.compile(r"\b[Yy]our run, ")
"""A run of the reader's own is no part of the address; the stored ones are below it."""
NUMBER = re.compile(r"[−-]?\d[\d,]*(?:\.\d+)?(?:e[−-]?\d+)?")
ROUNDED = re.compile(
    r" to the last digit|, but for [\d.]+e−1\d|"
    r"the ways (agree bit for bit|differ by at most [^:]+: [a-z ]+)\."
)
"""Two processors round a sum differently: here it is nothing at all, there nothing that counts."""
NOTHING = 1e-9
"""Below this a number is rounding: the browser's NumPy adds in another order."""


class Expected:
    """A room made from an address, laid out as on a page."""

    def __init__(self, look: Look) -> None:
        # what a page says of files and typed words is true for its own door
        with patch("app.kit.door.in_browser", return_value=look["path"] != SERVED):
            self.room = ROOMS[look["room"]](query_of(look["address"]))
        self.places = look["places"]
        self.caption = list(self._figures())
        self.root = self.room.layout.get_root()

    def _figures(self) -> Iterator[str]:
        """Open behind each figure what is open on the page; the captions of those that are made there."""
        for key, place in self.room._places.items():
            if key not in self.places:
                continue
            if place.drawer.parts:
                named = list(place.drawer._chosen.options.values())
                place.drawer._chosen.value = [named[at] for at in self.places[key]]
            if place.column.visible:
                yield from prose.texts_of(place._caption.pane.object)

    def unlike(self, look: Look) -> Iterator[str]:
        """In what a page differs from this room."""
        said = [*look["captions"], *(str(one.get("text")) for one in look["models"])]
        if any(map(RUNS.search, said)) or any(one.get("label") == "Pause" for one in look["models"]):
            return
        if not same_words(" ".join(look["captions"]), " ".join(self.caption)):
            yield f"the caption says {look['captions']}, the state of the address {self.caption}"
        models, figures = _walk(self.root, self.places)
        yield from self._controls(look["models"], models)
        yield from _figures(look["figures"], figures)

    def _controls(self, shown: list[dict[str, Any]], meant: list[dict[str, Any]]) -> Iterator[str]:
        if [one["type"] for one in shown] != [one["type"] for one in meant]:
            yield f"the page is made of {_types(shown)}, the state of the address of {_types(meant)}"
            return
        for one, other in zip(shown, meant, strict=True):
            for name in SAID:
                if one["name"] in HALVES and name == "value":
                    continue
                if one["name"] == ASKING and name == "active":
                    continue
                if one["name"] == DRAFT and name == "value" and not other.get(name):
                    continue
                if not _same(_without_draft(one.get(name)), _without_draft(other.get(name))):
                    label = one["name"] or one["type"]
                    drawn, wanted = _parted(str(one.get(name)), str(other.get(name)))
                    yield f"{label}: {name} is {drawn}, in the state of the address {wanted}"


def _without_draft(said: Any) -> Any:
    return [part for part in said if part != "pasted|Your JSON"] if isinstance(said, list) else said


def _parted(one: str, other: str) -> tuple[str, str]:
    # from a little before the place where they part
    same = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
    start = max(same - 60, 0)
    return one[start : start + 240], other[start : start + 240]


def _types(models: list[dict[str, Any]]) -> str:
    return ", ".join(one["type"] for one in models)


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return math.isclose(one, other, rel_tol=1e-6, abs_tol=NOTHING)
    if isinstance(one, str) and isinstance(other, str):
        return one == other or same_words(one, other)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)


def same_words(one: str, other: str) -> bool:
    """Whether two texts say the same, numbers compared as numbers.

    >>> same_words("It is 1,024.5 off by 1.1e−17", "It is 1024.5 off by 0"), same_words("2 rows", "3 rows")
    (True, False)
    """
    one, other = ROUNDED.sub("", one), ROUNDED.sub("", other)
    if NUMBER.sub("#", one).split() != NUMBER.sub("#", other).split():
        return False
    return all(map(_same_number, NUMBER.findall(one), NUMBER.findall(other)))


def _same_number(one: str, other: str) -> bool:
    a, b = _value(one), _value(other)
    if a.is_integer() and b.is_integer():
        return a == b
    # the last of three figures may be rounded the other way
    return math.isclose(a, b, rel_tol=2e-3, abs_tol=NOTHING)


def _value(text: str) -> float:
    return float(text.replace(",", "").replace("−", "-"))


def _walk(
    root: Model, places: Collection[str] = ()
) -> tuple[list[dict[str, Any]], list[list[dict[str, list[float]]]]]:
    models: list[dict[str, Any]] = []
    figures: list[list[dict[str, list[float]]]] = []

    def walk(one: Model) -> None:
        if not getattr(one, "visible", True) or SKIPPED.intersection(getattr(one, "css_classes", ())):
            return
        place = next((tag for tag in one.tags if str(tag).startswith(FIGURE)), "").removeprefix(FIGURE)
        if place and place not in places:
            return
        if isinstance(one, Plot):
            # a line that is not shown may keep what it was
            figures.append(
                [_sums(getattr(part, "data_source", None)) if part.visible else {} for part in one.renderers]
            )
            return
        if not hasattr(one, "children"):
            models.append(_model(one))
            return
        for child in one.children:
            walk(child[0] if isinstance(child, tuple) else child)

    walk(root)
    return models, figures


def _model(one: Model) -> dict[str, Any]:
    told: dict[str, Any] = {"type": type(one).__name__}
    # a file's field has no value before one is chosen
    for name in SAID if not isinstance(one, FileInput) else ():
        value = getattr(one, name, None)
        if isinstance(value, (str, int, float)):
            told[name] = value
        elif isinstance(value, list):
            told[name] = [
                "|".join(map(str, part)) if isinstance(part, (tuple, list)) else part for part in value
            ]
    over = getattr(getattr(one, "format", None), "args", {}).values()
    if stops := next((value for value in over if isinstance(value, (list, tuple))), None):
        # it slides over a list, to which a state may have added a stop of its own
        told |= {"value": stops[told["value"]], "start": None, "end": None}
    return told


def _sums(source: Any) -> dict[str, list[float]]:
    if source and set(LABEL) <= set(source.data):
        return {}  # which labels have room depends on the window
    return {name: _sum(column) for name, column in (source.data if source else {}).items()}


def _sum(column: Any) -> list[float]:
    numbers = np.asarray(list(_numbers(column)), dtype=float)
    finite = numbers[np.isfinite(numbers)]
    return [len(numbers), float(finite.sum()), float(np.abs(finite).sum())]


def _numbers(column: Any) -> Iterator[float]:
    if isinstance(column, np.ndarray) and column.dtype.kind in "iufb":
        yield from column.ravel().tolist()
    elif isinstance(column, (int, float, np.number)):
        yield float(column)
    elif isinstance(column, (list, tuple, np.ndarray)):
        for part in column:
            yield from _numbers(part)


def _figures(shown: list[Any], meant: list[Any]) -> Iterator[str]:
    if len(shown) != len(meant):
        yield f"the page has {len(shown)} figures, the state of the address {len(meant)}"
        return
    for place, (one, other) in enumerate(zip(shown, meant, strict=True), start=1):
        for line, (drawn, wanted) in enumerate(zip(one, other, strict=False), start=1):
            if bad := _columns(drawn, wanted):
                yield f"figure {place}, part {line}: {bad}"


def _columns(drawn: Mapping[str, list[float]], wanted: Mapping[str, list[float]]) -> str:
    for name, (length, total, size) in wanted.items():
        found = drawn.get(name)
        near = 1e-4 * size + 1e-6
        if found is None or found[0] != length or abs(found[1] - total) > near or abs(found[2] - size) > near:
            return f"{name} adds up to {found}, in the state of the address to {[length, total, size]}"
    return ""
