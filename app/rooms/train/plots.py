"""The figures of the room: losses, places, long windows, and the rows on their map."""

from __future__ import annotations

from typing import Any

from app.kit.html import number
from app.kit.letters import LetterMap
from app.kit.schemes import colour_of
from app.kit.spread import Spread, span
from app.rooms.train.compute import RowsShown, Spans, View, middles
from app.rooms.train.work import Record
from lab.notation import Array
from lab.positions import SCHEMES
from lab.training import Baselines

DOTS = 200
"""Dots that the batches of a run are drawn as, at most: each is the mean of several batches."""
CLOSE = 0.5
"""Nats above the bigram at which a close look at the losses ends."""
MARGIN = 1.6
"""Factor by which a logarithmic axis goes beyond its values."""
CLASS_COLOURS = {
    "vowel": "bad",
    "consonant": "accent",
    "capital": "good",
    "punctuation": "warn",
    "other": "ink-soft",
}
SERIES = {key: (scheme.title, colour_of(key)) for key, scheme in SCHEMES.items()}
_NONE: tuple[list[float], list[float]] = ([], [])
OWN = {"own": ("your run", "ink")}


class Losses:
    """The live loss over the stored runs."""

    def __init__(self) -> None:
        self.spread = Spread(
            SERIES,
            own={"before": ("your run before", "ink-soft"), **OWN},
            dashes={"before": "dotted"},
            label="Held-out loss against training step: your run over the stored runs",
            x="step",
            y="loss, nats per character",
            height=340,
        )
        self._before: tuple[list[float], list[float]] = _NONE

    def draw_stored(self, view: View) -> None:
        """Assign the stored curves; they never change."""
        _draw_spans(self.spread, view, view.curve)

    def keep(self, record: Record | None, own_text: bool) -> None:
        """Keep the curve of a run beside the next one, if that reads the same text."""
        same = record is not None and record.own_text == own_text
        self._before = (list(record.curve_steps), list(record.curve)) if record and same else _NONE

    def draw(self, view: View, record: Record | None) -> None:
        """Show the levels to beat, and the run if there is one."""
        spread = self.spread
        # on another text the stored runs are no measure: their bands step back
        spread.put_forward(() if record and record.own_text else ("none", view.config.scheme))
        shown = record.baselines if record and record.baselines else view.runs.baselines
        self._fit(view, record, shown)
        spread.set_levels(_levels(shown))
        spread.set_own("before", *self._before)
        if record is None or record.run is None:
            spread.set_own("own", [], [])
            spread.set_dots([], [])
            return
        spread.set_own("own", record.curve_steps, record.curve)
        spread.set_dots(*batches(record.run.losses, record.config.steps))

    def _fit(self, view: View, record: Record | None, levels: Baselines) -> None:
        steps = [view.runs.config.steps, view.config.steps if record is None else record.config.steps]
        own = record.curve if record else []
        tops = [levels.uniform + 0.1, float(view.curve.high.max()), *own]
        if record and record.diverged and record.run:
            tops += [loss for loss in record.run.losses.tolist() if loss < float("inf")]
        lows = [float(view.curve.low.min()), levels.bigram, *own]
        low, high = min(lows), max(tops)
        self.spread.set_x(0, max(steps))
        if view.close and not (record and record.diverged):
            high = levels.bigram + CLOSE
        self.spread.set_y(low - 0.05 * (high - low), high + 0.06 * (high - low))


def batches(losses: Array, steps: int) -> tuple[list[float], list[float]]:
    """Losses of batches as dots: the middle step of each group of batches, and their mean."""
    size = batches_a_dot(steps)
    groups = len(losses) // size
    means = losses[: groups * size].reshape(groups, size).mean(axis=1)
    kept = [(group * size + (size + 1) / 2, mean) for group, mean in enumerate(means.tolist())]
    rest = losses[groups * size :].tolist()
    # a run that breaks off shows its last batches too
    kept += [(groups * size + place, loss) for place, loss in enumerate(rest, start=1)]
    finite = [(x, y) for x, y in kept if abs(y) < float("inf")]
    return [x for x, _ in finite], [y for _, y in finite]


