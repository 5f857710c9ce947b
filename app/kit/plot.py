"""What every picture on a canvas shares: a quiet frame, marks over it, and a way to look closer and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import panel as pn
from bokeh.models import (
    AllIndices,
    BasicTicker,
    BoxZoomTool,
    CDSView,
    ColumnDataSource,
    DataRange1d,
    FixedTicker,
    Glyph,
    GlyphRenderer,
    HoverTool,
    Legend,
    LegendItem,
    Range1d,
    Span,
)
from bokeh.plotting import figure

from app.kit.theme import paint

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"


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
        self.closer = BoxZoomTool(dimensions="auto")
        """What a drag does; a figure out of scale goes back by its button, see static/js/figures.js."""
        self.figure = figure(
            height=height,
            sizing_mode="stretch_width",
            tools=[self.closer],
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
        self._all = AllIndices()
        self._named: dict[str, list[GlyphRenderer]] = {}
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
        # a reader who has looked closer comes back to the whole
        getattr(self.figure, name).update(start=low, end=high, reset_start=low, reset_end=high)

    def draw(
        self,
        glyph: Glyph,
        source: ColumnDataSource,
        *,
        level: str = "glyph",
        legend: str = "",
        name: str | None = None,
    ) -> GlyphRenderer:
        """Draw the rows of a source; ``legend`` is the name under which `_legend` lists it.

        Bokeh's own methods make two more glyphs for rows that are selected or muted, which nothing here is;
        each model costs time when the page is made.
        """
        renderer = GlyphRenderer(
            glyph=glyph,
            data_source=source,
            view=CDSView(filter=self._all),
            level=level,
            name=name,
            selection_glyph=None,
            nonselection_glyph=None,
            muted_glyph=None,
        )
        self.figure.renderers.append(renderer)
        if legend:
            self._named.setdefault(legend, []).append(renderer)
        return renderer

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

    def legend_above(self, columns: int) -> None:
        """Put the legend above the frame, where the lines leave no corner free."""
        legend = self.figure.legend[0]
        self.figure.center.remove(legend)
        legend.update(location="left", ncols=columns, margin=0, padding=2, spacing=6)
        self.figure.add_layout(legend, "above")

    def _legend(self) -> None:
        if not self._named:
            return
        legend = Legend(items=[LegendItem(label=name, renderers=of) for name, of in self._named.items()])
        self.figure.add_layout(legend)
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
