"""Draws what layout has placed: backgrounds, borders, words, and the small drawings in the HTML."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from app.kit.html import Markup, join, tag
from app.still import css, inline
from app.still.canvas import MONO, SANS, Canvas, css_of, number
from app.still.css import SIDES
from app.still.laid import Laid, Words
from app.still.nodes import Node

COPIED = [
    "x",
    "y",
    "x1",
    "y1",
    "x2",
    "y2",
    "cx",
    "cy",
    "r",
    "rx",
    "ry",
    "d",
    "points",
    "transform",
    "text-anchor",
    "dx",
    "dy",
    "dominant-baseline",
    "viewBox",
    "width",
    "height",
    "preserveAspectRatio",
]
DRAWN = ("fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "opacity")
USUAL = {"font-family": SANS, "font-style": "normal", "font-weight": "400", "fill-opacity": "1"}
"""What a piece of a line goes back to where it is not as its beginning."""
Box = tuple[float, float, float, float]
Plot = Callable[[Canvas, str, float, float, float], None]


class Painter:
    """Puts boxes on a canvas; ``plot`` draws the picture of a name at a place and so wide."""

    def __init__(self, canvas: Canvas, plot: Plot) -> None:
        self._canvas, self._plot = canvas, plot

    def paint(self, laid: Laid, x: float, y: float, faint: float = 1.0) -> None:
        """Draw a box and what is in it."""
        node = laid.node
        if node is not None:
            faint *= node.px("opacity", otherwise=1.0)
            if node.name == "plot":
                self._plot(self._canvas, node.element.etree_element.get("id"), x, y, laid.width)
                return
            if node.name == "svg":
                self._canvas.markup(self._drawing(node, x, y, laid, faint))
                return
            self._decorate(node, laid, x, y, faint)
        if laid.scale != 1.0:
            self._paint_small(laid, x, y, faint)
            return
        for line in laid.words:
            self._write(line, x, y, faint)
        for left, top, part in laid.parts:
            self.paint(part, x + left, y + top, faint)

    def _paint_small(self, laid: Laid, x: float, y: float, faint: float) -> None:
        inner = Canvas(self._canvas.theme, f"{self._canvas.name}-{len(self._canvas.defined)}")
        inner.defined = self._canvas.defined
        scale, laid.scale = laid.scale, 1.0
        Painter(inner, self._plot).paint(laid, 0.0, 0.0, faint)
        laid.scale = scale
        inner.defined = []
        turn = f"translate({number(x)} {number(y)}) scale({number(scale, 4)})"
        self._canvas.markup(tag("g", inner.written(), transform=turn))

    def _decorate(self, node: Node, laid: Laid, x: float, y: float, faint: float) -> None:
        canvas, style = self._canvas, node.style
        radius = node.measure(style.get("border-radius", "0"), 0.0) or 0.0
        if "50%" in style.get("border-radius", ""):
            radius = laid.width / 2
        box = (x, y, laid.width, laid.height)
        self._shadows(node, box, radius, outer=True)
        if "background-color" in style:
            fill = canvas.fill(style["background-color"], faint)
            if fill["fill"] != "none":
                canvas.rect(*box, fill, radius)
        if "gradient" in style.get("background", ""):
            self._gradient(style["background"], box)
        self._borders(node, box, radius, faint)
        self._shadows(node, box, radius, outer=False)
        outline = css.words(style.get("outline", ""))
        if len(outline) == 3:
            wide = float(outline[0].removesuffix("px"))
            off = node.px("outline-offset") + wide / 2
            place = (x - off, y - off, laid.width + 2 * off, laid.height + 2 * off)
            canvas.rect(*place, canvas.stroke(outline[2], wide), radius)

    def _borders(self, node: Node, box: Box, radius: float, faint: float) -> None:
        canvas, (x, y, width, height) = self._canvas, box
        sides = []
        for side in SIDES:
            wide = node.border(side)
            colour = node.style.get(f"border-{side}-color", "currentcolor")
            colour = node.style["color"] if colour.lower() == "currentcolor" else colour
            sides.append((wide, colour, node.style.get(f"border-{side}-style", "none")))
        if len(set(sides)) == 1 and sides[0][0]:
            wide, colour, _ = sides[0]
            half = wide / 2
            place = (x + half, y + half, width - wide, height - wide)
            canvas.rect(*place, canvas.stroke(colour, wide, alpha=faint), radius)
            return
        lines = {
            "top": (x, y + sides[0][0] / 2, x + width, y + sides[0][0] / 2),
            "right": (x + width - sides[1][0] / 2, y, x + width - sides[1][0] / 2, y + height),
            "bottom": (x, y + height - sides[2][0] / 2, x + width, y + height - sides[2][0] / 2),
            "left": (x + sides[3][0] / 2, y, x + sides[3][0] / 2, y + height),
        }
        for side, (wide, colour, kind) in zip(SIDES, sides, strict=True):
            if wide and canvas.ink(colour):
                dash = {"dashed": (2 * wide, 1.5 * wide), "dotted": (wide, wide)}.get(kind, ())
                x1, y1, x2, y2 = lines[side]
                end = f"V{number(y2)}" if x1 == x2 else f"H{number(x2)}"
                canvas.path(f"M{number(x1)} {number(y1)}{end}", canvas.stroke(colour, wide, dash, faint))

    def _shadows(self, node: Node, box: Box, radius: float, outer: bool) -> None:
        canvas, (x, y, width, height) = self._canvas, box
        for shadow in re.split(r",(?![^(]*\))", node.style.get("box-shadow", "")):
            parts = css.words(shadow)
            sizes = [node.measure(part, 0.0) for part in parts if node.measure(part, 0.0) is not None]
            if len(sizes) < 2 or ("inset" in parts) == outer:
                continue
            across, down, *more = (size or 0.0 for size in sizes)
            fill = canvas.fill(parts[-1])
            if outer and not any(more):
                canvas.rect(x + across, y + down, width, height, fill, radius)
            elif not outer and len(more) > 1:
                half = more[1] / 2
                place = (x + half, y + half, width - more[1], height - more[1])
                canvas.rect(*place, canvas.stroke(parts[-1], more[1]), radius)
            elif not outer and down:
                canvas.rect(x, y if down > 0 else y + height + down, width, abs(down), fill)

    def _gradient(self, value: str, box: Box) -> None:
        canvas, (x, y, width, height) = self._canvas, box
        start, end = re.findall(r"(?:var\([^()]*\)|#\w+)", value)[-2:]
        if "1px" in value:
            # a gradient between equal colours, one pixel high: a line through the middle
            canvas.rect(x, y + height / 2 - 0.5, width, 1.0, canvas.fill(start))
            return
        stops = join(
            Markup('<stop offset="{}" style="stop-color:{}"/>').format(at, ink.css)
            for at, ink in enumerate(map(canvas.ink, (start, end)))
            if ink
        )
        canvas.rect(*box, {"fill": canvas.define("linearGradient", stops)}, 2)

    def _write(self, line: Words, x: float, y: float, faint: float) -> None:
        canvas, first = self._canvas, line.runs[0]
        style = self._type(first.style, faint)
        if len(line.runs) == 1 and not first.shift:
            canvas.text(x + line.x, y + line.y, first.text, style, line.anchor)
            return
        parts, raised = [], 0.0
        for run in line.runs:
            own = self._type(run.style, faint)
            changed = {name: value for name, value in own.items() if style.get(name) != value}
            dropped = {name: USUAL[name] for name in style if name not in own}
            written = ";".join(f"{name}:{value}" for name, value in {**dropped, **changed}.items())
            by = raised - run.shift
            raised = run.shift
            if written or by:
                parts.append(tag("tspan", run.text, style=written or None, dy=number(by) if by else None))
            else:
                parts.append(join([run.text]))
        canvas.text(x + line.x, y + line.y, join(parts), style, line.anchor)

    def _type(self, style: dict[str, str], faint: float) -> dict[str, str]:
        found = self._canvas.fill(style["color"], faint)
        found["font-size"] = f"{float(style['font-size'].removesuffix('px')):g}px"
        if inline.is_bold(style):
            found["font-weight"] = (
                "600" if style["font-weight"].isdigit() and int(style["font-weight"]) < 700 else "700"
            )
        if inline.is_mono(style):
            found["font-family"] = MONO
        if style.get("font-style") == "italic":
            found["font-style"] = "italic"
        return found

    def _drawing(self, node: Node, x: float, y: float, laid: Laid, faint: float) -> Markup:
        """A drawing in the HTML: its elements as they are, each with the style that the page gives it."""
        inner = join(self._element(child) for child in node.children if isinstance(child, Node))
        box = node.element.etree_element.get("viewBox")
        place = {"x": x, "y": y, "width": laid.width, "height": laid.height}
        where = {name: number(value) for name, value in place.items()}
        # what reaches over the edge, such as the tip of a hand, is no less part of it
        return tag(
            "svg",
            inner,
            viewBox=box,
            overflow="visible",
            opacity=number(faint, 2) if faint < 1 else None,
            **where,
        )

    def _element(self, node: Node) -> Markup:
        source: Any = node.element.etree_element
        style: dict[str, str] = {}
        for name in DRAWN:
            value = node.style.get(name, source.get(name))
            if value is None:
                continue
            if name in ("fill", "stroke") and value != "none":
                style |= self._canvas.painted(
                    name, node.style["color"] if value == "currentColor" else value, 1.0
                )
            else:
                style[name] = value
        attributes = {name: source.get(name) for name in COPIED if source.get(name) is not None}
        if node.name == "text":
            style = {**self._type(node.style, 1.0), **style}
        inner = join(
            self._element(child) if isinstance(child, Node) else child.strip() for child in node.children
        )
        written = css_of(style)
        return tag(node.name, inner, style=written or None, **attributes)
