"""Pictures on a canvas: curves, heatmaps, bars and points. One class each; rooms build no bare figures.

Each class makes its models once and is then only assigned to. Axes are numeric: repeated labels on a
categorical axis blank a Bokeh plot, and sentences repeat tokens, so words are overrides of numeric ticks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import panel as pn
from bokeh.core.properties import value
from bokeh.models import (
    BasicTicker,
    ColumnDataSource,
    DataRange1d,
    FixedTicker,
    HoverTool,
    LinearColorMapper,
    Range1d,
    Span,
)
from bokeh.plotting import figure

from app.kit.sources import assign
from app.kit.theme import paint, use_palette

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"
TOOLS = "pan,box_zoom,reset"


class Plot:
    """What every picture shares: a quiet frame, axes in the ink of the theme, a stretching width."""

    def __init__(
        self,
        *,
        label: str,
        x: str = "",
        y: str = "",
        height: int = 300,
        x_type: str = "linear",
        y_type: str = "linear",
        title: str = "",
        **options: Any,
    ) -> None:
        self.figure = figure(
            height=height,
            sizing_mode="stretch_width",
            tools=TOOLS,
            toolbar_location=None,
            x_axis_label=x or None,
            y_axis_label=y or None,
            x_axis_type=x_type,
            y_axis_type=y_type,
            background_fill_color=None,
            border_fill_color=None,
            outline_line_color=None,
            title=title or None,
            min_border=6,
            tags=[f"label:{label}"],
            **options,
        )
        self._quiet()
        picture = pn.pane.Bokeh(self.figure, sizing_mode="stretch_width", margin=0, height=height)
        # the frame around it is what is hidden and dimmed: Panel copies a figure's own values back
        self.pane = pn.Column(picture, sizing_mode="stretch_width", margin=0, css_classes=["lab-plot"])

    def set_title(self, title: str) -> None:
        """Replace the title above the picture."""
        self.figure.title.text = title

    def set_x(self, low: float, high: float) -> None:
        """Fix the horizontal range."""
        self._fix("x_range", low, high)

    def set_y(self, low: float, high: float) -> None:
        """Fix the vertical range."""
        self._fix("y_range", low, high)

    def _fix(self, name: str, low: float, high: float) -> None:
        # a range that follows its data takes limits once and then goes its own way in the browser
        if isinstance(getattr(self.figure, name), DataRange1d):
            setattr(self.figure, name, Range1d(low, high))
        getattr(self.figure, name).update(start=low, end=high)

    def mark(self, *, x: float | None = None, y: float | None = None, colour: str = "ink-soft") -> Span:
        """A dashed line across the picture; move it through its ``location``."""
        # over everything else, on a canvas of its own: when it moves, nothing else is drawn again
        span = Span(
            location=x if x is not None else y or 0.0,
            dimension="height" if x is not None else "width",
            line_dash="dashed",
            line_width=1,
            level="overlay",
        )
        paint(span, line_color=colour)
        self.figure.add_layout(span)
        return span

    def words(self, axis: str, labels: Sequence[str]) -> None:
        """Put words at 0, 1, 2, … of an axis; they may repeat."""
        target = self.figure.xaxis[0] if axis == "x" else self.figure.yaxis[0]
        ticks = list(range(len(labels)))
        # a new model makes Bokeh walk the whole document; new ticks do not
        if isinstance(target.ticker, FixedTicker):
            target.ticker.ticks = ticks
        else:
            target.ticker = FixedTicker(ticks=ticks)
        target.major_label_overrides = dict(enumerate(labels))

    def places(self, axis: str) -> None:
        """Number an axis again after `words`."""
        target = self.figure.xaxis[0] if axis == "x" else self.figure.yaxis[0]
        if not isinstance(target.ticker, BasicTicker):
            target.ticker = BasicTicker()
        target.ticker.min_interval = 1
        target.major_label_overrides = {}

    def _quiet(self) -> None:
        for axis in self.figure.axis:
            paint(
                axis,
                axis_line_color="line",
                major_tick_line_color="line",
                major_label_text_color="ink-soft",
                axis_label_text_color="ink-soft",
            )
            axis.update(
                minor_tick_line_color=None,
                major_tick_in=0,
                major_tick_out=4,
                axis_label_text_font_style="normal",
                axis_label_text_font=FONT,
                major_label_text_font=FONT,
                axis_label_text_font_size="12.5px",
                major_label_text_font_size="12px",
            )
        for grid in self.figure.grid:
            paint(grid, grid_line_color="line")
            grid.grid_line_alpha = 0.6
        if self.figure.title:
            paint(self.figure.title, text_color="ink")
            self.figure.title.update(text_font=FONT, text_font_size="14px", text_font_style="bold")

    def _hover(self, renderer: Any, tips: Sequence[tuple[str, str]], mode: str = "mouse") -> None:
        self.figure.add_tools(HoverTool(renderers=[renderer], tooltips=list(tips), mode=mode))

    def _legend(self) -> None:
        if not self.figure.legend:
            return
        legend = self.figure.legend[0]
        paint(legend, label_text_color="ink", background_fill_color="paper", border_line_color="line")
        legend.update(
            label_text_font=FONT,
            label_text_font_size="12px",
            background_fill_alpha=0.85,
            border_line_alpha=0.0,
            padding=4,
            spacing=0,
            glyph_height=14,
            label_height=14,
            click_policy="hide",
        )


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
            named = {"legend_label": title} if legend and len(lines) > 1 else {}
            line = self.figure.line(
                "x", "y", source=source, line_width=width, line_dash=(dashes or {}).get(key, "solid"), **named
            )
            paint(line.glyph, line_color=colour)
            if points:
                dots = self.figure.scatter("x", "y", source=source, size=5, **named)
                paint(dots.glyph, fill_color=colour, line_color=colour)
            self._hover(line, [(title, "@y{0.[0000]}"), (options.get("x") or "x", "@x{0.[000]}")])
            self.sources[key] = source
        self._legend()

    def set(self, key: str, x: Any, y: Any) -> None:
        """Assign one line."""
        assign(self.sources[key], x=x, y=y)


class Points(Plot):
    """Scattered points in one colour token, with a word each for the hover and, if asked, beside them."""

    def __init__(
        self, *, colour: str = "accent", size: float = 8, words: bool = False, **options: Any
    ) -> None:
        super().__init__(**options)
        self.source = ColumnDataSource({"x": [], "y": [], "word": []})
        dots = self.figure.scatter("x", "y", source=self.source, size=size, fill_alpha=0.85)
        paint(dots.glyph, fill_color=colour, line_color=colour)
        self._hover(dots, [("", "@word"), ("", "@x{0.[000]}, @y{0.[000]}")])
        if words:
            text = self.figure.text("x", "y", "word", source=self.source, x_offset=6, y_offset=5)
            paint(text.glyph, text_color="ink")
            text.glyph.update(text_font=value(FONT), text_font_size="12px")

    def set(self, x: Any, y: Any, words: Sequence[str]) -> None:
        """Assign the points."""
        assign(self.source, x=x, y=y, word=list(words))


class Bars(Plot):
    """Bars at 0, 1, 2, … with words under them."""

    def __init__(self, *, colour: str = "accent", width: float = 0.7, **options: Any) -> None:
        super().__init__(**options)
        self.source = ColumnDataSource({"x": [], "top": [], "word": []})
        bars = self.figure.vbar("x", top="top", width=width, source=self.source)
        paint(bars.glyph, fill_color=colour, line_color=colour)
        self.figure.xgrid.visible = False
        self._hover(bars, [("", "@word"), ("", "@top{0,0.[0000]}")])

    def set(self, heights: Any, words: Sequence[str] | None = None) -> None:
        """Assign the heights and, where given, their words."""
        count = len(heights)
        named = [str(index) for index in range(count)] if words is None else list(words)
        assign(self.source, x=list(range(count)), top=heights, word=named)
        if words is not None:
            self.words("x", named)


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
        image = self.figure.image("image", "x", "y", "dw", "dh", source=self.source, color_mapper=self.mapper)
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
