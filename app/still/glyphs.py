"""The glyphs that the lab draws with, as SVG: one function each, by the name of Bokeh's class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from app.still import pictures
from app.still.canvas import Canvas, number
from app.still.frame import Frame, colour_of
from app.still.metrics import text_width
from app.still.traces import trace

DASHES = {"solid": (), "dashed": (6, 4), "dotted": (2, 4), "dotdash": (2, 4, 6, 4), "dashdot": (6, 4, 2, 4)}
Draw = Callable[[Canvas, Frame, Any, Any, float, float], None]


def column(glyph: Any, name: str, source: Any, count: int) -> list[Any]:
    """A property of a glyph for each row: a column of its source, or one value for all."""
    given = getattr(glyph, name)
    field = getattr(given, "field", None)
    if isinstance(given, dict):
        field, given = given.get("field"), given.get("value")
    elif type(given).__name__ == "Value":
        given = given.value
    if field is None and isinstance(given, str) and given in source.data:
        field = given
    return list(source.data[field]) if field is not None else [given] * count


def stroke(
    canvas: Canvas, glyph: Any, alpha: float | None = None, width: float | None = None
) -> dict[str, str]:
    """The style of a glyph's line."""
    dash = glyph.line_dash if not isinstance(glyph.line_dash, str) else DASHES.get(glyph.line_dash, ())
    covers = _one(glyph.line_alpha) if alpha is None else alpha
    wide = _one(glyph.line_width) if width is None else width
    return canvas.stroke(colour_of(glyph, "line_color"), wide, tuple(dash), covers) | {
        "stroke-linejoin": "round"
    }


def _one(value: Any) -> float:
    found = getattr(value, "value", value)
    return float(found) if isinstance(found, int | float) else 1.0


def line(canvas: Canvas, frame: Frame, glyph: Any, source: Any, x: float, y: float) -> None:
    """Line: one line through all rows."""
    xs, ys = (column(glyph, name, source, 0) for name in ("x", "y"))
    if d := trace(x + frame.x(xs), y + frame.y(ys), _reach(frame, y)):
        canvas.path(d, stroke(canvas, glyph))


def _reach(frame: Frame, y: float) -> tuple[float, float]:
    """Between which heights a line is drawn out of sight: far beyond the frame nothing changes."""
    return y + frame.top - 2000, y + frame.height - frame.bottom + 2000


def multi_line(canvas: Canvas, frame: Frame, glyph: Any, source: Any, x: float, y: float) -> None:
    """MultiLine: a line for each row."""
    lines = column(glyph, "xs", source, 0)
    rows = (column(glyph, name, source, len(lines)) for name in ("ys", "line_alpha", "line_width"))
    for xs, ys, alpha, width in zip(lines, *rows, strict=True):
        if d := trace(x + frame.x(xs), y + frame.y(ys), _reach(frame, y)):
            canvas.path(d, stroke(canvas, glyph, float(alpha), float(width)))


def step(canvas: Canvas, frame: Frame, glyph: Any, source: Any, x: float, y: float) -> None:
    """Step: a staircase; each step reaches on to the next place, or back to the one before."""
    xs, ys = (column(glyph, name, source, 0) for name in ("x", "y"))
    across, heights = _stairs(xs, ys, glyph.mode)
    if d := trace(x + frame.x(across), y + frame.y(heights), _reach(frame, y)):
        canvas.path(d, stroke(canvas, glyph))


def _stairs(xs: Any, ys: Any, mode: str) -> tuple[Any, Any]:
    across, heights = np.repeat(np.asarray(xs, float), 2), np.repeat(np.asarray(ys, float), 2)
    return (across[1:], heights[:-1]) if mode == "after" else (across[:-1], heights[1:])


def area(canvas: Canvas, frame: Frame, glyph: Any, source: Any, x: float, y: float) -> None:
    """VArea and VAreaStep: what lies between two lines."""
    xs, low, high = (np.asarray(column(glyph, name, source, 0), float) for name in ("x", "y1", "y2"))
    under, over = (xs, low), (xs, high)
    if type(glyph).__name__ == "VAreaStep":
        under, over = _stairs(xs, low, glyph.step_mode), _stairs(xs, high, glyph.step_mode)
    reach = _reach(frame, y)
    there = trace(x + frame.x(over[0]), y + frame.y(over[1]), reach)
    back = trace(x + frame.x(under[0][::-1]), y + frame.y(under[1][::-1]), reach)
    if there and back:
        canvas.path(f"{there}L{back[1:]}z", _fill(canvas, glyph))


