"""How far rows learn: by rank, one row under every optimizer, and both ends of a tied table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import panel as pn
from bokeh.models import Line, NumeralTickFormatter

from app.kit.figure import Figure, Snapshot
from app.kit.figures import Curves
from app.kit.formula import Formula, decimal
from app.kit.html import EMPTY, Markup, join, number, tag
from app.kit.matrix import verdict
from app.kit.numbers import Table
from app.rooms.gradient import formulas, source
from app.rooms.gradient.formulas import SHORT
from app.rooms.gradient.model import WORDS, views
from app.rooms.gradient.model.pull import LEARNING_RATES
from app.rooms.gradient.rows import GIVEN, LOGARITHMIC, STEPPED

RANK = "rank of the token"
COLOURS = {"sgd": "ink", "momentum": "ink-soft", "adam": "accent", "adamw": "warn", "lazy_adam": "good"}
HUGE = 1e9
"""Steps from which a wait is written as a power of ten."""
NAN = float("nan")
UNSEEN = "none yet"
"""In place of the mean gradient of rows that had none."""
INPUT_ONLY = ", input part only"


def ranked(lines: dict[str, tuple[str, str]], label: str, **options: Any) -> Curves:
    """Curves against the rank, on a logarithmic axis."""
    curves = Curves(lines, label=label, points=True, x=RANK, height=240, **{**LOGARITHMIC, **options})
    curves.figure.xaxis[0].formatter = NumeralTickFormatter(format="0,0")
    return curves


class Learned(Figure):
    """A figure of the stand-in for a model, which has no output layer."""

    words = WORDS

    def only(self, view: Any) -> Markup:
        """Of a tied table only the input's gradient is shown."""
        return verdict(WORDS.raw("rank.only")) if view.s.tied else EMPTY

    def after(self, view: Any) -> str:
        """How a sentence on what is shown begins."""
        return WORDS.raw("rank.alone" if view.s.tied else "rank.after")


class ByRank(Learned):
    """What rows get and how far they learn, by rank."""

    key, view = "rank", views.ByRank
    uses: ClassVar = (*STEPPED, "optimizer", "tied")

    def make(self) -> Sequence[Any]:
        label = "Mean norm of a row's gradient against its rank"
        title = "Mean norm of the row's gradient"
        self.norms = ranked({"norms": ("mean norm", "accent")}, label, title=title)
        self.learned = ranked(
            {"moved": ("moved from the start", "accent"), "left": ("left to its target", "ink-soft")},
            "Distance moved and distance left against rank",
            title="Distance after the step shown",
            y_type="linear",
        )
        # the corner that the lines leave free
        self.learned.figure.legend[0].location = "center_right"
        panes = (self.norms.pane, self.learned.pane)
        both = pn.Column(*panes, margin=0, sizing_mode="stretch_width", css_classes=["lab-two"])
        return self.only, both, self.undertrained, self.stand_in

    def draw(self, view: views.ByRank) -> None:
        ranks, means = view.sample.ranks, view.means
        self.norms.set("norms", ranks, means.norms)
        self.learned.set("moved", ranks, means.moved)
        self.learned.set("left", ranks, means.left)
        self.learned.set_y(0, 1.05 * max(1.0, float(means.moved.max()), float(means.left.max())))
        if self.changed("sample", view.sample):
            low, high = view.sample.norm_range
            self.norms.set_y(low / 2, high * 2)
            for plot in (self.norms, self.learned):
                plot.set_x(0.8, view.run.V * 1.25)

    def undertrained(self, view: views.ByRank) -> Markup:
        """What becomes of the rows that were never seen."""
        if view.s.tied or not view.never:
            return EMPTY
        kept = self.say("decayed" if view.rule.key == "adamw" else "drawn")
        have = "has" if view.never == 1 else "have"
        return verdict(self.say("undertrained", view, have=have, kept=kept), "warn")

    def stand_in(self, view: views.ByRank) -> Markup:
        """What the two pictures were made from."""
        return tag("p", self.say("model", each=views.FOLLOWED_EACH), class_="lab-note")

    def caption(self, view: views.ByRank) -> str:
        (moved, rare_moved), (left, rare_left) = (one[[0, -1]] for one in (view.means.moved, view.means.left))
        said = self.say(
            "caption",
            view,
            after=self.after(view),
            rule=SHORT[view.rule.key],
            rate=LEARNING_RATES[view.rule.key],
            moved=moved,
            left=left,
            rare_moved=rare_moved,
            rare_left=rare_left,
        )
        return f"{said} {self.say('no_law')}" if "adam" in view.rule.key else said

    def numbers(self, view: views.ByRank) -> list[Table]:
        norms, *others = (part.tolist() for part in view.means)
        columns = [view.sample.ranks.tolist(), [UNSEEN if v != v else v for v in norms], *others]
        title = f"By rank after step {view.step}{INPUT_ONLY if view.s.tied else ''}"
        named = ["middle rank", "mean gradient norm", "moved", "left to go"]
        return [Table(title, named, list(zip(*columns, strict=True)))]

    def formula(self, view: views.ByRank) -> tuple[Formula, ...]:
        norm = float(view.means.norms[0])
        filled = (
            rf"\lVert g_1 \rVert = {decimal(norm, 4)} \text{{ on average}}" if norm == norm else r"g_1 = 0"
        )
        pull = Formula(
            r"g_v = \frac{1}{N} \sum_{t\,:\,\mathrm{id}_t = v} \left( E_v - a_v - \epsilon_t \right)",
            filled,
            self.say("formula", view),
        )
        return pull, formulas.rule(view.rule.key, view.s.tied)

    def code(self, s: Snapshot) -> str:
        return source.of_ranks(s, views.ByRank(s).step)

    def code_answer(self, view: views.ByRank) -> Any:
        return list(view.means)


