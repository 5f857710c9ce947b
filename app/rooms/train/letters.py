"""Characters as points of a plane: each is drawn as itself, in the colour of its class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from bokeh.models import ColumnDataSource, LinearColorMapper, Range1d, Scatter, Text

from app.kit.html import visible
from app.kit.plot import FONT, Plot
from app.kit.sources import assign
from app.kit.theme import SHADES, tokens

SIGNS = {" ": "␣", "\n": "↵"}
"""Of the two commonest characters that cannot be seen; fonts lack the pictures of control characters."""
MARGIN = 0.08


class LetterMap(Plot):
    """A map of characters; ``classes`` maps a class to its colour token."""

    def __init__(self, classes: Mapping[str, str], **options: Any) -> None:
        super().__init__(x_range=Range1d(-1, 1), y_range=Range1d(-1, 1), title=" ", **options)
        self._classes = list(classes)
        self.source = ColumnDataSource({"x": [], "y": [], "sign": [], "of": [], "kind": []})
        colour = {"field": "kind", "transform": _mapper(list(classes.values()))}
        # the dot is what the pointer finds
        dot = Scatter(x="x", y="y", size=15, fill_alpha=0.16, fill_color=colour, line_color=None)
        dots = self.draw(dot, self.source)
        letter = Text(
            x="x",
            y="y",
            text="sign",
            text_align="center",
            text_baseline="middle",
            text_color=colour,
            text_font={"value": FONT},
            text_font_size={"value": "13px"},
            text_font_style="bold",
        )
        self.draw(letter, self.source)
        self._hover(dots, [("", "@sign"), ("", "@of")])
        self.figure.grid.visible = False

    def set(self, x: Sequence[float], y: Sequence[float], signs: Sequence[str], of: Sequence[str]) -> None:
        """Assign all characters with the class of each."""
        assign(
            self.source,
            x=list(x),
            y=list(y),
            sign=[_shown(sign) for sign in signs],
            of=list(of),
            kind=[self._classes.index(one) for one in of],
        )

    def fit(self, x: Sequence[float], y: Sequence[float]) -> None:
        """Fix the ranges so that these points fit."""
        for values, fix in ((x, self.set_x), (y, self.set_y)):
            low, high = min(values), max(values)
            margin = MARGIN * ((high - low) or 1.0)
            fix(low - margin, high + margin)


@lru_cache(maxsize=4096)
def _shown(sign: str) -> str:
    return SIGNS.get(sign) or visible(sign)


def _mapper(stops: Sequence[str]) -> LinearColorMapper:
    """Class i in the colour of stop i, in every theme: the page fills a palette between the stops anew."""
    mapper = LinearColorMapper(low=0, high=len(stops) - 1)
    colours = [tokens()[stop] for stop in stops]
    mapper.palette = [colours[round(i / (SHADES - 1) * (len(stops) - 1))] for i in range(SHADES)]
    mapper.tags = ["palette:" + ",".join(stops)]
    return mapper
