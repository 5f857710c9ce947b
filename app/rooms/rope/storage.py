"""The last figure of the room `rope`: what half precision makes of positions, as bands of scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bokeh.models import ColumnDataSource, Line, Range1d, Step, VAreaStep

from app.kit.formula import Formula, decimal
from app.kit.numbers import Table
from app.kit.plot import Plot
from app.kit.sources import assign
from app.kit.theme import paint
from app.rooms.rope.hands import VECTORS, RopeFigure
from app.rooms.rope.model.views import BLOCK, FIRST, FORMATS, Stored
from lab.positions.precision import cast_positions, count_distinct

COUNTED = (FIRST, 32_768)
PROBES = (256, 257, 258, 259, 2_049, 65_519, 65_520)
"""Lengths over which positions are counted that stay apart, and positions whose stored form is listed."""
LEGEND = 0.3
"""Share of the height that is kept free for the legend."""


class Bands(Plot):
    """Several bands over one axis; ``bands`` maps a key to (legend, colour token).

    A dashed line named ``truth`` shows the value that every band should have stayed at.
    """

    def __init__(self, bands: Mapping[str, tuple[str, str]], *, truth: str, **options: Any) -> None:
        super().__init__(x_range=Range1d(0, 1), y_range=Range1d(-1, 1), **options)
        self.sources: dict[str, ColumnDataSource] = {}
        for key, (title, colour) in bands.items():
            # Bokeh never comes to an end with an area of no steps, and a page paints before the first values
            source = ColumnDataSource({"x": [0.0], "low": [0.0], "high": [0.0]})
            area = VAreaStep(x="x", y1="low", y2="high", step_mode="after", fill_alpha=0.28)
            band = self.draw(area, source, legend=title)
            paint(band.glyph, fill_color=colour)
            for end in ("low", "high"):
                edge = self.draw(Step(x="x", y=end, mode="after", line_width=1.5), source, legend=title)
                paint(edge.glyph, line_color=colour)
            self.sources[key] = source
        self.truth = ColumnDataSource({"x": [], "y": []})
        dashed = Line(x="x", y="y", line_width=1.5, line_dash="dashed")
        line = self.draw(dashed, self.truth, legend=truth)
        paint(line.glyph, line_color="ink")
        self._legend()

    def set(self, key: str, x: Any, low: Any, high: Any) -> None:
        """Assign one band; each step reaches from its place to the next."""
        assign(self.sources[key], x=x, low=low, high=high)

    def set_truth(self, height: float, end: float, low: float, high: float) -> None:
        """Draw the dashed line from 0 to ``end``, and fix the ranges to it and to ``low`` and ``high``."""
        assign(self.truth, x=[0.0, end], y=[height, height])
        self.set_x(0.0, end)
        self.set_y(low, low + (high - low) / (1 - LEGEND))


class Storage(RopeFigure):
    """The score at one distance while both positions move, stored in half precision."""

    key, view, draws = "storage", Stored, "blocks"
    uses = (*VECTORS, "m", "n")

    def make(self) -> Sequence[Any]:
        self.plot = Bands(
            {"bfloat16": ("bfloat16", "warn"), "float16": ("float16", "accent")},
            truth="exact",
            label="Score at one distance while both positions move, in half precision",
            x="position of the nearer of the two",
            y="score",
            height=250,
        )
        return (self.plot,)

    def draw(self, view: Stored) -> None:
        for kind, (lowest, highest) in view.ends.items():
            self.plot.set(kind, list(range(0, FIRST, BLOCK)), lowest, highest)
        low = min(view.exact, *(float(lowest.min()) for lowest, _ in view.ends.values()))
        high = max(view.exact, *(float(highest.max()) for _, highest in view.ends.values()))
        edge = 0.1 * (high - low) or 0.1
        self.plot.set_truth(view.exact, float(FIRST), low - edge, high + edge)

    def caption(self, view: Stored) -> str:
        return self.say("caption", view, first=FIRST, block=BLOCK)

    def numbers(self, view: Stored) -> list[Table]:
        survive = [
            [
                kind,
                *(count_distinct(most, kind) for most in COUNTED),
                *cast_positions(PROBES, kind).tolist(),
            ]
            for kind in FORMATS.values()
            if kind
        ]
        probed = [f"{position:,} is" for position in PROBES]
        names = ["stored in", *(f"apart of {most:,}" for most in COUNTED), *probed]
        ends = [values.tolist() for pair in view.ends.values() for values in pair]
        rows = [[BLOCK * at, view.exact, *values] for at, values in enumerate(zip(*ends, strict=True))]
        both = [f"{kind} {end}" for kind in view.ends for end in ("lowest", "highest")]
        title = self.say("numbers", view, block=BLOCK)
        return [
            Table("Positions that stay apart", names, survive),
            Table(title, ["from position", "exact", *both], rows),
        ]

    def formula(self, view: Stored) -> tuple[Formula, ...]:
        general = r"(R_{\tilde{m}}\, q) \cdot (R_{\tilde{n}}\, k) = q^{\top} R_{\tilde{n} - \tilde{m}}\, k"
        exact = decimal(view.exact)
        return (Formula(general, rf"q^{{\top}} R_{{{-view.distance}}}\, k = {exact}", self.say("formula")),)

    def code_answer(self, view: Stored) -> Any:
        return [values for pair in view.ends.values() for values in pair]
