"""The pictures on a canvas of the room `context`: made once, drawn while their section is shown."""

from __future__ import annotations

from typing import Any

import panel as pn
from bokeh.models import NumeralTickFormatter

from app.kit.html import number
from app.kit.overlay import Overlay
from app.kit.panes import Html
from app.kit.span_map import SpanMap
from app.rooms.context import angles, heads, look, pairs, scores
from app.rooms.context.angles import AnglesView
from app.rooms.context.heads import LENGTHS, TIMES, HeadsView
from app.rooms.context.methods import PLAIN
from app.rooms.context.pairs import PairsView
from app.rooms.context.scores import NEAR, ScoresView
from app.rooms.context.setting import Stage

DISTANCE = "distance from q back to k"
SHORT = "0.[0]a"
"""Thousands as k: windows are long, and phones narrow."""


class Canvas:
    """The figures of one section, in the order in which they stand."""

    def __init__(self, *parts: Any) -> None:
        self.pane = pn.Column(
            *parts, margin=0, sizing_mode="stretch_width", visible=False, css_classes=["lab-context"]
        )
        self._drawn: Any = None

    def is_new(self, view: Stage) -> bool:
        """Whether the lines are others than those that were drawn last."""
        drawn = (view.core, tuple(view.methods), view.setting.method)
        before, self._drawn = self._drawn, drawn
        return bool(drawn != before)


class PairsCanvas(Canvas):
    """Ratio and wavelength of every pair, and one pair looked at."""

    def __init__(self, chooser: Any) -> None:
        options: dict[str, Any] = {
            "tips": pairs.TIPS,
            "x": "pair, from the fastest to the slowest",
            "y_type": "log",
        }
        self.top, self.readout = Html(), Html()
        self.ratio = Overlay(
            look.STROKES,
            label="Frequency of each pair over that of plain RoPE, by method",
            y="frequency over plain RoPE’s",
            height=290,
            **options,
        )
        self.waves = Overlay(
            look.STROKES,
            label="Wavelength of each pair by method, with the trained and the stretched window",
            y="wavelength, in positions",
            height=300,
            columns=self.ratio,
            **options,
        )
        self.waves.figure.yaxis[0].formatter = NumeralTickFormatter(format="0,0")
        self.marks = [plot.mark(x=0, colour="ink") for plot in (self.ratio, self.waves)]
        head = look.head(
            "Wavelengths against the windows",
            "A pair whose wavelength is longer than the trained window never came full circle in training: "
            "beyond it lie angles the model does not know.",
        )
        parts = (self.ratio.pane, chooser, self.readout.pane, Html(head).pane, self.waves.pane)
        super().__init__(self.top.pane, *parts)

    def draw(self, view: PairsView) -> None:
        """Assign the lines and the bands; a move of the pair moves a mark."""
        self.top.set(pairs.top(view))
        self.readout.set(pairs.readout(view))
        for mark in self.marks:
            mark.location = view.pair
        if not self.is_new(view):
            return
        x = list(range(view.core.pairs))
        lowest = min(float(method.ratio.min()) for method in view.methods.values())
        highest = max(float(method.ratio.max()) for method in view.methods.values())
        edges = (-0.5, view.core.pairs - 0.5)
        self.ratio.frame(*edges, lowest / _room(lowest), highest * _room(lowest))
        self.ratio.name_heights(pairs.ticks(lowest, highest))
        self.ratio.set({key: (x, method.ratio) for key, method in view.methods.items()}, view.chosen.key)
        longest = max(float(method.wavelengths.max()) for method in view.methods.values())
        shortest = min(float(method.wavelengths.min()) for method in view.methods.values())
        top = max(longest, view.core.window) * 4
        self.waves.frame(*edges, shortest / 2, top)
        self.waves.set(
            {key: (x, method.wavelengths) for key, method in view.methods.items()}, view.chosen.key
        )
        windows = [(float(view.core.trained), f"trained window, {number(view.core.trained)}")]
        if view.core.window > view.core.trained:
            windows.append((float(view.core.window), f"stretched, {number(view.core.window)}"))
        self.waves.set_marks(heights=windows)
        self.ratio.set_columns(pairs.columns(view))
        self.ratio.name_zones(view.chosen.bands)


def _room(lowest: float) -> float:
    # the picture keeps a margin of the same share whatever it spans, and names of bands fit above the lines
    return float(max(1.12, (1 / lowest) ** 0.14))


