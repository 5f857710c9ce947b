"""The rows that a run moves, step by step, and how many have been seen."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, ClassVar

from bokeh.models import NumeralTickFormatter

from app.kit.figure import Figure, Snapshot
from app.kit.figures import Curves
from app.kit.formula import Formula, decimal
from app.kit.html import Markup, join, number, shorten, tag
from app.kit.matrix import verdict
from app.kit.numbers import Table
from app.rooms.gradient import formulas, source
from app.rooms.gradient.formulas import SHORT
from app.rooms.gradient.model import WORDS, views
from app.rooms.gradient.model.run import SETTINGS, SINGLE_ROWS, Picture, Run
from app.rooms.gradient.rank_map import RankMap
from lab import zipf

GIVEN: dict[str, Any] = {"x_range": (1, 10), "y_range": (1, 10)}
"""Ranges that `draw` sets; one that follows its data has nothing to follow while a figure is closed."""
LOGARITHMIC: dict[str, Any] = {"x_type": "log", "y_type": "log", **GIVEN}
CHANCE = 3.0
"""Standard errors beyond which a step's rows differ from the closed form by more than chance."""
LEAST_FITTED, LAST_FITTED = 20, 1_000
"""Rows that a line through their counts needs, and the last rank that it is fitted to."""
STEPPED = (*SETTINGS, "step")


