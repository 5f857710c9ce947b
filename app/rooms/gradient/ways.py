"""The same gradient in several ways: repeats of an id, what the ways agree on, and what each costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import panel as pn
from bokeh.models import NumeralTickFormatter

from app.kit import controls
from app.kit.document import together
from app.kit.figure import Figure, Snapshot
from app.kit.figures import Curves
from app.kit.formula import Formula, decimal
from app.kit.html import EMPTY, Markup, dims, join, number, tag
from app.kit.matrix import equation, error, matrix
from app.kit.numbers import Table
from app.kit.panes import Html
from app.rooms.gradient import formulas, source
from app.rooms.gradient.model import WORDS, run, views
from app.rooms.gradient.model.ways import BACKWARD, FORWARD, Way, time_ways
from app.rooms.gradient.rows import LOGARITHMIC

TIMED = tuple(1_000 * 2**k for k in range(8))
SIZES: dict[str, Any] = {"tokens": 512, "width": 64}
LEGEND_ROOM = 200
"""Factor above the longest time on its logarithmic axis: the legend stands there, over no line."""
COLOURS = {"sort": "accent", "scatter": "ink-soft", "whole": "ink", "product": "warn", "rows": "accent"}


class Repeats(Figure):
    """The gradient of a few typed ids, repeats among them."""

    key, words, view = "repeats", WORDS, views.Repeats
    uses: ClassVar = ("ids",)

    def make(self) -> Sequence[Any]:
        return (self.product,)

    def product(self, view: views.Repeats) -> Markup:
        """One-hot transposed times a column of ones."""
        small = view.toy
        rows = [f"row {row}" for row in range(len(small.summed))]
        made = equation(
            matrix(
                small.one_hot.T,
                title="one-hotᵀ",
                under=dims(("V", len(rows)), ("T", len(small.ids))),
                rows=rows,
                columns=[str(one) for one in small.ids],
                signed=False,
            ),
            "×",
            matrix([[1.0]] * len(small.ids), title="G", under="ones", signed=False),
            "=",
            matrix(small.summed[:, None], title="dE", under="repeats summed", rows=rows, signed=False),
        )
        return join([error(view.refused) if view.refused else EMPTY, made])

    def caption(self, view: views.Repeats) -> str:
        right, wrong = (", ".join(map(number, of.tolist())) for of in (view.toy.summed, view.toy.wrong))
        return self.say("caption" if right != wrong else "once", right=right, wrong=wrong)

    def numbers(self, view: views.Repeats) -> list[Table]:
        sums = zip(view.toy.summed.tolist(), view.toy.wrong.tolist(), strict=True)
        rows = [[row, *both] for row, both in enumerate(sums)]
        return [Table("The typed ids", ["row", "summed", "grad[ids] += 1"], rows)]

    def formula(self, view: views.Repeats) -> tuple[Formula, ...]:
        ids, sums = ", ".join(map(str, view.toy.ids)), ", ".join(map(number, view.toy.summed.tolist()))
        filled = rf"\mathrm{{ids}} = ({ids}),\; G_t = 1 \quad\Rightarrow\quad ({sums})"
        return (formulas.gradient(False, filled),)

    def code(self, s: Snapshot) -> str:
        return source.REPEATS.format(ids=list(views.Repeats(s).toy.ids))

    def code_answer(self, view: views.Repeats) -> Any:
        return [view.toy.summed, view.toy.wrong]


class Ways(Figure):
    """That the ways agree, and what each costs."""

    key, words, view = "ways", WORDS, views.Ways
    uses: ClassVar = run.SETTINGS

    def make(self) -> Sequence[Any]:
        self.forward = Times("Forward: N rows of E", "the lookup", FORWARD)
        self.backward = Times("Backward: the gradient of E", "each way", BACKWARD)
        panes = (self.forward.pane, self.backward.pane)
        both = pn.Column(*panes, margin=0, sizing_mode="stretch_width", css_classes=["lab-two"])
        self.measured = Html()
        self.times = pn.Column(both, self.measured.pane, margin=0, sizing_mode="stretch_width", visible=False)
        button = controls.button("Measure here", self.measure, css="lab-grad-measure")
        return self.zeros, button, self.times

    def zeros(self, view: views.Ways) -> Markup:
        """What the one-hot matrix is made of."""
        said = self.say("zeros", view, zeros=view.run.V - 1)
        sparse = tag("code", f"nn.Embedding({view.run.V}, {views.WIDTH}, sparse=True)")
        return tag("p", said, " ", self.say("sparse"), " ", sparse, self.say("whole"), class_="lab-note")

    def measure(self) -> None:
        """Time every way on this machine, now."""
        measured = {plot: time_ways(plot.ways, TIMED, **SIZES) for plot in (self.forward, self.backward)}
        named = [(plot.ways[key][0], of) for plot, times in measured.items() for key, of in times.items()]
        note = tag("p", self.say("measured", **SIZES), class_="lab-note")
        with together():
            for plot, times in measured.items():
                plot.show(times)
            self.times.visible = True
            self.measured.set(join([_table(named), note]))

    def caption(self, view: views.Ways) -> str:
        return self.say("caption" if view.difference else "agree", view, width=views.COMPARED_WIDTH)

    def numbers(self, view: views.Ways) -> list[Table]:
        rows = [(title, view.apart(key)) for key, (title, _) in BACKWARD.items()]
        title = f"Largest difference to sort and reduce, {view.compared:,} of the tokens"
        return [Table(title, ["way", "difference"], rows)]

    def formula(self, view: views.Ways) -> tuple[Formula, ...]:
        N, V, cells = (decimal(count, 0) for count in (view.run.N, view.run.V, view.cells))
        return (
            Formula(
                r"E_{\mathrm{ids}} = \mathrm{onehot}(\mathrm{ids})\, E \qquad "
                r"\frac{\partial L}{\partial E} = \mathrm{onehot}(\mathrm{ids})^{\top} G",
                rf"N \times \dim{{V}} = {N} \times {V} = {cells}",
                self.say("formula"),
            ),
        )

    def code(self, s: Snapshot) -> str:
        return source.of_run(s) + source.WAYS.format(tokens=views.COMPARED, width=views.COMPARED_WIDTH)

    def code_answer(self, view: views.Ways) -> Any:
        return view.gradients["scatter"]


class Times(Curves):
    """Milliseconds of several ways against V."""

    def __init__(self, title: str, of: str, ways: Mapping[str, tuple[str, Way]]) -> None:
        self.ways = ways
        super().__init__(
            {key: (name, COLOURS[key]) for key, (name, _) in ways.items()},
            points=True,
            dashes={"scatter": "dashed"},
            label=f"Time of {of} against V, measured here",
            title=title,
            x="V, rows of the table",
            y="milliseconds",
            height=260,
            **LOGARITHMIC,
        )
        self.figure.legend[0].location = "top_left"
        self.figure.xaxis[0].formatter = NumeralTickFormatter(format="0,0")

    def show(self, times: Mapping[str, Sequence[float]]) -> None:
        """Assign the times; the legend stands above the longest."""
        taken = [1e3 * s for of in times.values() for s in of if s == s]
        self.set_x(TIMED[0] / 1.3, TIMED[-1] * 1.3)
        self.set_y(min(taken) / 2, max(taken) * LEGEND_ROOM)
        for key, seconds in times.items():
            self.set(key, list(TIMED), [1e3 * s for s in seconds])


def _table(named: Sequence[tuple[str, Sequence[float]]]) -> Markup:
    """The times forward and backward."""
    heads = [tag("th", "milliseconds", scope="col"), *(tag("th", f"V = {V:,}", scope="col") for V in TIMED)]
    body = join(
        tag(
            "tr",
            tag("th", name, scope="row"),
            *(tag("td", "left out" if s != s else number(1e3 * s, 2)) for s in seconds),
        )
        for name, seconds in named
    )
    table = tag("table", tag("thead", tag("tr", *heads)), tag("tbody", body), class_="lab-grad-times")
    scrolls = {"tabindex": "0", "role": "region", "aria_label": "Measured times"}
    return tag("div", table, class_="lab-scroll", **scrolls)
