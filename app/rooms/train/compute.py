"""State and view of the room `train`: what the stored runs show, and what a run of one's own would be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

import param

from lab.data import shakespeare
from lab.notation import Array, IntArray
from lab.positions import SCHEMES
from lab.run_study import (
    OrderChange,
    RowMaps,
    SameClass,
    alike,
    commonest,
    occurrences,
    order_change,
    row_maps,
    same_class,
)
from lab.training import (
    Comparison,
    RowMovement,
    StoredRuns,
    TrainingConfig,
    character_class,
    compare,
    load_runs,
    row_movement,
)

TENTHS = 10
MOST_ROWS = 400
"""Characters on the map: of a text with more the commonest."""
WIDTHS = [8, 16, 32, 48, 64, 96, 128]
STARTS = [0.02, 1.0]
RATES = [0.001, 0.003, 0.01, 0.03, 0.1, 1.0, 10.0]
TABLES = {"output": "output matrix", "E": "input table E"}


class State(param.Parameterized):
    """What a reader can set; a text of her own is no part of it."""

    scheme = param.Selector(default="rope", objects=list(SCHEMES), label="Position scheme")
    seed = param.Integer(default=0, bounds=(0, 9_999), label="Seed", doc="Of weights and batches.")
    steps = param.Integer(default=1000, bounds=(20, 5_000), label="Steps", doc="Updates of a run.")
    layers = param.Selector(default=1, objects=[1, 2], label="Layers")
    tied = param.Boolean(default=False, label="Output matrix")
    width = param.Selector(default=48, objects=WIDTHS, label="Width D")
    start = param.Selector(default=1.0, objects=STARTS, label="E begins with sd")
    rate = param.Selector(default=0.01, objects=RATES, label="Learning rate")
    close = param.Boolean(default=False, label="Loss axis")
    rows = param.Selector(default="output", objects=list(TABLES), label="Rows of the")
    moment = param.Integer(default=TENTHS, bounds=(0, TENTHS), label="Moment of the run, tenths")


@dataclass(frozen=True, eq=False)
class Spans:
    """Losses of each scheme over the seeds: mean, lowest and highest, all of shape (S, n)."""

    x: tuple[float, ...]
    mean: Array
    low: Array
    high: Array


@dataclass(frozen=True, eq=False)
class RowsShown:
    """The character rows of one run before training and at a moment; V characters."""

    tokens: tuple[str, ...]
    classes: tuple[str, ...]
    maps: RowMaps
    """All copies on the map of the last one."""
    copy: int
    """The copy at the moment."""
    steps: int
    """Steps before it."""
    before: SameClass
    now: SameClass
    """Nearest rows of one class, before training and at the moment."""
    movement: RowMovement
    """From the start to the moment."""
    left_out: int
    """Rarer characters that are not shown."""
    alike: tuple[float, float]
    """How far E and the output matrix agree on which characters are alike, at the start and at the moment."""


@dataclass(frozen=True, eq=False)
class View:
    """Exactly what is drawn of the stored runs; S schemes, R seeds, V characters."""

    config: TrainingConfig
    """What a run of one's own would be."""
    like_stored: bool
    """Whether it differs from the stored ones in scheme and seed alone."""
    runs: StoredRuns
    comparisons: tuple[Comparison, ...]
    chosen: Comparison
    """The scheme of the state."""
    curve: Spans
    """Held-out loss by step."""
    by_position: Spans
    """Held-out loss by position in the window, counted from 1."""
    long: Spans
    """Held-out loss by position, up to a multiple of the window; the middle of each bin."""
    untrained: Array
    """Held-out loss before the first step, (S, R)."""
    E_sd: float
    """Standard deviation of the rows of E at the start."""
    close: bool
    """Whether the loss axis shows the last tenths of a nat alone."""
    rows: str
    moment: int
    shown: RowsShown
    """Rows of the one stored run that kept them."""
    one_layer: OrderChange
    two_layers: OrderChange
    """What reversing the earlier characters does without positions."""
    order: OrderChange
    """The same for the scheme, the layers, the width and the seed of the state."""
    parameters: int
    """Numbers that the state's model trains, on the stored text."""

    def mean_of(self, scheme: str) -> Comparison:
        """The row of one scheme."""
        return next(row for row in self.comparisons if row.scheme == scheme)


