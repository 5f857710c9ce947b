"""How is a window stretched? Every context extension on one model: pairs, angles, scores, real heads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

import panel as pn
from bokeh.models import NumeralTickFormatter

from app.kit import picture
from app.kit.budget import Cost
from app.kit.figure import Figure, Snapshot
from app.kit.formula import Formula, numeral, text
from app.kit.html import Markup, counted, join, number, tag, visible
from app.kit.matrix import matrix
from app.kit.numbers import Table
from app.kit.shares import percent
from app.kit.smollm2 import smollm2_words
from app.rooms.context import filled, look, model, quiz, rules
from app.rooms.context.look import STROKES, WORDS
from app.rooms.context.methods import PLAIN, method_of
from app.rooms.context.model import LENGTHS, NEAR, TIMES, Stage, met
from app.rooms.context.overlay import Columns, Overlay
from app.rooms.context.span_map import SpanMap
from app.rooms.context.state import DEFAULTS, Controlled

DISTANCE = "distance from q back to k"
TIPS = ("pair", "band", "ratio", "wavelength", "turns in training")
"""What the tooltip of a pair says."""
PICTURED = ("linear", "ntk", "none", "yarn")
MODEL = ("model", "trained", "base", "d", "length", "config", "layers", "maximum")


class ContextFigure(Figure):
    """What all figures of this room share."""

    words = WORDS
    view: ClassVar[type[Stage]]
    uses: ClassVar[tuple[str, ...]] = ("method", "factor", "overlay", *MODEL, "pair")
    controls: ClassVar[tuple[str, ...]] = ("method", "factor", "overlay", *MODEL)

    def compute(self, s: Snapshot) -> Any:
        view = self.view(s)
        view.check()
        return view

    def cost(self, s: Snapshot) -> Cost:
        return model.cost(self.view(s))

    def aside(self, view: Any) -> Markup:
        return look.model(view)

    def code(self, s: Snapshot) -> str:
        return rules.source(self.key, self.view(s))

    def top(self, view: Any) -> Markup:
        """The facts, and which lines are drawn."""
        return join([look.facts(view), look.legend(view)])

    def head(self, name: str, view: Any, **more: Any) -> Markup:
        """The head of a part of the figure."""
        return look.head(*(WORDS.say(f"{name}.{what}", view, **more) for what in ("lead", "title")))

    def moved(self, view: Stage) -> bool:
        """Whether the lines are others than those that were drawn last."""
        return self.changed("lines", view.core, tuple(view.methods), view.key)


def _overlay(label: str, height: int = 270, short: bool = False, **options: Any) -> Overlay:
    plot = Overlay(STROKES, label=f"{label}, by method", height=height, **options)
    if short:
        # thousands as k: windows are long, and phones narrow
        plot.figure.xaxis[0].formatter = NumeralTickFormatter(format="0.[0]a")
    return plot


def _listed(
    title: str, places: Sequence[str | float], named: str, view: Stage, columns: Iterable[Sequence[Any]]
) -> Table:
    """One row per place, one column per method."""
    rows = [[place, *values] for place, values in zip(places, zip(*columns, strict=True), strict=True)]
    return Table(title, [named, *(method.title for method in view.methods.values())], rows)


def _span(lines: Mapping[str, tuple[Any, Any]]) -> tuple[float, float]:
    low = min(float(y.min()) for _, y in lines.values())
    high = max(float(y.max()) for _, y in lines.values())
    edge = 0.05 * (high - low) or 0.1
    return low - edge, high + 3 * edge


class Pairs(ContextFigure):
    """What each method does to the frequency and the wavelength of every pair."""

    key, view, above = "pairs", model.Pairs, 2
    uses = (*ContextFigure.uses, "position")
    controls = uses

    def make(self) -> Sequence[Any]:
        axes: dict[str, Any] = {"tips": TIPS, "x": "pair, from the fastest to the slowest", "y_type": "log"}
        label = "Frequency of each pair over that of plain RoPE"
        self.ratio = _overlay(label, 290, y="frequency over plain RoPE’s", **axes)
        label = "Wavelength of each pair with the trained and the stretched window"
        self.waves = _overlay(label, 300, y="wavelength, in positions", columns=self.ratio, **axes)
        self.waves.figure.yaxis[0].formatter = NumeralTickFormatter(format="0,0")
        self.marks = [plot.mark(x=0, colour="ink") for plot in (self.ratio, self.waves)]
        return self.top, self.ratio, self.readout, partial(self.head, "waves"), self.waves

    def draw(self, view: model.Pairs) -> None:
        for mark in self.marks:
            mark.location = view.pair
        if not self.moved(view):
            return
        x, core, methods = list(range(view.core.pairs)), view.core, view.methods
        lowest = min(float(method.ratio.min()) for method in methods.values())
        highest = max(float(method.ratio.max()) for method in methods.values())
        edges = (-0.5, core.pairs - 0.5)
        # a margin of the same share whatever is spanned: names of bands fit above the lines
        margin = float(max(1.12, (1 / lowest) ** 0.14))
        self.ratio.frame(*edges, lowest / margin, highest * margin)
        self.ratio.name_heights(look.ticks(lowest, highest))
        self.ratio.set({key: (x, method.ratio) for key, method in methods.items()}, view.key)
        longest = max(float(method.wavelengths.max()) for method in methods.values())
        shortest = min(float(method.wavelengths.min()) for method in methods.values())
        self.waves.frame(*edges, shortest / 2, max(longest, core.window) * 4)
        self.waves.set({key: (x, method.wavelengths) for key, method in methods.items()}, view.key)
        window = [(float(core.window), f"stretched, {number(core.window)}")] if view.stretched else []
        trained = (float(core.trained), f"trained window, {number(core.trained)}")
        self.waves.set_marks(heights=[trained, *window])
        self.ratio.set_columns(self.columns(view))
        self.ratio.name_zones(view.chosen.bands)

    def top(self, view: model.Pairs) -> Markup:
        """The bands, too."""
        return join([super().top(view), look.bands(view)])

    def columns(self, view: model.Pairs) -> Columns:
        """The bands of the chosen method, and what the tooltip says of each pair."""
        method, plain, strengths = view.chosen, view.plain.wavelengths.tolist(), look.shades(view.chosen)
        both = zip(plain, method.wavelengths.tolist(), strict=True)
        tips = (
            [str(pair) for pair in range(view.core.pairs)],
            [f"{name} under {method.title}" for name in method.bands],
            [look.times(value) for value in method.ratio.tolist()],
            [f"{look.wave(before)} to {look.wave(after)}" for before, after in both],
            [number(view.core.trained / length, 2) for length in plain],
        )
        strength = [strengths[name] for name in method.bands]
        return Columns(method.bands, strength, dict(zip(TIPS, tips, strict=True)))

    def readout(self, view: model.Pairs) -> Markup:
        """The pair that is looked at, under every method that is drawn."""
        pair, position = view.pair, view.s.position
        rows = {
            key: [
                method.bands[pair],
                look.times(float(method.ratio[pair])),
                look.wave(float(method.wavelengths[pair])),
                number(view.core.window / float(method.wavelengths[pair]), 2),
                number(position * float(method.ratio[pair]), 1),
            ]
            for key, method in view.methods.items()
        }
        columns = ("band", "ratio", "wavelength", "turns in the window", f"{number(position)} turns as")
        said = tag("p", self.say("turned", view))
        return join([said, look.table(view, columns, rows, f"Pair {pair} under each method")])

    def caption(self, view: model.Pairs) -> str:
        ratio = float(view.chosen.ratio[view.pair])
        said = self.say("caption", view, kept=look.times(ratio), turned=view.s.position * ratio)
        return f"{said} {look.mismatch(view)}".strip()

    def numbers(self, view: model.Pairs) -> list[Table]:
        method, plain, places = view.chosen, view.plain, range(view.core.pairs)
        arrays = (plain.inv_freq, method.inv_freq, method.ratio, plain.wavelengths, method.wavelengths)
        listed = zip(places, method.bands, *(array.tolist() for array in arrays), strict=True)
        names = ["pair", "band", "θ, plain", "θ′", "ratio", "wavelength, plain", "wavelength"]
        ratios = [one.ratio.tolist() for one in view.methods.values()]
        waves = [one.wavelengths.tolist() for one in view.methods.values()]
        return [
            self.methods(view),
            Table(f"Pairs under {method.title}, radians and positions", names, list(listed)),
            _listed("Frequency over that of plain RoPE", places, "pair", view, ratios),
            _listed("Wavelengths in positions", places, "pair", view, waves),
        ]

    def methods(self, view: Stage) -> Table:
        """The methods side by side; only some change the base, the others divide frequencies."""
        core = view.core
        rows = [
            [
                method.title,
                float(method.extension.effective_base(core.d, core.base))
                if hasattr(method.extension, "effective_base")
                else core.base,
                method.multiplier,
                method.gain,
                method.neighbours,
                float(method.ratio[-1]),
                float(method.wavelengths[-1]),
                method.listed,
            ]
            for method in view.methods.values()
        ]
        names = (
            "method", "base in use", "multiplier m of cos and sin", "logit gain m²", "neighbours apart",
            "last ratio", "last wavelength", "pairs in each band",
        )  # fmt: skip
        return Table("Methods side by side", names, rows)

    def formula(self, view: model.Pairs) -> tuple[Formula, ...]:
        pair, method = view.pair, view.chosen
        length, theta = (numeral(float(of[pair])) for of in (method.wavelengths, method.inv_freq))
        waves = Formula(
            r"\lambda_i' = \frac{2 \pi}{\theta_i'}",
            rf"\lambda_{{{pair}}}' = \frac{{2 \pi}}{{{theta}}} = {length}",
            self.say("formula", view),
        )
        return filled.method(view), filled.gain(view), waves

    def code_answer(self, view: model.Pairs) -> Any:
        method = view.chosen
        return [method.multiplier, method.gain, *method.inv_freq, *method.ratio, *method.wavelengths]


class Angles(ContextFigure):
    """Which angles of the stretched window the model never met in training."""

    key, view = "angles", model.Angles

    def make(self) -> Sequence[Any]:
        axes: dict[str, Any] = {"x": "distance", "y": "pair", "row": "pair", "column": "distance"}
        label = "New angles by pair and distance under"
        self.maps = [
            SpanMap(label=f"{label} {of}", title=" ", height=300, says="new", **axes)
            for of in ("plain RoPE", "the chosen method")
        ]
        self.marks = [plot.mark(x=1, colour="ink-soft") for plot in self.maps]
        label = "Share of pairs at a new angle against distance"
        self.lines = _overlay(label, 230, short=True, x="distance", y="share of pairs", digits="0 %")
        self.lines.figure.yaxis[0].formatter = NumeralTickFormatter(format="0 %")
        panes = [plot.pane for plot in self.maps]
        both = pn.Column(*panes, margin=0, sizing_mode="stretch_width", css_classes=["lab-two"])
        return self.top, both, partial(self.head, "begins"), look.legend, self.lines, self.bottom

    def draw(self, view: model.Angles) -> None:
        if not self.moved(view):
            return
        window = view.core.window
        for plot, mark, key in zip(self.maps, self.marks, (PLAIN, view.key), strict=True):
            plot.set_title(view.methods[key].title)
            plot.set_span(view.unseen[key].map, window)
            mark.location = view.core.trained
        self.maps[0].pane.visible = view.key != PLAIN
        middles = (view.new.edges[:-1] + view.new.edges[1:]) / 2
        lines = {key: (middles, found.map.mean(axis=0)) for key, found in view.unseen.items()}
        top = max(float(y.max()) for _, y in lines.values()) or 1
        self.lines.frame(0, window, -0.02 * top, 1.15 * top)
        self.lines.set(lines, view.key)
        self.lines.set_marks([(view.core.trained, "trained")] if view.stretched else [])

    def top(self, view: model.Angles) -> Markup:
        """The facts, and what the maps show."""
        said = self.say("stretched" if view.stretched else "trained", view)
        return join([look.facts(view), look.head(said)])

    def bottom(self, view: model.Angles) -> Markup:
        """The methods side by side."""
        rows = {}
        for key, found in view.unseen.items():
            new = met(found)
            share = look.bar(found.total, percent(found.total))
            first = number(float(new.min())) if len(new) else "never"
            rows[key] = [share, f"{len(new)} of {view.core.pairs}", first]
        columns = ("new angles", "pairs that meet any", "first at distance")
        table = look.table(view, columns, rows, "New angles by method")
        return join([table, look.refusals(view), look.note(self.say("note"))])

    def caption(self, view: model.Angles) -> str:
        new, rope = met(view.new), view.rope
        begins = self.say("first", view, first=new.min(), count=len(new)) if len(new) else self.say("none")
        # the model itself may have been trained on after it was stretched
        as_it_is = rope.further and view.key == rope.extension.key and view.core.trained == rope.trained
        further = self.say("further", view) if as_it_is else ""
        said = (self.say("caption", view, begins=begins), further, look.mismatch(view))
        return " ".join(filter(None, said))

    def numbers(self, view: model.Angles) -> list[Table]:
        found, places = list(view.unseen.values()), range(view.core.pairs)
        totals = [[view.methods[key].title, one.total, len(met(one))] for key, one in view.unseen.items()]
        firsts = [["never" if value < 0 else value for value in one.first.tolist()] for one in found]
        means, starts = [one.map.mean(axis=0).tolist() for one in found], view.new.edges.tolist()[:-1]
        shares = [one.share.tolist() for one in found]
        return [
            Table("New angles", ["method", "share", "pairs that meet any"], totals),
            _listed("Share of distances at a new angle", places, "pair", view, shares),
            _listed("First distance at a new angle", places, "pair", view, firsts),
            _listed("Share of pairs at a new angle", starts, "from distance", view, means),
        ]

    def formula(self, view: model.Angles) -> tuple[Formula, ...]:
        pair, new = view.pair, view.new
        arc, theta = numeral(float(new.covered[pair])), numeral(float(view.plain.inv_freq[pair]))
        trained = rf"\min({numeral(view.core.trained)} \cdot {theta}, 2 \pi) = {arc}"
        rule = Formula(
            r"n \theta_i' \bmod 2 \pi \ge \min(L \theta_i, 2 \pi), \quad 0 \le n < N",
            rf"\min(L \theta_{{{pair}}}, 2 \pi) = {trained}, "
            rf"\quad {numeral(100 * float(new.share[pair]))} \% \text{{ new}}",
            self.say("formula"),
        )
        return rule, filled.method(view)

    def code_answer(self, view: model.Angles) -> Any:
        return [view.new.total, *view.new.share]


class Scores(ContextFigure):
    """The score against distance, how far apart neighbours are, multiplier and gain."""

    key, view = "scores", model.Scores

    def make(self) -> Sequence[Any]:
        axes: dict[str, Any] = {"x": DISTANCE, "y": "score"}
        self.near = _overlay(f"Score of k = q at the nearest {NEAR} distances", **axes)
        self.far = _overlay("Score of k = q out to four trained windows", short=True, **axes)
        near = partial(self.head, "near", count=NEAR)
        return self.top, near, self.near, self.far_head, self.far, self.bottom

    def draw(self, view: model.Scores) -> None:
        if not self.moved(view):
            return
        near = {key: (list(range(NEAR)), line.near) for key, line in view.lines.items()}
        far = {key: (view.middles, line.far) for key, line in view.lines.items()}
        self.near.frame(-0.5, NEAR - 0.5, *_span(near))
        self.near.set(near, view.key)
        self.far.frame(0, view.reach, *_span(far))
        self.far.set(far, view.key)
        window = [(float(view.core.window), "window")] if view.stretched else []
        self.far.set_marks([(float(view.core.trained), "trained"), *window])

    def far_head(self, view: model.Scores) -> Markup:
        """The head of all distances."""
        mean = f" {self.say('mean', view)}" if view.block > 1 else ""
        return self.head("far", view, windows=view.reach / view.core.trained, mean=mean)

    def bottom(self, view: model.Scores) -> Markup:
        """Neighbours, multiplier and gain of every method."""
        shares = {key: one.neighbours / (view.plain.neighbours or 1.0) for key, one in view.methods.items()}
        rows = {
            key: [
                look.bar(shares[key], number(method.neighbours)),
                percent(shares[key]),
                number(float(method.inv_freq[0])),
                f"× {number(method.multiplier, 4)}",
                f"× {number(method.gain, 4)}",
            ]
            for key, method in view.methods.items()
        }
        columns = ("neighbours apart", "of plain RoPE", "pair 0, rad per step", "cos, sin: m", "logits: m²")
        table = look.table(view, columns, rows, "Neighbours, multiplier and gain by method")
        head = look.head("", self.say("apart"))
        return join([head, table, look.refusals(view), look.note(self.say("note"))])

    def caption(self, view: model.Scores) -> str:
        here, after = view.line.near[:2].tolist()
        return self.say("caption", view, here=here, next=after)

    def numbers(self, view: model.Scores) -> list[Table]:
        rows = [[one.title, one.neighbours, one.multiplier, one.gain] for one in view.methods.values()]
        names = ["method", "neighbours apart", "multiplier m of cos and sin", "logit gain m²"]
        near, far = ([line[at].tolist() for line in view.lines.values()] for at in (0, 1))
        mean = f"Score of k = q, means of {counted(view.block, 'distance')}"
        return [
            Table("Neighbours, multiplier, gain", names, rows),
            _listed("Score of k = q", range(NEAR), "distance", view, near),
            _listed(mean, view.middles, "middle distance", view, far),
        ]

    def formula(self, view: model.Scores) -> tuple[Formula, ...]:
        method, near = view.chosen, view.line.near
        score = Formula(
            r"s(n) = \frac{m^2}{\dim{d}/2} \sum_{i=0}^{\dim{d}/2-1} \cos(n \theta_i')",
            rf"s(0) = {numeral(float(near[0]))}, \quad s(1) = {numeral(float(near[1]))}",
            self.say("formula"),
        )
        apart = Formula(
            r"\sqrt{\frac{1}{\dim{d}/2} \sum_{i=0}^{\dim{d}/2-1}"
            r" \left( 2 \sin \frac{\theta_i'}{2} \right)^2}",
            rf"\text{{{method.title}: }} {numeral(method.neighbours)}, \quad "
            rf"\text{{plain RoPE: }} {numeral(view.plain.neighbours)}",
            self.say("apart formula"),
        )
        return filled.gain(view), score, apart, filled.method(view)

    def code_answer(self, view: model.Scores) -> Any:
        method, line = view.chosen, view.line
        return [method.multiplier, method.gain, method.neighbours, *line.near, *line.far]


class Heads(ContextFigure):
    """What each method does to the true score of two words in SmolLM2's first layer."""

    key, view, above = "heads", model.Heads, 1
    uses = (*(name for name in ContextFigure.uses if name != "length"), "a", "b", "head")
    controls = ("method", "factor", "overlay", "a", "b", "head")

    def make(self) -> Sequence[Any]:
        label = "True score of two words in one head against distance"
        self.lines = _overlay(label, 320, short=True, x=DISTANCE, y="score")
        return self.top, self.lines, self.bottom

    def draw(self, view: model.Heads) -> None:
        x = model.centres(LENGTHS[-1])
        lines = {key: (x, found.far[view.head]) for key, found in view.heads.items()}
        self.lines.frame(0, 1.01 * LENGTHS[-1], *_span(lines))
        self.lines.set(lines, view.key)
        named = zip(TIMES, LENGTHS, strict=True)
        self.lines.set_marks([(float(length), f"{times}×") for times, length in named])

    def top(self, view: model.Heads) -> Markup:
        """Whose scores these are."""
        head = self.head("words", view, reach=LENGTHS[-1], block=model.block_of(LENGTHS[-1]))
        return join([look.facts(view), head, look.legend(view)])

    def bottom(self, view: model.Heads) -> Markup:
        """The score at once, twice and four times the trained length."""
        table = matrix(
            [[view.at(key, times) for times in TIMES] for key in view.heads],
            title=self.say("at", view),
            under=self.say("under"),
            rows=[tag("b" if key == view.key else "span", view.methods[key].title) for key in view.heads],
            columns=[f"{length:,}" for length in LENGTHS],
        )
        even = tag("div", table, class_="lab-even")
        return join([even, look.refusals(view), look.note(self.say("note"))])

    def aside(self, view: model.Heads) -> Markup:
        return join([tag("p", self.say("model", view)), tag("p", self.say("known")), smollm2_words()])

    def caption(self, view: model.Heads) -> str:
        scored, plainly = (
            ", ".join(number(view.at(key, times), 2) for times in TIMES) for key in (view.key, PLAIN)
        )
        lengths = "{:,}, {:,} and {:,}".format(*LENGTHS)
        return self.say("caption", view, lengths=lengths, scored=scored, plainly=plainly)

    def numbers(self, view: model.Heads) -> list[Table]:
        rows = [
            [view.methods[key].title, head, *values]
            for key, found in view.heads.items()
            for head, values in enumerate(found.at.tolist())
        ]
        columns = ["method", "head", *(f"at {length:,}" for length in LENGTHS)]
        lines = [found.far[view.head].tolist() for found in view.heads.values()]
        mean = f"Head {view.head}, means of {model.block_of(LENGTHS[-1])} distances"
        return [
            Table(f"True scores, ‘{view.a}’ to ‘{view.b}’", columns, rows),
            _listed(mean, model.centres(LENGTHS[-1]), "middle distance", view, lines),
        ]

    def formula(self, view: model.Heads) -> tuple[Formula, ...]:
        terms = ", ".join(
            rf"\quad s({numeral(length)}) = {numeral(view.at(view.key, times))}"
            for times, length in zip(TIMES, LENGTHS, strict=True)
        )
        score = Formula(
            r"s(n) = \frac{(m R_n q) \cdot (m R_0 k)}{\sqrt{\dim{d}}}",
            rf"{text(visible(view.a))} \to {text(visible(view.b))}: {terms}",
            self.say("formula", view),
        )
        return score, filled.gain(view), filled.method(view)

    def code_answer(self, view: model.Heads) -> Any:
        return view.heads[view.key].at


class ContextRoom(Controlled):
    """One model, every method of making its window longer."""

    key, place, words = "context", "q, k", WORDS
    first = ("method", "factor", "model")
    kinds = (Pairs, Angles, Scores, Heads)
    asked = quiz.QUESTIONS

    @classmethod
    def normalise(cls, values: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
        """No pair beyond the last."""
        pair, last = values["pair"], Stage(Snapshot(values)).core.pairs - 1
        if pair <= last:
            return dict(values), ()
        return {**values, "pair": last}, (WORDS.say("any.beyond", pair=pair, last=last),)

    @classmethod
    def picture(cls) -> Markup:
        """A small true picture for the start page: frequency ratio of each pair, four methods."""
        core = Stage(Snapshot(DEFAULTS)).core
        return picture.curves([(method_of(core, key).ratio, look.LOOKS[key][0]) for key in PICTURED])