class Rows(Figure):
    """Which rows each step moves."""

    key, words, view = "rows", WORDS, views.Rows
    uses: ClassVar = (*STEPPED, "optimizer", "tied", "zoom")
    above = 2

    def make(self) -> Sequence[Any]:
        self.map = RankMap(
            says="share that moves",
            title="Rows moved",
            label="Share of the rows that move, ranks against steps",
            x="step",
            y="rank, most frequent on top",
            height=340,
        )
        return self.map, self.binning, self.facts, self.source_note

    def draw(self, view: views.Rows) -> None:
        if self.changed("picture", view.picture):
            named, marked = names(view.run, view.picture), ticks(view.run, view.picture)
            self.map.set_rows(view.picture.shares, named, marked)
        self.map.reveal(view.step)
        self.map.set_title(f"Rows moved by {self.rule(view)}")

    def rule(self, view: views.Rows) -> str:
        """The name of the rule inside a sentence."""
        return SHORT[view.rule.key]

    def binning(self, view: views.Rows) -> Markup:
        """How rows of the table became rows of the picture."""
        edges = view.picture.edges.tolist()
        if view.picture.single:
            return tag("p", self.say("single", first=edges[0] + 1, last=edges[-1]), class_="lab-note")
        alone = next((k for k, (low, high) in enumerate(pairwise(edges)) if high - low > 1), len(edges) - 1)
        said = self.say("bins", bins=len(edges) - 1, alone=alone, first=edges[-2] + 1, last=edges[-1])
        ramp = tag("i", "", class_="lab-grad-scale")
        scale = tag("span", "none ", ramp, " all of a bin's rows move", class_="lab-grad-key")
        return tag("p", said, " ", scale, class_="lab-note")

    def facts(self, view: views.Rows) -> Markup:
        """The step shown, in five numbers."""
        touched, now = view.touched, view.now
        sparse, dense = _size(view.bytes.sparse), _size(view.bytes.dense)
        held, in_all = ("filled", "beside") if view.s.tied else ("sparse", "dense")
        shown = (
            (number(touched), "gets" if touched == 1 else "get", "from_input" if view.s.tied else "expected"),
            (number(now), "moves" if now == 1 else "move", self.why(view)),
            (number(view.seen), "seen", "growth"),
            (number(view.never), "never", "share"),
            (dense if view.s.tied else sparse, held, in_all),
        )
        more = {"rule": self.rule(view), "share": view.never / view.run.V, "width": views.WIDTH}
        more |= {"sparse": sparse, "dense": dense}
        tiles = join(
            tag(
                "div",
                tag("dt", self.say(says, view, **more)),
                tag("dd", tag("b", value), tag("span", self.say(under, view, **more))),
            )
            for value, says, under in shown
        )
        return tag("dl", tiles, class_="lab-grad-facts", aria_label=f"Step {view.step}")

    def why(self, view: views.Rows) -> str:
        """The name of the sentence that says which rows move."""
        if view.s.tied:
            return "tied"
        if view.rule.key == "adamw":
            return "decay"
        return "memory" if view.rule.moves_unseen else "gradient"

    def source_note(self, view: views.Rows) -> Markup:
        """What the closed form says of a real text, and what subsampling did to the tokens."""
        said = [self.of_text(view.run)] if view.run.source.running else []
        said += [self.of_subsampling(view.run)] if view.s.subsample else []
        return join(map(verdict, said))

    def of_text(self, run: Run) -> str:
        """The text against as many independent draws of its words."""
        touched = self.say("one")
        if run.N > 1:
            digits = 0 if run.expected >= 100 else 1
            mean, expected = (number(rows, digits) for rows in (run.mean, run.expected))
            as_many = "same" if mean == expected else "fewer" if run.shortfall >= 0 else "more"
            why = self.say("clusters" if self.clustered(run) else "chance")
            touched = self.say(as_many, mean=mean, expected=expected, share=abs(run.shortfall), why=why)
        what = self.say("passages" if run.s.length > 1 else "single_words")
        if run.V < LEAST_FITTED:
            return self.say("short", run, what=what, touched=touched)
        fit = zipf.fit_exponent(run.source.counts, last=min(LAST_FITTED, run.V))
        return self.say("text", run, what=what, touched=touched, fit=fit)

    def clustered(self, run: Run) -> bool:
        """Whether passages miss more rows than chance would."""
        # a count of rows varies by no more than its root, a mean over steps by less
        error = (run.expected * run.steps) ** -0.5
        return run.s.length > 1 and run.shortfall > CHANCE * error

    def of_subsampling(self, run: Run) -> str:
        """The tokens without it and with it."""
        said = self.say("subsampled", run, before=run.plain[0], after=run.p[0])
        if run.N == 1:
            return said
        now, plain = (number(rows, 0 if rows >= 100 else 2) for rows in (run.expected, run.expected_plain))
        return f"{said} {self.say('instead', run, now=now, plain=plain)}"

    def caption(self, view: views.Rows) -> str:
        drawn = self.say(view.run.source.says, view)
        drawn += self.say("thinned", view) if view.s.subsample else ""
        touch = "touches" if view.run.N == 1 else "touch"
        why = self.say(self.why(view))
        return self.say("caption", view, drawn=drawn, touch=touch, rule=self.rule(view), why=why)

    def numbers(self, view: views.Rows) -> list[Table]:
        found, shown = view.run, view.picture
        columns = [found.touched.tolist(), found.seen.tolist(), found.growth.tolist(), view.moved.tolist()]
        touched = "touched by the input" if view.s.tied else "with a gradient"
        named = ["step", touched, "seen so far", "expected so far", "moved"]
        shares = zip(names(found, shown), shown.shares[:, view.step - 1].tolist(), strict=True)
        return [
            Table("Rows by step", named, [[n, *row] for n, row in enumerate(zip(*columns, strict=True), 1)]),
            Table(f"Share of rows that move in step {view.step}", ["rows", "share"], list(shares)),
        ]

    def formula(self, view: views.Rows) -> tuple[Formula, ...]:
        found = view.run
        expected = Formula(
            r"\mathbb{E}[\mathrm{rows}] = \sum_{i=1}^{\dim{V}} 1 - (1 - p_i)^{N}" + formulas.shares(found),
            rf"\sum_{{i=1}}^{{{decimal(found.V, 0)}}} 1 - (1 - p_i)^{{{decimal(found.N, 0)}}} = "
            rf"{decimal(found.expected, 1)} \qquad p_1 = {decimal(float(found.p[0]), 4)}",
            self.say("at_most_input" if view.s.tied else "at_most", found),
        )
        return formulas.gradient(view.s.tied), expected, formulas.rule(view.rule.key, view.s.tied)

    def code(self, s: Snapshot) -> str:
        return source.of_rows(s, SHORT[s.optimizer])

    def code_answer(self, view: views.Rows) -> Any:
        return view.picture.shares


