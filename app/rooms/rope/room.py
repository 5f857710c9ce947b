"""How does a rotation become a distance? Two hands that turn, their angle, and the score it gives."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

import param
from bokeh.models import Range1d

from app.kit import controls, fields, picture
from app.kit.bundle import Bundle, Line, Mark, even
from app.kit.figures import Curves
from app.kit.formula import Formula, decimal
from app.kit.given import GIVEN, own_choice
from app.kit.html import EMPTY, Markup, number, tag, vector
from app.kit.numbers import Cell, Table
from app.kit.room import Room
from app.kit.smollm2 import smollm2_words
from app.rooms.rope.hands import HEAD, PLACED, VECTORS, Hands, RopeFigure, added, pair_table, shade
from app.rooms.rope.model import WORDS
from app.rooms.rope.model.headed import Headed
from app.rooms.rope.model.real_heads import TrueScores
from app.rooms.rope.model.turning import average_by_distance
from app.rooms.rope.model.views import (
    DRAWS,
    FARTHEST,
    FORMATS,
    MOVES,
    Averaged,
    LaidOut,
    Scored,
)
from app.rooms.rope.own import PARTS, own_of
from app.rooms.rope.quiz import QUESTIONS
from app.rooms.rope.storage import Storage
from lab.positions import Rope
from lab.vocab.vocabulary import list_tokens

WIDTHS = (2, 4, 8, 16, 32, 64, 128)
BASES = (100, 1_000, 10_000, 100_000, 500_000, 1_000_000, 10_000_000)
REACHES = (32, 128, 512, 2_048)
HEADS = ("all", *(str(head) for head in range(9)))
VIEWS = {
    "all": "everything",
    "hands": "hands and score",
    "pairs": "what each pair adds",
    "average": "the average",
    "heads": "real heads",
    "layouts": "layouts of pairs",
    "storage": "half precision",
}
TURNS = {"theta": "one angle θ", "base": "base and d"}
DISTANCE = "distance m − n, from q back to k"
LEGEND = 0.55
"""Height kept free for a legend, as a share of the span of the lines."""
NAMED, WRITTEN = 8, 3
"""Up to so many bars carry their number; of more, so many terms of their sum are written."""
LISTED = (*range(1, 17), 32, 64, 128, 256, 512, 1_024, 1_536, FARTHEST)
"""Distances of the real heads in the table of numbers."""
DIGITS = 2
"""Decimals of a real head's score: its root mean square error is .03 to .1."""


class State(param.Parameterized):
    """What a reader can set."""

    turn = param.Selector(default="theta", objects=["theta", "base"], label="Angles from")
    theta = param.Number(
        default=0.5,
        bounds=(0.0, 3.2),
        step=0.05,
        label="θ, radians per position",
        doc="Angle of the only pair.",
    )
    base = param.Selector(default=10_000, objects=list(BASES), label="Base")
    d = param.Selector(default=8, objects=list(WIDTHS), label="Head width d")
    q = param.String(default="", label="q")
    k = param.String(default="", label="k")
    seed = param.Integer(default=0, bounds=(0, 9_999), label="Seed of the draws")
    m = param.Integer(default=3, bounds=(0, FARTHEST), label="m, position of q")
    n = param.Integer(default=1, bounds=(0, FARTHEST), label="n, position of k")
    move = param.Selector(default=0, objects=list(MOVES), label="Move both by")
    pairing = param.Selector(
        default="interleaved", objects=["interleaved", "half"], label="Pairs of dimensions"
    )
    precision = param.Selector(default="float64", objects=list(FORMATS), label="Positions stored in")
    reach = param.Selector(default=32, objects=list(REACHES), label="Distances drawn")
    a = param.String(default="people", label="Word a, the query")
    b = param.String(default="water", label="Word b, the key")
    head = param.Selector(default="all", objects=list(HEADS), label="Head")
    view = param.Selector(default="all", objects=list(VIEWS), label="Show")
    own = param.Parameter(default=None, precedence=-1, doc="The teacher's q, k and frequencies.")
    own_head = param.Parameter(default=None, precedence=-1, doc="The teacher's.")


