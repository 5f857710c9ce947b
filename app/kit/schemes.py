"""How a position scheme looks: its colour token, and a legend of schemes."""

from __future__ import annotations

from collections.abc import Iterable

from app.kit.html import Markup, join, tag
from app.kit.theme import tokens
from lab.positions import SCHEMES

FALLBACK = ("accent", "dim-D", "focus")
"""Tokens for schemes that have none of their own, in the order of the registry."""


def colour_of(key: str) -> str:
    """The token of a scheme's colour; a scheme without one of its own gets a shade of the accent.

    >>> colour_of("rope")
    'scheme-rope'
    """
    if f"scheme-{key}" in tokens():
        return f"scheme-{key}"
    without = [known for known in SCHEMES if f"scheme-{known}" not in tokens()]
    return FALLBACK[without.index(key) % len(FALLBACK)] if key in without else FALLBACK[0]


def name(key: str, title: str) -> Markup:
    """A scheme's title behind a dot of its colour."""
    return _dotted(title, colour_of(key))


def legend(lines: Iterable[tuple[str, str]]) -> Markup:
    """Titles and the colour tokens of their lines, side by side under a figure's head."""
    return tag("p", join((_dotted(title, colour) for title, colour in lines), " "), class_="lab-legend")


def _dotted(title: str, colour: str) -> Markup:
    return tag("span", title, class_="lab-scheme", style=f"--c: var(--{colour})")
