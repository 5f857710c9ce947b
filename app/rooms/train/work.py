"""Everything a run of one's own does, in pieces of a few milliseconds, and what is known of it so far.

Nothing here knows a page or a clock: whoever steps the generator decides when the next piece is due.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import TypeVar

from lab.training import (
    Baselines,
    Corpus,
    Diverged,
    Evaluation,
    LongTest,
    Run,
    TrainingConfig,
    baselines,
    evaluating,
    measuring_long,
    sampling,
    train,
)
from lab.training.config import SAMPLES

MEASURE_AT = (0.05, *(tenth / 10 for tenth in range(1, 11)))
"""Parts of a run after which the held-out loss is taken, beside the one before it."""
WINDOWS = 256
"""Windows of one of them: those of the stored runs, so that the curves can be compared."""
SAMPLE_AT = (0.0, 0.05, 0.2, 1.0)
"""Parts of a run after which text is written."""
SAMPLE_LENGTH = 100
BLOCKS = 64
"""Blocks of the test beyond the trained length; the stored runs took more."""

Result = TypeVar("Result")
Work = Generator[float, None, Result]
Load = Callable[[], Corpus]


@dataclass(eq=False)
class Record:
    """What is known of a run; it grows while the run works, and stays when the run ends."""

    config: TrainingConfig
    own_text: bool
    run: Run | None = None
    baselines: Baselines | None = None
    curve_steps: list[int] = field(default_factory=list)
    curve: list[float] = field(default_factory=list)
    samples: dict[int, str] = field(default_factory=dict)
    """Text by the number of steps before it; the last may still be growing."""
    evaluation: Evaluation | None = None
    long: LongTest | None = None
    long_refusal: str = ""
    """Why there is no test beyond the trained length."""
    measuring: bool = False
    """Whether the steps are done and the finished model is being measured."""
    part: float = 0.0
    """What is done of training, or of measuring the finished model; 0 to 1."""

    @property
    def step(self) -> int:
        """Steps taken."""
        return self.run.step if self.run else 0

    @property
    def diverged(self) -> Diverged | None:
        """Why the run ended before its time, if it did."""
        return self.run.diverged if self.run else None


def working(record: Record, load: Load) -> Work[None]:
    """Train and measure; each piece done is one ``next``, whose value is no matter.

    Raises
    ------
    ValueError
        If the text or the configuration is refused.
    """
    corpus = load()
    yield 0.0
    record.baselines = baselines(corpus, record.config.T)
    yield 0.0
    run = record.run = train(record.config, corpus)
    yield from _measured(record, run)
    yield from _written(record, run)
    steps = record.config.steps
    due = {round(steps * part) for part in MEASURE_AT}
    to_write = {round(steps * part) for part in SAMPLE_AT}
    for step in run:
        record.part = step.step / steps
        if step.diverged:
            return
        yield record.part
        if step.step in due:
            yield from _measured(record, run)
        if step.step in to_write:
            yield from _written(record, run)
    yield from _finished(record, run)


def _finished(record: Record, run: Run) -> Work[None]:
    record.measuring, record.part = True, 0.0
    record.evaluation = yield from _followed(record, evaluating(run.model, run.corpus), 0.0, 0.5)
    try:
        test = measuring_long(run.model, run.corpus, blocks=BLOCKS)
        record.long = yield from _followed(record, test, 0.5, 0.5)
    except ValueError as reason:
        # a short text of one's own has no held-out stretch of four windows
        record.long_refusal = str(reason)
    record.measuring = False


def _followed(record: Record, progress: Work[Result], start: float, share: float) -> Work[Result]:
    while True:
        try:
            record.part = start + share * next(progress)
        except StopIteration as end:
            result: Result = end.value
            return result
        yield record.part


def _measured(record: Record, run: Run) -> Work[None]:
    found = yield from evaluating(run.model, run.corpus, WINDOWS)
    record.curve_steps.append(run.step)
    record.curve.append(found.loss)


def _written(record: Record, run: Run) -> Work[None]:
    rng = record.config.generator(SAMPLES)
    step, record.samples[run.step] = run.step, ""
    for character in sampling(run.model, run.corpus, rng, length=SAMPLE_LENGTH):
        record.samples[step] += character
        yield record.part