class Seen(Figure):
    """How many rows have been seen, against the closed form."""

    key, words, view = "seen", WORDS, views.Stepped
    uses: ClassVar = STEPPED

    def make(self) -> Sequence[Any]:
        self.curves = Curves(
            {
                "most": ("one row per token", "ink-soft"),
                "expected": ("closed form", "ink"),
                "seen": ("this run", "accent"),
            },
            dashes={"most": "dotted", "expected": "dashed"},
            label="Rows seen so far against the step",
            x="step",
            y="rows seen",
            height=230,
            **GIVEN,
        )
        self.curves.legend_above(columns=2)
        self.curves.figure.yaxis[0].formatter = NumeralTickFormatter(format="0,0")
        return (self.curves,)

    def draw(self, view: views.Stepped) -> None:
        found, steps = view.run, list(range(1, view.run.steps + 1))
        if self.changed("run", found):
            self.curves.set("expected", steps, found.growth)
            self.curves.set("most", steps, [min(step * found.N, found.V) for step in steps])
            self.curves.set_x(0.5, found.steps + 0.5)
            self.curves.set_y(0, 1.05 * min(found.steps * found.N, found.V))
        self.curves.set("seen", steps[: view.step], found.seen[: view.step])

    def numbers(self, view: views.Stepped) -> list[Table]:
        found = view.run
        seen = zip(found.seen.tolist(), found.growth.tolist(), strict=True)
        rows = [[n, *both, min(n * found.N, found.V)] for n, both in enumerate(seen, 1)]
        return [Table("Rows seen so far", ["step", "this run", "closed form", "one row per token"], rows)]

    def formula(self, view: views.Stepped) -> tuple[Formula, ...]:
        found, drawn = view.run, view.step * view.run.N
        return (
            Formula(
                r"\mathbb{E}[\mathrm{seen}_n] = \sum_{i=1}^{\dim{V}} 1 - (1 - p_i)^{n N}"
                + formulas.shares(found),
                rf"\sum_{{i=1}}^{{{decimal(found.V, 0)}}} 1 - (1 - p_i)^{{{decimal(drawn, 0)}}} = "
                rf"{decimal(view.growth, 1)}",
                self.say("independent", view),
            ),
        )

    def code(self, s: Snapshot) -> str:
        return source.of_run(s) + source.SEEN

    def code_answer(self, view: views.Stepped) -> Any:
        return view.run.seen


def names(found: Run, picture: Picture) -> list[str]:
    """What each row of the picture holds."""
    return [
        found.named(low + 1) if high - low == 1 else f"ranks {low + 1:,} to {high:,}"
        for low, high in pairwise(picture.edges.tolist())
    ]


def ticks(found: Run, picture: Picture) -> Mapping[float, str]:
    """Words on the axis: powers of ten and the last rank, or every single row."""
    edges = picture.edges.tolist()
    if picture.single:
        every = range(0, len(edges) - 1, 1 if len(edges) <= SINGLE_ROWS + 1 else 4)
        return {float(k): shorten(found.named(edges[k] + 1)[5:], 16) for k in every}
    decades = [10**k for k in range(7) if 10**k <= edges[-1] / 1.6]
    return {float(bisect_right(edges, rank - 1) - 1): f"{rank:,}" for rank in [*decades, edges[-1]]}


def _size(count: float) -> str:
    return f"{number(count / 1e3, 1)} kB" if count < 1e6 else f"{number(count / 1e6, 1)} MB"
