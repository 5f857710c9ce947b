"""Runs that a reader has made: what the next one leaves of each, and which of them compare."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.rooms.train.work import Record
from lab.positions import SCHEMES
from lab.training import StoredRuns, TrainingConfig

KEPT = 12


@dataclass(frozen=True)
class Finished:
    """A run that has ended, in a few numbers."""

    config: TrainingConfig
    own_text: bool
    steps: int
    """Steps taken."""
    held_out: float | None
    """On the whole held-out part, in nats; None if it was not measured."""
    reason: str
    """Why it ended early, or nothing."""

    @property
    def title(self) -> str:
        """Scheme and seed."""
        return f"{SCHEMES[self.config.scheme].title}, seed {self.config.seed}"

    def compares_with(self, runs: StoredRuns) -> bool:
        """Whether its loss may stand beside those of the stored runs."""
        return not self.own_text and is_like(self.config, runs.config)

    def difference_to_none(self, runs: StoredRuns) -> float | None:
        """Its loss less that of the stored run without positions of the same seed, if there is one."""
        if self.held_out is None or self.config.seed not in runs.seeds or not self.compares_with(runs):
            return None
        none = runs.held_out[runs.schemes.index("none"), runs.seeds.index(self.config.seed)]
        return self.held_out - float(none)


def finished(record: Record, stopped: bool = False) -> Finished:
    """What stays of a run."""
    reason = "stopped" if stopped else ""
    if record.diverged:
        reason = record.diverged.reason
    return Finished(
        config=record.config,
        own_text=record.own_text,
        steps=record.step,
        held_out=record.evaluation.loss if record.evaluation else None,
        reason=reason,
    )


@dataclass
class OwnRuns:
    """All runs of one reader that the figures show."""

    record: Record | None = None
    """The one that trains, or else the last."""
    before: tuple[tuple[int, ...], tuple[float, ...]] = ((), ())
    """Curve of the one before it, if that read the same text."""
    last: Record | None = None
    """The last that has ended."""
    ended: tuple[Finished, ...] = ()

    def begin(self, own_text: bool) -> None:
        """Keep the curve of the present run beside the next one."""
        record = self.record
        same = record is not None and record.own_text == own_text
        self.before = (tuple(record.curve_steps), tuple(record.curve)) if record and same else ((), ())

    def end(self, stopped: bool) -> None:
        """List the present run, once."""
        if self.record is not None and self.record is not self.last:
            self.last = self.record
            self.ended = (*self.ended, finished(self.record, stopped))[-KEPT:]


def is_like(config: TrainingConfig, other: TrainingConfig) -> bool:
    """Whether two configurations differ in nothing but scheme and seed, so that their losses compare."""
    return replace(config, scheme=other.scheme, seed=other.seed, snapshot_every=other.snapshot_every) == other
