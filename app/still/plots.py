"""A plot of the kit, drawn from its Bokeh models: grid, glyphs, annotations, axes, legend."""

from __future__ import annotations

import math
from typing import Any

from app.kit.html import Markup, tag
from app.still.canvas import Canvas, number
from app.still.frame import EDGE, TITLE, Frame, _title, colour_of
from app.still.glyphs import DASHES, DRAWN, column, stroke
from app.still.metrics import text_width

LEVELS = ("image", "underlay", "glyph", "guide", "annotation", "overlay")
SWATCH, STANDOFF, ROW = 20.0, 5.0, 14.0


def draw(canvas: Canvas, figure: Any, x: float, y: float, width: float) -> None:
    """Draw a plot at a place and so wide.

    Raises
    ------
    ValueError
        If it holds a glyph that no still can draw.
    """
    frame = _told(figure, width)
    inner = Canvas(canvas.theme, canvas.name, defined=canvas.defined)
    frame.draw_back(canvas, x, y)
    shown = [one for one in figure.renderers if one.visible]
    for renderer in sorted(shown, key=lambda one: LEVELS.index(one.level)):
        kind = type(renderer.glyph).__name__
        if kind not in DRAWN:
            raise ValueError(f"a still cannot draw the glyph {kind}; it draws {', '.join(DRAWN)}")
        DRAWN[kind](inner, frame, renderer.glyph, renderer.data_source, x, y)
    for part in figure.center:
        _annotate(inner, frame, part, x, y)
    left, top, wide, high = frame.box
    # dots at the edge are whole, as in the page
    room = tag(
        "rect",
        x=number(x + left - 6),
        y=number(y + top - 6),
        width=number(wide + 12),
        height=number(high + 12),
    )
    clip = canvas.define("clipPath", room)
    texts, inner.texts = inner.texts, []
    inner.defined = []
    canvas.markup(tag("g", inner.written(), clip_path=clip))
    frame.draw_axes(canvas, x, y)
    canvas.texts += texts
    for legend in [*figure.center, *figure.above]:
        if hasattr(legend, "glyph_height") and legend.visible and legend.items:
            _legend(canvas, frame, legend, x, y, legend in figure.above)


def _told(figure: Any, width: float) -> Frame:
    """The frame, after the plot has been told its size: some place their labels by it, as in a page."""
    frame = Frame(figure, width, figure.height)
    _, _, wide, high = frame.box
    figure.set_from_json("inner_width", round(wide))
    figure.set_from_json("inner_height", round(high))
    return Frame(figure, width, figure.height)


def _annotate(canvas: Canvas, frame: Frame, part: Any, x: float, y: float) -> None:
    left, top, width, height = frame.box
    kind = type(part).__name__
    if kind == "Span" and part.visible and part.location is not None:
        upright = part.dimension == "height"
        at = float((frame.x if upright else frame.y)(part.location))
        start = f"M{number(x + at)} {number(y + top)}v{number(height)}"
        across = f"M{number(x + left)} {number(y + at)}h{number(width)}"
        if math.isfinite(at) and (
            left - 1 <= at <= left + width + 1 if upright else top - 1 <= at <= top + height + 1
        ):
            canvas.path(start if upright else across, stroke(canvas, part))
    elif kind == "BoxAnnotation" and part.visible:
        low, high = (
            end if place is None else min(max(float(frame.x(place)), left), left + width)
            for place, end in ((_place(part.left), left), (_place(part.right), left + width))
        )
        style = canvas.fill(colour_of(part, "fill_color"), float(part.fill_alpha))
        if part.line_alpha:
            edge = canvas.stroke(
                colour_of(part, "line_color"), float(part.line_width), alpha=float(part.line_alpha)
            )
            style = {**edge, **(style if part.fill_alpha else {})}
        canvas.rect(x + low, y + top, high - low, height, style)
    elif kind == "Arrow" and part.visible:
        _arrows(canvas, frame, part, x, y)