class AnglesCanvas(Canvas):
    """Maps of the new angles under plain RoPE and the chosen method, and when they begin."""

    def __init__(self) -> None:
        self.top, self.middle, self.bottom = Html(), Html(), Html()
        self.maps = [self._map("plain RoPE"), self._map("the chosen method")]
        self.marks = [plot.mark(x=1, colour="ink-soft") for plot in self.maps]
        self.lines = Overlay(
            look.STROKES,
            label="Share of pairs at a new angle against distance, by method",
            x="distance",
            y="share of pairs",
            height=230,
            digits="0 %",
        )
        self.lines.figure.xaxis[0].formatter = NumeralTickFormatter(format=SHORT)
        self.lines.figure.yaxis[0].formatter = NumeralTickFormatter(format="0 %")
        self.both = pn.Column(
            *(plot.pane for plot in self.maps),
            margin=0,
            sizing_mode="stretch_width",
            css_classes=["lab-two"],
        )
        parts = (self.both, self.middle.pane, self.lines.pane, self.bottom.pane)
        super().__init__(self.top.pane, *parts)

    @staticmethod
    def _map(of: str) -> SpanMap:
        return SpanMap(
            label=f"New angles by pair and distance under {of}",
            title=" ",
            x="distance",
            y="pair",
            height=300,
            row="pair",
            column="distance",
            says="new",
        )

    def draw(self, view: AnglesView) -> None:
        """Assign both maps and the lines."""
        self.top.set(angles.top(view))
        self.middle.set(angles.middle(view))
        self.bottom.set(angles.bottom(view))
        if not self.is_new(view):
            return
        window = view.core.window
        for plot, mark, key in zip(self.maps, self.marks, (PLAIN, view.setting.method), strict=True):
            plot.set_title(view.methods[key].title)
            plot.set_span(view.unseen[key].map, window)
            mark.location = view.core.trained
        self.maps[0].pane.visible = view.setting.method != PLAIN
        x = view.middles
        lines = {key: (x, found.map.mean(axis=0)) for key, found in view.unseen.items()}
        top = max(float(y.max()) for _, y in lines.values())
        self.lines.frame(0, window, -0.02 * (top or 1), 1.15 * (top or 1))
        self.lines.set(lines, view.setting.method)
        self.lines.set_marks([(view.core.trained, "trained")] if view.stretched else [])


class ScoresCanvas(Canvas):
    """Score against distance: the nearest ones, and all of them."""

    def __init__(self) -> None:
        self.top, self.bottom = Html(), Html()
        self.near_head, self.far_head = Html(), Html()
        self.near = Overlay(
            look.STROKES,
            label=f"Score of k = q at the nearest {NEAR} distances, by method",
            x=DISTANCE,
            y="score",
            height=270,
        )
        self.far = Overlay(
            look.STROKES,
            label="Score of k = q out to four trained windows, by method",
            x=DISTANCE,
            y="score",
            height=270,
        )
        self.far.figure.xaxis[0].formatter = NumeralTickFormatter(format=SHORT)
        plots = (self.near_head.pane, self.near.pane, self.far_head.pane, self.far.pane)
        super().__init__(self.top.pane, *plots, self.bottom.pane)

    def draw(self, view: ScoresView) -> None:
        """Assign both pictures."""
        self.top.set(scores.top(view))
        self.near_head.set(scores.near_head(view))
        self.far_head.set(scores.far_head(view))
        self.bottom.set(scores.bottom(view))
        if not self.is_new(view):
            return
        forward, middles = view.setting.method, view.middles
        near = {key: (list(range(NEAR)), line.near) for key, line in view.lines.items()}
        far = {key: (middles, line.far) for key, line in view.lines.items()}
        self.near.frame(-0.5, NEAR - 0.5, *_span(near))
        self.near.set(near, forward)
        self.far.frame(0, view.reach, *_span(far))
        self.far.set(far, forward)
        places = [(float(view.core.trained), "trained")]
        if view.core.window > view.core.trained:
            places.append((float(view.core.window), "window"))
        self.far.set_marks(places)


class HeadsCanvas(Canvas):
    """The true score of two words out to four trained windows."""

    def __init__(self, chooser: Any) -> None:
        self.top, self.bottom = Html(), Html()
        self.lines = Overlay(
            look.STROKES,
            label="True score of two words in one head against distance, by method",
            x=DISTANCE,
            y="score",
            height=320,
        )
        self.lines.figure.xaxis[0].formatter = NumeralTickFormatter(format=SHORT)
        self._head = -1
        self._words = ("", "")
        super().__init__(self.top.pane, chooser, self.lines.pane, self.bottom.pane)

    def draw(self, view: HeadsView) -> None:
        """Assign the lines of one head."""
        self.top.set(heads.top(view))
        self.bottom.set(heads.bottom(view))
        x = scores.centres(LENGTHS[-1])
        lines = {key: (x, found.far[view.head]) for key, found in view.heads.items()}
        self.lines.frame(0, 1.01 * LENGTHS[-1], *_span(lines))
        self.lines.set(lines, view.setting.method)
        named = zip(TIMES, LENGTHS, strict=True)
        self.lines.set_marks([(float(length), f"{times}×") for times, length in named])


def _span(lines: dict[str, tuple[Any, Any]]) -> tuple[float, float]:
    low = min(float(y.min()) for _, y in lines.values())
    high = max(float(y.max()) for _, y in lines.values())
    edge = 0.05 * (high - low) or 0.1
    return low - edge, high + 3 * edge
