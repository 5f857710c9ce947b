"""Finished runs kept in a file: many schemes, several seeds, one configuration.

They are what a live run is drawn against. ``python -m lab.training runs`` makes the file.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lab.notation import Array, IntArray, readonly
from lab.places import STATIC
from lab.training.baselines import Baselines, baselines
from lab.training.config import SAMPLES, TrainingConfig
from lab.training.corpus import Corpus
from lab.training.evaluation import LongTest, evaluate, train_short_test_long
from lab.training.run import Run
from lab.training.text import sample

CURVE_EVERY = 50
CURVE_WINDOWS = 256
LONG_BLOCKS = 1024
SAMPLE_STEPS = (0, 50, 200, 1000)
SAMPLE_LENGTH = 160
ROWS_SCHEME = "rope"
ROWS_EVERY = 100
DEFAULT_PATH = STATIC / "data" / "train_runs.npz"

Report = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class StoredRuns:
    """Runs of S schemes with R seeds each, and how they were made. All losses are in nats a character.

    Attributes
    ----------
    schemes : tuple of str
        Keys, in the order of the first axis.
    seeds : tuple of int
        In the order of the second axis.
    losses : numpy.ndarray
        Loss of every batch, shape (S, R, steps).
    curve_steps : numpy.ndarray
        Steps after which the held-out loss was taken, shape (n,).
    curve : numpy.ndarray
        Held-out loss on 256 windows after each of them, shape (S, R, n).
    held_out : numpy.ndarray
        Held-out loss of the finished runs on all windows, shape (S, R).
    by_position : numpy.ndarray
        The same by place in the window, shape (S, R, T).
    long_edges : numpy.ndarray
        Edges of the bins of train short, test long, shape (bins + 1,).
    long_loss : numpy.ndarray
        Loss in each bin, shape (S, R, bins); NaN where the scheme refused.
    refusals : dict of str to str
        The error of each scheme that refused a position.
    samples : dict of str to dict of int to str
        Text written after some numbers of steps by the first seed, by scheme.
    row_steps : numpy.ndarray
        Steps of the copies of the character rows, shape (m,).
    E, output : numpy.ndarray
        These copies for the first seed of RoPE, shape (m, V, D), rounded to float16.
    tokens : tuple of str
        The characters by id.
    baselines : Baselines
        What the models have to beat.
    config : TrainingConfig
        The configuration; scheme and seed vary.
    about : dict
        Versions, text, and command.
    """

    schemes: tuple[str, ...]
    seeds: tuple[int, ...]
    losses: Array
    curve_steps: IntArray
    curve: Array
    held_out: Array
    by_position: Array
    long_edges: IntArray
    long_loss: Array
    refusals: dict[str, str]
    samples: dict[str, dict[int, str]]
    row_steps: IntArray
    E: Array
    output: Array
    tokens: tuple[str, ...]
    baselines: Baselines
    config: TrainingConfig
    about: dict[str, Any]

    def by_scheme(self) -> dict[str, Array]:
        """Return the held-out losses of each scheme, as ``compare`` takes them."""
        return dict(zip(self.schemes, self.held_out, strict=True))


@dataclass(frozen=True, eq=False)
class _Finished:
    """One run and its measurements."""

    run: Run
    curve_steps: list[int]
    curve: list[float]
    held_out: float
    by_position: Array
    long: LongTest
    samples: dict[int, str]


def _finish(config: TrainingConfig, corpus: Corpus, with_samples: bool) -> _Finished:
    run = Run(config, corpus)
    steps, curve, samples = [0], [evaluate(run.model, corpus, CURVE_WINDOWS).loss], {}
    if with_samples:
        samples[0] = sample(run.model, corpus, config.generator(SAMPLES), length=SAMPLE_LENGTH)
    for step in run:
        if step.step % CURVE_EVERY == 0 or step.step == config.steps:
            steps.append(step.step)
            curve.append(evaluate(run.model, corpus, CURVE_WINDOWS).loss)
        if with_samples and step.step in SAMPLE_STEPS:
            rng = config.generator(SAMPLES)
            samples[step.step] = sample(run.model, corpus, rng, length=SAMPLE_LENGTH)
    if run.diverged:
        raise ValueError(f"{config.scheme}, seed {config.seed}: {run.diverged.reason}; nothing is stored")
    final = evaluate(run.model, corpus)
    long = train_short_test_long(run.model, corpus, blocks=LONG_BLOCKS)
    return _Finished(run, steps, curve, final.loss, final.by_position, long, samples)


def make_runs(
    config: TrainingConfig, corpus: Corpus, schemes: Sequence[str], seeds: Sequence[int], report: Report
) -> StoredRuns:
    """Train every scheme with every seed and measure each run.

    Parameters
    ----------
    config : TrainingConfig
        Its scheme and seed are replaced.
    corpus : Corpus
        Text.
    schemes : sequence of str
        Keys of ``SCHEMES``, RoPE among them (its rows are kept).
    seeds : sequence of int
        At least one.
    report : callable
        Takes one line a run.

    Raises
    ------
    ValueError
        If a run diverges, or RoPE or the seeds are missing.
    """
    if ROWS_SCHEME not in schemes or not seeds:
        raise ValueError(f"stored runs need the scheme {ROWS_SCHEME!r} and at least one seed")
    table: list[list[_Finished]] = []
    for scheme in schemes:
        row = []
        for seed in seeds:
            first = seed == seeds[0]
            every = ROWS_EVERY if first and scheme == ROWS_SCHEME else 0
            one = replace(config, scheme=scheme, seed=seed, snapshot_every=every)
            row.append(_finish(one, corpus, first))
            report(f"{scheme:<11}seed {seed}: held-out {row[-1].held_out:.4f}")
        table.append(row)
    return _collect(config, corpus, tuple(schemes), tuple(seeds), table)


def _collect(
    config: TrainingConfig,
    corpus: Corpus,
    schemes: tuple[str, ...],
    seeds: tuple[int, ...],
    table: list[list[_Finished]],
) -> StoredRuns:
    def stack(take: Callable[[_Finished], Any]) -> Array:
        return readonly(np.array([[take(one) for one in row] for row in table], dtype=np.float32))

    firsts = {scheme: row[0] for scheme, row in zip(schemes, table, strict=True)}
    snapshots = firsts[ROWS_SCHEME].run.snapshots
    some = table[0][0]
    return StoredRuns(
        schemes=schemes,
        seeds=seeds,
        losses=stack(lambda one: one.run.losses),
        curve_steps=np.array(some.curve_steps),
        curve=stack(lambda one: one.curve),
        held_out=stack(lambda one: one.held_out),
        by_position=stack(lambda one: one.by_position),
        long_edges=some.long.edges,
        long_loss=stack(lambda one: one.long.loss),
        refusals={key: one.long.refusal for key, one in firsts.items() if one.long.refusal},
        samples={key: one.samples for key, one in firsts.items()},
        row_steps=np.array([snapshot.step for snapshot in snapshots]),
        E=np.array([snapshot.E for snapshot in snapshots], dtype=np.float16),
        output=np.array([snapshot.output for snapshot in snapshots], dtype=np.float16),
        tokens=corpus.tokens,
        baselines=baselines(corpus, config.T),
        config=config,
        about=_about(corpus, some.long.characters),
    )


def _about(corpus: Corpus, long_characters: int) -> dict[str, Any]:
    ids = np.concatenate([corpus.train, corpus.held_out])
    text = "".join(np.array(corpus.tokens)[ids])
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "machine": platform.machine(),
        "blas": f"{blas.get('name')} {blas.get('version')}",
        "text_sha256": hashlib.sha256(text.encode()).hexdigest(),
        "text_characters": len(text),
        "split": corpus.split,
        "curve_windows": CURVE_WINDOWS,
        "long_characters": long_characters,
    }
