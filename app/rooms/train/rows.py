"""The character rows on a map before training and at a moment, and how far frequent and rare ones went."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import panel as pn

from app.kit.formula import Formula, decimal
from app.kit.html import Markup, join, tag
from app.kit.matrix import verdict
from app.kit.numbers import Table
from app.rooms.train.letters import LetterMap
from app.rooms.train.look import TrainFigure
from app.rooms.train.model.rows import Rows, RowsShown
from app.rooms.train.model.stored import title_of
from lab.geometry import spearman
from lab.training import CLASSES

TABLES = {"output": "output matrix", "E": "input table E"}
CLASS_COLOURS = {
    "vowel": "bad",
    "consonant": "accent",
    "capital": "good",
    "punctuation": "warn",
    "other": "ink-soft",
}
MARGIN = 1.6
"""Factor by which a logarithmic axis goes beyond its values."""


class RowsFigure(TrainFigure):
    """What both figures of the rows share."""

    view = Rows

    def follows(self) -> Any:
        run = self.own.record and self.own.record.run
        return self.own.record, run and len(run.snapshots)

    def whose(self, view: Rows) -> str:
        """Whose rows they are."""
        if not view.trained:
            return self.words.say("any.stored", seed=view.runs.seeds[0])
        config = view.trained.config
        return self.words.say("any.own", config, title=title_of(config.scheme))

    def two(self, *plots: LetterMap) -> pn.Row:
        """Two pictures side by side."""
        return pn.Row(*(plot.pane for plot in plots), css_classes=["lab-two"], margin=0)

    def numbers(self, view: Rows) -> list[Table]:
        shown, found = view.shown, view.shown.movement
        x, y = shown.maps.scores[shown.copy].T.tolist()
        lengths = (found.norm_before.tolist(), found.norm_after.tolist(), found.moved.tolist())
        columns = (shown.tokens, shown.classes, found.counts.tolist(), *lengths, x, y)
        names = ["character", "class", "count", "length before", "length now", "moved", "map x", "map y"]
        title = f"{self.whose(view)}: rows of the {TABLES[view.s.rows]} after {shown.steps:,} steps"
        return [Table(title, names, [list(row) for row in zip(*columns, strict=True)])]

    def source(self, s: Any, ends: str, imports: str = "") -> str:
        """Code with the copies of the rows, and what one figure makes of them."""
        return _COPIES.format(table=s.rows, copy=Rows(s).shown.copy, imports=imports) + ends


_COPIES = """import numpy as np
{imports}from lab.training import load_runs

