"""Which rows of E learn? A run of batches as unequal as words are, and the rows they touch, step by step."""

from __future__ import annotations

from typing import Any

import panel as pn

from app.kit import controls, picture
from app.kit.dial import Dial
from app.kit.document import together
from app.kit.html import Markup
from app.kit.panes import Html
from app.kit.player import Player
from app.kit.room import Room
from app.rooms.gradient import stage, ways, words
from app.rooms.gradient.compute import CLOSER, SOURCES, SUBSAMPLES, State, View, compute
from app.rooms.gradient.facts import facts
from app.rooms.gradient.plots import plots, rank_map
from app.rooms.gradient.run import picture_of, run_of
from lab.gradient_study import time_lookups, time_ways
from lab.row_optimizers import ROW_OPTIMIZERS

PRESETS = (100, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 50_257, 64_000, 100_000, 128_000)
ZOOMS = (0, *(digit * 10**k for k in range(5) for digit in (1, 2, 5)), 100_000)
EXPONENTS = tuple(k / 20 for k in range(41))
TIMED = tuple(1_000 * 2**k for k in range(8))
TIMED_TOKENS, TIMED_WIDTH = 512, 64
LEGEND_ROOM = 200
"""Factor above the longest time on its logarithmic axis: the legend stands there, over no line."""
NAN = float("nan")
HEADS = {
    "rank": (
        "What a row gets, by rank",
        "Frequent rows get a sum of many gradients, rare ones mostly none.",
    ),
    "row": ("One row under five optimizers", "A thin line marks each step in which its token occurs."),
}
"""The parts that show the input's gradient, and so not all of a tied table's."""
_STACK: dict[str, Any] = {"css_classes": ["lab-grad-stack"], "sizing_mode": "stretch_width", "margin": 0}


