"""Two versions of the same values: one put forward, the other faint behind it, the gap shaded."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from bokeh.models import ColumnDataSource, Line, NumeralTickFormatter, Range1d, Scatter, VArea, VBar, VSpan

from app.kit.html import number
from app.kit.plot import Plot
from app.kit.sources import assign
from app.kit.theme import paint
from app.rooms.mistakes.model import RIGHT, WRONG

COLOURS = {RIGHT: "accent", WRONG: "bad"}
"""Tokens of both versions; red and blue stay apart with colour-blindness, red and green would not."""
FORWARD, BEHIND = 3.0, 1.8
FINE = 1.5
"""Width of both lines where values are dense: thick or dashed they would be a blot."""
FAINT = 0.7
DOTTED = 40
"""Up to so many values every one of them gets a dot: between them a line is only a line."""
DENSE = 100
EDGE = 0.06


class Versus(Plot):
    """Both versions in one picture; ``words`` are what the tooltip calls a value's position."""

    def __init__(self, **options: Any) -> None:
        super().__init__(x_range=Range1d(0, 1), y_range=Range1d(0, 1), height=260, **options)
        self.source = ColumnDataSource({name: [] for name in ("x", "word", *COLOURS)})
        self.tips = [("", "@word"), *((version, f"@{version}{{0.[0000]}}") for version in COLOURS)]

    def assign(self, x: Sequence[float], words: Sequence[str], right: Any, wrong: Any) -> None:
        """Assign both versions over the same positions."""
        values = {RIGHT: right.astype("float32"), WRONG: wrong.astype("float32")}
        assign(self.source, x=list(x), word=list(words), **values)

    def span(self, *values: Any) -> tuple[float, float]:
        """The lowest value, and how far the highest is above it."""
        low, high = min(float(v.min()) for v in values), max(float(v.max()) for v in values)
        # what differs by rounding alone is drawn as the same, on a scale of ordinary size
        return low, high - low if high - low > 1e-9 else 1.0


class VersusCurves(Versus):
    """Two lines with a cursor that reads both.

    Positions at uneven steps, such as powers of two, are drawn at even ones and named.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.cursor = ColumnDataSource({name: [] for name in ("x", *COLOURS)})
        gap = self.draw(VArea(x="x", y1=RIGHT, y2=WRONG, fill_alpha=0.1), self.source)
        paint(gap.glyph, fill_color=COLOURS[WRONG])
        line = self.draw(VSpan(x="x", line_dash="dashed", line_width=1), self.cursor, level="overlay")
        paint(line.glyph, line_color="ink-soft")
        self._lines: dict[str, Any] = {}
        self._dots: dict[str, Any] = {}
        for version, colour in COLOURS.items():
            self._lines[version] = self.draw(Line(x="x", y=version, line_join="round"), self.source)
            self._dots[version] = self.draw(Scatter(x="x", y=version, size=6), self.source)
            read = self.draw(Scatter(x="x", y=version, size=11), self.cursor, level="overlay")
            paint(self._lines[version].glyph, line_color=colour)
            paint(self._dots[version].glyph, fill_color=colour, line_color="paper")
            paint(read.glyph, fill_color=colour, line_color="paper")
        self._hover(self._lines[RIGHT], self.tips, mode="vline")
        self.figure.xaxis[0].formatter = NumeralTickFormatter(format="0,0")

    def set(self, x: Any, right: Any, wrong: Any) -> None:
        """Assign both lines."""
        words, at = [number(float(one), 1) for one in x], even_steps(x)
        self.assign(at, words, right, wrong)
        for dots in self._dots.values():
            dots.visible = len(at) <= DOTTED
        if at == x.tolist():
            self.places("x")
        else:
            self.words("x", words)
        edge = 0.02 * (at[-1] - at[0] or 1.0)
        self.set_x(at[0] - edge, at[-1] + edge)
        low, span = self.span(right, wrong)
        self.set_y(low - EDGE * span, low + (1 + EDGE) * span)

    def read(self, index: int) -> None:
        """Put the cursor on the value of this number."""
        columns = self.source.data
        self.cursor.data = {name: [columns[name][index]] for name in ("x", *COLOURS)}

    def forward(self, version: str) -> None:
        """Put one version forward."""
        dense = len(self.source.data["x"]) > DENSE
        for name, line in self._lines.items():
            first = name == version
            line.update(level="annotation" if first else "glyph")
            line.glyph.update(
                line_width=FINE if dense else FORWARD if first else BEHIND,
                line_alpha=1.0 if first else FAINT,
                line_dash="solid" if first or dense else "dashed",
            )
            self._dots[name].glyph.update(fill_alpha=1.0 if first else FAINT)


class VersusBars(Versus):
    """Bars of one version, filled, and the outline of the other's."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._filled: dict[str, Any] = {}
        self._outlined: dict[str, Any] = {}
        for version, colour in COLOURS.items():
            bars = self._filled[version] = self.draw(VBar(x="x", top=version, width=0.62), self.source)
            paint(bars.glyph, fill_color=colour, line_color=colour)
            self._hover(bars, self.tips)
        for version, colour in COLOURS.items():
            bar = VBar(x="x", top=version, width=0.62, fill_color=None, line_width=2, line_dash="dashed")
            outline = self._outlined[version] = self.draw(bar, self.source)
            paint(outline.glyph, line_color=colour)
        self.figure.xgrid.visible = False

    def set(self, words: Sequence[str], right: Any, wrong: Any) -> None:
        """Assign both versions with the words under the bars."""
        self.assign(range(len(words)), words, right, wrong)
        self.words("x", words)
        self.set_x(-0.6, len(words) - 0.4)
        low, span = self.span(right, wrong, 0 * right)
        self.set_y(low, low + (1 + EDGE) * span)

    def forward(self, version: str) -> None:
        """Fill the bars of one version."""
        for name in COLOURS:
            self._filled[name].visible = name == version
            self._outlined[name].visible = name != version


def even_steps(positions: Any) -> list[float]:
    """Where positions are drawn: where they are, or at 0, 1, 2, … if their steps are uneven."""
    listed: list[float] = [float(position) for position in positions]
    steps = [after - before for before, after in pairwise(listed)]
    if not steps or max(steps) <= 1.5 * min(steps):
        return listed
    return [float(index) for index in range(len(listed))]
