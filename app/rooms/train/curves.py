"""Losses of the stored runs with a run of one's own over them: by position in the window, and beyond it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, ClassVar

from app.kit.figure import Says
from app.kit.formula import Formula, decimal
from app.kit.html import EMPTY, Markup, dims, join, number, tag
from app.kit.matrix import error, verdict
from app.kit.numbers import Cell, Table
from app.rooms.train.look import OWN, SERIES, TrainFigure
from app.rooms.train.model import stored
from app.rooms.train.model.stored import Spans, Stored, title_of
from app.rooms.train.spread import Spread, legend, span

LINE = [("your run", "ink", "line")]


class SpreadFigure(TrainFigure):
    """Bands over the seeds of each scheme, and the own run as a line."""

    table: ClassVar[str]
    x: ClassVar[str]
    """Title of the table, and of its first column."""
    source: ClassVar[str]
    """Where the code finds the losses."""
    axes: ClassVar[dict[str, Any]]

    def spread(self, **options: Any) -> Spread:
        """The picture."""
        return Spread(SERIES, y="loss, nats per character", **{"own": OWN, **self.axes, **options})

    def fill(self, spread: Spread, view: Any) -> None:
        """Draw the stored losses, and put the chosen scheme and no position forward."""
        if self.changed("runs", view.runs):
            spans: Spans = view.spans
            for at, key in enumerate(view.runs.schemes):
                spread.set(key, spans.x, spans.mean[at], spans.low[at], spans.high[at])
        forward = self.forward(view)
        if self.changed("forward", forward):
            spread.put_forward(forward)

    def forward(self, view: Any) -> tuple[str, ...]:
        """The schemes whose bands are shown."""
        return ("none", view.s.scheme)

    def numbers(self, view: Any) -> list[Table]:
        spans: Spans = view.spans
        ends = (of[view.index].tolist() for of in (spans.low, spans.high))
        lines = zip(spans.x, *spans.mean.tolist(), *ends, strict=True)
        both = (f"{view.title}, lowest", f"{view.title}, highest")
        columns = [self.x, *map(title_of, view.runs.schemes), *both]
        return [Table(self.table, columns, [[x, *map(_cell, losses)] for x, *losses in lines])]

    def code(self, s: Any) -> str:
        return _SPANS.format(scheme=s.scheme, source=self.source)

    def code_answer(self, view: Any) -> Any:
        lines = (of[view.index] for of in (view.spans.mean, view.spans.low, view.spans.high))
        return [line[line == line] for line in lines]


_SPANS = """import numpy as np
from lab.training import load_runs

