"""What the figures of the room `gradient` show of a state."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from app.kit.view import View, part
from app.rooms.gradient.model import WORDS, moves, pull, ways
from app.rooms.gradient.model.run import Picture, Run, picture_of, run_of
from app.rooms.gradient.model.sources import Law, Source, source_of
from app.rooms.gradient.model.tied import TiedNorms, tied_norms
from lab import embedding, zipf
from lab.notation import FloatArray, IntArray
from lab.row_optimizers import ROW_OPTIMIZERS, RowOptimizer

WIDTH = 768
"""D of the table whose bytes are counted: that of GPT-2 small."""
FOLLOWED_BINS, FOLLOWED_EACH = 32, 8
TIED_ROWS, TIED_TOKENS = 256, 128
COMPARED, COMPARED_WIDTH = 400, 16
"""Tokens of the first step on which the ways are compared, and the numbers of each one's gradient."""
MOST_IDS, LARGEST_ID, EXAMPLE = 12, 11, "0 0 1 1 2"


class Stepped(View):
    """A run up to the step shown, counted from 1; a step beyond the run is its last."""

    @part
    def run(self) -> Run:
        return run_of(self.s)

    @property
    def step(self) -> int:
        return min(int(self.s.step), self.run.steps)

    @property
    def rule(self) -> type[RowOptimizer]:
        return ROW_OPTIMIZERS[self.s.optimizer]

    @property
    def touched(self) -> int:
        """Rows with a gradient in this step."""
        return int(self.run.touched[self.step - 1])

    @property
    def seen(self) -> int:
        """Rows that have had one so far."""
        return int(self.run.seen[self.step - 1])

    @property
    def growth(self) -> float:
        """Rows that are expected to have had one so far."""
        return float(self.run.growth[self.step - 1])

    @property
    def never(self) -> int:
        return self.run.V - self.seen


class Rows(Stepped):
    """The rows that each step moves."""

    @part
    def picture(self) -> Picture:
        return picture_of(self.run, self.s.optimizer, self.s.tied, self.s.zoom)

    @part
    def moved(self) -> IntArray:
        """Rows that each step moves, (steps,)."""
        if self.s.tied:
            return np.full(self.run.steps, self.run.V)
        return moves.moved_rows(self.run.touched, self.run.seen, self.run.V, self.rule)

    @property
    def now(self) -> int:
        """Rows that this step moves."""
        return int(self.moved[self.step - 1])

    @property
    def bytes(self) -> zipf.GradientBytes:
        return zipf.gradient_bytes(self.run.V, WIDTH, self.touched)


@dataclass(frozen=True, eq=False)
class Sample:
    """A few rows of each bin of ranks, and what happened to them."""

    ranks: FloatArray
    """Middle of each bin, (bins,)."""
    bounds: IntArray
    """Where each bin begins among the rows, (bins + 1,)."""
    history: pull.RowHistory
    norm_range: tuple[float, float]


@lru_cache(maxsize=8)
def _sample(run: Run, optimizer: str, seed: int) -> Sample:
    rows, bounds = pull.followed_rows(run.V, FOLLOWED_BINS, FOLLOWED_EACH)
    counts = pull.count_rows(run.ids, rows, run.V)
    history = pull.follow(counts, run.N, ROW_OPTIMIZERS[optimizer], seed)
    edges = zipf.rank_bins(run.V, FOLLOWED_BINS)
    middle = ((edges[:-1] + 1.0) * edges[1:]) ** 0.5
    return Sample(middle, bounds, history, pull.norm_range(history, bounds))


class ByRank(Stepped):
    """What rows of every frequency have got and learned."""

    @part
    def sample(self) -> Sample:
        return _sample(self.run, self.s.optimizer, self.s.seed)

    @part
    def means(self) -> pull.RankMeans:
        """Of the sample up to this step, (bins,) each."""
        return pull.mean_by_rank(self.sample.history, self.sample.bounds, self.step)


@dataclass(frozen=True, eq=False)
class Followed:
    """One row under every optimizer."""

    counts: IntArray
    """Occurrences in each step, (steps,)."""
    moved: dict[str, FloatArray]
    """Distance from its start, by optimizer, (steps,)."""
    wait: float
    """Steps from one gradient to the next, on average."""


@lru_cache(maxsize=8)
def _followed(run: Run, rank: int, seed: int) -> Followed:
    counts = pull.count_rows(run.ids, [rank - 1], run.V)
    moved = {
        key: pull.follow(counts, run.N, rule, (seed, rank)).moved[:, 0]
        for key, rule in ROW_OPTIMIZERS.items()
    }
    return Followed(counts[:, 0], moved, float(zipf.mean_wait(run.p, run.N)[rank - 1]))