def compute(
    *,
    scheme: str,
    seed: int,
    steps: int,
    layers: int,
    tied: bool,
    width: int,
    start: float,
    rate: float,
    close: bool,
    rows: str,
    moment: int,
) -> View:
    """Read the stored runs from the side the state asks for.

    Raises
    ------
    ValueError
        If the lab refuses the configuration.
    """
    runs = load_runs()
    config = replace(
        runs.config,
        scheme=scheme,
        seed=seed,
        steps=steps,
        layers=layers,
        tied=tied,
        D=width,
        embedding_sd=start,
        learning_rate=rate,
    )
    without = replace(runs.config, scheme="none")
    V = len(runs.tokens)
    stored = _stored(runs)
    return View(
        config=config,
        like_stored=is_like(config, runs.config),
        runs=runs,
        comparisons=stored.comparisons,
        chosen=next(row for row in stored.comparisons if row.scheme == scheme),
        curve=stored.curve,
        by_position=stored.by_position,
        long=stored.long,
        untrained=runs.curve[:, :, 0],
        E_sd=float(runs.E[0].astype("float64").std()),
        close=close,
        rows=rows,
        moment=moment,
        shown=_shown(runs, rows, moment),
        one_layer=_order_change(replace(without, layers=1), V),
        two_layers=_order_change(replace(without, layers=2), V),
        order=_order_change(replace(runs.config, scheme=scheme, seed=seed, layers=layers, D=width), V),
        parameters=config.parameters(V),
    )


def rows_shown(
    copies: Sequence[Array] | Array,
    others: Sequence[Array] | Array,
    steps: Sequence[int],
    moment: int,
    tokens: tuple[str, ...],
    counts: IntArray,
) -> RowsShown:
    """Copies of a table seen at a tenth of the run; one that is under way has not all of them yet.

    ``others`` are the copies of the matrix at the other end of the model: E for the output matrix.
    """
    kept = commonest(counts, MOST_ROWS)
    left_out = len(tokens) - len(kept)
    if left_out:
        copies, others = ([copy[kept] for copy in some] for some in (copies, others))
        tokens, counts = tuple(tokens[at] for at in kept.tolist()), counts[kept]
    last = len(copies) - 1
    at = min(moment, last) if last < TENTHS else round(moment * last / TENTHS)
    classes = tuple(character_class(token) for token in tokens)
    # stored rows are half precision, in which a length has three digits
    before, now = copies[0].astype("float64"), copies[at].astype("float64")
    return RowsShown(
        tokens=tokens,
        classes=classes,
        maps=row_maps(copies),
        copy=at,
        steps=steps[at],
        before=same_class(before, classes),
        now=same_class(now, classes),
        movement=row_movement(before, now, counts),
        left_out=left_out,
        alike=(alike(before, others[0]), alike(now, others[at])),
    )


def is_like(config: TrainingConfig, other: TrainingConfig) -> bool:
    """Whether two configurations differ in nothing but scheme and seed, so that their losses compare."""
    return replace(config, scheme=other.scheme, seed=other.seed, snapshot_every=other.snapshot_every) == other


@dataclass(frozen=True, eq=False)
class _Stored:
    """What does not depend on the state."""

    comparisons: tuple[Comparison, ...]
    curve: Spans
    by_position: Spans
    long: Spans
    counts: IntArray


# runs are compared by identity: another data folder gives another object
@lru_cache(maxsize=1)
def _stored(runs: StoredRuns) -> _Stored:
    return _Stored(
        comparisons=compare(exact(runs)),
        curve=_spans(runs.curve_steps.tolist(), runs.curve),
        by_position=_spans(range(1, runs.by_position.shape[2] + 1), runs.by_position),
        long=_spans(middles(runs.long_edges), runs.long_loss),
        counts=occurrences(shakespeare(), runs.tokens),
    )


@lru_cache(maxsize=16)
def _order_change(config: TrainingConfig, V: int) -> OrderChange:
    return order_change(config, V)


@lru_cache(maxsize=2 * (TENTHS + 1))
def _shown(runs: StoredRuns, rows: str, moment: int) -> RowsShown:
    copies, others = (runs.output, runs.E) if rows == "output" else (runs.E, runs.output)
    return rows_shown(copies, others, runs.row_steps.tolist(), moment, runs.tokens, _stored(runs).counts)


def exact(runs: StoredRuns) -> dict[str, Array]:
    """Held-out losses by scheme in double precision: their spread is a thousandth of them."""
    return {key: losses.astype("float64") for key, losses in runs.by_scheme().items()}


def middles(edges: IntArray) -> list[float]:
    """The middle position of each bin, positions counted from 1."""
    return [(first + last + 1) / 2 for first, last in pairwise(edges.tolist())]


def _spans(x: Iterable[float], losses: Array) -> Spans:
    return Spans(tuple(x), losses.mean(axis=1), losses.min(axis=1), losses.max(axis=1))  # (S, R, n) -> (S, n)