def _fill(canvas: Canvas, glyph: Any) -> dict[str, str]:
    return canvas.fill(colour_of(glyph, "fill_color"), _one(glyph.fill_alpha))


def scatter(canvas: Canvas, frame: Frame, glyph: Any, source: Any, x: float, y: float) -> None:
    """Scatter: a dot for each row."""
    xs, ys = (column(glyph, name, source, 0) for name in ("x", "y"))
    sizes, alphas = (column(glyph, name, source, len(xs)) for name in ("size", "fill_alpha"))
    colours = _colours(glyph, "fill_color", source, len(xs))
    edge = canvas.stroke(colour_of(glyph, "line_color")) if glyph.line_color is not None else {}
    edge.pop("fill", None)
    left, top, width, height = frame.box
    rows = zip(frame.x(xs), frame.y(ys), sizes, alphas, colours, strict=True)
    inside = [
        (px, py, float(size), float(alpha), colour)
        for px, py, size, alpha, colour in rows
        if left - 1 <= px <= left + width + 1 and top - 1 <= py <= top + height + 1
    ]
    for px, py, size, alpha, colour in inside:
        at = number(x + px), number(y + py)
        if edge:
            fill = canvas.fill(colour, alpha)
            canvas.shape("circle", {**fill, **edge}, cx=at[0], cy=at[1], r=number(size / 2))
        else:
            # a line of no length with round ends is a dot, in half the signs
            dot = canvas.stroke(colour, size, alpha=alpha) | {"stroke-linecap": "round"}
            canvas.path(f"M{at[0]} {at[1]}h0", dot)


def _colours(glyph: Any, name: str, source: Any, count: int) -> list[str]:
    """A colour for each row; one that a mapper gives is a class by its place among the tokens."""
    given = getattr(glyph, name)
    mapper = given.get("transform") if isinstance(given, dict) else getattr(given, "transform", None)
    if mapper is None or not hasattr(mapper, "palette"):
        return [colour_of(glyph, name)] * count
    field = given["field"] if isinstance(given, dict) else given.field
    stops = stops_of(mapper)
    return [f"var(--{stops[round(kind)]})" for kind in source.data[field]]


def stops_of(mapper: Any) -> list[str]:
    """The tokens of a mapper's palette."""
    tag = next(tag for tag in mapper.tags if tag.startswith("palette:"))
    return list(tag.removeprefix("palette:").split(","))


def words(canvas: Canvas, frame: Frame, glyph: Any, source: Any, x: float, y: float) -> None:
    """Text: words at places, moved by so many pixels, on paper where they have a ground."""
    xs = column(glyph, "x", source, 0)
    names = ("y", "text", "x_offset", "y_offset", "text_align", "text_baseline")
    rows = [column(glyph, name, source, len(xs)) for name in names]
    colours = _colours(glyph, "text_color", source, len(xs))
    size = float(
        str(getattr(glyph.text_font_size, "value", None) or _plain(glyph.text_font_size)).removesuffix("px")
    )
    bold = "bold" in str(_plain(glyph.text_font_style))
    ground = colour_of(glyph, "background_fill_color")
    for at, ys, text, dx, dy, align, base, colour in zip(frame.x(xs), *rows, colours, strict=True):
        if not text:
            continue
        across, down = x + at + float(dx), y + float(frame.y(ys)) + float(dy)
        lift = {"top": 0.86 * size, "middle": 0.35 * size, "bottom": -0.24 * size}.get(base, 0.0)
        anchor = {"left": "start", "right": "end"}.get(align, "middle")
        across = _kept_in(frame, across - x, str(text), size, bold, anchor) + x
        wide = text_width(str(text), size, bold=bold)
        if ground != "none":
            left = across - {"start": 0.0, "middle": wide / 2, "end": wide}[anchor]
            canvas.rect(left - 1, down + lift - 0.86 * size, wide + 2, 1.2 * size, canvas.fill(ground, 0.85))
        style = {**canvas.fill(colour), "font-size": f"{size:g}px"} | ({"font-weight": "700"} if bold else {})
        canvas.text(across, down + lift, text, style, anchor)


def _plain(given: Any) -> Any:
    return given.get("value") if isinstance(given, dict) else getattr(given, "value", given)