class Score(RopeFigure):
    """The score at each distance, with both positions marked."""

    key, view, draws = "score", Scored, "curve"
    uses = (*PLACED, "reach")

    def make(self) -> Sequence[Any]:
        label = "Score against distance, both positions marked"
        self.plot = Bundle(label=label, x=DISTANCE, y="score", height=262)
        return (self.plot,)

    def draw(self, view: Scored) -> None:
        if self.changed("line", view.setting, view.window):
            total = view.curve.total
            top, bottom = even(float(total.max())), -even(-float(total.min()))
            self.plot.set(view.curve.distances, [Line(total)], top=top, bottom=bottom)
        marks = [Mark(view.distance, f"k at {view.places[1]:,}", view.moved.score)]
        if view.window.start <= 0 < view.window.stop and view.distance:
            marks.insert(0, Mark(0, f"q at {view.places[0]:,}"))
        self.plot.set_marks(marks)

    def caption(self, view: Scored) -> str:
        total, near = view.curve.total, view.window.start <= 0 < view.window.stop
        said = [self.say("caption", view, low=total.min(), high=total.max())]
        said += [] if near else [self.say("window", view)]
        said += [] if view.exact else [WORDS.say("hands.stored", view)]
        return " ".join(said)

    def numbers(self, view: Scored) -> list[Table]:
        return [_by_distance("Score by distance", view, {"score": view.curve.total})]

    def formula(self, view: Scored) -> tuple[Formula, ...]:
        met = view.moved
        terms = (
            rf"{decimal(length)}\, \cos({decimal(angle)})" if has_angle else "0"
            for length, angle, has_angle in zip(
                (met.q_lengths * met.k_lengths).tolist(), met.between.tolist(), met.angled, strict=True
            )
        )
        general = (
            r"\mathrm{score} = \sum_{i=0}^{\dim{d}/2-1} |q_i|\, |k_i|"
            r" \cos\left(\varphi_i + (m - n)\, \theta_i\right)"
        )
        return (Formula(general, f"{decimal(met.score)} = {added(terms)}", self.say("sum")),)

    def code_answer(self, view: Scored) -> Any:
        return view.curve.total


class Pairs(RopeFigure):
    """What each pair adds at the present distance, and some of them at each distance."""

    key, view, draws = "pairs", Scored, "shares"
    uses = (*PLACED, "reach")

    def make(self) -> Sequence[Any]:
        label = "What single pairs add, against distance"
        self.plot = Bundle(label=label, x=DISTANCE, y="adds", ends="pair", height=230)
        return self.bars, self.plot

    def draw(self, view: Scored) -> None:
        self.plot.pane.visible = view.several
        if self.changed("lines", view.setting, view.window):
            lines = [
                Line(heights, str(pair), shade(place, len(view.shown)))
                for place, (pair, heights) in enumerate(zip(view.shown, view.shares, strict=True))
            ]
            self.plot.set(view.curve.distances, lines, top=even(float(abs(view.shares).max())))
        self.plot.set_marks([Mark(view.distance, f"distance {number(view.distance)}")])

    def bars(self, view: Scored) -> Markup:
        """The contribution of every pair at the present distance, as signed bars."""
        if not view.several:
            return EMPTY
        values = view.moved.pairs.tolist()
        top = max(abs(value) for value in values) or 1.0
        # 64 of them at each step of a slider: numbers need no escaping, so they are written as they are
        drawn = "".join(_bar(pair, value, top, len(values)) for pair, value in enumerate(values))
        said = self.say("bars", view, largest=max(values), smallest=min(values))
        width = f"max-width:{min(720, 76 * len(values))}px"
        return tag("div", Markup(drawn), class_="lab-rope-bars", style=width, role="img", aria_label=said)

    def caption(self, view: Scored) -> str:
        if not view.several:
            return self.say("one", view)
        values = view.moved.pairs.tolist()
        few = values if len(values) <= NAMED else values[:WRITTEN]
        signed = [f"{'−' if value < 0 else '+'} {number(abs(value))}" for value in few[1:]]
        more = ["+ …"] if len(few) < len(values) else []
        return self.say("caption", view, adds=" ".join([number(few[0]), *signed, *more]))

    def numbers(self, view: Scored) -> list[Table]:
        shares = {f"pair {pair}": heights for pair, heights in zip(view.shown, view.shares, strict=True)}
        return [pair_table(view), _by_distance("What pairs add by distance", view, shares)]

    def formula(self, view: Scored) -> tuple[Formula, ...]:
        filled = ", ".join(rf"\quad s_{{{i}}} = {decimal(float(view.moved.pairs[i]))}" for i in view.shown)
        general = r"s_i = |q_i|\, |k_i| \cos\left(\varphi_i + (m - n)\, \theta_i\right)"
        return (Formula(general, filled, self.say("share")),)

    def code_answer(self, view: Scored) -> Any:
        return view.shares


