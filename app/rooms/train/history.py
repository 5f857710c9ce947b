"""Runs that a reader has made: what stays of each when the next begins."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.kit.html import counted, number
from app.rooms.train.compute import View, is_like
from app.rooms.train.work import Record
from lab.positions import SCHEMES
from lab.training import TrainingConfig

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

    def compares_with(self, view: View) -> bool:
        """Whether its loss may stand beside those of the stored runs."""
        return not self.own_text and is_like(self.config, view.runs.config)

    def difference_to_none(self, view: View) -> float | None:
        """Its loss less that of the stored run without positions of the same seed, if there is one."""
        runs = view.runs
        if self.held_out is None or self.config.seed not in runs.seeds or not self.compares_with(view):
            return None
        none = runs.held_out[runs.schemes.index("none"), runs.seeds.index(self.config.seed)]
        return self.held_out - float(none)


def finished(record: Record, stopped: bool) -> Finished:
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


def settings(config: TrainingConfig, other: TrainingConfig) -> str:
    """What differs from another configuration beside scheme and seed, in words."""
    said = []
    if config.steps != other.steps:
        said.append(f"{config.steps:,} steps")
    if config.layers != other.layers:
        said.append(counted(config.layers, "layer"))
    if config.tied != other.tied:
        said.append("tied" if config.tied else "not tied")
    if config.D != other.D:
        said.append(f"D = {config.D}")
    if config.embedding_sd != other.embedding_sd:
        said.append(f"E begins with sd {number(config.embedding_sd)}")
    if config.learning_rate != other.learning_rate:
        said.append(f"rate {config.learning_rate:g}")
    left = replace(
        config,
        steps=other.steps,
        layers=other.layers,
        tied=other.tied,
        D=other.D,
        embedding_sd=other.embedding_sd,
        learning_rate=other.learning_rate,
    )
    if not is_like(left, other):
        said.append("other sizes")
    return ", ".join(said)


def whole(config: TrainingConfig) -> str:
    """All that `settings` may name, in words."""
    return ", ".join(
        (
            counted(config.steps, "step"),
            counted(config.layers, "layer"),
            "E as output matrix" if config.tied else "an output matrix of their own",
            f"D = {config.D}",
            f"rate {config.learning_rate:g}",
            f"E beginning with sd {number(config.embedding_sd)}",
        )
    )