class OneRow(Learned):
    """One row under every optimizer."""

    key, view = "row", views.OneRow
    uses: ClassVar = (*STEPPED, "row", "tied")

    def make(self) -> Sequence[Any]:
        self.curves = Curves(
            {
                "seen": ("its token occurs", "line"),
                **{key: (SHORT[key], colour) for key, colour in COLOURS.items()},
            },
            dashes={"momentum": "dashed", "adamw": "dashed", "lazy_adam": "dotted"},
            label="Distance of one row from its start under five optimizers",
            x="step",
            y="distance from its start",
            y_type="log",
            height=340,
            **GIVEN,
        )
        self.curves.legend_above(columns=2)
        self.here = self.curves.mark(x=1.0)
        return self.only, self.curves

    def draw(self, view: views.OneRow) -> None:
        self.here.location = view.step
        if not self.changed("row", view.row):
            return
        steps, plot = list(range(1, view.run.steps + 1)), self.curves
        # nothing is drawn of a row that has not moved: a logarithm has no 0
        paths = {key: [v or NAN for v in path.tolist()] for key, path in view.row.moved.items()}
        heights = [v for path in paths.values() for v in path if v == v]
        low, high = min(heights, default=1e-3) / 2, max(heights, default=1.0) * 2
        for key, path in paths.items():
            plot.set(key, steps, path)
        marked = [step for step, count in zip(steps, view.row.counts.tolist(), strict=True) if count]
        plot.set("seen", [x for step in marked for x in (step, step, NAN)], [low, high, NAN] * len(marked))
        plot.set_x(0.5, len(steps) + 0.5)
        plot.set_y(low, high)

    def caption(self, view: views.OneRow) -> str:
        ends = {key: float(path[-1]) for key, path in view.row.moved.items()}
        moved = ", ".join(f"{number(end, 4)} under {SHORT[key]}" for key, end in ends.items())
        said = self.say(
            "caption",
            view,
            named=view.run.named(view.rank).capitalize(),
            times=self.say("some" if view.often else "none", view),
            expected=self.expected(view.row.wait),
            after=self.after(view),
            moved=moved,
        )
        return f"{said} {self.say('output')}" if view.s.tied else said

    def expected(self, wait: float) -> str:
        """How long the row waits for a gradient."""
        if math.isinf(wait):
            return self.say("hardly")
        steps = number(wait, 1) if wait < HUGE else self.say("power", power=round(math.log10(wait)))
        return self.say("wait", steps=steps)

    def numbers(self, view: views.OneRow) -> list[Table]:
        columns = [view.row.counts.tolist(), *(path.tolist() for path in view.row.moved.values())]
        named = view.run.named(view.rank).capitalize()
        title = f"{named}: distance from its start{INPUT_ONLY if view.s.tied else ''}"
        rows = [[n, *row] for n, row in enumerate(zip(*columns, strict=True), 1)]
        return [Table(title, ["step", "occurrences", *(SHORT[key] for key in view.row.moved)], rows)]

    def formula(self, view: views.OneRow) -> tuple[Formula, ...]:
        """Every rule, with how far it has moved the row."""
        start = rf"\lVert E_{{{view.rank}}} - E_{{{view.rank}}}^{{\mathrm{{start}}}} \rVert"
        after = rf"\text{{ after {view.run.steps} steps{INPUT_ONLY if view.s.tied else ''}}}"
        return tuple(
            formulas.rule(key, view.s.tied, rf": \quad {start} = {decimal(float(path[-1]), 4)} {after}")
            for key, path in view.row.moved.items()
        )

    def code(self, s: Snapshot) -> str:
        return source.of_row(views.OneRow(s))

    def code_answer(self, view: views.OneRow) -> Any:
        return list(view.row.moved.values())


