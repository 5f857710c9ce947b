"""The pictures on a canvas of the room `rope`: made once, and drawn from a view."""

from __future__ import annotations

from typing import Any

from bokeh.models import Range1d

from app.kit.bands import Bands
from app.kit.bundle import Bundle, Line, Mark, even
from app.kit.figures import Curves
from app.kit.html import number
from app.kit.plot import Plot
from app.rooms.rope.compute import View
from app.rooms.rope.parts import BLOCK, FARTHEST, FIRST, HALVES
from app.rooms.rope.stage import shade

DISTANCE = "distance m − n, from q back to k"
LEGEND = 0.55
"""Height kept free for a legend, as a share of the span of the lines."""


def make() -> dict[str, Any]:
    """All pictures by name."""
    return {
        "curve": Bundle(
            label="Score against distance, both positions marked", x=DISTANCE, y="score", height=262
        ),
        "pairs": Bundle(
            label="What single pairs add, against distance", x=DISTANCE, y="adds", ends="pair", height=230
        ),
        "average": _curves(
            "Mean score over random q and k against distance",
            "mean score",
            {
                "expected": ("k = q, expected", "ink-soft"),
                "alike": ("k = q, mean", "scheme-rope"),
                "apart": ("k on its own, mean", "accent"),
            },
            {"expected": "dashed"},
        ),
        "heads": Bundle(
            colour="dim-H",
            label="Scores of nine real heads against distance",
            x=f"{DISTANCE}, logarithmic",
            y="score",
            x_type="log",
            ends="head",
            height=360,
        ),
        "layouts": _curves(
            "Score against distance under both pair layouts",
            "score",
            {
                "own": ("the layout in use", "scheme-rope"),
                "other": ("the other, same q and k", "warn"),
                "reconciled": ("the other, both permuted", "ink"),
            },
            {"reconciled": "dotted"},
        ),
        "storage": Bands(
            {"bfloat16": ("bfloat16", "warn"), "float16": ("float16", "accent")},
            truth="exact",
            label="Score at one distance while both positions move, in half precision",
            x="position of the nearer of the two",
            y="score",
            height=250,
        ),
    }


def _curves(label: str, y: str, lines: dict[str, tuple[str, str]], dashes: dict[str, str]) -> Curves:
    ranges = {"x_range": Range1d(0, 1), "y_range": Range1d(0, 1)}
    return Curves(lines, dashes=dashes, label=label, x=DISTANCE, y=y, height=260, **ranges)


def show(plot: Plot, visible: bool) -> None:
    """Show or hide a picture."""
    # the pane copies the property of its figure back while it takes its own for the default: the figure first
    plot.figure.visible = visible
    plot.pane.visible = visible


def marks(view: View) -> dict[str, list[Mark]]:
    """Where the places, or their distance, are marked."""
    both = [Mark(view.distance, f"k at {view.places[1]:,}", view.moved.score)]
    if view.window.start <= 0 < view.window.stop and view.distance:
        both.insert(0, Mark(0, f"q at {view.places[0]:,}"))
    # two words stand at least one place apart
    real = min(max(abs(view.distance), 1), FARTHEST)
    return {
        "curve": both,
        "pairs": [Mark(view.distance, f"distance {number(view.distance)}")],
        "heads": [Mark(real, f"distance {number(real)}")],
    }


def draw_curve(plot: Bundle, view: View) -> None:
    """The score at each distance."""
    curve = view.curve
    top, bottom = even(float(curve.total.max())), -even(-float(curve.total.min()))
    plot.set(curve.distances, [Line(curve.total)], top=top, bottom=bottom)


def draw_pairs(plot: Bundle, view: View) -> None:
    """What the shown pairs add at each distance, in shades of d."""
    curve = view.curve
    lines = [
        Line(heights, str(pair), shade(place, len(curve.shown)))
        for place, (pair, heights) in enumerate(zip(curve.shown, curve.pairs, strict=True))
    ]
    plot.set(curve.distances, lines, top=even(float(abs(curve.pairs).max())))


def draw_average(plot: Curves, view: View) -> None:
    """The mean scores, and what they tend to."""
    found = view.average
    _draw(plot, view, {"expected": found.expected, "alike": found.alike, "apart": found.apart})


def draw_layouts(plot: Curves, view: View) -> None:
    """The score in both layouts, and in the other one with q and k permuted."""
    found = view.curve.layouts
    _draw(plot, view, {"own": found.own, "other": found.other, "reconciled": found.reconciled})


def _draw(plot: Curves, view: View, lines: dict[str, Any]) -> None:
    x = view.curve.distances.astype("float32")
    for name, heights in lines.items():
        plot.set(name, x, heights.astype("float32"))
    low = min(float(heights.min()) for heights in lines.values())
    high = max(float(heights.max()) for heights in lines.values())
    span = (high - low) or 1.0
    edge = 0.015 * len(x)
    plot.set_x(float(x[0]) - edge, float(x[-1]) + edge)
    plot.set_y(low - 0.06 * span, high + LEGEND * span)


def draw_storage(plot: Bands, view: View) -> None:
    """The lowest and highest score of neighbouring places."""
    found = view.storage
    x = list(range(0, FIRST, BLOCK))
    for kind in HALVES:
        plot.set(kind, x, found.lowest[kind], found.highest[kind])
    low = min(found.exact, *(float(rows.min()) for rows in found.lowest.values()))
    high = max(found.exact, *(float(rows.max()) for rows in found.highest.values()))
    edge = 0.1 * (high - low) or 0.1
    plot.set_truth(found.exact, float(FIRST), low - edge, high + edge)


def draw_heads(plot: Bundle, view: View) -> None:
    """Nine curves, one of them strong if a head is chosen."""
    found = view.heads
    lines = [
        Line(
            row,
            str(head),
            0.9 if view.head in ("all", str(head)) else 0.22,
            2.4 if view.head == str(head) else 1.2,
        )
        for head, row in enumerate(found.scores)
    ]
    top, bottom = float(found.scores.max()), float(found.scores.min())
    edge = 0.04 * (top - bottom) or 1.0
    plot.set(found.distances, lines, top=top + edge, bottom=bottom - edge)
