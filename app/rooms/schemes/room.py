"""What does a position scheme do to a score? Same x, same Wq and Wk, one scheme after the other."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

import panel as pn
import param

from app.kit import controls, fields, picture
from app.kit.figure import Figure, Snapshot
from app.kit.figures import Curves, Heatmap
from app.kit.formula import Formula, row
from app.kit.html import Markup, counted, join, number, tag, visible
from app.kit.matrix import verdict
from app.kit.numbers import Table
from app.kit.room import Room
from app.kit.schemes import colour_of, legend
from app.rooms.schemes import model
from app.rooms.schemes.comparison import Comparison, table_of
from app.rooms.schemes.model import WORDS, Scores, Slopes, Trained, last_row, words_of
from app.rooms.schemes.model.compare import TABLES, agreeing_head_counts
from app.rooms.schemes.model.trained import LAST
from app.rooms.schemes.own import PARTS, own_of
from app.rooms.schemes.quiz import QUESTIONS
from app.rooms.schemes.scores import ScoreMatrices
from lab.positions import Alibi

SHOWN = {"scores": "Scores", "compare": "Comparison", "slopes": "ALiBi", "tables": "Real tables"}
FARTHEST = 4096
MOST_HEADS = 64
ROUNDING = 1e-9
APART = 0.2
"""Beyond this share of the median length, or half of it as a cosine, the end of a table is another."""
SHIFTS = (
    *range(17), 20, 24, 28, 32, 40, 48, 56, 64, 80, 100, 128, 160, 200, 256, 320, 400, 500, 640, 800,
    *range(1016, 1025), 1280, 1600, 2048, 2560, 3200, 4000, FARTHEST,
)  # fmt: skip
"""Stops of the shift's slider: every position at the start, every position where a learned table ends."""


class State(param.Parameterized):
    """What a reader can set."""

    show = param.Selector(default="scores", objects=list(SHOWN), label="What is shown")
    text = param.String(default="", label="Text")
    shift = param.Integer(
        default=16, bounds=(0, FARTHEST), label="Shift of the whole sequence", doc="In positions."
    )
    H = param.Integer(default=8, bounds=(1, MOST_HEADS), label="Heads H")
    head = param.Integer(default=3, bounds=(1, MOST_HEADS), label="Head shown", doc="Counted from 1.")
    D = param.Selector(default=16, objects=[4, 8, 16, 32], label="Width D of the model")
    d = param.Selector(default=8, objects=[2, 4, 8, 16], label="Width d of a head")
    seed = param.Integer(default=0, bounds=(0, 9999), label="Seed of x, Wq and Wk")
    table = param.Selector(default="whisper", objects=list(TABLES), label="Position table")
    place = param.Integer(default=100, bounds=(0, 511), label="Position looked at", doc="Row of the table.")
    own = param.Parameter(default=None, precedence=-1, doc="What the teacher gives.")


LINES = {
    "paper": ("the paper’s sentence", "ink-soft"),
    "released": ("released code", colour_of(Alibi.key)),
    "given": ("this page", "accent"),
}
LOW, HIGH = 2**-8.6, 2**0.2
"""Slopes that both rules stay between."""


