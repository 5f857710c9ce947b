"""Clock faces in SVG: one for each pair of dimensions, its hands at the pair's angles.

Angles are mathematical: 0 points right and a growing angle turns anticlockwise, so that a hand of length 1
ends at (cos, sin).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from app.kit.html import Markup, join, number, tag

RADIUS = 44.0
"""Of the face, in a view box 100 wide; the rest is room for the tips of the hands."""


@dataclass(frozen=True)
class Hand:
    """One hand of a clock.

    ``colour`` is a token such as "dim-d" or "accent", ``strength`` how much of it is mixed into the paper
    (pairs are shades of one colour), ``length`` a share of the radius, ``name`` what screen readers call it.
    """

    angle: float
    colour: str = "dim-d"
    strength: float = 1.0
    length: float = 1.0
    dashed: bool = False
    name: str = ""


@dataclass(frozen=True)
class Clock:
    """A face with its hands, and lines under it; the first line is the name of the clock.

    ``arc`` shades the turn from the first angle to the second, both in radians; one of more than a full turn
    shades the whole face.
    """

    hands: tuple[Hand, ...]
    lines: tuple[Markup | str, ...] = ()
    size: int = 88
    arc: tuple[float, float] | None = None
    marked: bool = False


def clocks(items: Sequence[Clock], label: str = "Clocks, one a pair") -> Markup:
    """A row of clocks that wraps where it is narrow."""
    return tag("ul", join(_clock(item) for item in items), class_="lab-clocks", aria_label=label)


def face(clock: Clock) -> Markup:
    """The picture alone, without its lines."""
    said = ", ".join(f"{hand.name or 'hand'} at {degrees(hand.angle)}" for hand in clock.hands)
    drawn = (_arc(*clock.arc) if clock.arc else "") + "".join(map(_hand, clock.hands))
    # one template a face instead of a tag for each line: a page shows 64 faces while a slider moves
    return _FACE.format(clock.size, said, Markup(drawn))


def degrees(angle: float) -> str:
    """An angle as it is printed beside a clock, turns taken off: 0° to 360°.

    >>> degrees(-math.pi / 2), degrees(7.0)
    ('270°', '41°')
    """
    return f"{number(round(math.degrees(angle)) % 360, 0)}°"


_FACE = Markup(
    '<svg class="lab-face" viewBox="-50 -50 100 100" width="{0}" height="{0}" role="img" aria-label="{1}">'
    f'<circle r="{RADIUS:g}"></circle><path d="M-{RADIUS:g} 0H{RADIUS:g}M0 -{RADIUS:g}V{RADIUS:g}"></path>'
    "{2}</svg>"
)


def _clock(clock: Clock) -> Markup:
    lines = join(_LINE[place > 0].format(line) for place, line in enumerate(clock.lines))
    marked = Markup(" lab-marked" if clock.marked else "")
    # a fixed width, so that numbers that change their length move no neighbour
    return _ITEM.format(marked, clock.size + 16, face(clock), lines)


_LINE = (Markup("<b>{}</b>"), Markup("<span>{}</span>"))
_ITEM = Markup('<li class="lab-clock{}" style="width:{}px">{}{}</li>')


def _hand(hand: Hand) -> str:
    x, y = _point(hand.angle, RADIUS * hand.length)
    dashed = ' class="lab-dashed"' if hand.dashed else ""
    return (
        f'<g{dashed} style="--c:var(--{hand.colour});--s:{hand.strength:.0%}">'
        f'<line x2="{x}" y2="{y}"></line><circle cx="{x}" cy="{y}" r="4.5"></circle></g>'
    )


def _arc(start: float, end: float) -> str:
    radius = RADIUS * 0.55
    if abs(end - start) >= 2 * math.pi:
        return f'<circle class="lab-turn" r="{radius:.1f}"></circle>'
    (x1, y1), (x2, y2) = _point(start, radius), _point(end, radius)
    far = int(abs(end - start) > math.pi)
    # the y axis of SVG points down, so a growing angle sweeps against its clock
    sweep = int(end < start)
    path = f"M0 0L{x1} {y1}A{radius:.1f} {radius:.1f} 0 {far} {sweep} {x2} {y2}Z"
    return f'<path class="lab-turn" d="{path}"></path>'


def _point(angle: float, radius: float) -> tuple[str, str]:
    return f"{radius * math.cos(angle):.2f}", f"{-radius * math.sin(angle):.2f}"