class TiedTable(Figure):
    """Both parts of a tied table's gradient."""

    key, words, view = "tied", WORDS, views.Tied
    uses: ClassVar = ("source", "own", "exponent", "V", "batch", "length", "seed")

    def make(self) -> Sequence[Any]:
        lines = {"output": ("output part", "accent"), "input": ("input part", "ink")}
        label = "Norm of both parts of a tied table's gradient against rank"
        self.curves = ranked(lines, label, y="norm of the part")
        # neighbouring ranks are no sequence: dots alone
        for line in self.curves.figure.renderers:
            if isinstance(line.glyph, Line):
                line.glyph.line_alpha = 0.0
        return self.curves, self.note

    def draw(self, view: views.Tied) -> None:
        norms = view.norms
        if not self.changed("norms", norms):
            return
        ranks, reached = list(range(1, view.V + 1)), [v or NAN for v in norms.input_part.tolist()]
        every = [*norms.output_part.tolist(), *(v for v in reached if v == v)]
        self.curves.set_x(0.8, view.V * 1.25)
        self.curves.set_y(min(every) / 2, max(every) * 2)
        self.curves.set("output", ranks, norms.output_part)
        self.curves.set("input", ranks, reached)

    def note(self, view: views.Tied) -> Markup:
        """Why one matrix can be both, and what was drawn."""
        why, drawn = self.say("why"), self.say("drawn", view, tokens=view.tokens)
        return join([verdict(why), tag("p", drawn, class_="lab-note")])

    def numbers(self, view: views.Tied) -> list[Table]:
        both = zip(*(part.tolist() for part in view.parts), strict=True)
        rows = [[rank, *parts] for rank, parts in enumerate(both, 1)]
        return [Table("Tied table: norms of both parts", ["rank", "input part", "output part"], rows)]

    def formula(self, view: views.Tied) -> tuple[Formula, ...]:
        fed, pushed = (decimal(float(part[0]), 4) for part in view.parts)
        filled = rf"\text{{row of rank 1: input part }} {fed}, \text{{ output part }} {pushed}"
        return (formulas.gradient(True, filled),)

    def code(self, s: Snapshot) -> str:
        return source.of_tied(views.Tied(s))

    def code_answer(self, view: views.Tied) -> Any:
        return list(view.parts)