class SlopesByHead(Figure):
    """ALiBi's slopes for any number of heads, by the released code and by the paper."""

    key, words, view = "slopes", WORDS, Slopes
    uses: ClassVar = ("own", "H", "head")

    def make(self) -> Sequence[Any]:
        self.curves = Curves(
            LINES,
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
            y_range=(LOW, HIGH),
        )
        self.curves.places("x")
        return self.top, self.curves, self.table

    def draw(self, view: Slopes) -> None:
        table = view.table
        given = [] if table.given is None else table.given
        for key, slopes in (("released", table.released), ("paper", table.paper), ("given", given)):
            self.curves.set(key, list(range(1, len(slopes) + 1)), slopes)
        lowest, highest = (of([of(slopes) for slopes in view.columns[:-1]]) for of in (min, max))
        self.curves.set_y(min(lowest / 1.5, LOW), max(highest * 1.5, HIGH))
        self.curves.set_x(0.5, table.H + 0.5)

    def top(self, view: Slopes) -> Markup:
        """The head of the picture."""
        said = self.say("heads" if view.table.H > 1 else "one", view)
        shown = [line for key, line in LINES.items() if key != "given" or view.table.given is not None]
        return join([tag("h3", said), tag("p", self.say("bias")), legend(reversed(shown))])

    def table(self, view: Slopes) -> Markup:
        """What the two rules have in common, and the slopes as a table."""
        given = [] if view.table.given is None else ["this page"]
        heads = ("head", *given, "released code", "paper’s sentence", "weight halves after … positions")
        body = join(
            tag(
                "tr",
                tag("th", str(head), scope="row"),
                join(tag("td", cell) for cell in (*(number(slope, 6) for slope in slopes), f"{half:.1f}")),
                class_="lab-marked" if head == view.head else None,
            )
            for head, *slopes, half in view.rows
        )
        scrolls = {"class_": "lab-slopes", "tabindex": "0", "role": "region", "aria_label": "Slopes by head"}
        said = verdict(self.rules(view), "good" if view.table.agree else "warn")
        return join([said, tag("div", table_of(heads, body), **scrolls)])

    def rules(self, view: Slopes) -> str:
        """What the two rules have in common."""
        listed = ", ".join(map(str, agreeing_head_counts(MOST_HEADS)))
        if view.table.agree:
            return self.say("agree", view, listed=listed, most=MOST_HEADS)
        order = self.say("falling" if view.table.falling else "unsorted")
        return self.say("differ", view, listed=listed, order=order)

    def caption(self, view: Slopes) -> str:
        half = view.table.half_distances
        ends = {"near": f"{half.min():.1f}", "far": f"{half.max():.1f}"}
        agree = "agree" if view.table.agree else self.say("ratio", view)
        reach = self.say("reach" if view.table.H > 1 else "near", **ends)
        given = view.table.given is not None
        return self.say("given" if given else "caption", view, agree=agree, reach=reach)

    def numbers(self, view: Slopes) -> list[Table]:
        given = [] if view.table.given is None else ["this page"]
        columns = ["head", *given, "released code", "paper's sentence", "half distance"]
        return [Table(f"ALiBi's slopes for {counted(view.table.H, 'head')}", columns, view.rows)]

    def formula(self, view: Slopes) -> tuple[Formula, ...]:
        head, *slopes, half = view.rows[view.head - 1]
        # the rules come last; the first of the slopes is the one that the half distance is of
        *_, released, paper = (row(number(value, 8)) for value in slopes)
        used = row(number(slopes[0], 8))
        given = view.table.given is not None
        source = self.say("own" if given else "released", view, source=Alibi.source, released=released)
        return (
            Formula(Alibi.formula, rf"a_{{{head}}} = {used}", source),
            Formula(
                r"a_h = 2^{-8h/\dim{H}}",
                rf"a_{{{head}}} = 2^{{-8 \cdot {head} / {view.table.H}}} = {paper}",
                self.say("paper"),
            ),
            Formula(
                r"e^{-a_h \delta} = \frac{1}{2} \;\Rightarrow\; \delta = \frac{\ln 2}{a_h}",
                rf"\delta = \frac{{0.693}}{{{used}}} = {row(number(half, 4))}",
                self.say("half"),
            ),
        )

    def code(self, s: Snapshot) -> str:
        given = s.own.slopes if s.own else ()
        used = f"np.array({list(given)})" if given else "released"
        return _SLOPES.format(H=s.H, used=used, stacked="used, " if given else "")

    def code_answer(self, view: Slopes) -> Any:
        return view.columns


_SLOPES = """import numpy as np

H = {H}

def geometric(H):  # the paper's sentence
    return 2.0 ** (-8 * np.arange(1, H + 1) / H)

low = 2 ** (H.bit_length() - 1)  # the next lower power of two
released = np.concatenate([geometric(low), geometric(2 * low)[0::2][: H - low]])
used = {used}
half_distance = np.log(2) / used
result = np.stack([{stacked}released, geometric(H), half_distance])
"""