def _place(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _arrows(canvas: Canvas, frame: Frame, part: Any, x: float, y: float) -> None:
    names = ("x_start", "y_start", "x_end", "y_end")
    ends = [column(part, name, part.source, 0) for name in names]
    for x0, y0, x1, y1 in zip(*ends, strict=True):
        a, b = x + float(frame.x(x0)), y + float(frame.y(y0))
        c, e = x + float(frame.x(x1)), y + float(frame.y(y1))
        angle, size = math.atan2(e - b, c - a), float(part.end.size)
        canvas.path(f"M{number(a)} {number(b)}L{number(c)} {number(e)}", stroke(canvas, part))
        points = [
            (c - size * math.cos(angle + turn), e - size * math.sin(angle + turn)) for turn in (0.45, -0.45)
        ]
        head = "".join(f"L{number(px)} {number(py)}" for px, py in points)
        canvas.path(f"M{number(c)} {number(e)}{head}Z", canvas.fill(colour_of(part.end, "fill_color")))


def _legend(canvas: Canvas, frame: Frame, legend: Any, x: float, y: float, above: bool) -> None:
    """The names of lines, each beside a piece of it."""
    named = [(str(_label(item)), item.renderers) for item in legend.items if item.visible]
    wide = [SWATCH + STANDOFF + text_width(name, 12) for name, _ in named]
    spacing = float(legend.spacing)
    across = legend.orientation == "horizontal" or above
    columns = legend.ncols if isinstance(legend.ncols, int) else (len(named) if across else 1)
    step = max(wide) + max(spacing, 12.0 if above else 0.0)
    rows = math.ceil(len(named) / columns)
    width = sum(wide) + spacing * (len(named) - 1) if across and rows == 1 else step * columns
    row = ROW + (0.0 if across else max(spacing, 1.0))
    padding = float(legend.padding)
    left, top, inner, high = frame.box
    box = (width + 2 * padding, rows * row + 2 * padding)
    at = _corner(legend, box, (left, top, inner, high))
    if above:
        at = (left, EDGE + (TITLE if _title(frame.figure) else 0.0) - 4)
    paper = canvas.fill("var(--paper)", float(legend.background_fill_alpha))
    canvas.rect(x + at[0], y + at[1], *box, paper)
    px, style = x + at[0] + padding, {**canvas.fill("var(--ink)"), "font-size": "12px"}
    for place, ((name, renderers), size) in enumerate(zip(named, wide, strict=True)):
        line, spot = divmod(place, columns)
        start = px if across and rows == 1 else x + at[0] + padding + spot * step
        middle = y + at[1] + padding + line * row + ROW / 2
        for renderer in renderers:
            canvas.markup(_sample(canvas, renderer.glyph, start, middle))
        canvas.text(start + SWATCH + STANDOFF, middle + 4.2, name, style)
        px += size + spacing


def _label(item: Any) -> Any:
    label = item.label
    return label.get("value") if isinstance(label, dict) else getattr(label, "value", label)


def _corner(legend: Any, box: tuple[float, float], frame: tuple[float, ...]) -> tuple[float, float]:
    left, top, width, height = frame
    margin = float(legend.margin)
    place = str(legend.location)
    x = left + margin if "left" in place else left + width - box[0] - margin
    if place in ("center", "top_center", "bottom_center", "top", "bottom"):
        x = left + (width - box[0]) / 2
    y = top + margin if "top" in place else top + height - box[1] - margin
    if place.startswith("center") or place in ("left", "right"):
        y = top + (height - box[1]) / 2
    return x, y


def _sample(canvas: Canvas, glyph: Any, x: float, middle: float) -> Markup:
    """A piece of what a glyph draws, as a legend shows it."""
    piece = Canvas(canvas.theme)
    if hasattr(glyph, "size"):
        r = min(float(glyph.size), 8.0) / 2 if isinstance(glyph.size, int | float) else 3.0
        fill = piece.fill(colour_of(glyph, "fill_color"))
        piece.shape("circle", fill, cx=number(x + SWATCH / 2), cy=number(middle), r=number(r))
    elif hasattr(glyph, "fill_color"):
        fill = piece.fill(colour_of(glyph, "fill_color"), float(glyph.fill_alpha))
        piece.rect(x, middle - 5, SWATCH, 10, fill)
    elif hasattr(glyph, "line_color"):
        piece.path(f"M{number(x)} {number(middle)}h{number(SWATCH)}", stroke(piece, glyph))
    return piece.written()


__all__ = ["DASHES", "draw"]