def _kept_in(frame: Frame, at: float, text: str, size: float, bold: bool, anchor: str) -> float:
    """Where a word is held so that it does not run out of the picture."""
    wide = text_width(text, size, bold=bold)
    start = at - {"start": 0.0, "middle": wide / 2, "end": wide}[anchor]
    return at + min(max(start, 2.0), max(frame.width - wide - 2.0, 2.0)) - start


def spans(canvas: Canvas, frame: Frame, glyph: Any, source: Any, x: float, y: float) -> None:
    """VSpan and HSpan: lines across the picture."""
    left, top, width, height = frame.box
    upright = type(glyph).__name__ == "VSpan"
    places = column(glyph, "x" if upright else "y", source, 0)
    d = ""
    for at in (frame.x if upright else frame.y)(places):
        if upright and left - 1 <= at <= left + width + 1:
            d += f"M{number(x + at)} {number(y + top)}v{number(height)}"
        elif not upright and top - 1 <= at <= top + height + 1:
            d += f"M{number(x + left)} {number(y + at)}h{number(width)}"
    if d:
        canvas.path(d, stroke(canvas, glyph))


def strips(canvas: Canvas, frame: Frame, glyph: Any, source: Any, x: float, y: float) -> None:
    """VStrip: stretches of the horizontal axis."""
    starts = column(glyph, "x0", source, 0)
    ends, alphas = (column(glyph, name, source, len(starts)) for name in ("x1", "fill_alpha"))
    left, top, width, height = frame.box
    for start, end, alpha in zip(frame.x(starts), frame.x(ends), alphas, strict=True):
        low, high = max(start, left), min(end, left + width)
        if alpha and high > low:
            style = canvas.fill(colour_of(glyph, "fill_color"), float(alpha))
            canvas.rect(x + low, y + top, high - low, height, style)


def bars(canvas: Canvas, frame: Frame, glyph: Any, source: Any, x: float, y: float) -> None:
    """VBar: bars from the foot."""
    places = column(glyph, "x", source, 0)
    tops, feet, widths = (column(glyph, name, source, len(places)) for name in ("top", "bottom", "width"))
    style: dict[str, str] = {"fill": "none"}
    if glyph.line_color is not None:
        style = stroke(canvas, glyph)
    if glyph.fill_color is not None:
        style |= _fill(canvas, glyph)
    for place, top, foot, width in zip(places, tops, feet, widths, strict=True):
        low, high = (float(frame.x(place + side * width / 2)) for side in (-1, 1))
        end, start = sorted((float(frame.y(top)), float(frame.y(foot))))
        canvas.rect(x + low, y + end, high - low, start - end, style)


def segments(canvas: Canvas, frame: Frame, glyph: Any, source: Any, x: float, y: float) -> None:
    """Segment: lines between pairs of points."""
    x0, y0, x1, y1 = (column(glyph, name, source, 0) for name in ("x0", "y0", "x1", "y1"))
    ends = zip(frame.x(x0), frame.y(y0), frame.x(x1), frame.y(y1), strict=True)
    d = "".join(f"M{number(x + a)} {number(y + b)}L{number(x + c)} {number(y + e)}" for a, b, c, e in ends)
    if d:
        canvas.path(d, stroke(canvas, glyph))


def image(canvas: Canvas, frame: Frame, glyph: Any, source: Any, x: float, y: float) -> None:
    """Image: a matrix in the colours of a palette."""
    mapper = glyph.color_mapper
    for values, x0, y0, wide, high in zip(
        *(source.data[name] for name in ("image", "x", "y", "dw", "dh")), strict=True
    ):
        left, right = (float(frame.x(end)) for end in (x0, x0 + wide))
        first, last = (float(frame.y(end)) for end in (y0, y0 + high))
        shares = (np.asarray(values, float) - mapper.low) / (mapper.high - mapper.low)
        # the first row is at y; where the axis grows upwards that is the foot
        shares = shares if first <= last else shares[::-1]
        bare = colour_of(mapper, "nan_color").removeprefix("var(--").rstrip(")")
        box = (x + left, y + min(first, last), right - left, abs(last - first))
        pictures.draw(canvas, shares, box, stops_of(mapper), bare)


DRAWN: dict[str, Draw] = {
    "HSpan": spans,
    "Image": image,
    "Line": line,
    "MultiLine": multi_line,
    "Scatter": scatter,
    "Segment": segments,
    "Step": step,
    "Text": words,
    "VArea": area,
    "VAreaStep": area,
    "VBar": bars,
    "VSpan": spans,
    "VStrip": strips,
}