class RealTables(Figure):
    """What training made of the position tables of real models: cosines, lag, neighbours and lengths."""

    key, words, view = "tables", WORDS, Trained
    uses: ClassVar = ("table", "place")

    def compute(self, s: Snapshot) -> Trained:
        view = Trained(s)
        _ = view.table  # a file that has not arrived is missed before anything is drawn
        return view

    def make(self) -> Sequence[Any]:
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
        self.neighbours = _by_row("Cosine of each row with the next", "Cosine with the next row")
        self.norms = _by_row("Length of each row", "Length of the row")
        self.here = self.cosines.mark(y=0.0, colour="dim-T")
        panes = [plot.pane for plot in (self.cosines, self.lag, self.neighbours, self.norms)]
        pair = pn.Column(*panes, margin=0, sizing_mode="stretch_width", css_classes=["lab-two"])
        return self.top, pair, self.findings

    def draw(self, view: Trained) -> None:
        table, small = view.table, "float32"
        self.here.location = view.place
        self.lag.set("place", list(range(view.T - view.place)), view.from_place.astype(small))
        if not self.changed("table", table.key):
            return
        self.cosines.set(table.cosines, strongest=1.0)
        self.lag.set("mean", list(range(view.T)), table.by_lag.astype(small))
        self.lag.set_x(0, view.T)
        for curves, values in ((self.neighbours, table.neighbours), (self.norms, table.norms)):
            curves.set("all", list(range(len(values))), values.astype(small))
            curves.set_x(0, view.T)
            curves.set_y(0, 1.08 * float(values.max()))

    def top(self, view: Trained) -> Markup:
        """What the table is, and what it shows."""
        return join([tag("h3", self.say("rows", view)), tag("p", self.say("stripe", view))])

    def findings(self, view: Trained) -> Markup:
        """The lag, the break, the outlier and the end."""
        return join(map(verdict, (self.by_lag(view), self.breaks(view), self.outlier(view), self.end(view))))

    def by_lag(self, view: Trained) -> str:
        """What the distance explains; a computed table in full, but for the rounding of float64."""
        explained = view.table.explained
        full = 1 - explained < ROUNDING
        lags = ", ".join(number(mean, 2) for mean in view.table.by_lag[1:10].tolist())
        rest = self.say("full" if full else "rest")
        return self.say("lag", share=1.0 if full else explained, rest=rest, lags=lags)

    def breaks(self, view: Trained) -> str:
        """Where neighbours are least alike."""
        at, near = view.table.loneliest, view.table.neighbours.tolist()
        before, after, typical = near[at - 1], near[at], sorted(near)[len(near) // 2]
        name = "alike" if min(before, after) > 0.9 * max(near) else "breaks"
        return self.say(name, view, before=before, after=after, typical=typical)

    def outlier(self, view: Trained) -> str:
        """The row that is longer than the rest."""
        most = view.table.norms[view.table.longest]
        return self.say("even" if most < 1.01 * view.table.median_norm else "outlier", view, most=most)

    def end(self, view: Trained) -> str:
        """What few texts have trained."""
        table, said = view.table, self.say("end", view, last=LAST)
        lengths = abs(table.last_norm / table.median_norm - 1)
        cosines = abs(table.last_cosine - table.median_cosine)
        seen = self.say("unlike" if lengths > APART or cosines > APART / 2 else "hardly")
        return self.say("computed" if table.key == "sinusoidal" else "trained", end=said, seen=seen)

    def caption(self, view: Trained) -> str:
        return self.say("caption", view, lag=self.by_lag(view), outlier=self.outlier(view))

    def numbers(self, view: Trained) -> list[Table]:
        table, place = view.table, view.place
        listed = zip(
            table.norms.tolist(),
            [*table.neighbours.tolist(), "no row after"],
            table.cosines[place].tolist(),
            strict=True,
        )
        names = ["position", "length", "cosine with the next row", f"cosine with row {place}"]
        means = [[lag, mean] for lag, mean in enumerate(table.by_lag.tolist())]
        return [
            Table(f"{table.title}: mean cosine by distance", ["distance", "mean cosine"], means),
            Table(f"{table.title}: rows", names, [[p, *one] for p, one in enumerate(listed)]),
        ]

    def formula(self, view: Trained) -> tuple[Formula, ...]:
        place = min(view.place, view.T - 2)
        cosine = number(float(view.table.cosines[place, place + 1]))
        return (
            Formula(
                r"c_{m,n} = \frac{P_m \cdot P_n}{\lVert P_m \rVert \lVert P_n \rVert}",
                rf"c_{{{place},{place + 1}}} = {row(cosine)}",
                self.say("from_0"),
            ),
            Formula(
                r"\eta^2 = 1 - \frac{\sum_{m<n} \left(c_{m,n} - \bar{c}_{n-m}\right)^2}"
                r"{\sum_{m<n} \left(c_{m,n} - \bar{c}\right)^2}",
                rf"\eta^2 = {row(number(view.table.explained))}",
                self.say("ratio"),
            ),
        )

    def code(self, s: Snapshot) -> str:
        return _MEASURED.format(load=_LOAD[s.table])

    def code_answer(self, view: Trained) -> Any:
        return [view.table.explained, *view.table.by_lag.tolist()]


def _by_row(label: str, title: str) -> Curves:
    lines, unit = {"all": (label, "accent")}, (0, 1)
    return Curves(
        lines, label=label, title=title, x="position", height=220, width=1.5, x_range=unit, y_range=unit
    )


_MEASURED = """import numpy as np

{load}
unit = P / np.linalg.norm(P, axis=1, keepdims=True)
cosines = unit @ unit.T  # (T, T)
by_lag = np.array([np.diagonal(cosines, m).mean() for m in range(len(P))])
m, n = np.triu_indices(len(P), 1)
values = cosines[m, n]
explained = 1 - ((values - by_lag[n - m]) ** 2).sum() / ((values - values.mean()) ** 2).sum()
result = np.concatenate([[explained], by_lag])
"""
_LOAD = {
    "whisper": """from lab.data import whisper_positions

P = whisper_positions().astype(float)  # (448, 384)""",
    "minilm": """from lab.data import minilm

P = minilm().positions.astype(float)  # (512, 384)""",
    "sinusoidal": """angle = np.arange(512)[:, None] / 10_000 ** (np.arange(0, 384, 2) / 384)
P = np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(512, 384)""",
}


class Heads(fields.Within):
    """A slider over heads counted from 1; of one head there is nothing to choose."""

    def __init__(self, parameter: param.Number) -> None:
        super().__init__(parameter, lambda shown: int(shown["H"]))

    def follow(self, value: Any, shown: Mapping[str, Any]) -> None:
        last = self._last(shown)
        self._slider.param.update(end=max(last, 2), disabled=last == 1)


def _last_shown(shown: Mapping[str, Any]) -> int:
    # the file of a table is read when the table is looked at
    return last_row(shown["table"]) if shown["show"] == "tables" else int(State.param.place.bounds[1])


class SchemesRoom(Room):
    """The same tokens, queries and keys under every scheme at once."""

    key, place, words = "schemes", "scores", WORDS
    first = ("shift", "text", "H")
    State = State
    kinds = (ScoreMatrices, Comparison, SlopesByHead, RealTables)
    tabs = "show"
    fields: ClassVar = {
        "show": fields.tabs(SHOWN),
        "text": partial(
            fields.Typed,
            read=lambda shown: visible(" ".join(word.strip() for word in words_of(shown["own"]))),
        ),
        "shift": lambda parameter: fields.Stops(parameter, SHIFTS),
        "head": Heads,
        "seed": fields.of(controls.number),
        "table": fields.choices({key: found.title for key, found in TABLES.items()}),
        "place": lambda parameter: fields.Within(parameter, _last_shown),
    }
    asked = QUESTIONS
    always = ("limit", "rope", "alibi", "whisper")
    given = PARTS

    @classmethod
    def take(cls, data: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
        """Her rows, weights, slopes and frequencies."""
        return own_of(data)

    @classmethod
    def begins(cls, data: Mapping[str, Any]) -> dict[str, Any]:
        """The sizes that they fix, and a head that is there."""
        sizes = dict(data["own"].sizes) if data else {}
        return {**sizes, "head": min(3, sizes["H"])} if "H" in sizes else sizes

    def unused(self, shown: Mapping[str, Any]) -> Collection[str]:
        """Sizes that are fixed."""
        fixed = set(shown["own"].sizes) if shown["own"] else set()
        return {*fixed, "head"} if fixed and shown["H"] == 1 else fixed

    @classmethod
    def normalise(cls, values: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
        """No head beyond the last, and no position beyond the end of the table that is shown."""
        settled, notices = dict(values), []
        own = values.get("own")
        for name, size in own.sizes.items() if own else ():
            if values[name] != size:
                settled[name] = size
                notices.append(WORDS.say("own.fixed", of=name, size=size, was=values[name]))
        if settled["head"] > settled["H"]:
            settled["head"] = settled["H"]
            notices.append(WORDS.say("head", **{**settled, "head": values["head"]}))
        if values["show"] == "tables" and values["place"] > (last := last_row(values["table"])):
            settled["place"] = last
            notices.append(WORDS.say("place", last=last, **values))
        return settled, tuple(notices)

    @classmethod
    def picture(cls) -> Markup:
        """A small true picture for the start page: score against distance."""
        still = Scores(Snapshot(model.USUAL)).still
        lines = ((line.scores[0].clip(*still.frame), colour_of(key)) for key, line in still.lines.items())
        return picture.curves(list(lines))

    def values(self) -> dict[str, Any]:
        """The State's values; a figure that stands alone is the one that is shown, whatever they say."""
        values = super().values()
        return {**values, "show": self.options.figure or values["show"]}

    def _controls_of(self, kinds: list[type[Figure]]) -> dict[str, list[Any]]:
        # one figure is open at a time: its controls stand where those of the others do
        own = super()._controls_of(kinds)
        if self.options.embed and self.options.figure:
            return own
        shown = self.spec.controls
        self.controls = [
            self._fields[name].pane
            for name in (self._fields if shown is None else shown)
            if name != self.tabs and name in self._fields
        ]
        return {key: [] for key in own}
