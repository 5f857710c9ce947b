"""The loss of a run under way over the stored runs, and against what frequencies alone reach."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

from app.kit.formula import Formula, text
from app.kit.html import Markup, dims, join, number, tag
from app.kit.numbers import Cell, Table
from app.rooms.train.curves import LINE, SpreadFigure
from app.rooms.train.look import OWN, SERIES, settings, whole, worth
from app.rooms.train.model import stored
from app.rooms.train.spread import legend
from lab.notation import Array

DOTS = 200
"""Dots that the batches of a run are drawn as, at most: each is the mean of several batches."""
CLOSE = 0.5
"""Nats above the bigram at which a close look at the losses ends."""
RUN = ("scheme", "seed", "steps", "layers", "tied", "width", "start", "rate")
"""The settings of a run."""


class Losses(SpreadFigure):
    """The live loss over the stored runs, against what frequencies reach."""

    key, view = "losses", stored.Losses
    uses = (*RUN, "close")
    table, x, source = "Stored runs: held-out loss by step", "step", "curve"
    axes: ClassVar = {
        "label": "Held-out loss against training step: your run over the stored runs",
        "x": "step",
        "height": 340,
        "own": {"before": ("your run before", "ink-soft"), **OWN},
        "dashes": {"before": "dotted"},
    }

    def follows(self) -> Any:
        record = self.own.record
        return record, record and (record.step, len(record.curve))

    def make(self) -> Sequence[Any]:
        self.curves = self.spread()
        more = [*LINE, ("your run before", "ink-soft", "dotted"), ("batches", "ink-soft", "dots")]
        key = legend(SERIES.values(), more)
        return lambda view: key, self.curves, self.legend, self.model

    def draw(self, view: stored.Losses) -> None:
        spread, record = self.curves, view.record
        self.fill(spread, view)
        levels = (record and record.baselines) or view.base
        named = (("uniform, ln V", levels.uniform), ("unigram", levels.unigram), ("bigram", levels.bigram))
        frame = self.frame(view, levels)
        if self.changed("frame", frame, named):
            spread.set_x(*frame[:2])
            spread.set_y(*frame[2:])
            spread.set_levels([(value, f"{name} {number(value)}") for name, value in named])
        if self.changed("before", view.own.before):
            spread.set_own("before", *map(list, view.own.before))
        run = record.run if record else None
        spread.set_own("own", *((record.curve_steps, record.curve) if record and run else ([], [])))
        spread.set_dots(*(batches(run.losses, run.config.steps) if run else ([], [])))

    def forward(self, view: stored.Losses) -> tuple[str, ...]:
        # on another text the stored runs are no measure: their bands step back
        return () if view.own_text else super().forward(view)

    def frame(self, view: stored.Losses, levels: Any) -> tuple[float, ...]:
        """The ends of both axes."""
        record, spans = view.record, view.spans
        own = record.curve if record else []
        tops = [levels.uniform + 0.1, float(spans.high.max()), *own]
        diverged = bool(record and record.diverged)
        if record and record.run and diverged:
            tops += [loss for loss in record.run.losses.tolist() if loss < float("inf")]
        low, high = min(float(spans.low.min()), levels.bigram, *own), max(tops)
        if view.s.close and not diverged:
            high = levels.bigram + CLOSE
        steps = max(view.runs.config.steps, (record.config if record else view.config).steps)
        return 0, steps, low - 0.05 * (high - low), high + 0.06 * (high - low)

    def legend(self, view: stored.Losses) -> Markup:
        """What bands, lines and dots are."""
        said = [self.say("faint" if view.own_text else "bands", view)]
        if view.record and view.record.run:
            size = batches_a_dot(view.record.config.steps)
            said.append(self.say("dots" if size > 1 else "single", size=size))
        if view.own_text:
            said.append(self.say("levels"))
        return tag("p", " ".join(said), class_="lab-note")

    def model(self, view: stored.Losses) -> Markup:
        """The sizes of the model that Start trains, and what they say of its capacity."""
        config = view.config
        heads, hidden = f"{config.H} heads of {config.D // config.H}", config.mlp * config.D
        parts = (
            *(self.say("parameters", view), dims(("V", view.V), ("D", config.D))),
            *(self.say("size", config, heads=heads, hidden=hidden), dims(("T", config.T))),
            self.say("capacity", config),
        )
        return tag("p", join(parts, " "), class_="lab-note")

    def caption(self, view: stored.Losses) -> str:
        row = view.chosen
        against = self.say(worth(row), view, gap=abs(row.difference), less=view.base.uniform - row.mean)
        said = self.say("caption", view, against=against, untrained=view.chosen_losses[0])
        if view.like_stored:
            return said
        differs = settings(view.config, view.runs.config)
        return f"{self.say('theirs', settings=differs, whole=whole(view.runs.config))} {said}"

    def numbers(self, view: stored.Losses) -> list[Table]:
        base = view.base
        names = ("uniform", "unigram", "bigram")
        rows: list[list[Cell]] = [[name, getattr(base, name)] for name in names]
        return [Table("To beat", ["model", "nats per character"], rows), *super().numbers(view)]

    def formula(self, view: stored.Losses) -> tuple[Formula, ...]:
        loss, named = view.chosen.mean, text(view.title)
        filled = rf"L_{{{named}}} = {loss:.3f}\;\text{{nats}},\quad e^{{L}} = {math.exp(loss):.1f}"
        return (
            Formula(
                r"L = -\frac{1}{N} \sum_{t} \ln p(x_{t+1} \mid x_1 \ldots x_t)",
                rf"{filled}\;\text{{of }} {view.V}",
                self.say("entropy"),
            ),
            Formula(
                r"L_{\text{uniform}} = \ln \dim{V}",
                rf"\ln {view.V} = {view.base.uniform:.3f}",
                self.say("uniform"),
            ),
        )


def batches(losses: Array, steps: int) -> tuple[list[float], list[float]]:
    """Losses of batches as dots: the middle step of each group of batches, and their mean."""
    size = batches_a_dot(steps)
    groups = len(losses) // size
    means = losses[: groups * size].reshape(groups, size).mean(axis=1)
    kept = [(group * size + (size + 1) / 2, mean) for group, mean in enumerate(means.tolist())]
    rest = losses[groups * size :].tolist()
    # a run that breaks off shows its last batches too
    kept += [(groups * size + after, loss) for after, loss in enumerate(rest, start=1)]
    finite = [(x, y) for x, y in kept if abs(y) < float("inf")]
    return [x for x, _ in finite], [y for _, y in finite]


def batches_a_dot(steps: int) -> int:
    """Batches whose mean is one dot."""
    return -(-steps // DOTS)