def _bar(pair: int, value: float, top: float, count: int) -> str:
    name = f"<b>{number(value, 2)}</b>" if count <= NAMED else ""
    return (
        f'<span class="{"lab-up" if value >= 0 else "lab-down"}" title="pair {pair}: {number(value)}">'
        f'<i style="--h:{abs(value) / top:.4f};--s:{shade(pair, count):.0%}"></i>{name}</span>'
    )


class Average(RopeFigure):
    """The mean score over random q and k at each distance."""

    key, view, draws = "average", Averaged, "average"
    uses = (*HEAD, "seed", "m", "n", "reach")
    controls = (*HEAD, "seed", "reach")

    def make(self) -> Sequence[Any]:
        self.plot = _curves(
            "Mean score over random q and k against distance",
            "mean score",
            {
                "expected": ("k = q, expected", "ink-soft"),
                "alike": ("k = q, mean", "scheme-rope"),
                "apart": ("k on its own, mean", "accent"),
            },
            {"expected": "dashed"},
        )
        return (self.plot,)

    def draw(self, view: Averaged) -> None:
        if self.changed("lines", view.rope, view.window, view.s.seed):
            _draw(self.plot, view.window, view.average._asdict())

    def caption(self, view: Averaged) -> str:
        said = self.say("caption", view)
        # a head that does not turn does not swing either
        swings = not view.several and view.rope.inv_freq.any()
        return f"{said} {self.say('swings')}" if swings else said

    def numbers(self, view: Averaged) -> list[Table]:
        found = view.average
        means = {
            "k = q, mean": found.alike,
            "k = q, expected": found.expected,
            "k on its own, mean": found.apart,
        }
        return [_by_distance(f"By distance; means of {DRAWS} draws", view, means)]

    def formula(self, view: Averaged) -> tuple[Formula, ...]:
        last = view.ends[1]
        expected = float(view.average.expected[last - view.window.start])
        terms = (rf"\cos({last} \cdot {decimal(w)})" for w in view.rope.inv_freq.tolist())
        general = (
            r"\mathrm{E}\left[(R_m q) \cdot (R_n q)\right] = 2 \sum_{i=0}^{\dim{d}/2-1}"
            r" \cos\left((m - n)\, \theta_i\right)"
        )
        filled = rf"2 \left( {added(terms)} \right) = {decimal(expected)}"
        return (Formula(general, filled, self.say("formula")),)

    def code_answer(self, view: Averaged) -> Any:
        return view.average[:3]


