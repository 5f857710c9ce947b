"""Two versions of the same values: one put forward, the other faint behind it, the gap shaded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from bokeh.models import ColumnDataSource, Line, NumeralTickFormatter, Range1d, Scatter, VArea, VBar, VSpan

from app.kit.html import number
from app.kit.plot import Plot
from app.kit.sources import assign
from app.kit.theme import paint

FORWARD, BEHIND = 3.0, 1.8
FINE = 1.5
"""Width of both lines where places are dense: thick or dashed they would be a blot."""
FAINT = 0.7
DOTTED = 40
"""Up to so many places every one of them gets a dot: between them a line is only a line."""
DENSE = 100
EDGE = 0.06


class VersusCurves(Plot):
    """Two lines over one axis, with a cursor that reads both.

    ``versions`` maps two keys to (title, colour token). Places at uneven steps, such as powers of two, are
    drawn at even ones and named.
    """

    def __init__(self, versions: Mapping[str, tuple[str, str]], **options: Any) -> None:
        super().__init__(x_range=Range1d(0, 1), y_range=Range1d(0, 1), **options)
        self._titles = {key: title for key, (title, _) in versions.items()}
        self.source = ColumnDataSource({name: [] for name in ("x", "place", *versions)})
        self.cursor = ColumnDataSource({name: [] for name in ("x", *versions)})
        first, second = versions
        gap = self.draw(VArea(x="x", y1=first, y2=second, fill_alpha=0.1), self.source)
        paint(gap.glyph, fill_color=versions[second][1])
        line = self.draw(VSpan(x="x", line_dash="dashed", line_width=1), self.cursor, level="overlay")
        paint(line.glyph, line_color="ink-soft")
        self._lines: dict[str, Any] = {}
        self._dots: dict[str, Any] = {}
        for key, (_, colour) in versions.items():
            self._lines[key] = self.draw(Line(x="x", y=key, line_join="round"), self.source)
            self._dots[key] = self.draw(Scatter(x="x", y=key, size=6), self.source)
            read = self.draw(Scatter(x="x", y=key, size=11), self.cursor, level="overlay")
            paint(self._lines[key].glyph, line_color=colour)
            paint(self._dots[key].glyph, fill_color=colour, line_color="paper")
            paint(read.glyph, fill_color=colour, line_color="paper")
        tips = [(title, f"@{key}{{0.[0000]}}") for key, title in self._titles.items()]
        self._hover(self._lines[first], [("", "@place{0,0.[0]}"), *tips], mode="vline")
        self.figure.xaxis[0].formatter = NumeralTickFormatter(format="0,0")

    def set(self, places: Any, values: Mapping[str, Any], *, x: str, y: str) -> None:
        """Assign both versions over the same places, and name the axes."""
        at = even_steps(places)
        assign(
            self.source,
            x=at,
            place=places.astype("float32"),
            **{key: values[key].astype("float32") for key in self._titles},
        )
        for dots in self._dots.values():
            dots.visible = len(at) <= DOTTED
        self.figure.xaxis[0].axis_label, self.figure.yaxis[0].axis_label = x, y
        self._name(places, at)
        edge = 0.02 * (at[-1] - at[0] or 1.0)
        self.set_x(at[0] - edge, at[-1] + edge)
        low = min(float(line.min()) for line in values.values())
        high = max(float(line.max()) for line in values.values())
        # what differs by rounding alone is drawn as the same, on a scale of ordinary size
        span = high - low if high - low > 1e-9 else 1.0
        self.set_y(low - EDGE * span, low + (1 + EDGE) * span)

    def read(self, place: int) -> None:
        """Put the cursor on the place of this number."""
        columns = self.source.data
        self.cursor.data = {name: [columns[name][place]] for name in ("x", *self._titles)}

    def forward(self, key: str) -> None:
        """Put one version forward."""
        dense = len(self.source.data["x"]) > DENSE
        for name, line in self._lines.items():
            first = name == key
            line.update(level="annotation" if first else "glyph")
            line.glyph.update(
                line_width=FINE if dense else FORWARD if first else BEHIND,
                line_alpha=1.0 if first else FAINT,
                line_dash="solid" if first or dense else "dashed",
            )
            self._dots[name].glyph.update(fill_alpha=1.0 if first else FAINT)

    def _name(self, places: Any, at: Sequence[float]) -> None:
        if list(at) == places.tolist():
            self.places("x")
        else:
            self.words("x", [number(float(place)) for place in places])


class VersusBars(Plot):
    """Bars of one version, filled, and the outline of the other's; ``versions`` as for `VersusCurves`."""

    def __init__(
        self, versions: Mapping[str, tuple[str, str]], *, width: float = 0.62, **options: Any
    ) -> None:
        super().__init__(x_range=Range1d(0, 1), y_range=Range1d(0, 1), **options)
        self._titles = {key: title for key, (title, _) in versions.items()}
        self.source = ColumnDataSource({name: [] for name in ("x", "word", *versions)})
        self._filled: dict[str, Any] = {}
        self._outlined: dict[str, Any] = {}
        for key, (_, colour) in versions.items():
            bars = self.draw(VBar(x="x", top=key, width=width), self.source)
            self._filled[key] = bars
            paint(bars.glyph, fill_color=colour, line_color=colour)
        for key, (_, colour) in versions.items():
            bar = VBar(x="x", top=key, width=width, fill_color=None, line_width=2, line_dash="dashed")
            outline = self._outlined[key] = self.draw(bar, self.source)
            paint(outline.glyph, line_color=colour)
        self.figure.xgrid.visible = False
        tips = [(title, f"@{key}{{0.[0000]}}") for key, title in self._titles.items()]
        for bars in self._filled.values():
            self._hover(bars, [("", "@word"), *tips])

    def set(self, words: Sequence[str], values: Mapping[str, Any], *, x: str, y: str) -> None:
        """Assign both versions with the words under the bars, and name the axes."""
        assign(
            self.source,
            x=list(range(len(words))),
            word=list(words),
            **{key: values[key].astype("float32") for key in self._titles},
        )
        self.words("x", words)
        self.figure.xaxis[0].axis_label, self.figure.yaxis[0].axis_label = x, y
        self.set_x(-0.6, len(words) - 0.4)
        low = min(0.0, *(float(bars.min()) for bars in values.values()))
        high = max(float(bars.max()) for bars in values.values())
        self.set_y(low, low + (1 + EDGE) * ((high - low) or 1.0))

    def forward(self, key: str) -> None:
        """Fill the bars of one version."""
        for name in self._titles:
            self._filled[name].visible = name == key
            self._outlined[name].visible = name != key


def even_steps(places: Any) -> list[float]:
    """Where places are drawn: where they are, or at 0, 1, 2, … if their steps are uneven."""
    listed: list[float] = [float(place) for place in places]
    steps = [after - before for before, after in pairwise(listed)]
    if not steps or max(steps) <= 1.5 * min(steps):
        return listed
    return [float(index) for index in range(len(listed))]