class OneRow(Stepped):
    """The row of one rank; a rank beyond the table is its last."""

    @property
    def rank(self) -> int:
        return min(int(self.s.row), self.run.V)

    @part
    def row(self) -> Followed:
        return _followed(self.run, self.rank, self.s.seed)

    @property
    def often(self) -> int:
        """Steps in which its token occurs."""
        return int((self.row.counts > 0).sum())


@lru_cache(maxsize=8)
def _tied(source: Any, V: int, seed: int) -> TiedNorms:
    """Both parts for a table of V rows, on a text of its own."""
    return tied_norms(source.passage(seed, V, TIED_TOKENS + 1), V, seed)


class Tied(View):
    """Both parts of the gradient of a small tied table."""

    @property
    def source(self) -> Source:
        return source_of(self.s)

    @property
    def whole(self) -> int:
        """Rows of the whole table."""
        return self.source.V

    @property
    def V(self) -> int:
        """Rows of the small one."""
        return min(self.whole, TIED_ROWS)

    @part
    def norms(self) -> TiedNorms:
        source: Any = Law(self.V, self.s.exponent) if self.s.source == "zipf" else self.source
        return _tied(source, self.V, self.s.seed)

    @property
    def tokens(self) -> int:
        """Tokens that it is computed on."""
        return len(self.source.passage(self.s.seed, self.V, TIED_TOKENS + 1)) - 1

    @property
    def parts(self) -> tuple[FloatArray, FloatArray]:
        """Norms of the input part and of the output part, (V,) each."""
        return self.norms.input_part, self.norms.output_part

    @property
    def fed(self) -> int:
        """Rows that the input part reaches."""
        return int((self.norms.input_part > 0).sum())

    @property
    def pushed(self) -> int:
        """Rows that the output part reaches."""
        return int((self.norms.output_part > 0).sum())

    @property
    def logits(self) -> int:
        """Numbers that the logits of the whole table would be."""
        return int(self.s.batch * self.s.length) * self.whole


@dataclass(frozen=True, eq=False)
class Toy:
    """A few ids, each with the gradient 1."""

    ids: tuple[int, ...]
    one_hot: FloatArray
    """(n, V)."""
    summed: FloatArray
    """(V,)."""
    wrong: FloatArray
    """What ``grad[ids] += 1`` leaves, (V,)."""


def toy_of(text: str) -> Toy:
    """Read a few row ids; a ValueError says what is wrong with the text."""
    parts = [part for part in re.split(r"[\s,;]+", text.strip("[]() \t")) if part]
    if not 1 <= len(parts) <= MOST_IDS:
        raise ValueError(WORDS.say("repeats.several", most=MOST_IDS, count=len(parts), example=EXAMPLE))
    for one in parts:
        if not re.fullmatch(r"[0-9]{1,3}", one) or int(one) > LARGEST_ID:
            raise ValueError(WORDS.say("repeats.whole", typed=one[:20], last=LARGEST_ID, example=EXAMPLE))
    ids = [int(one) for one in parts]
    V, ones = max(ids) + 1, [[1.0]] * len(ids)
    summed, wrong = embedding.row_gradient(ids, ones).dense(V), ways.assign_add(ids, ones, V)
    return Toy(tuple(ids), embedding.one_hot(ids, V), summed[:, 0], wrong[:, 0])


class Repeats(View):
    """The typed ids, or the example where they cannot be read."""

    @part
    def read(self) -> tuple[Toy, str]:
        """What is shown, and why it is not what was typed."""
        try:
            return toy_of(self.s.ids), ""
        except ValueError as reason:
            return toy_of(EXAMPLE), str(reason)

    @property
    def toy(self) -> Toy:
        return self.read[0]

    @property
    def refused(self) -> str:
        return self.read[1]


@lru_cache(maxsize=8)
def _gradients(run: Run, seed: int) -> dict[str, FloatArray]:
    ids = run.ids[0, :COMPARED]
    return ways.touched_gradients(ids, ways.random_gradient(len(ids), COMPARED_WIDTH, seed))


class Ways(View):
    """The gradient of the first tokens of a run in every way."""

    @part
    def run(self) -> Run:
        return run_of(self.s)

    @property
    def compared(self) -> int:
        """Tokens that are compared."""
        return min(COMPARED, self.run.N)

    @part
    def gradients(self) -> dict[str, FloatArray]:
        """Of the touched rows, by way, (rows, COMPARED_WIDTH)."""
        return _gradients(self.run, self.s.seed)

    @property
    def difference(self) -> float:
        """The largest between any two ways."""
        return ways.largest_difference(self.gradients)

    def apart(self, key: str) -> float:
        """The largest difference of a way to sorting and summing."""
        return float(abs(self.gradients[key] - self.gradients["sort"]).max())

    @property
    def cells(self) -> int:
        """Numbers of a step's one-hot matrix."""
        return self.run.N * self.run.V