class RealHeads(RopeFigure):
    """True scores of two words in the nine heads of SmolLM2's first layer."""

    key, view, draws = "heads", TrueScores, "scores"
    uses = ("m", "n", "a", "b", "head", "own_head")

    def make(self) -> Sequence[Any]:
        self.plot = Bundle(
            colour="dim-H",
            label="Scores of nine real heads against distance",
            x=f"{DISTANCE}, logarithmic",
            y="score",
            x_type="log",
            ends="head",
            height=360,
        )
        return self.top, self.plot

    def top(self, view: TrueScores) -> Markup:
        """Which word looks back at which, and what there is to choose from."""
        said = tag("h3", self.say("words", view))
        if view.s.own_head is None:
            return said + smollm2_words()
        return said + tag("p", self.say("own", listed=list_tokens(view.s.own_head.tokens)), class_="lab-note")

    def draw(self, view: TrueScores) -> None:
        chosen = view.s.head
        if self.changed("lines", view.a, view.b, chosen):
            lines = [
                Line(
                    heights,
                    str(head),
                    0.9 if chosen in ("all", str(head)) else 0.22,
                    2.4 if chosen == str(head) else 1.2,
                )
                for head, heights in enumerate(view.scores)
            ]
            top, bottom = float(view.scores.max()), float(view.scores.min())
            edge = 0.04 * (top - bottom) or 1.0
            self.plot.set(view.distances, lines, top=top + edge, bottom=bottom - edge)
        self.plot.set_marks([Mark(view.shown, f"distance {number(view.shown)}")])

    def caption(self, view: TrueScores) -> str:
        instead = "" if view.distance >= 1 else self.say("instead", view)
        return WORDS.say(f"{view.heads.words}.caption", view, instead=instead)

    def numbers(self, view: TrueScores) -> list[Table]:
        # no more digits than the quantised weights bear
        rows: list[list[Cell]] = [
            [distance, *(round(float(value), DIGITS) for value in view.scores[:, distance - 1])]
            for distance in LISTED
        ]
        if view.errors.any():
            rows.append(["error", *(round(error, DIGITS) for error in view.errors.tolist())])
        names = ["distance", *(f"head {head}" for head in range(len(view.scores)))]
        return [Table(WORDS.say(f"{view.heads.words}.numbers", view, listed=len(LISTED)), names, rows)]

    def formula(self, view: TrueScores) -> tuple[Formula, ...]:
        if view.s.own_head is not None:
            general = r"s(n) = \frac{(R_n\, q) \cdot k}{\sqrt{\dim{d}}}"
            filled = rf"s({view.shown}) = {decimal(view.highest)}"
            return (Formula(general, filled, WORDS.say("own.formula", view)),)
        general = r"s_h(n) = \frac{(R_n\, q_h) \cdot k_{\lfloor h/3 \rfloor}}{\sqrt{64}}"
        filled = rf"s_{{{view.best}}}({view.shown}) = {decimal(view.highest, DIGITS)}"
        return (Formula(general, filled, self.say("formula", view)),)

    def code_answer(self, view: TrueScores) -> Any:
        return view.scores


class Layouts(RopeFigure):
    """The score in both layouts of pairs, and in the other one with q and k permuted."""

    key, view, draws = "layouts", LaidOut, "layouts"
    uses = (*VECTORS, "m", "n", "reach")

    def make(self) -> Sequence[Any]:
        self.plot = _curves(
            "Score against distance under both pair layouts",
            "score",
            {
                "own": ("the layout in use", "scheme-rope"),
                "other": ("the other, same q and k", "warn"),
                "reconciled": ("the other, both permuted", "ink"),
            },
            {"reconciled": "dotted"},
        )
        return (self.plot,)

    def draw(self, view: LaidOut) -> None:
        self.plot.pane.visible = view.several
        if self.changed("lines", view.setting, view.window):
            _draw(self.plot, view.window, view.layouts._asdict())

    def caption(self, view: LaidOut) -> str:
        if not view.several:
            return self.say("one", view)
        order = [*map(str, view.order[:NAMED]), *["…"] * (len(view.order) > NAMED)]
        return self.say("caption", view, few=f"[{', '.join(order)}]")

    def numbers(self, view: LaidOut) -> list[Table]:
        found = view.layouts
        scores = {"score": found.own, "other layout": found.other, "other, permuted": found.reconciled}
        return [_by_distance("Score by distance in both layouts", view, scores)]

    def formula(self, view: LaidOut) -> tuple[Formula, ...]:
        own, _, mended = view.at
        general = r"(R'_m\, \Pi q) \cdot (R'_n\, \Pi k) = (R_m\, q) \cdot (R_n\, k)"
        return (Formula(general, f"{decimal(mended, 6)} = {decimal(own, 6)}", self.say("formula")),)

    def code_answer(self, view: LaidOut) -> Any:
        return view.layouts[:3]


def _by_distance(title: str, view: Headed, columns: Mapping[str, Any]) -> Table:
    listed = zip(view.window, *(values.tolist() for values in columns.values()), strict=True)
    return Table(title, ["distance", *columns], list(listed))


def _curves(label: str, y: str, lines: dict[str, tuple[str, str]], dashes: dict[str, str]) -> Curves:
    ranges = {"x_range": Range1d(0, 1), "y_range": Range1d(0, 1)}
    return Curves(lines, dashes=dashes, label=label, x=DISTANCE, y=y, height=260, **ranges)