runs = load_runs()  # those of the lab; its first run of RoPE keeps its rows
copies = runs.{table}.astype(np.float64)  # (m, V, D)
before, now = copies[0], copies[{copy}]
"""


class Map(RowsFigure):
    """Where the character rows went."""

    key = "rows"
    uses = ("rows", "moment", "width", "start")

    def make(self) -> Sequence[Any]:
        self.before, self.now = (
            LetterMap(CLASS_COLOURS, label=f"Character rows {when}", height=330)
            for when in ("before training", "at the moment chosen")
        )
        self.before.set_title("before training, on its own scale")
        return self.legend, self.two(self.before, self.now), self.notes

    def draw(self, view: Rows) -> None:
        shown = view.shown
        x, y = shown.maps.scores[..., 0], shown.maps.scores[..., 1]
        if self.changed("before", view.trained, view.s.rows, len(shown.copies)):
            # on a scale of their own: they may be tiny
            self.before.fit(x[0].tolist(), y[0].tolist())
            self.before.set(x[0].tolist(), y[0].tolist(), shown.tokens, shown.classes)
            self.now.fit(x.ravel().tolist(), y.ravel().tolist())
        self.now.set(x[shown.copy].tolist(), y[shown.copy].tolist(), shown.tokens, shown.classes)
        self.now.set_title(f"after {shown.steps:,} steps")

    def legend(self, view: Rows) -> Markup:
        """The classes in their colours."""
        kinds = (
            tag("span", kind, class_="lab-scheme", style=f"--c:var(--{CLASS_COLOURS[kind]})")
            for kind in CLASSES
        )
        return tag("p", join(kinds, " "), class_="lab-legend")

    def notes(self, view: Rows) -> Markup:
        """Whether both ends of the model agree, and why the rows of E begin as large as they do."""
        before, now = view.shown.alike
        D, sd = view.s.width, view.s.start
        sizes = {"usual": 0.02 * D**0.5, "sinusoid": (D / 2) ** 0.5, "own": sd * D**0.5}
        begin = self.say("begin", view, E_sd=float(view.runs.E[0].astype(float).std()), D=D, sd=sd, **sizes)
        return join([verdict(self.say("agree", before=before, now=now)), tag("p", begin, class_="lab-note")])

    def caption(self, view: Rows) -> str:
        shown, whose = view.shown, self.whose(view)
        before, now = shown.same_class
        if len(shown.tokens) < len(shown.characters):
            whose = self.say("some", whose=whose, few=len(shown.tokens), all=len(shown.characters))
        explained = float(shown.maps.explained.sum())
        shares = {"before": before.share, "now": now.share, "chance": now.chance, "explained": explained}
        return self.say("caption", shown, whose=whose, **shares)

    def formula(self, view: Rows) -> tuple[Formula, ...]:
        shown = view.shown
        at = shown.maps.scores[shown.copy, 0].tolist()
        filled = rf"y_0 = [{decimal(at[0])},\ {decimal(at[1])}]"
        return (Formula(r"y_v = (w_v - \bar{w})\,[u_1\ u_2]", filled, self.say("formula")),)

    def code(self, s: Any) -> str:
        last = "last = pca(copies[-1], 2)  # all copies on the map of the last one\n"
        ends = f"{last}result = (now - last.mean) @ last.components.T  # (V, 2)\n"
        return self.source(s, ends, "from lab.geometry import pca\n")

    def code_answer(self, view: Rows) -> Any:
        return view.shown.maps.scores[view.shown.copy]


class Movement(RowsFigure):
    """Length and way of each row against the count of its character."""

    key = "movement"
    uses = ("rows", "moment")

    def make(self) -> Sequence[Any]:
        self.plots = [
            LetterMap(
                CLASS_COLOURS,
                label=f"{title} against the count of the character",
                x="occurrences in the training text",
                x_type="log",
                height=290,
            )
            for title in ("Length of the row", "Distance from the start")
        ]
        for plot, title in zip(self.plots, ("length of the row", "distance from the start"), strict=True):
            plot.set_title(title)
        return (self.two(*self.plots),)

    def draw(self, view: Rows) -> None:
        shown, found = view.shown, view.shown.movement
        # a character that training never saw has no point on a logarithmic axis
        kept = [at for at, count in enumerate(found.counts.tolist()) if count > 0]
        counts, signs, classes = (
            [of[at] for at in kept] for of in (found.counts.tolist(), shown.tokens, shown.classes)
        )
        for plot, values in zip(self.plots, (found.norm_after, found.moved), strict=True):
            heights = values[kept].tolist()
            plot.fit(counts, heights)
            plot.set_x(min(counts) / MARGIN, max(counts) * MARGIN)
            plot.set(counts, heights, signs, classes)

    def caption(self, view: Rows) -> str:
        return self.finding(self.whose(view), view.shown)

    def finding(self, whose: str, shown: RowsShown) -> str:
        """The measurement, and that it is one run's."""
        if shown.copy == 0:
            return self.say("still", whose=whose)
        found = shown.movement
        if len(set(found.counts.tolist())) < 2:
            return self.say("equal", whose=whose, count=found.counts[0])
        way, length = (spearman(found.counts, values) for values in (found.moved, found.norm_after))
        return self.say("caption", shown, whose=whose, way=way, length=length)

    def formula(self, view: Rows) -> tuple[Formula, ...]:
        moved = float(view.shown.movement.moved[0])
        filled = rf"\lVert w_0(t) - w_0(0) \rVert = {decimal(moved)}"
        return (Formula(r"\lVert w_v(t) - w_v(0) \rVert", filled, self.say("formula")),)

    def code(self, s: Any) -> str:
        return self.source(s, "result = np.linalg.norm([now, now - before], axis=-1)  # (2, V)\n")

    def code_answer(self, view: Rows) -> Any:
        return [view.shown.movement.norm_after, view.shown.movement.moved]
