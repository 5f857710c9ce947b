"""What does position buy, in nats? A live run over the spread of stored ones, and what else they show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import panel as pn
import param

from app.kit import controls, fields, picture
from app.kit.document import Page
from app.kit.figure import Snapshot
from app.kit.formula import Formula, decimal
from app.kit.html import EMPTY, Markup, join, tag, visible
from app.kit.matrix import matrix
from app.kit.numbers import Table
from app.kit.panes import Html
from app.kit.player import Player
from app.kit.room import Room
from app.rooms.train import quiz, status
from app.rooms.train.comparison import Schemes
from app.rooms.train.curves import Beyond, Positions
from app.rooms.train.history import OwnRuns
from app.rooms.train.live import SLOTS, LiveRun, Phase
from app.rooms.train.look import WORDS, TrainFigure
from app.rooms.train.losses import RUN, Losses
from app.rooms.train.model import stored
from app.rooms.train.model.rows import TENTHS
from app.rooms.train.model.stored import Stored, title_of
from app.rooms.train.own import PARTS, OwnText, text_of
from app.rooms.train.rows import TABLES, Map, Movement
from lab.positions import SCHEMES

ENDED = (Phase.FINISHED, Phase.STOPPED, Phase.DIVERGED)
LINES = 4
"""Texts that a run writes: their list keeps its height meanwhile."""
WIDTHS = [8, 16, 32, 48, 64, 96, 128]
RATES = [0.001, 0.003, 0.01, 0.03, 0.1, 1.0, 10.0]


class State(param.Parameterized):
    """What a reader can set; a text of her own is no part of it."""

    scheme = param.Selector(default="rope", objects=list(SCHEMES), label="Position scheme")
    seed = param.Integer(default=0, bounds=(0, 9_999), label="Seed", doc="Of weights and batches.")
    steps = param.Integer(default=1000, bounds=(20, 5_000), label="Steps", doc="Updates of a run.")
    layers = param.Selector(default=1, objects=[1, 2], label="Layers")
    tied = param.Boolean(default=False, label="Output matrix")
    width = param.Selector(default=48, objects=WIDTHS, label="Width D")
    start = param.Selector(default=1.0, objects=[0.02, 1.0], label="E begins with sd")
    rate = param.Selector(default=0.01, objects=RATES, label="Learning rate")
    close = param.Boolean(default=False, label="Loss axis")
    rows = param.Selector(default="output", objects=list(TABLES), label="Rows of the")
    moment = param.Integer(default=TENTHS, bounds=(0, TENTHS), label="Moment, in tenths")
    page = param.Parameter(default=None, precedence=-1, doc="The teacher's text, to train on.")


class Samples(TrainFigure):
    """Text written by the run, or by the stored run of the scheme."""

    key, view = "samples", Stored
    uses = ("scheme",)

    def follows(self) -> Any:
        record = self.own.record
        return record, record and sum(map(len, record.samples.values()))

    def make(self) -> Sequence[Any]:
        return (self.texts,)

    def written(self, view: Stored) -> Mapping[int, str]:
        """The texts, by the number of steps before each."""
        return view.record.samples if view.record else view.runs.samples[view.s.scheme]

    def texts(self, view: Stored) -> Markup:
        """The texts, and room for those that are to come."""
        rows = [_sample(tag("span", f"after {step:,}"), text) for step, text in self.written(view).items()]
        rows += [_sample(EMPTY, "")] * (LINES - len(rows))
        return tag("ol", join(rows), class_="lab-train-samples")

    def caption(self, view: Stored) -> str:
        written = self.written(view)
        if view.record:
            whose = self.say("own", title=title_of(view.record.config.scheme))
        else:
            whose = self.say("stored", view, seed=view.runs.seeds[0])
        length = sum(map(len, written.values()))
        return self.say("caption", view, whose=whose, texts=len(written), length=length)

    def numbers(self, view: Stored) -> list[Table]:
        names = ["steps", "characters", "different ones", "words"]
        counted = ([step, len(t), len(set(t)), len(t.split())] for step, t in self.written(view).items())
        return [Table("What was written", names, list(counted) or [[0, 0, 0, 0]])]

    def formula(self, view: Stored) -> tuple[Formula, ...]:
        general = r"p(v \mid x_1 \ldots x_t) = \frac{e^{z_v}}{\sum_{w=1}^{\dim{V}} e^{z_w}}"
        filled = rf"\frac{{1}}{{\dim{{V}}}} = \frac{{1}}{{{view.V}}} = {decimal(1 / view.V)}"
        return (Formula(general, filled, self.say("formula")),)

    def code(self, s: Snapshot) -> str:
        return _WRITTEN.format(scheme=s.scheme)

    def code_answer(self, view: Stored) -> Any:
        return [ord(sign) for sign in view.runs.samples[view.s.scheme][0]]


_WRITTEN = """from lab.training import TrainingConfig, sample, shakespeare_corpus, train
from lab.training.config import SAMPLES

