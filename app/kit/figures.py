"""Pictures on a canvas: curves and heatmaps. One class each; rooms build no bare figures.

Each class makes its models once and is then only assigned to. Axes are numeric: repeated labels on a
categorical axis blank a Bokeh plot, and sentences repeat tokens, so words are overrides of numeric ticks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bokeh.models import ColumnDataSource, Image, Line, LinearColorMapper, Range1d, Scatter

from app.kit.plot import Plot
from app.kit.sources import assign
from app.kit.theme import paint, use_palette


class Curves(Plot):
    """Several lines over one axis; ``lines`` maps a key to (legend, colour token)."""

    def __init__(
        self,
        lines: Mapping[str, tuple[str, str]],
        *,
        points: bool = False,
        width: float = 2.0,
        legend: bool = True,
        dashes: Mapping[str, str] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.sources: dict[str, ColumnDataSource] = {}
        for key, (title, colour) in lines.items():
            source = ColumnDataSource({"x": [], "y": []})
            named = title if legend and len(lines) > 1 else ""
            dash = (dashes or {}).get(key, "solid")
            line = self.draw(Line(x="x", y="y", line_width=width, line_dash=dash), source, legend=named)
            paint(line.glyph, line_color=colour)
            if points:
                dots = self.draw(Scatter(x="x", y="y", size=5), source, legend=named)
                paint(dots.glyph, fill_color=colour, line_color=colour)
            self._hover(line, [(title, "@y{0.[0000]}"), (options.get("x") or "x", "@x{0.[000]}")])
            self.sources[key] = source
        self._legend()

    def set(self, key: str, x: Any, y: Any) -> None:
        """Assign one line."""
        assign(self.sources[key], x=x, y=y)


class Heatmap(Plot):
    """A matrix as an image, its first row on top; signed ones diverge around 0."""

    def __init__(
        self, *, signed: bool = True, tips: tuple[str, str] = ("row", "column"), **options: Any
    ) -> None:
        super().__init__(
            x_range=Range1d(-0.5, 0.5, bounds=None), y_range=Range1d(0.5, -0.5, bounds=None), **options
        )
        self.signed = signed
        self.mapper = LinearColorMapper(low=-1, high=1)
        use_palette(self.mapper, "diverging" if signed else "sequential")
        paint(self.mapper, nan_color="surface")
        self.source = ColumnDataSource({"image": [], "x": [], "y": [], "dw": [], "dh": []})
        picture = Image(image="image", x="x", y="y", dw="dw", dh="dh", color_mapper=self.mapper)
        image = self.draw(picture, self.source)
        self.figure.grid.visible = False
        self._hover(image, [(tips[0], "$y{0}"), (tips[1], "$x{0}"), ("value", "@image{0.[0000]}")])

    def set(self, values: Any, strongest: float | None = None) -> None:
        """Assign a matrix of shape (rows, columns); NaN stays uncoloured.

        ``strongest`` fixes the colour scale; share it between pictures that are compared. Without it the
        scale ends at the largest magnitude, or at `typical` where a few outliers would bleach the rest.
        """
        rows, columns = values.shape
        top = strongest if strongest is not None else largest(values)
        self.mapper.update(low=-top if self.signed else 0.0, high=top)
        self.source.data = {
            "image": [values.astype("float32")],
            "x": [-0.5],
            "y": [-0.5],
            "dw": [columns],
            "dh": [rows],
        }
        self.set_x(-0.5, columns - 0.5)
        self.set_y(rows - 0.5, -0.5)


def largest(values: Any) -> float:
    """The largest finite magnitude, or 1 where there is none."""
    finite = values[(values == values) & (abs(values) < float("inf"))]
    return float(abs(finite).max()) or 1.0 if finite.size else 1.0


def typical(values: Any, share: float = 0.995) -> float:
    """The magnitude that this share of the entries stays below; colours saturate beyond it, and say so."""
    magnitudes = abs(values).ravel()
    magnitudes.sort()
    return float(magnitudes[int(share * (len(magnitudes) - 1))]) or 1.0