def batches_a_dot(steps: int) -> int:
    """Batches whose mean is one dot."""
    return -(-steps // DOTS)


def _levels(found: Baselines) -> list[tuple[float, str]]:
    named = (("uniform, ln V", found.uniform), ("unigram", found.unigram), ("bigram", found.bigram))
    return [(value, f"{name} {number(value)}") for name, value in named]


def _draw_spans(spread: Spread, view: View, spans: Spans) -> None:
    for index, key in enumerate(view.runs.schemes):
        spread.set(key, spans.x, spans.mean[index], spans.low[index], spans.high[index])


class Places:
    """Loss by position in the window, and beyond it."""

    def __init__(self) -> None:
        self.inside = Spread(
            SERIES,
            own=OWN,
            label="Held-out loss by position in the window",
            x="position in the window",
            y="loss, nats per character",
            height=290,
        )
        self.beyond = Spread(
            SERIES,
            own=OWN,
            label="Held-out loss by position, up to four times the trained length",
            x="position, bins of 8",
            y="loss, nats per character",
            height=320,
        )
        self.trained = self.beyond.mark(x=0, colour="ink")

    def draw_stored(self, view: View) -> None:
        """Assign the stored losses; they never change."""
        _draw_spans(self.inside, view, view.by_position)
        _draw_spans(self.beyond, view, view.long)
        self.trained.location = view.config.T + 0.5

    def put_forward(self, view: View) -> None:
        """Show the bands of the chosen scheme and of none."""
        for spread in (self.inside, self.beyond):
            spread.put_forward(("none", view.config.scheme))

    def draw(self, view: View, record: Record | None) -> None:
        """Show the own run where it was measured on the same text."""
        found = record if record and not record.own_text else None
        inside = found.evaluation.by_position if found and found.evaluation else None
        beyond = found.long if found else None
        places = range(1, 1 + view.config.T)
        self.inside.set_own("own", *(_NONE if inside is None else _listed(places, inside)))
        self.beyond.set_own(
            "own", *(_NONE if beyond is None else _listed(middles(beyond.edges), beyond.loss))
        )
        self._fit(self.inside, view.by_position, inside, view.config.T)
        self._fit(self.beyond, view.long, beyond.loss if beyond else None, int(view.runs.long_edges[-1]))

    def _fit(self, spread: Spread, spans: Spans, own: Array | None, end: int) -> None:
        low, high = span([spans.low, spans.high, *([own] if own is not None else [])])
        spread.set_x(0, end)
        spread.set_y(low, high)


def _listed(x: Any, y: Array) -> tuple[list[float], list[float]]:
    kept = [(a, b) for a, b in zip(x, y.tolist(), strict=True) if b == b]
    return [a for a, _ in kept], [b for _, b in kept]


class Rows:
    """The character rows on their map, before and at a moment, and how far they went."""

    def __init__(self) -> None:
        self.before, self.now = (
            LetterMap(CLASS_COLOURS, label=f"Character rows {when}", height=330)
            for when in ("before training", "at the moment chosen")
        )
        self.norms, self.moved = (
            LetterMap(
                CLASS_COLOURS,
                label=f"{title} against the count of the character",
                x="occurrences in the training text",
                x_type="log",
                height=290,
            )
            for title in ("Length of the row", "Distance from the start")
        )
        self.before.set_title("before training, on its own scale")
        self.norms.set_title("length of the row")
        self.moved.set_title("distance from the start")

    def draw_before(self, shown: RowsShown) -> None:
        """Show the rows before training, on a scale of their own: they may be tiny."""
        x, y = (shown.maps.scores[0, :, axis].tolist() for axis in (0, 1))
        self.before.fit(x, y)
        self.before.set(x, y, shown.tokens, shown.classes)
        whole = shown.maps.scores
        self.now.fit(whole[:, :, 0].ravel().tolist(), whole[:, :, 1].ravel().tolist())

    def draw(self, shown: RowsShown) -> None:
        """Show the rows at the moment, on the scale of the whole run, and the ways to it."""
        x, y = (shown.maps.scores[shown.copy, :, axis].tolist() for axis in (0, 1))
        self.now.set(x, y, shown.tokens, shown.classes)
        self.now.set_title(f"after {shown.steps:,} steps")
        self._draw_movement(shown)

    def _draw_movement(self, shown: RowsShown) -> None:
        found = shown.movement
        # a character that training never saw has no place on a logarithmic axis
        kept = [at for at, count in enumerate(found.counts.tolist()) if count > 0]
        counts = [float(found.counts[at]) for at in kept]
        signs, classes = ([of[at] for at in kept] for of in (shown.tokens, shown.classes))
        for plot, values in ((self.norms, found.norm_after), (self.moved, found.moved)):
            heights = [float(values[at]) for at in kept]
            plot.fit(counts, heights)
            plot.set_x(min(counts) / MARGIN, max(counts) * MARGIN)
            plot.set(counts, heights, signs, classes)
