"""Colours come from static/css/tokens.css; figures carry the names of their tokens.

A canvas does not read CSS, so each Bokeh model says in its tags which property follows which token
(``paint``) and which palette it uses; static/js/page.js reads the tags and applies the colours of the
theme at hand. Python sets the light values, so a figure is right before any script runs.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, TypeVar

from app.kit.assets import stylesheet

Model = TypeVar("Model", bound=Any)
PALETTES = {"diverging": ("neg", "zero", "pos"), "sequential": ("zero", "accent")}
SHADES = 256


@lru_cache
def tokens() -> dict[str, str]:
    """Colour tokens by name, in their light values."""
    pattern = r"--([\w-]+):\s*light-dark\((#[0-9a-f]{6}),\s*#[0-9a-f]{6}\)"
    return dict(re.findall(pattern, stylesheet("tokens.css")))


def paint(model: Model, **properties: str) -> Model:
    """Tie colour properties of a Bokeh model to tokens: ``paint(axis, axis_line_color="line")``."""
    colours = {name: tokens()[token] for name, token in properties.items()}
    model.update(**colours)
    model.tags = [*model.tags, "paint:" + ",".join(f"{name}={token}" for name, token in properties.items())]
    return model


def palette(name: str) -> list[str]:
    """The light palette of 256 colours, interpolated between its tokens in sRGB."""
    stops = [_rgb(tokens()[token]) for token in PALETTES[name]]
    colours = []
    for step in range(SHADES):
        place = step / (SHADES - 1) * (len(stops) - 1)
        index = min(int(place), len(stops) - 2)
        share = place - index
        mixed = (round(a + (b - a) * share) for a, b in zip(stops[index], stops[index + 1], strict=True))
        colours.append("#{:02x}{:02x}{:02x}".format(*mixed))
    return colours


def use_palette(mapper: Model, name: str) -> Model:
    """Give a colour mapper a palette that follows the theme."""
    mapper.palette = palette(name)
    mapper.tags = [*mapper.tags, "palette:" + ",".join(PALETTES[name])]
    return mapper


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
