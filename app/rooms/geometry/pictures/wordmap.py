"""Words as points of a plane, their labels placed so that none covers another, at whatever width there is."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bokeh.core.properties import value
from bokeh.models import Arrow, ColumnDataSource, Range1d, Scatter, Segment, Text, VeeHead

from app.kit.html import shorten, visible
from app.kit.plot import FONT, Plot
from app.kit.sources import assign
from app.kit.theme import paint
from app.rooms.geometry.model.labels import place_labels

NOMINAL = 640.0
"""Width in pixels of the picture until the page tells its own."""
AROUND = 80.0
"""Height of what stands around the picture: title and axis."""
LABEL_HEIGHT = 15.0
LETTERS = (("ijlftrI.,:;'|!()[] ", 5.0), ("mwMW@%…", 13.0))
LETTER, CAPITAL, WIDE_LETTER = 8.4, 10.0, 14.0
"""Pixels of a bold 13 px letter in a wide system font: labels get a little more room than they need."""
MARGIN_X, MARGIN_Y = 60.0, 30.0
"""Pixels kept free at the sides, for labels of the outermost points."""
LONGEST = 16
LABEL = ("x", "y", "text", "dx", "align", "dy")
"""Columns of a label's source."""


@dataclass(frozen=True)
class Point:
    """A word at its place; the main ones are labelled first and stand out."""

    word: str
    x: float
    y: float
    main: bool = False
    tip: str = ""