config = TrainingConfig(scheme={scheme!r}, seed=0)
run = train(config, shakespeare_corpus())
for _ in range(0):  # the first text; 50, 200 and 1000 steps give the others
    next(run)
text = sample(run.model, run.corpus, config.generator(SAMPLES), length=160)
result = [ord(sign) for sign in text]
"""


def _sample(when: Markup, text: str) -> Markup:
    return tag("li", when, tag("code", printed(text)))


def printed(text: str) -> Markup:
    """Written text with its line ends as signs."""
    lines = [join([visible(line).replace("␣", " ")]) for line in text.split("\n")]
    return (tag("i", "↵") + " ").join(lines)


class Order(TrainFigure):
    """Whether the order of what came before counts, before any training."""

    key, view = "order", stored.Order
    uses = ("scheme", "seed", "layers", "width")

    def make(self) -> Sequence[Any]:
        return (self.logits,)

    def logits(self, view: stored.Order) -> Markup:
        """Logits as the text stands, and after the earlier characters are reversed."""
        found, top = view.found, list(view.found.top)
        before, after = found.before[top], found.after[top]
        return matrix(
            [before.tolist(), after.tolist(), (after - before).tolist()],
            title=self.say("logits", view),
            under=self.say("under", view, few=len(top)),
            rows=self.words.several("order.rows"),
            columns=[visible(view.runs.tokens[v]) for v in top],
            marked_rows=[2],
        )

    def caption(self, view: stored.Order) -> str:
        name = "caption" if view.s.scheme != "none" else "same" if view.found.same else "mask"
        return self.say(name, view)

    def numbers(self, view: stored.Order) -> list[Table]:
        found = view.found
        rows = zip(view.runs.tokens, found.before.tolist(), found.after.tolist(), strict=True)
        return [
            Table(
                "Logits of the next character", ["character", "as it is", "reversed"], list(map(list, rows))
            )
        ]

    def formula(self, view: stored.Order) -> tuple[Formula, ...]:
        general = r"\max_v \left| z_v(x_{t-1} \ldots x_1\, x_t) - z_v(x_1 \ldots x_{t-1}\, x_t) \right|"
        return (Formula(general, rf"= {decimal(view.found.change)}", self.say("formula")),)

    def code(self, s: Snapshot) -> str:
        return _REVERSED.format(scheme=s.scheme, seed=s.seed, layers=s.layers, D=s.width)

    def code_answer(self, view: stored.Order) -> Any:
        return [view.found.before, view.found.after]


_REVERSED = """import numpy as np
from lab.training import TrainingConfig, load_runs
from lab.training.config import WEIGHTS
from lab.transformer import Transformer

