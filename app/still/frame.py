"""The frame of a plot: where its picture stands, and its axes, title and grid around it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.still.canvas import Canvas, number
from app.still.metrics import text_width
from app.still.ticks import labels, ticks

LABEL, WORD = 12.0, 12.5
"""Sizes of the labels of ticks, and of the words that name an axis."""
TICK, GAP = 4.0, 5.0
EDGE = 6.0
TITLE = 26.0
PADDING = 0.1
"""Share that Bokeh leaves free around data where no range is given."""


def colour_of(model: Any, name: str) -> str:
    """A colour of a model as CSS: its token, where it has one."""
    for tag in model.tags:
        if tag.startswith("paint:"):
            tokens = dict(pair.split("=") for pair in tag.removeprefix("paint:").split(","))
            if name in tokens:
                return f"var(--{tokens[name]})"
    found = getattr(model, name, None)
    return found if isinstance(found, str) else "none"


@dataclass
class Scale:
    """An axis of the picture: its ends in numbers and in pixels."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, values: Any) -> Any:
        """The pixels of numbers; what no logarithm has is not a number."""
        places = np.asarray(values, dtype=float)
        low, high = self.low, self.high
        if self.log:
            with np.errstate(divide="ignore", invalid="ignore"):
                places = np.where(places > 0, np.log(np.where(places > 0, places, 1.0)), np.nan)
            low, high = math.log(low), math.log(high)
        return self.start + (places - low) / ((high - low) or 1.0) * (self.end - self.start)


class Frame:
    """A plot's inner box, so wide and high, and its two scales."""

    def __init__(self, figure: Any, width: float, height: float) -> None:
        self.figure, self.width, self.height = figure, width, height
        self._ends = {name: _ends_of(figure, name) for name in "xy"}
        self.left, self.right = (self._beside(figure, side) for side in ("left", "right"))
        self.top = EDGE + (TITLE if _title(figure) else 0.0) + _above(figure)
        self.bottom = max([EDGE, *(_below(axis) for axis in figure.xaxis)])
        log = {name: "Log" in type(getattr(figure, f"{name}_scale")).__name__ for name in "xy"}
        self.x = Scale(*self._ends["x"], self.left, width - self.right, log["x"])
        self.y = Scale(*self._ends["y"], height - self.bottom, self.top, log["y"])

    @property
    def box(self) -> tuple[float, float, float, float]:
        """The inner box."""
        return self.left, self.top, self.width - self.left - self.right, self.height - self.top - self.bottom

    def _beside(self, figure: Any, side: str) -> float:
        wide = [EDGE]
        for axis in getattr(figure, side):
            if hasattr(axis, "ticker") and axis.visible:
                named = [text_width(label, LABEL) for _, label in self.ticked(axis, "y")]
                wide.append(
                    EDGE + TICK + GAP + max(named, default=0.0) + (WORD + GAP + 2 if axis.axis_label else 0)
                )
        # the last number of the axis below reaches half over the edge
        last = [
            text_width(label, LABEL) / 2 for axis in figure.xaxis for _, label in self.ticked(axis, "x")[-1:]
        ]
        return max([*wide, *(last if side == "right" else [])])

    def ticked(self, axis: Any, name: str) -> list[tuple[float, str]]:
        """Ticks of an axis with their labels."""
        places = ticks(axis.ticker, *self._ends[name])
        return list(zip(places, labels(axis, places), strict=True))

    def draw_back(self, canvas: Canvas, x: float, y: float) -> None:
        """What stands behind the picture: the grid."""
        left, top, width, height = self.box
        for name, grid in zip("xy", (self.figure.xgrid, self.figure.ygrid), strict=True):
            for one in grid:
                if not one.visible:
                    continue
                axis = (self.figure.xaxis if name == "x" else self.figure.yaxis)[0]
                style = canvas.stroke(colour_of(one, "grid_line_color"), alpha=one.grid_line_alpha)
                d = ""
                for place, _ in self.ticked(axis, name):
                    at = number(float((self.x if name == "x" else self.y)(place)) + (x if name == "x" else y))
                    start = (at, number(y + top)) if name == "x" else (number(x + left), at)
                    d += f"M{start[0]} {start[1]}" + (
                        f"v{number(height)}" if name == "x" else f"h{number(width)}"
                    )
                if d:
                    canvas.path(d, style)

    def draw_axes(self, canvas: Canvas, x: float, y: float) -> None:
        """Axes with their labels, and the title."""
        for axis in self.figure.xaxis:
            if axis.visible:
                self._draw_across(canvas, axis, x, y)
        for side in ("left", "right"):
            for axis in getattr(self.figure, side):
                if hasattr(axis, "ticker") and axis.visible:
                    self._draw_up(canvas, axis, x, y, side)
        if title := _title(self.figure):
            style = {**canvas.fill("var(--ink)"), "font-size": "14px", "font-weight": "700"}
            canvas.text(x + self.left, y + EDGE + 13, title, style)

    def _draw_across(self, canvas: Canvas, axis: Any, x: float, y: float) -> None:
        left, top, width, height = self.box
        foot = y + top + height
        self._line(canvas, axis, f"M{number(x + left)} {number(foot)}h{number(width)}")
        style = {**canvas.fill(colour_of(axis, "major_label_text_color")), "font-size": "12px"}
        d, free = "", -math.inf
        for place, label in self.ticked(axis, "x"):
            at = x + float(self.x(place))
            d += f"M{number(at)} {number(foot)}v{number(TICK)}"
            half = text_width(label, LABEL) / 2
            # a label that would run into the one before it is left out
            if at - half >= free:
                canvas.text(at, foot + TICK + GAP + 10, label, style, "middle")
                free = at + half + 4
        self._ticks(canvas, axis, d)
        if axis.axis_label:
            style = {**canvas.fill(colour_of(axis, "axis_label_text_color")), "font-size": "12.5px"}
            canvas.text(x + left + width / 2, foot + TICK + GAP + 29, axis.axis_label, style, "middle")

    def _draw_up(self, canvas: Canvas, axis: Any, x: float, y: float, side: str) -> None:
        left, top, width, height = self.box
        sign = -1 if side == "left" else 1
        edge = x + left + (width if side == "right" else 0.0)
        self._line(canvas, axis, f"M{number(edge)} {number(y + top)}v{number(height)}")
        style = {**canvas.fill(colour_of(axis, "major_label_text_color")), "font-size": "12px"}
        d, taken = "", list[float]()
        for place, label in self.ticked(axis, "y"):
            at = y + float(self.y(place))
            d += f"M{number(edge)} {number(at)}h{number(sign * TICK)}"
            if all(abs(at - other) >= LABEL - 1 for other in taken):
                anchor = "end" if side == "left" else "start"
                canvas.text(edge + sign * (TICK + GAP), at + 4.2, label, style, anchor)
                taken.append(at)
        self._ticks(canvas, axis, d)
        if axis.axis_label:
            style = {**canvas.fill(colour_of(axis, "axis_label_text_color")), "font-size": "12.5px"}
            at = x + EDGE + WORD - 2 if side == "left" else x + self.width - EDGE
            turned = (at, y + top + height / 2)
            turn = f"rotate(-90 {number(turned[0])} {number(turned[1])})"
            canvas.text(*turned, axis.axis_label, style, "middle", turn)

    def _line(self, canvas: Canvas, axis: Any, d: str) -> None:
        if axis.axis_line_color is not None:
            canvas.path(d, canvas.stroke(colour_of(axis, "axis_line_color")))

    def _ticks(self, canvas: Canvas, axis: Any, d: str) -> None:
        if d and axis.major_tick_line_color is not None:
            canvas.path(d, canvas.stroke(colour_of(axis, "major_tick_line_color")))