class WordMap(Plot):
    """A map whose two axes have one scale: a distance on it is the same in all directions.

    Labels are placed again when the page reports another width; those for which there is no room are left
    to the hover, and the title counts them.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(x_range=Range1d(-1, 1), y_range=Range1d(-1, 1), title=" ", **options)
        self.closer.update(dimensions="both", match_aspect=True)
        self._title = ""
        self._points: Sequence[Point] = ()
        self._above = False
        self.lines = ColumnDataSource({"x0": [], "y0": [], "x1": [], "y1": []})
        self.arrows = ColumnDataSource({"x0": [], "y0": [], "x1": [], "y1": []})
        self.dots = ColumnDataSource({"x": [], "y": [], "word": [], "tip": [], "size": [], "alpha": []})
        self.labels = ColumnDataSource({name: [] for name in LABEL})
        self.strong = ColumnDataSource({name: [] for name in LABEL})
        self._make()
        # Bokeh has no value of these before a page has drawn the picture
        self._inner = {"inner_width": NOMINAL, "inner_height": self.figure.height - AROUND}
        for name in self._inner:
            self.figure.on_change(name, self._resized)

    def _make(self) -> None:
        segments = self.draw(Segment(x0="x0", y0="y0", x1="x1", y1="y1"), self.lines)
        paint(segments.glyph, line_color="line")
        head = VeeHead(size=9)
        arrow = Arrow(end=head, source=self.arrows, x_start="x0", y_start="y0", x_end="x1", y_end="y1")
        paint(head, fill_color="accent", line_color="accent")
        paint(arrow, line_color="accent")
        self.figure.add_layout(arrow)
        dot = Scatter(x="x", y="y", size="size", fill_alpha="alpha", line_color=None)
        dots = self.draw(dot, self.dots)
        paint(dots.glyph, fill_color="accent")
        self._hover(dots, [("", "@word"), ("", "@tip")])
        for source, ink, style in ((self.labels, "ink-soft", "normal"), (self.strong, "ink", "bold")):
            label = Text(x="x", y="y", text="text", x_offset="dx", y_offset="dy")
            label.update(text_align={"field": "align"}, text_baseline="bottom")
            text = self.draw(label, source)
            paint(text.glyph, text_color=ink)
            text.glyph.update(text_font=value(FONT), text_font_size="13px", text_font_style=style)
        self.figure.grid.visible = False

    def set(
        self,
        points: Sequence[Point],
        *,
        title: str = "",
        axes: tuple[str, str] = ("", ""),
        lines: Sequence[tuple[int, int]] = (),
        arrows: Sequence[tuple[int, int]] = (),
    ) -> None:
        """Assign the points, and pairs of them (by index) that a thin line or an arrow joins."""
        self._title, self._points = title, points
        # beside a point an arrow would run through its label
        self._above = bool(arrows)
        for axis, label in zip((self.figure.xaxis[0], self.figure.yaxis[0]), axes, strict=True):
            axis.axis_label = label or None
        assign(
            self.dots,
            x=[point.x for point in points],
            y=[point.y for point in points],
            word=[visible(point.word, 40) for point in points],
            tip=[point.tip for point in points],
            size=[9.0 if point.main else 6.0 for point in points],
            alpha=[1.0 if point.main else 0.45 for point in points],
        )
        self.lines.data = self._ends(lines)
        self.arrows.data = self._ends(arrows)
        self.arrange()

    def arrange(self) -> None:
        """Fit the points into the picture and place the labels anew."""
        if not self._points:
            return
        width, height = self._size()
        xs, ys = [point.x for point in self._points], [point.y for point in self._points]
        # one unit is as many pixels along both axes, or distances would mean nothing
        inside = width - 2 * min(MARGIN_X, 0.16 * width), height - 2 * MARGIN_Y
        unit = max((max(xs) - min(xs)) / inside[0], (max(ys) - min(ys)) / inside[1])
        unit = unit or 1.0
        left = (max(xs) + min(xs) - width * unit) / 2
        foot = (max(ys) + min(ys) - height * unit) / 2
        self.set_x(left, left + width * unit)
        self.set_y(foot, foot + height * unit)
        order = sorted(range(len(xs)), key=lambda i: not self._points[i].main)
        pixels = [((xs[i] - left) / unit, (ys[i] - foot) / unit) for i in order]
        names = [shorten(visible(self._points[i].word), LONGEST) for i in order]
        widths = [text_width(name) for name in names]
        sizes = [(wide, LABEL_HEIGHT) for wide in widths]
        placed = place_labels(pixels, sizes, (width, height), above=self._above)
        shown = placed.shown.tolist()
        hidden = shown.count(False)
        self.set_title(f"{self._title} · {hidden} labels on hover" if hidden else self._title)
        columns: dict[bool, dict[str, list[Any]]] = {
            main: {name: [] for name in LABEL} for main in (True, False)
        }
        for place, (i, name, corner) in enumerate(zip(order, names, placed.corners.tolist(), strict=True)):
            if shown[place]:
                row = (xs[i], ys[i], name, *_anchor(corner[0], widths[place]), -corner[1])
                for column, entry in zip(columns[self._points[i].main].values(), row, strict=True):
                    column.append(entry)
        self.strong.data, self.labels.data = columns[True], columns[False]

    def _resized(self, attr: str, old: object, new: int | None) -> None:
        if new:
            self._inner[attr] = float(new)
            self.arrange()

    def _size(self) -> tuple[float, float]:
        return self._inner["inner_width"], self._inner["inner_height"]

    def _ends(self, pairs: Sequence[tuple[int, int]]) -> dict[str, list[float]]:
        points = self._points
        return {
            "x0": [points[i].x for i, _ in pairs],
            "y0": [points[i].y for i, _ in pairs],
            "x1": [points[j].x for _, j in pairs],
            "y1": [points[j].y for _, j in pairs],
        }


def text_width(text: str) -> float:
    """Pixels that a label may take.

    >>> text_width("cat"), text_width("猫")
    (21.8, 14.0)
    """
    return round(sum(_letter_width(sign) for sign in text), 1)


def _letter_width(sign: str) -> float:
    for signs, width in LETTERS:
        if sign in signs:
            return width
    if unicodedata.east_asian_width(sign) in "WF":
        return WIDE_LETTER
    return CAPITAL if sign.isupper() else LETTER


def _anchor(corner: float, width: float) -> tuple[float, str]:
    """Where a label is held: on the side of its point, so that a wrong guess of its width harms nothing."""
    if corner >= 0:
        return corner, "left"
    return (corner + width, "right") if corner + width <= 0 else (corner + width / 2, "center")
