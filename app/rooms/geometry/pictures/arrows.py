"""Two arrows in the plane they span: true lengths, true angle, however many dimensions they come from."""

from __future__ import annotations

import math
from dataclasses import dataclass

from app.kit.html import EMPTY, Markup, join, number, shorten, tag, visible

WIDTH, HEIGHT = 300.0, 150.0
_MARGIN = 24.0
_ARC = 0.34
"""Radius of the arc that marks the angle, as a share of the shorter arrow."""


@dataclass(frozen=True)
class Arrow:
    """An arrow's name and length; a length of 0 is drawn as a point."""

    name: str
    length: float
    colour: str = "accent"


def arrows(first: Arrow, second: Arrow, degrees: float | None) -> Markup:
    """Both arrows from one origin, as an SVG that scales with its place.

    Parameters
    ----------
    degrees : float or None
        The angle between them; None where a vector is zero and has no direction.
    """
    angle = math.radians(degrees or 0.0)
    ends = [(first.length, 0.0), (second.length * math.cos(angle), second.length * math.sin(angle))]
    at, scale = _fit(ends)
    said = "no angle" if degrees is None else f"{number(degrees, 1)}°"
    drawn = [_one(arrow, at, end, scale) for arrow, end in zip((first, second), ends, strict=True)]
    return tag(
        "svg",
        _arc(at, min(first.length, second.length) * scale * _ARC, angle) if degrees else EMPTY,
        join(drawn),
        tag("circle", cx=f"{at[0]:.1f}", cy=f"{at[1]:.1f}", r=3, style="fill:var(--ink-soft)"),
        viewBox=f"0 0 {WIDTH:g} {HEIGHT:g}",
        role="img",
        class_="lab-arrows",
        aria_label=f"{visible(first.name)} and {visible(second.name)} as arrows: {said} between them",
    )


def _fit(ends: list[tuple[float, float]]) -> tuple[tuple[float, float], float]:
    """Where the origin lies and how many pixels one unit is, so that both arrows fill the picture."""
    xs, ys = [0.0, *(x for x, _ in ends)], [0.0, *(y for _, y in ends)]
    # names stand to the right and left of the tips and need more room than the height does
    across = (WIDTH - 5 * _MARGIN) / max(max(xs) - min(xs), 1e-9)
    up = (HEIGHT - 2 * _MARGIN) / max(max(ys) - min(ys), 1e-9)
    scale = min(across, up)
    left = (WIDTH - (max(xs) + min(xs)) * scale) / 2
    return (left, (HEIGHT + (max(ys) + min(ys)) * scale) / 2), scale


def _one(arrow: Arrow, at: tuple[float, float], end: tuple[float, float], scale: float) -> Markup:
    x, y = at[0] + end[0] * scale, at[1] - end[1] * scale
    line = _shaft(at, (x, y), arrow.colour) if arrow.length else EMPTY
    # a name lies beyond its tip, on the side the arrow points to
    flat = arrow.length == 0 or abs(end[0]) > 0.35 * math.hypot(*end)
    anchor = "middle" if not flat else "start" if end[0] >= 0 else "end"
    dx = 0 if not flat else 8 if end[0] >= 0 else -8
    dy = (4 if flat else -8) + (12 if arrow.length == 0 or (end[1] == 0 and flat) else 0)
    name = tag(
        "text",
        shorten(visible(arrow.name), 12),
        x=f"{x + dx:.1f}",
        y=f"{y + dy:.1f}",
        text_anchor=anchor,
        style=f"fill:var(--{arrow.colour})",
    )
    return join([line, name])


def _shaft(start: tuple[float, float], end: tuple[float, float], colour: str) -> Markup:
    way = math.atan2(end[1] - start[1], end[0] - start[0])
    tips = [(end[0] - 9 * math.cos(way + turn), end[1] - 9 * math.sin(way + turn)) for turn in (0.4, -0.4)]
    head = " ".join(f"{x:.1f},{y:.1f}" for x, y in (end, *tips))
    # the line ends inside the head, or its square end would stick out of the tip
    x, y = end[0] - 6 * math.cos(way), end[1] - 6 * math.sin(way)
    line = tag(
        "line",
        x1=f"{start[0]:.1f}",
        y1=f"{start[1]:.1f}",
        x2=f"{x:.1f}",
        y2=f"{y:.1f}",
        style=f"stroke:var(--{colour});stroke-width:2.5",
    )
    return join([line, tag("polygon", points=head, style=f"fill:var(--{colour})")])


def _arc(at: tuple[float, float], radius: float, angle: float) -> Markup:
    x, y = at[0] + radius * math.cos(angle), at[1] - radius * math.sin(angle)
    path = f"M{at[0]:.1f} {at[1]:.1f}H{at[0] + radius:.1f}A{radius:.1f} {radius:.1f} 0 0 0 {x:.1f} {y:.1f}Z"
    return tag("path", d=path, style="fill:color-mix(in oklab,var(--accent) 16%,transparent);stroke:none")
