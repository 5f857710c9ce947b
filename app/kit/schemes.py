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
    return tag("span", title, class_="lab-scheme", style=f"--c: var(--{colour_of(key)})")


def legend(schemes: Iterable[tuple[str, str]]) -> Markup:
    """Schemes by key and title, side by side."""
    return tag("p", join((name(key, title) for key, title in schemes), " "), class_="lab-legend")
