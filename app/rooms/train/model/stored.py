"""The stored runs from the side of a state, and a reader's own run over them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from app.kit.view import View, part
from app.rooms.train.history import OwnRuns, is_like
from app.rooms.train.model.order import OrderChange, order_change
from app.rooms.train.work import Record
from lab.notation import Array, IntArray
from lab.positions import SCHEMES
from lab.training import Baselines, Comparison, StoredRuns, TrainingConfig, compare, load_runs

Line = tuple[Array, Array]
"""Losses against the values of an axis."""


@dataclass(frozen=True, eq=False)
class Spans:
    """Losses of each scheme over the seeds: mean, lowest and highest, all of shape (S, n)."""

    x: tuple[float, ...]
    mean: Array
    low: Array
    high: Array

    @classmethod
    def of(cls, x: Iterable[float], losses: Array) -> Spans:
        """Those of losses of shape (S, R, n)."""
        return cls(tuple(x), losses.mean(axis=1), losses.min(axis=1), losses.max(axis=1))


class Stored(View):
    """The stored runs, S schemes with R seeds each, beside the runs of a reader."""

    own: OwnRuns

    def __init__(self, s: Any, own: OwnRuns | None = None) -> None:
        super().__init__(s)
        # as they are now: the reader's runs go on
        self.__dict__["own"] = replace(own or OwnRuns())

    @property
    def record(self) -> Record | None:
        return self.own.record

    @property
    def own_text(self) -> bool:
        """Whether the own run reads another text: then the stored ones are no measure of it."""
        return self.record is not None and self.record.own_text

    @part
    def runs(self) -> StoredRuns:
        return load_runs()

    @property
    def base(self) -> Baselines:
        return self.runs.baselines

    @property
    def V(self) -> int:
        return len(self.runs.tokens)

    @property
    def T(self) -> int:
        return self.runs.config.T

    @property
    def seeds(self) -> int:
        return len(self.runs.seeds)

    @property
    def title(self) -> str:
        return title_of(self.s.scheme)

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        return _comparisons(self.runs)

    @property
    def chosen(self) -> Comparison:
        return self.mean_of(self.s.scheme)

    @property
    def none(self) -> Comparison:
        return self.mean_of("none")

    def mean_of(self, scheme: str) -> Comparison:
        """A scheme over its seeds, and against no position."""
        return self.comparisons[self.runs.schemes.index(scheme)]


class Curves(Stored):
    """Losses along an axis."""

    spans: Spans

    @property
    def index(self) -> int:
        """The chosen scheme among those of the spans."""
        return self.runs.schemes.index(self.s.scheme)

    @property
    def chosen_losses(self) -> list[float]:
        """Their means."""
        return self.spans.mean[self.index].tolist()


class Losses(Curves):
    """Held-out loss by step, and what a run of one's own would be."""

    @property
    def config(self) -> TrainingConfig:
        s = self.s
        named = {"D": s.width, "embedding_sd": s.start, "learning_rate": s.rate}
        same = {name: getattr(s, name) for name in ("scheme", "seed", "steps", "layers", "tied")}
        return replace(self.runs.config, **same, **named)

    @property
    def like_stored(self) -> bool:
        return is_like(self.config, self.runs.config)

    @property
    def parameters(self) -> int:
        """Numbers that the own run trains, if it reads the stored text."""
        return self.config.parameters(self.V)

    @part
    def spans(self) -> Spans:
        return Spans.of(self.runs.curve_steps.tolist(), self.runs.curve)

    @property
    def untrained(self) -> Array:
        """Losses before the first step, (S, R)."""
        return self.runs.curve[:, :, 0]

    @property
    def perplexity(self) -> float:
        return math.exp(self.chosen.mean)


class Positions(Curves):
    """Loss by position in the window, and what is left of the order without positions."""

    @part
    def spans(self) -> Spans:
        return Spans.of(range(1, self.T + 1), self.runs.by_position)

    @property
    def end(self) -> int:
        return self.T

    @property
    def line(self) -> Line:
        """The own run, where it was measured on the stored text."""
        found = self.record.evaluation if self.record and not self.own_text else None
        return _line(range(1, self.T + 1), found.by_position if found else None)

    @part
    def changes(self) -> list[OrderChange]:
        """What reversing the earlier characters does without positions, with one layer and with two."""
        without = replace(self.runs.config, scheme="none")
        return [order_change(replace(without, layers=layers), self.V) for layers in (1, 2)]


class Long(Curves):
    """Loss by position up to a multiple of the window, in bins; NaN where a scheme refuses."""

    @part
    def spans(self) -> Spans:
        return Spans.of(middles(self.runs.long_edges), self.runs.long_loss)

    @property
    def line(self) -> Line:
        """The own run, where it was measured on the stored text."""
        found = self.record.long if self.record and not self.own_text else None
        return _line(middles(found.edges), found.loss) if found else _line((), None)

    @property
    def end(self) -> int:
        return int(self.runs.long_edges[-1])

    def ends_of(self, scheme: str) -> list[float]:
        """Mean loss in the last bin that was trained, and in the last of all."""
        losses = self.spans.mean[self.runs.schemes.index(scheme)]
        return losses[[self.runs.long_edges.tolist().index(self.T) - 1, -1]].tolist()


class Order(Stored):
    """What reversing the earlier characters does to an untrained model."""

    @property
    def config(self) -> TrainingConfig:
        s = self.s
        return replace(self.runs.config, scheme=s.scheme, seed=s.seed, layers=s.layers, D=s.width)

    @part
    def found(self) -> OrderChange:
        return order_change(self.config, self.V)


def title_of(scheme: str) -> str:
    """The title of a scheme."""
    return str(SCHEMES[scheme].title)


def middles(edges: IntArray) -> list[float]:
    """The middle position of each bin, positions counted from 1."""
    return [(first + last + 1) / 2 for first, last in pairwise(edges.tolist())]


def _line(x: Sequence[float], losses: Array | None) -> Line:
    if losses is None:
        return np.zeros(0), np.zeros(0)
    kept = ~np.isnan(losses)
    return np.array(x)[kept], losses[kept]


def exact(runs: StoredRuns) -> dict[str, Array]:
    """Held-out losses by scheme in double precision: their spread is a thousandth of them."""
    return {key: losses.astype(np.float64) for key, losses in runs.by_scheme().items()}


# runs are compared by identity: another data folder gives another object
@lru_cache(maxsize=1)
def _comparisons(runs: StoredRuns) -> tuple[Comparison, ...]:
    return compare(exact(runs))