class GradientRoom(Room):
    """The sparse gradient of a table under Zipf's law."""

    key = "gradient"
    title = "Which rows of E learn?"
    lead = (
        "A lookup copies rows, so only rows whose tokens were in the batch get a gradient. "
        "Words are unequal: a few rows get one in every step, most hardly ever."
    )
    place = "gradient"
    State = State
    compute = staticmethod(compute)
    describe = staticmethod(words.describe)
    numbers = staticmethod(words.numbers)
    formula = staticmethod(words.formula)
    code = staticmethod(words.code)
    code_answer = staticmethod(words.code_answer)
    questions = staticmethod(words.questions)

    @classmethod
    def picture(cls) -> Markup:
        """A small true picture for the start page: which of 40 rows 26 steps of 24 tokens touch."""
        run = run_of("zipf", 1.0, 40, 1, 24, 26, 0, 0.0)
        return picture.matrix(picture_of(run, "sgd", False, 0).shares[:16])

    def build(self) -> None:
        """Make the controls and the figures."""
        self._drawn: dict[str, Any] = {}
        self._make_controls()
        self._map, self._plots = rank_map(), plots()
        self._step_mark = self._plots["row"].mark(x=1.0)
        self._facts, self._note, self._source = Html(), Html(), Html()
        self._by_rank, self._row, self._toy = Html(), Html(), Html()
        self._heads = {key: Html(css="lab-grad-section") for key in HEADS}
        self._ways, self._measured, self._tied = Html(), Html(), Html()
        self._draw_closer = {
            "rank": self._draw_rank,
            "row": self._draw_row,
            "tied": self._draw_tied,
            "ways": self._draw_ways,
        }
        self._closer = {key: pn.Column(*panes, **_STACK) for key, panes in self._parts().items()}
        self.figures = [
            self._map.pane,
            self._note.pane,
            self._facts.pane,
            self._source.pane,
            _section(
                "How many rows have been seen?", "Each step adds fewer new rows; the rarest may never come."
            ),
            self._plots["seen"].pane,
            *self._beside(controls.segmented(self.state.param.closer, CLOSER), wide=True),
            *self._closer.values(),
        ]

    def _parts(self) -> dict[str, list[Any]]:
        plots = self._plots
        both = pn.Row(plots["lookups"].pane, plots["times"].pane, css_classes=["lab-grad-two"], margin=0)
        self._times = pn.Column(both, self._measured.pane, visible=False, **_STACK)
        two = pn.Row(plots["norms"].pane, plots["learned"].pane, css_classes=["lab-grad-two"], margin=0)
        return {
            "rank": [
                self._heads["rank"].pane,
                two,
                self._by_rank.pane,
            ],
            "row": [
                self._heads["row"].pane,
                *self._beside(self._rank_field),
                plots["row"].pane,
                self._row.pane,
            ],
            "tied": [
                _section(
                    "A tied table hears from both ends",
                    "The same rows make the logits, and the softmax pushes on each of them.",
                ),
                plots["tied"].pane,
                self._tied.pane,
            ],
            "ways": [
                _section(
                    "The same gradient in several ways",
                    "Repeats are summed, whatever the way. The cost follows the tokens, or it follows V.",
                ),
                *self._beside(self._ids_field),
                self._toy.pane,
                self._ways.pane,
                *self._beside(controls.button("Measure here", self._measure)),
                self._times,
            ],
        }

    def _make_controls(self) -> None:
        state = self.state.param
        self._player = Player(state.step)
        self._laws = [Dial(state.exponent, EXPONENTS, step=0.05), Dial(state.V, PRESETS, step=1_000)]
        self._rank_field = controls.number(state.row)
        self._ids_field = controls.text(state.ids)
        self.controls = [
            self._player.pane,
            controls.segmented(state.source, SOURCES),
            *(dial.pane for dial in self._laws),
            pn.Row(
                controls.number(state.batch),
                controls.number(state.length),
                css_classes=["lab-pair"],
                margin=0,
            ),
            pn.Row(
                controls.number(state.steps), controls.number(state.seed), css_classes=["lab-pair"], margin=0
            ),
            controls.select(state.subsample, SUBSAMPLES),
            controls.select(state.optimizer, {key: rule.title for key, rule in ROW_OPTIMIZERS.items()}),
            controls.switch(state.tied),
            Dial(state.zoom, ZOOMS).pane,
        ]

    def draw(self, view: View) -> None:
        """Show the run up to its step, and what follows from it."""
        run = view.run
        self._player.show(view.step, run.steps)
        for dial in self._laws:
            dial.disable(view.source != "zipf")
        if self._changed_since("map", view.picture):
            self._map.set_rows(
                view.picture.shares, stage.names(run, view.picture), stage.ticks(run, view.picture)
            )
            self._note.set(stage.binning(view))
        self._map.reveal(view.step)
        self._map.set_title(f"Rows moved by {stage.short(view.rule.key)}")
        self._facts.set(facts(view))
        if self._changed_since("source", run):
            self._source.set(stage.source_note(view))
        self._draw_seen(view)
        for key, part in self._closer.items():
            part.visible = key == view.closer
        if view.closer in HEADS:
            self._heads[view.closer].set(stage.section(*HEADS[view.closer], input_only=view.tied))
        self._draw_closer[view.closer](view)

    def _draw_ways(self, view: View) -> None:
        if self._changed_since("ways", view.toy, view.refused, view.difference, view.run):
            self._toy.set(ways.toy(view))
            self._ways.set(ways.ways(view))

    def _draw_tied(self, view: View) -> None:
        norms, plot = view.tied_norms, self._plots["tied"]
        if norms is None or not self._changed_since("tied", norms):
            return
        self._tied.set(stage.tied(view))
        ranks = list(range(1, len(norms.input_part) + 1))
        every = [*norms.output_part.tolist(), *(v for v in norms.input_part.tolist() if v)]
        plot.set_x(0.8, len(ranks) * 1.25)
        plot.set_y(min(every) / 2, max(every) * 2)
        plot.set("output", ranks, norms.output_part)
        plot.set("input", ranks, [v or NAN for v in norms.input_part.tolist()])

    def _draw_seen(self, view: View) -> None:
        run, plot = view.run, self._plots["seen"]
        steps = list(range(1, run.steps + 1))
        if self._changed_since("seen", run):
            plot.set("expected", steps, run.growth)
            plot.set("most", steps, [min(step * run.N, run.V) for step in steps])
            plot.set_x(0.5, run.steps + 0.5)
            plot.set_y(0, 1.05 * min(run.steps * run.N, run.V))
        plot.set("seen", steps[: view.step], run.seen[: view.step])

    def _draw_rank(self, view: View) -> None:
        sample, means = view.sample, view.means
        if sample is None or means is None:
            return
        norms, learned = self._plots["norms"], self._plots["learned"]
        norms.set("norms", sample.ranks, means.norms)
        learned.set("moved", sample.ranks, means.moved)
        learned.set("left", sample.ranks, means.left)
        if self._changed_since("ranks", sample):
            low, high = sample.norm_range
            norms.set_y(low / 2, high * 2)
            for plot in (norms, learned):
                plot.set_x(0.8, view.run.V * 1.25)
        self._by_rank.set(stage.by_rank(view))
        learned.set_y(0, 1.05 * max(1.0, float(means.moved.max()), float(means.left.max())))

    def _draw_row(self, view: View) -> None:
        self._step_mark.location = view.step
        row, plot = view.followed, self._plots["row"]
        if row is None:
            return
        self._row.set(stage.one_row(view))
        if not self._changed_since("row", row):
            return
        steps = list(range(1, len(row.counts) + 1))
        paths = {key: [v or NAN for v in path.tolist()] for key, path in row.moved.items()}
        heights = [v for path in paths.values() for v in path if v == v]
        low, high = min(heights, default=1e-3) / 2, max(heights, default=1.0) * 2
        for key, path in paths.items():
            plot.set(key, steps, path)
        marked = [step for step, count in zip(steps, row.counts.tolist(), strict=True) if count]
        plot.set("seen", [x for step in marked for x in (step, step, NAN)], [low, high, NAN] * len(marked))
        plot.set_x(0.5, len(steps) + 0.5)
        plot.set_y(low, high)

    def _changed_since(self, part: str, *what: Any) -> bool:
        """Whether this part has to be drawn anew; views share the objects of what did not change."""
        before, self._drawn[part] = self._drawn.get(part, ()), what
        return len(before) != len(what) or any(old is not new for old, new in zip(before, what, strict=True))

    def _measure(self) -> None:
        sizes: dict[str, Any] = {"tokens": TIMED_TOKENS, "width": TIMED_WIDTH}
        measured = {"lookups": time_lookups(TIMED, **sizes), "times": time_ways(TIMED, **sizes)}
        with together():
            for key, times in measured.items():
                plot = self._plots[key]
                taken = [1e3 * s for way in times for s in way.seconds.tolist() if s == s]
                plot.set_x(TIMED[0] / 1.3, TIMED[-1] * 1.3)
                plot.set_y(min(taken) / 2, max(taken) * LEGEND_ROOM)
                for way in times:
                    plot.set(way.key, list(TIMED), [1e3 * s for s in way.seconds.tolist()])
            self._times.visible = True
            self._measured.set(ways.measured(measured, TIMED, TIMED_TOKENS, TIMED_WIDTH))

    def _beside(self, *items: Any, wide: bool = False) -> list[Any]:
        hidden = "controls" in self.options.hide
        css = "lab-grad-wide" if wide else "lab-grad-inline"
        return [] if hidden else [pn.Row(*items, css_classes=[css], margin=0)]


def _section(title: str, says: str) -> Any:
    return Html(stage.section(title, says), css="lab-grad-section").pane


ROOM = GradientRoom
