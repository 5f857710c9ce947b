"""The tokens of a run, and the rows they touch: computed once, however often it is played."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from app.kit.figure import Snapshot
from app.kit.html import visible
from app.kit.view import View, part
from app.rooms.gradient.model import moves
from app.rooms.gradient.model.sources import Source, source_of
from lab import zipf
from lab.notation import Array, FloatArray, IntArray
from lab.row_optimizers import ROW_OPTIMIZERS

SETTINGS = ("source", "own", "exponent", "V", "batch", "length", "subsample", "steps", "seed")
"""What a run depends on."""
BINS = 64
SINGLE_ROWS = 18
"""Rows shown one by one when zoomed in."""


class Run(View):
    """N tokens a step; row id 0 is that of the most frequent token."""

    @property
    def steps(self) -> int:
        return int(self.s.steps)

    @property
    def N(self) -> int:
        return int(self.s.batch * self.s.length)

    @part
    def source(self) -> Source:
        return source_of(self.s)

    @property
    def words(self) -> tuple[str, ...]:
        """The token of each row, where it is known."""
        return self.source.words

    @property
    def V(self) -> int:
        return self.source.V

    def named(self, rank: int) -> str:
        """A rank with its word, where there are words."""
        return f"rank {rank:,} {visible(self.words[rank - 1], 14)}" if self.words else f"rank {rank:,}"

    @part
    def plain(self) -> Array:
        """The share of each row among the running tokens, (V,)."""
        return self.source.p

    @part
    def p(self) -> Array:
        """The same after subsampling, where there is any."""
        t = self.s.subsample
        return self.source.thinned(self.s.seed, t) if t else self.plain

    @part
    def ids(self) -> IntArray:
        """(steps, N)."""
        s = self.s
        return self.source.ids(s.seed, s.subsample, s.batch, s.length, s.steps)

    @part
    def edges(self) -> IntArray:
        """Bins of ranks over the whole table, (bins + 1,)."""
        return zipf.rank_bins(self.V, BINS)

    @part
    def touch(self) -> FloatArray:
        """Share of each bin's rows that a step touches, (bins, steps)."""
        return zipf.touch_matrix(self.ids, self.edges)

    @part
    def touched(self) -> IntArray:
        """Different rows of each step, (steps,)."""
        return moves.touched_rows(self.touch, self.edges)

    @part
    def seen(self) -> IntArray:
        """Different rows since the first step, (steps,)."""
        return zipf.distinct_seen(self.ids)

    @part
    def growth(self) -> FloatArray:
        """What the closed form expects of `seen`, (steps,)."""
        # what chance has left of a text no longer falls with the rank: its rows are summed one by one
        groups = self.V if self.source.running and self.s.subsample else moves.GROUPS
        return moves.expected_growth(self.p, self.N, self.steps, groups)

    @part
    def expected(self) -> float:
        """Rows that the closed form expects of one step."""
        return zipf.expected_distinct(self.p, self.N)

    @property
    def most(self) -> int:
        """Rows that a step can touch at most."""
        return min(self.N, self.V)

    @property
    def mean(self) -> float:
        """Rows that a step touches, on average."""
        return float(self.touched.mean())

    @property
    def shortfall(self) -> float:
        """How far the mean step stays below the closed form, as a share of it."""
        return 1.0 - self.mean / self.expected

    # what subsampling does to the tokens

    @property
    def dropped(self) -> float:
        """Share of the running tokens that is dropped."""
        return 1.0 - float(self.plain @ zipf.keep_probability(self.plain, self.s.subsample))

    @part
    def expected_plain(self) -> float:
        """Rows that the closed form expects of a step without it."""
        return zipf.expected_distinct(self.plain, self.N)


@lru_cache(maxsize=4)
def _run(settings: tuple[tuple[str, object], ...]) -> Run:
    return Run(Snapshot(dict(settings)))


def run_of(s: Snapshot) -> Run:
    """The run of these settings, the same object for the same run."""
    settings = {name: getattr(s, name) for name in SETTINGS}
    if s.source != "zipf":
        # what is counted has its own frequencies and its own vocabulary: both settings leave its run as it is
        settings |= {"exponent": 0.0, "V": 0}
    return _run(tuple(settings.items()))


@dataclass(frozen=True, eq=False)
class Picture:
    """The rows that each step moves, in bins: bin k holds the ranks edges[k] + 1 to edges[k + 1]."""

    edges: IntArray
    shares: FloatArray
    """Of a bin's rows those that move, (bins, steps)."""
    single: bool
    """True where each bin is one row."""


@lru_cache(maxsize=8)
def picture_of(run: Run, optimizer: str, tied: bool, zoom: int) -> Picture:
    """The heatmap of a run under an optimizer."""
    edges, rule = edges_of(run.V, zoom), ROW_OPTIMIZERS[optimizer]
    if tied:
        # the output layer's part reaches every row, and no rule leaves a row with a gradient where it is
        shares: FloatArray = np.ones((len(edges) - 1, run.steps))
    elif zoom or rule.moves_unseen:
        shares = moves.moved_matrix(run.ids, edges, rule)
    else:
        shares = run.touch
    return Picture(edges, shares, zoom > 0 or run.V <= BINS)


def edges_of(V: int, zoom: int) -> IntArray:
    """Bins of ranks: even on a logarithmic axis, or single rows from rank ``zoom`` on."""
    if not zoom:
        return zipf.rank_bins(V, BINS)
    rows = min(SINGLE_ROWS, V)
    first = min(zoom, V - rows + 1)
    return np.arange(first - 1, first + rows)