runs = load_runs()  # those of the lab: schemes by seeds
losses = runs.{source}[runs.schemes.index({scheme!r})].astype(float)  # (R, n), nats per character
losses = losses[:, ~np.isnan(losses[0])]  # a scheme may refuse a position
result = np.stack([losses.mean(axis=0), losses.min(axis=0), losses.max(axis=0)])
"""


def _cell(value: float) -> Cell:
    """A loss, or that the scheme has no row for such a position."""
    return value if value == value else "refused"


class ByPosition(SpreadFigure):
    """Loss by position: what figures inside and beyond the window share."""

    uses = ("scheme",)
    notes: Says
    """What is said under the picture."""

    def make(self) -> Sequence[Any]:
        self.curves = self.spread()
        key = legend(SERIES.values(), LINE)
        return lambda view: key, self.curves, self.notes

    def draw(self, view: Any) -> None:
        self.fill(self.curves, view)
        x, y = view.line
        if self.changed("own", view.record, len(x)):
            self.curves.set_own("own", x.tolist(), y.tolist())
            self.curves.set_x(0, view.end)
            self.curves.set_y(*span([view.spans.low, view.spans.high, y]))

    def strange(self, view: Stored) -> Markup:
        """Why the own run is missing."""
        return tag("p", self.words.raw("own.strange"), class_="lab-note") if view.own_text else EMPTY


class Positions(ByPosition):
    """Loss by position in the window."""

    key, view = "positions", stored.Positions
    table, x, source = "Stored runs: held-out loss by position in the window", "position", "by_position"
    axes: ClassVar = {
        "label": "Held-out loss by position in the window",
        "x": "position in the window",
        "height": 290,
    }

    def follows(self) -> Any:
        return self.own.record, self.own.record and self.own.record.evaluation

    def notes(self, view: stored.Positions) -> Markup:
        """Why a model without positions is not blind to order."""
        losses = view.spans.mean[view.runs.schemes.index("none")]
        best = int(losses.argmin())
        named = {"best": best + 1, "least": losses[best], "last": losses[-1]}
        one, two = (number(found.change) for found in view.changes)
        return join([verdict(self.say("blind", one=one, two=two, **named)), self.strange(view)])

    def caption(self, view: stored.Positions) -> str:
        base, none, losses = view.base, view.none.mean, view.chosen_losses
        named = {
            "below": base.uniform - none,
            "frequency": base.uniform - base.unigram,
            "pair": base.unigram - base.bigram,
        }
        return self.say("caption", view, first=losses[0], last=losses[-1], **named)

    def formula(self, view: stored.Positions) -> tuple[Formula, ...]:
        losses = view.chosen_losses
        filled = rf"L_1 = {losses[0]:.3f},\quad L_{{{view.T}}} = {losses[-1]:.3f}"
        general = r"L_t = -\frac{1}{N} \sum_{n=1}^{N} \ln p(x_{n,t+1} \mid x_{n,1} \ldots x_{n,t})"
        return (Formula(general, filled, self.say("formula", view)),)


class Beyond(ByPosition):
    """Train short, test long."""

    key, view = "beyond", stored.Long
    table, x = "Stored runs: held-out loss beyond the trained length", "middle of the bin"
    source = "long_loss"
    axes: ClassVar = {
        "label": "Held-out loss by position, up to four times the trained length",
        "x": "position, bins of 8",
        "height": 320,
    }

    def follows(self) -> Any:
        record = self.own.record
        return record, record and (record.long, record.long_refusal)

    def make(self) -> Sequence[Any]:
        made = super().make()
        self.trained = self.curves.mark(x=0, colour="ink")
        return self.top, *made

    def draw(self, view: stored.Long) -> None:
        super().draw(view)
        self.trained.location = view.T + 0.5

    def top(self, view: stored.Long) -> Markup:
        """How long, and how much text."""
        return tag("p", join([self.say("trained"), dims(("T", view.T)), self.say("tested", view)], " "))

    def notes(self, view: stored.Long) -> Markup:
        """The error of the scheme that has no rows, and what became of the own run."""
        found = []
        for key, message in view.runs.refusals.items():
            found += [tag("p", self.say("refused", title=title_of(key))), error(message)]
        record = view.record
        said = ""
        if record and not view.own_text and record.long:
            said = self.say("fewer", view, characters=record.long.characters)
        elif record and record.long_refusal:
            said = self.say("untested", record)
        return join([*found, self.strange(view), tag("p", said, class_="lab-note") if said else ""])

    def caption(self, view: stored.Long) -> str:
        ends = {title_of(key): view.ends_of(key) for key in view.runs.schemes}
        reached = {title: both for title, both in ends.items() if both[1] == both[1]}
        said = (self.say("ends", title=title, inside=a, last=b) for title, (a, b) in reached.items())
        return self.say("caption", listed="; ".join(said))

    def formula(self, view: stored.Long) -> tuple[Formula, ...]:
        inside, last = view.ends_of(view.s.scheme)
        edges = view.runs.long_edges.tolist()
        bins = [f"{first + 1} \\ldots {end}" for first, end in pairwise(edges)]
        ended = decimal(last) if last == last else r"\text{refused}"
        filled = rf"L_{{{bins[edges.index(view.T) - 1]}}} = {inside:.3f},\quad L_{{{bins[-1]}}} = {ended}"
        return (Formula(r"L_B = \frac{1}{|B|} \sum_{t \in B} L_t", filled, self.say("formula")),)