def _title(figure: Any) -> str:
    return (figure.title.text or "").strip() if figure.title else ""


def _above(figure: Any) -> float:
    """Height of a legend above the frame."""
    found = 0.0
    for part in figure.above:
        if hasattr(part, "items") and part.visible:
            columns = part.ncols if isinstance(part.ncols, int) else len(part.items)
            found += 18.0 * math.ceil(len(part.items) / columns) + 4
    return found


def _below(axis: Any) -> float:
    return TICK + GAP + LABEL + 4 + (WORD + GAP + 4 if axis.axis_label else 0.0) if axis.visible else EDGE


def _ends_of(figure: Any, name: str) -> tuple[float, float]:
    """The ends of a range; where it follows its data, as the page finds them."""
    given = getattr(figure, f"{name}_range")
    if type(given).__name__ != "DataRange1d":
        return float(given.start), float(given.end)
    log = "Log" in type(getattr(figure, f"{name}_scale")).__name__
    values: list[float] = []
    for renderer in figure.renderers:
        column = renderer.data_source.data.get(getattr(renderer.glyph, name, name), [])
        values += [float(value) for value in column]
    known = [value for value in values if math.isfinite(value) and (value > 0 or not log)]
    low, high = (min(known), max(known)) if known else (0.1, 1.0)
    if log:
        low, high = math.log10(low), math.log10(high)
    half = ((high - low) or 2.0) * (1 + PADDING) / 2
    middle = (low + high) / 2
    ends = middle - half, middle + half
    return (10 ** ends[0], 10 ** ends[1]) if log else ends
