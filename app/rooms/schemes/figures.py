"""The figures of the room `schemes` on a canvas: made once, assigned to while their section is shown."""

from __future__ import annotations

from typing import Any

import panel as pn

from app.kit.figures import Curves, Heatmap
from app.kit.plot import Plot
from app.kit.schemes import colour_of
from app.rooms.schemes.probing import SPAN, Still
from app.rooms.schemes.scores import ScoresView
from app.rooms.schemes.slopes import SlopesView
from app.rooms.schemes.tables import TablesView
from lab.compare import Answer
from lab.positions import SCHEMES, Alibi

BEFORE = " before the shift"
DISTANCES = list(range(SPAN + 1))


class Canvas:
    """Figures that are drawn only while their section is shown."""

    def __init__(self, *plots: Plot) -> None:
        panes = [plot.pane for plot in plots]
        self.pane = pn.Column(*panes, margin=0, sizing_mode="stretch_width", visible=False)

    def show(self, shown: bool) -> None:
        """Show or hide them."""
        self.pane.visible = shown


class ScoreCurves(Canvas):
    """Score against distance, a solid line for each scheme and a thin dotted one before the shift."""

    def __init__(self) -> None:
        titles = {key: (scheme.title, colour_of(key)) for key, scheme in SCHEMES.items()}
        before = {key + BEFORE: (title + BEFORE, colour) for key, (title, colour) in titles.items()}
        self.keys = list(titles)
        self.curves = Curves(
            {**before, **titles},
            dashes=dict.fromkeys(before, "dotted"),
            width=1.8,
            legend=False,
            label="Score of the same two tokens against their distance, under each scheme",
            x="distance between query and key, in positions",
            y="score",
            height=300,
            x_range=(0, SPAN),
            y_range=(-1, 1),
        )
        for line in self.curves.figure.renderers[: len(before)]:
            line.glyph.update(line_width=1.2, line_alpha=0.65)
        super().__init__(self.curves)
        self._still: Still | None = None

    def draw(self, view: ScoresView) -> None:
        """Assign every scheme's line, and those before the shift where the setting is another."""
        for key in self.keys:
            self._assign(key, view.lines[key])
        if self._still is view.still:
            return
        self._still = view.still
        self.curves.set_y(*view.still.frame)
        for key in self.keys:
            self._assign(key + BEFORE, view.still.lines[key])

    def _assign(self, name: str, line: Answer) -> None:
        y = [] if line.scores is None else line.scores[0].astype("float32")
        self.curves.set(name, DISTANCES[: len(y)], y)


class SlopeDots(Canvas):
    """The slopes of all heads by both rules, on a logarithmic axis."""

    def __init__(self) -> None:
        self.curves = Curves(
            {
                "paper": ("the paper’s sentence", "ink-soft"),
                "released": ("released code", colour_of(Alibi.key)),
            },
            points=True,
            legend=False,
            dashes={"paper": "dotted"},
            width=1.2,
            label="ALiBi's slopes by head, released code and the paper's sentence",
            x="head",
            y="slope, per position",
            y_type="log",
            height=320,
            x_range=(0.5, 8.5),
            y_range=(2**-8.6, 2**0.2),
        )
        self.curves.places("x")
        super().__init__(self.curves)

    def draw(self, view: SlopesView) -> None:
        """Assign both rules."""
        self.curves.set("released", view.heads, view.table.released)
        self.curves.set("paper", view.heads, view.table.paper)
        self.curves.set_x(0.5, view.table.H + 0.5)


class TablePictures(Canvas):
    """A position table: cosines, lag, neighbours and lengths."""

    def __init__(self) -> None:
        self.cosines = Heatmap(
            label="Cosine of every position with every other",
            title="Cosine of two rows",
            x="position",
            y="position",
            height=360,
            tips=("position", "position"),
        )
        self.lag = Curves(
            {"mean": ("mean of all pairs", "ink-soft"), "place": ("from the row looked at", "dim-T")},
            label="Cosine against distance",
            title="Cosine by distance",
            x="distance",
            height=360,
            width=1.5,
            x_range=(0, 1),
            y_range=(-1.05, 1.05),
        )
        self.neighbours = self._line("Cosine of each row with the next", "Cosine with the next row")
        self.norms = self._line("Length of each row", "Length of the row")
        self.place = self.cosines.mark(y=0.0, colour="dim-T")
        super().__init__(self.cosines, self.lag, self.neighbours, self.norms)
        self._drawn = ""

    def show(self, shown: bool) -> None:
        """Show or hide it; the grid's own rule would keep it in sight."""
        super().show(shown)
        self.pane.css_classes = ["lab-two"] if shown else []

    @staticmethod
    def _line(label: str, title: str) -> Curves:
        return Curves(
            {"all": (label, "accent")},
            label=label,
            title=title,
            x="position",
            height=220,
            width=1.5,
            x_range=(0, 1),
            y_range=(0, 1),
        )

    def draw(self, view: TablesView) -> None:
        """Assign a table once, and the row looked at each time."""
        table, place = view.table, view.settings.place
        self.place.location = place
        self.lag.set("place", list(range(view.T - place)), _small(view.from_place))
        if self._drawn == table.key:
            return
        self._drawn = table.key
        self.cosines.set(table.cosines, strongest=1.0)
        self.lag.set("mean", list(range(view.T)), _small(table.by_lag))
        self.lag.set_x(0, view.T)
        for curves, values in ((self.neighbours, table.neighbours), (self.norms, table.norms)):
            curves.set("all", list(range(len(values))), _small(values))
            curves.set_x(0, view.T)
            curves.set_y(0, 1.08 * float(values.max()))


def _small(values: Any) -> Any:
    return values.astype("float32")