def _draw(plot: Curves, window: range, found: Mapping[str, Any]) -> None:
    lines = {name: found[name].astype("float32") for name in plot.sources}
    for name, heights in lines.items():
        plot.set(name, list(window), heights)
    low = min(float(heights.min()) for heights in lines.values())
    high = max(float(heights.max()) for heights in lines.values())
    span, edge = (high - low) or 1.0, 0.015 * len(window)
    plot.set_x(window[0] - edge, window[-1] + edge)
    plot.set_y(low - 0.06 * span, high + LEGEND * span)


def _stops(values: Sequence[int]) -> Callable[..., fields.Field]:
    # a slider over a list says its value, and not its place in the list, to those who hear it
    return fields.of(controls.choice_slider, options={number(value): value for value in values})


def _vector(name: str, shown: Mapping[str, Any]) -> str:
    given = getattr(shown["own"], name) if shown["turn"] == GIVEN else ()
    if given:
        return vector(given).strip("[]")
    return "1, 0" if shown["turn"] == "theta" else "drawn"


def _end(name: str, shown: Mapping[str, Any]) -> int:
    # a slider reaches as far as the figure, and farther only where the position already is
    farthest = max(shown["reach"], shown[name])
    return min(next(reach for reach in REACHES if reach >= farthest), FARTHEST)


class RopeRoom(Room):
    """One query and one key, turned by their positions and scored."""

    key, place, words = "rope", "q, k", WORDS
    first = ("move", "m", "n")
    data: ClassVar[tuple[str, ...]] = ("smollm2_rope_pack.npz",)
    State = State
    kinds = (Hands, Score, Pairs, Average, RealHeads, Layouts, Storage)
    fields: ClassVar = {
        "turn": partial(own_choice, labels=TURNS, of="own", kind=controls.segmented),
        "base": _stops(BASES),
        "d": _stops(WIDTHS),
        "q": partial(fields.Typed, read=partial(_vector, "q")),
        "k": partial(fields.Typed, read=partial(_vector, "k")),
        "seed": fields.of(controls.number),
        "m": partial(fields.Within, last=partial(_end, "m")),
        "n": partial(fields.Within, last=partial(_end, "n")),
        "move": _stops(MOVES),
        "precision": fields.choices({"float64": "float64, exact here"}),
        "reach": _stops(REACHES),
        "head": fields.choices({"all": "all nine"}),
        "view": fields.choices(VIEWS),
    }
    asked = QUESTIONS
    given = PARTS

    @classmethod
    def take(cls, data: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
        """Her q, k and frequencies as a pair, and her head."""
        return own_of(data)

    @classmethod
    def begins(cls, data: Mapping[str, Any]) -> dict[str, Any]:
        """Her pair is chosen, and of her head the last token looks back at the first."""
        head = data.get("own_head")
        words = {"a": head.tokens[-1], "b": head.tokens[0]} if head else {}
        return {**words, **({"turn": GIVEN} if "own" in data else {})}

    @classmethod
    def opened(cls, values: Mapping[str, Any]) -> tuple[str, ...]:
        """The view that is chosen, or all figures; one pair alone has no layouts to compare."""
        if values["view"] != "all":
            return ("hands", "score") if values["view"] == "hands" else (values["view"],)
        d = values["own"].d if values["turn"] == GIVEN else values["d"]
        one = values["turn"] == "theta" or d == 2
        return tuple(kind.key for kind in cls.kinds if kind is not Layouts or not one)

    def unused(self, shown: Mapping[str, Any]) -> Collection[str]:
        """What the other way of choosing angles asks for, and other figures where there is one."""
        own = shown["own"] if shown["turn"] == GIVEN else None
        angles = {"base", "d", "pairing"} if shown["turn"] == "theta" else {"theta"}
        angles |= ({"d", "base"} if own.frequencies else {"d"}) if own else set()
        angles |= {"head"} if shown["own_head"] else set()
        return angles | {"view"} if self.options.figure else angles

    @classmethod
    def picture(cls) -> Markup:
        """A small true picture for the start page: the mean score of equal vectors, falling with distance."""
        average = average_by_distance(Rope(64), range(128), 1, 0)
        return picture.curves([(average.expected, "scheme-rope")])
