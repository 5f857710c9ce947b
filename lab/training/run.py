"""A run, one step at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np

from lab.notation import Array, readonly
from lab.training.config import BATCHES, WEIGHTS, TrainingConfig
from lab.training.corpus import Corpus, shakespeare_corpus
from lab.training.optimiser import Adam, learning_rate
from lab.transformer import Transformer

EXPLOSION = 10.0
"""Nats above ln V at which the loss of one batch counts as exploded; a guess in the dark costs ln V."""


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The character rows after some number of updates, read-only copies of shape (V, D)."""

    step: int
    E: Array
    output: Array
    """Rows of the output matrix; where tied, E."""


@dataclass(frozen=True)
class Diverged:
    """Why a run was ended before its time."""

    step: int
    loss: float
    reason: str


@dataclass(frozen=True)
class Step:
    """One update, or the attempt at it that ended the run."""

    step: int
    """Counted from 1."""
    loss: float
    """Mean loss of the batch before the update, in nats a character."""
    learning_rate: float
    snapshot: Snapshot | None = None
    """The rows after the update, each ``snapshot_every`` steps and after the last."""
    diverged: Diverged | None = None


class Run(Iterator[Step]):
    """A training run that takes one step each time it is asked for the next.

    Not asking is pausing; dropping the run is stopping. The model can be measured between any two steps.
    After a divergence the iteration ends, and the run keeps its losses and the model as it was before the
    update that could not be made.

    Parameters
    ----------
    config : TrainingConfig
        What to train.
    corpus : Corpus
        On what.

    Attributes
    ----------
    model : Transformer
        As it is now.
    initial : Snapshot
        The rows before any update.
    snapshots : list of Snapshot
        ``initial`` and those taken since, if ``snapshot_every`` is not 0.
    diverged : Diverged or None
        Set when the run was ended.

    Raises
    ------
    ValueError
        If the training part of the corpus is not longer than a window.

    Examples
    --------
    >>> corpus = Corpus.from_text("to be, or not to be. " * 100)
    >>> run = Run(TrainingConfig(steps=40, T=8), corpus)
    >>> first = next(run)
    >>> rest = list(run)
    >>> (first.step, rest[-1].step, run.losses.size), bool(rest[-1].loss < first.loss)
    ((1, 40, 40), True)
    """

    def __init__(self, config: TrainingConfig, corpus: Corpus) -> None:
        if corpus.train.size <= config.T:
            raise ValueError(
                f"a window of T = {config.T} and its next character do not fit in the {corpus.train.size} "
                "characters to train on; take a smaller T or a longer text"
            )
        self.config = config
        self.corpus = corpus
        scheme = config.build_scheme()
        self.model = Transformer(config.model(corpus.V), scheme, config.generator(WEIGHTS))
        self.diverged: Diverged | None = None
        self.initial = self._snapshot(0)
        self.snapshots = [self.initial]
        self._batches = config.generator(BATCHES)
        self._adam = Adam(self.model.parameters.flat, beta1=config.beta1, beta2=config.beta2)
        self._losses = np.zeros(config.steps)
        self._done = 0

    @property
    def step(self) -> int:
        """Steps taken."""
        return self._done

    @property
    def losses(self) -> Array:
        """Loss of each step so far in nats, shape (step,), read-only."""
        return readonly(self._losses[: self._done].view())

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Step:
        """Take one step.

        Raises
        ------
        StopIteration
            After the last step, or after a divergence.
        """
        if self._done == self.config.steps or self.diverged:
            raise StopIteration
        # what overflows is found below, and ends the run with its reason
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            return self._advance()

    def _advance(self) -> Step:
        ids, targets = self.corpus.batch(self._batches, self.config.batch, self.config.T)
        loss = self.model.loss_and_gradient(ids, targets)
        step = self._done + 1
        rate = learning_rate(self.config, step)
        self._losses[self._done] = loss
        self._done = step
        reason = self._why_diverged(loss)
        if reason:
            self.diverged = Diverged(step, loss, reason)
            return Step(step, loss, rate, diverged=self.diverged)
        self._adam.update(self.model.gradient.flat, rate)
        return Step(step, loss, rate, snapshot=self._due_snapshot(step))

    def _why_diverged(self, loss: float) -> str | None:
        uniform = math.log(self.corpus.V)
        if not math.isfinite(loss):
            return f"the loss is {loss}: a number left the range of {self.config.dtype}"
        if loss > uniform + EXPLOSION:
            return f"the loss is {loss:.1f} nats, more than {EXPLOSION:g} above ln V = {uniform:.2f}"
        # one inner product finds any inf or NaN among the gradients
        if not math.isfinite(float(self.model.gradient.flat @ self.model.gradient.flat)):
            return "the gradient is not finite"
        return None

    def _due_snapshot(self, step: int) -> Snapshot | None:
        every = self.config.snapshot_every
        if not every or (step % every and step != self.config.steps):
            return None
        snapshot = self._snapshot(step)
        self.snapshots.append(snapshot)
        return snapshot

    def _snapshot(self, step: int) -> Snapshot:
        E = readonly(self.model.parameters["E"].copy())
        tied = self.config.tied
        return Snapshot(step, E, E if tied else readonly(self.model.output_rows.copy()))


def train(config: TrainingConfig, corpus: Corpus | None = None) -> Run:
    """Return a run that has not begun; each ``next`` takes one step.

    Parameters
    ----------
    config : TrainingConfig
        What to train.
    corpus : Corpus, optional
        The seven plays if left out.

    Raises
    ------
    ValueError
        If the scheme refuses the sizes, or a window does not fit in the corpus.

    Examples
    --------
    >>> [round(step.loss, 1) for step in train(TrainingConfig(steps=1))]
    [4.2]
    """
    return Run(config, corpus if corpus is not None else shakespeare_corpus())