V = len(load_runs().tokens)
config = TrainingConfig(scheme={scheme!r}, seed={seed}, layers={layers}, D={D}, dtype="float64")
model = Transformer(config.model(V), config.build_scheme(), config.generator(WEIGHTS))
ids = np.random.default_rng(config.seed).integers(V, size=config.T)
turned = np.append(ids[-2::-1], ids[-1])  # all but the last, from back to front
result = np.stack([model.logits([text])[0, -1] for text in (ids, turned)])  # (2, V)
"""


class Moment(fields.Field):
    """A slider that can play the run."""

    def __init__(self, parameter: param.Integer) -> None:
        self._player = Player(parameter)
        super().__init__(self._player.pane)

    def follow(self, value: Any, shown: Mapping[str, Any]) -> None:
        """Stand at the moment."""
        self._player.show(value, TENTHS)


class TrainRoom(Room):
    """Training under one scheme, against runs of all of them."""

    key, place, words = "train", "gradient", WORDS
    first = ("scheme", "seed", "steps")
    data = ("train_runs.npz", "shakespeare.txt")
    State = State
    kinds = (Losses, Samples, Schemes, Positions, Order, Beyond, Map, Movement)
    beside: ClassVar = {**dict.fromkeys(RUN, ""), "rows": "rows", "moment": "rows"}
    fields: ClassVar = {
        "scheme": fields.choices({key: scheme.title for key, scheme in SCHEMES.items()}),
        "seed": fields.of(controls.number),
        "steps": fields.of(controls.number, step=100),
        "tied": fields.of(controls.switch, off="its own", on="E (tied)"),
        "start": fields.choices({0.02: "0.02", 1.0: "1"}, controls.segmented),
        "rate": fields.choices({rate: f"{rate:g}" for rate in RATES}),
        "close": fields.of(controls.switch, off="from uniform", on="close up"),
        "rows": fields.choices(TABLES, controls.segmented),
        "moment": Moment,
    }
    asked = quiz.QUESTIONS
    always = tuple(one.key for one in quiz.QUESTIONS)  # they are about the stored runs
    given = PARTS

    @classmethod
    def take(cls, data: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
        """Her text."""
        return text_of(data)

    @classmethod
    def picture(cls) -> Markup:
        """A small true picture for the start page: the mean loss of three schemes."""
        view = stored.Losses(Snapshot({}))
        means = dict(zip(view.runs.schemes, view.spans.mean, strict=True))
        return picture.curves([(means[key][1:], f"scheme-{key}") for key in ("raw", "none", "rope")])

    def build(self) -> None:
        """Make the figures, and the run that waits for its start above them."""
        super().build()
        self._page, self._runs = Page(), OwnRuns()
        self._live = LiveRun(
            lambda: self._page.change(self._run_changed), watched=self._page.watched, free=self._page.free
        )
        self._page.on_leave(self._live.close)
        self._own = OwnText(self.state.page or "")
        self._go = controls.button("Start", self._start_or_hold, "lab-primary")
        self._stop = controls.button("Stop", self._live.stop)
        self._progress = Html(css="lab-train-whole")
        self._headline = Html(role="status", css="lab-train-headline")
        for place in self._places.values():
            figure: Any = place.figure
            figure.own = self._runs
        if self.options.figure == Order.key:
            return  # nothing of a run is seen there
        self._pair("seed", "steps")
        bar = pn.Row(self._go, self._stop, self._progress.pane, css_classes=["lab-train-bar"], margin=0)
        self.figures[:0] = [bar, self._page.pane, self._headline.pane]
        self.controls += self._own.controls

    def _pair(self, *names: str) -> None:
        """Put two small fields side by side, where both are there."""
        panes = [self._fields[name].pane for name in names if name in self._fields]
        if len(panes) == len(names) and panes[0] in self.controls:
            at = self.controls.index(panes[0])
            self.controls[at : at + len(panes)] = [pn.Row(*panes, css_classes=["lab-pair"], margin=0)]

    def refresh(self) -> None:
        """Show the present state, and what Start would make of it."""
        super().refresh()
        self._show_run()

    # the live run

    def _start_or_hold(self) -> None:
        live = self._live
        if live.phase.busy:
            live.pause()
        elif live.phase is Phase.PAUSED:
            live.resume()
        else:
            self._start()

    def _start(self) -> None:
        if self._on_screen is None:
            return
        try:
            load = self._own.loader()
        except ValueError as reason:
            self._live.fail(str(reason))
            return
        self._runs.begin(self._own.chosen)
        config = stored.Losses(Snapshot(self._on_screen.values)).config
        config = replace(config, snapshot_every=max(1, config.steps // TENTHS))
        self._live.start(config, load, own_text=self._own.chosen)

    def _run_changed(self) -> None:
        live, runs = self._live, self._runs
        runs.record = live.record
        if live.phase in ENDED:
            runs.end(live.phase is Phase.STOPPED)
        self._show_run()
        self.follow()

    def _show_run(self) -> None:
        if self._on_screen is None:
            return
        live, view = self._live, stored.Losses(Snapshot(self._on_screen.values))
        self._go.label = {Phase.PAUSED: "Resume"}.get(live.phase, "Pause" if live.phase.busy else "Start")
        self._stop.disabled = not (live.phase.busy or live.phase is Phase.PAUSED)
        self._progress.set(status.progress(live))
        self._headline.set(status.headline(view, live, SLOTS.limit))
