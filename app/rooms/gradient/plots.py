"""The pictures of the room `gradient`, made once."""

from __future__ import annotations

from bokeh.models import Line, NumeralTickFormatter, Range1d

from app.kit.figures import Curves
from app.kit.rank_map import RankMap
from app.rooms.gradient.stage import SHORT
from lab.gradient_study import LOOKUPS, WAYS

RANK = "rank of the token"
RULE_COLOURS = {"sgd": "ink", "momentum": "ink-soft", "adam": "accent", "adamw": "warn", "lazy_adam": "good"}
LEGENDS = {"seen": "bottom_right", "learned": "center_right", "lookups": "top_left", "times": "top_left"}
"""Corners that the lines leave free."""
LOOKUP_COLOURS = {"rows": "accent", "product": "warn"}
WAY_COLOURS = {"sort": "accent", "scatter": "ink-soft", "whole": "ink", "product": "warn"}


def rank_map() -> RankMap:
    """Ranks against steps."""
    return RankMap(
        says="share that moves",
        title="Rows moved",
        label="Share of the rows that move, ranks against steps",
        x="step",
        y="rank, most frequent on top",
        height=340,
    )


def plots() -> dict[str, Curves]:
    """The curves below it, by key."""
    made = {
        "seen": Curves(
            {
                "most": ("one row a token", "ink-soft"),
                "expected": ("closed form", "ink"),
                "seen": ("this run", "accent"),
            },
            dashes={"most": "dotted", "expected": "dashed"},
            label="Rows seen so far against the step",
            x="step",
            y="rows seen",
            x_range=_given(),
            y_range=_given(),
            height=230,
        ),
        "norms": Curves(
            {"norms": ("mean norm", "accent")},
            points=True,
            label="Mean norm of a row's gradient against its rank",
            title="Mean norm of the row's gradient",
            x=RANK,
            x_type="log",
            x_range=_given(),
            y_type="log",
            y_range=_given(),
            height=240,
        ),
        "learned": Curves(
            {"moved": ("moved from the start", "accent"), "left": ("left to its target", "ink-soft")},
            points=True,
            label="Distance moved and distance left against rank",
            title="Distance after the step shown",
            x=RANK,
            x_type="log",
            x_range=_given(),
            y_range=_given(),
            height=240,
        ),
        "row": Curves(
            {
                "seen": ("its token occurs", "line"),
                **{key: (SHORT[key], colour) for key, colour in RULE_COLOURS.items()},
            },
            dashes={"momentum": "dashed", "adamw": "dashed", "lazy_adam": "dotted"},
            label="Distance of one row from its start under five optimizers",
            x="step",
            y="distance from its start",
            y_type="log",
            y_range=_given(),
            x_range=_given(),
            height=340,
        ),
        "tied": Curves(
            {"output": ("output part", "accent"), "input": ("input part", "ink")},
            points=True,
            label="Norm of both parts of a tied table's gradient against rank",
            x=RANK,
            y="norm of the part",
            x_type="log",
            x_range=_given(),
            y_type="log",
            y_range=_given(),
            height=240,
        ),
        "lookups": Curves(
            {key: (LOOKUPS[key][0], colour) for key, colour in LOOKUP_COLOURS.items()},
            points=True,
            label="Time of the lookup against V, measured here",
            title="Forward: N rows of E",
            x="V, rows of the table",
            y="milliseconds",
            x_type="log",
            x_range=_given(),
            y_type="log",
            y_range=_given(),
            height=260,
        ),
        "times": Curves(
            {key: (WAYS[key][0], colour) for key, colour in WAY_COLOURS.items()},
            points=True,
            dashes={"scatter": "dashed"},
            label="Time of each way against V, measured here",
            title="Backward: the gradient of E",
            x="V, rows of the table",
            y="milliseconds",
            x_type="log",
            x_range=_given(),
            y_type="log",
            y_range=_given(),
            height=260,
        ),
    }
    for key, corner in LEGENDS.items():
        made[key].figure.legend[0].location = corner
    # five lines leave no corner free: their legend stands above the frame
    row, above = made["row"].figure, made["row"].figure.legend[0]
    row.center.remove(above)
    above.update(location="left", ncols=2, margin=0, padding=2, label_width=110)
    row.add_layout(above, "above")
    # neighbouring ranks are no sequence: dots alone
    for line in made["tied"].figure.renderers:
        if isinstance(line.glyph, Line):
            line.glyph.line_alpha = 0.0
    made["seen"].figure.yaxis[0].formatter = NumeralTickFormatter(format="0,0")
    for key in ("norms", "learned", "tied", "lookups", "times"):
        made[key].figure.xaxis[0].formatter = NumeralTickFormatter(format="0,0")
    return made


def _given() -> Range1d:
    """A range that the room sets; one that follows its data has nothing to follow while a part is closed."""
    return Range1d(1, 10)
