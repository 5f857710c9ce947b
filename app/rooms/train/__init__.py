"""What does position buy, in nats? A live run over the spread of stored ones, and what else they show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import panel as pn

from app.kit import controls, picture
from app.kit.document import Page
from app.kit.html import Markup
from app.kit.panes import Html
from app.kit.player import Player
from app.kit.room import Room
from app.rooms.train import model, quiz, sections, source, stage, status, words
from app.rooms.train.compute import TABLES, TENTHS, RowsShown, State, View, compute, rows_shown
from app.rooms.train.history import KEPT, Finished, finished
from app.rooms.train.live import PLACES, LiveRun, Phase
from app.rooms.train.own import OwnText
from app.rooms.train.plots import Losses, Places, Rows
from app.rooms.train.work import Record
from lab.positions import SCHEMES

ENDED = (Phase.FINISHED, Phase.STOPPED, Phase.DIVERGED)


class TrainRoom(Room):
    """Training under one scheme, against runs of all of them."""

    key = "train"
    title = "What does position buy, in nats?"
    lead = (
        "Train a small character model under any scheme, here on this page, and set it against runs of all "
        "six. Only what holds for every seed is worth a claim."
    )
    place = "gradient"
    data = ("train_runs.npz", "shakespeare.txt")
    State = State
    compute = staticmethod(compute)
    describe = staticmethod(words.describe)
    numbers = staticmethod(words.numbers)
    formula = staticmethod(words.formula)
    code = staticmethod(source.code)
    code_answer = staticmethod(source.code_answer)
    questions = staticmethod(quiz.questions)

    @classmethod
    def picture(cls) -> Markup:
        """A small true picture for the start page: the mean loss of three schemes."""
        view = compute(**quiz.DEFAULTS)
        means = dict(zip(view.runs.schemes, view.curve.mean, strict=True))
        return picture.curves([(means[key][1:], f"scheme-{key}") for key in ("raw", "none", "rope")])

    def build(self) -> None:
        """Make the controls and the figures, and the run that waits for its start."""
        state = self.state.param
        self._page = Page()
        self._live = LiveRun(
            lambda: self._page.change(self._live_changed), watched=self._page.watched, free=self._page.free
        )
        self._page.on_leave(self._live.close)
        self._own = OwnText()
        self._history: list[Finished] = []
        self._ended: Record | None = None
        self._player = Player(state.moment)
        self._make_controls()
        names = (
            "progress",
            "headline",
            "legend",
            "samples",
            "table",
            "history",
            "blind",
            "model",
            "order",
            "beyond",
            "rows",
            "moved",
        )
        self._html = {name: Html() for name in names}
        self._html["headline"] = Html(role="status", css="lab-train-headline")
        self._html["progress"] = Html(css="lab-train-whole")
        parts = ("comparison", "inside", "reversal", "beyond", "rows", "movement")
        self._heads = {name: Html() for name in parts}
        self._finding = Html()
        self._losses, self._places, self._rows = Losses(), Places(), Rows()
        self.figures = self._figures()
        self._drawn: dict[str, tuple[Any, ...]] = {}

    def _make_controls(self) -> None:
        state = self.state.param
        pair = pn.Row(
            controls.number(state.seed),
            controls.number(state.steps, step=100),
            css_classes=["lab-pair"],
            margin=0,
        )
        self.controls = [
            controls.select(state.scheme, {key: scheme.title for key, scheme in SCHEMES.items()}),
            pair,
            controls.segmented(state.layers),
            controls.select(state.width),
            controls.switch(state.tied, off="its own", on="E (tied)"),
            controls.segmented(state.start, {0.02: "0.02", 1.0: "1"}),
            controls.select(state.rate, {rate: f"{rate:g}" for rate in State.param.rate.objects}),
            controls.switch(state.close, off="from uniform", on="close up"),
            *self._own.controls,
        ]
        self._go = controls.button("Start", self._start_or_hold, "lab-primary")
        self._stop = controls.button("Stop", self._live.stop)
        self._stop.disabled = True

    def _figures(self) -> list[Any]:
        html, heads = self._html, self._heads
        bar = pn.Row(self._go, self._stop, html["progress"].pane, css_classes=["lab-train-bar"], margin=0)
        maps = pn.Row(self._rows.before.pane, self._rows.now.pane, css_classes=["lab-train-two"], margin=0)
        moved = pn.Row(self._rows.norms.pane, self._rows.moved.pane, css_classes=["lab-train-two"], margin=0)
        which = pn.Row(
            controls.segmented(self.state.param.rows, TABLES),
            self._player.pane,
            css_classes=["lab-inline"],
            margin=0,
        )
        return [
            bar,
            self._page.pane,
            html["headline"].pane,
            html["model"].pane,
            Html(stage.key(own=True)).pane,
            self._losses.spread.pane,
            html["legend"].pane,
            html["samples"].pane,
            heads["comparison"].pane,
            html["table"].pane,
            self._finding.pane,
            html["history"].pane,
            heads["inside"].pane,
            Html(stage.key(own=False)).pane,
            self._places.inside.pane,
            html["blind"].pane,
            heads["reversal"].pane,
            html["order"].pane,
            heads["beyond"].pane,
            Html(stage.key(own=False)).pane,
            self._places.beyond.pane,
            html["beyond"].pane,
            heads["rows"].pane,
            which,
            maps,
            html["rows"].pane,
            heads["movement"].pane,
            moved,
            html["moved"].pane,
        ]

    def draw(self, view: View) -> None:
        """Show the stored runs from the side of the state, and the live run over them."""
        self._when("runs", (view.runs,), lambda: self._draw_stored(view))
        self._when("model", (view.config,), lambda: self._html["model"].set(model.model(view)))
        self._when("rows head", (view.config,), lambda: self._heads["rows"].set(sections.rows(view)))
        self._when("order", (view.order,), lambda: self._html["order"].set(model.order(view)))
        self._places.put_forward(view)
        self._player.show(view.moment, TENTHS)
        self._draw_live(view)

    def _draw_stored(self, view: View) -> None:
        for name, made in self._heads.items():
            made.set(getattr(sections, name)(view))
        self._finding.set(sections.comparison_finding(view))
        self._html["blind"].set(sections.blindness(view))
        self._losses.draw_stored(view)
        self._places.draw_stored(view)

    def _when(self, part: str, seen: tuple[Any, ...], draw: Callable[[], None]) -> None:
        # a browser draws slowly, and a control or a report of the run changes little of this long page
        if self._drawn.get(part) != seen:
            self._drawn[part] = seen
            draw()

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
        view = self.view
        if view is None:
            return
        try:
            load = self._own.loader()
        except ValueError as reason:
            self._live.fail(str(reason))
            return
        self._losses.keep(self._live.record, self._own.chosen)
        config = replace(view.config, snapshot_every=max(1, view.config.steps // TENTHS))
        self._live.start(config, load, own_text=self._own.chosen)

    def _live_changed(self) -> None:
        if self.view is not None:
            self._draw_live(self.view)

    def _draw_live(self, view: View) -> None:
        live, record = self._live, self._live.record
        self._name_buttons(live.phase)
        if record is not None and live.phase in ENDED and record is not self._ended:
            self._ended = record
            self._history = [*self._history, finished(record, live.phase is Phase.STOPPED)][-KEPT:]
        self._html["progress"].set(status.progress(live))
        self._html["headline"].set(status.headline(view, live, PLACES.limit))
        scheme, run, step = view.config.scheme, record and record.run, record and record.step
        written = record and sum(map(len, record.samples.values()))
        losses = (scheme, view.close, view.config.steps, record, step, record and len(record.curve))
        measured = record and (record.evaluation, record.long, record.long_refusal)
        copies = run and len(run.snapshots)
        parts: tuple[tuple[str, tuple[Any, ...], Callable[[View, Record | None], None]], ...] = (
            ("samples", (scheme, record, written), self._draw_samples),
            ("losses", losses, self._losses.draw),
            ("legend", (record, run), self._draw_legend),
            ("table", (scheme, self._ended), self._draw_table),
            ("places", (record, measured), self._draw_places),
            ("before", (record, copies, view.rows), self._draw_before),
            ("rows", (record, copies, view.rows, view.moment), self._draw_rows),
        )
        for part, seen, draw in parts:
            self._when(part, seen, partial(draw, view, record))

    def _draw_samples(self, view: View, record: Record | None) -> None:
        self._html["samples"].set(stage.samples(view, record))

    def _draw_legend(self, view: View, record: Record | None) -> None:
        self._html["legend"].set(stage.legend(view, record))

    def _draw_table(self, view: View, record: Record | None) -> None:
        self._html["table"].set(stage.table(view, self._history))
        self._html["history"].set(stage.history(view, self._history, self._ended))

    def _draw_places(self, view: View, record: Record | None) -> None:
        self._places.draw(view, record)
        self._html["beyond"].set(sections.beyond_finding(view, record))

    def _draw_before(self, view: View, record: Record | None) -> None:
        self._rows.draw_before(_rows_of(view, record)[1])

    def _draw_rows(self, view: View, record: Record | None) -> None:
        whose, shown = _rows_of(view, record)
        self._rows.draw(shown)
        self._html["rows"].set(sections.rows_finding(whose, shown))
        self._html["moved"].set(sections.movement_finding(whose, shown))

    def _name_buttons(self, phase: Phase) -> None:
        words = {Phase.WAITING: "Pause", Phase.TRAINING: "Pause", Phase.PAUSED: "Resume"}
        self._go.label = words.get(phase, "Start")
        self._stop.disabled = not (phase.busy or phase is Phase.PAUSED)


def _rows_of(view: View, record: Record | None) -> tuple[str, RowsShown]:
    """The rows on the map, and whose they are: the live run's, once it has copies of them."""
    run = record.run if record else None
    if record is None or run is None or len(run.snapshots) < 2:
        return f"The stored RoPE run of seed {view.runs.seeds[0]}", view.shown
    output, E = ([getattr(copy, end) for copy in run.snapshots] for end in ("output", "E"))
    copies, others = (output, E) if view.rows == "output" else (E, output)
    shown = rows_shown(
        copies,
        others,
        [copy.step for copy in run.snapshots],
        view.moment,
        run.corpus.tokens,
        run.corpus.counts(),
    )
    return f"Your run, {SCHEMES[record.config.scheme].title}, seed {record.config.seed}", shown


ROOM = TrainRoom
"""The class of this room."""
