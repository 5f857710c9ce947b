"""A run of batches and what follows from it, kept for the next draw: each part depends on few settings."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from lab import gradient_study as study
from lab import zipf
from lab.data import shakespeare
from lab.notation import Array, FloatArray, IntArray, readonly
from lab.row_optimizers import ROW_OPTIMIZERS

BINS = 64
SINGLE_ROWS = 18
"""Rows shown one by one when zoomed in."""
FOLLOWED_BINS, FOLLOWED_EACH = 32, 8
TIED_ROWS, TIED_TOKENS = 256, 128
COMPARED = 400
"""Tokens of the first step on which the ways are compared, each with a gradient of COMPARED_WIDTH numbers."""
COMPARED_WIDTH = 16


@dataclass(frozen=True)
class Thinned:
    """Tokens without and with subsampling."""

    threshold: float
    """t."""
    dropped: float
    """Share of the running tokens that is dropped."""
    first: tuple[float, float]
    """Share of the most frequent row, without and with."""
    expected: float
    """Rows that the closed form expects of a step without."""


@dataclass(frozen=True, eq=False)
class Run:
    """The tokens of a run and what they touch; N tokens a step."""

    V: int
    ids: IntArray
    """(steps, N); id 0 is the most frequent token."""
    p: FloatArray
    """(V,)."""
    words: tuple[str, ...]
    """The word of each row, where the tokens are words."""
    edges: IntArray
    """Bins of ranks over the whole table, (bins + 1,)."""
    touch: FloatArray
    """Share of each bin's rows that a step touches, (bins, steps)."""
    touched: IntArray
    """Different rows of each step, (steps,)."""
    seen: IntArray
    """Different rows since the first step, (steps,)."""
    growth: FloatArray
    """What the closed form expects of ``seen``, (steps,)."""
    expected: float
    """What it expects of one step."""
    thinned: Thinned | None
    """What subsampling did to the tokens, where it is on."""

    @property
    def steps(self) -> int:
        """Steps of the run."""
        return len(self.ids)

    @property
    def N(self) -> int:
        """Tokens of a step."""
        return int(self.ids.shape[1])

    @property
    def shortfall(self) -> float:
        """How far the mean step stays below the closed form, as a share of it."""
        return 1.0 - float(self.touched.mean()) / self.expected


@dataclass(frozen=True, eq=False)
class Picture:
    """The heatmap: share of each bin's rows that a step moves."""

    edges: IntArray
    """Bin k holds the ranks edges[k] + 1 .. edges[k + 1], (bins + 1,)."""
    shares: FloatArray
    """(bins, steps)."""
    single: bool
    """True where each bin is one row."""


@dataclass(frozen=True, eq=False)
class Sample:
    """A few rows of each bin of ranks, and what happened to them."""

    ranks: FloatArray
    """Middle of each bin, (bins,)."""
    bounds: IntArray
    """Where each bin begins among the rows, (bins + 1,)."""
    history: study.RowHistory
    norm_range: tuple[float, float]
    """Smallest and largest mean norm over all steps of the run."""


@dataclass(frozen=True, eq=False)
class Followed:
    """One row under every optimizer."""

    rank: int
    counts: IntArray
    """Occurrences in each step, (steps,)."""
    moved: dict[str, FloatArray]
    """Distance from its start, by optimizer, (steps,)."""
    wait: float
    """Steps from one gradient to the next, on average."""


@lru_cache(maxsize=1)
def words_of_shakespeare() -> zipf.WordCounts:
    """The words of the stored text, counted once."""
    return zipf.word_counts(shakespeare())


def run_of(
    source: str, exponent: float, V: int, batch: int, length: int, steps: int, seed: int, subsample: float
) -> Run:
    """The run of these settings; ``subsample`` is t, or 0 for all tokens."""
    # a text has its own frequencies and its own vocabulary: both settings leave its run as it is
    law = (exponent, V) if source == "zipf" else (0.0, 0)
    return _drawn_run(source, *law, batch, length, steps, seed, subsample)


@lru_cache(maxsize=4)
def _drawn_run(
    source: str, exponent: float, V: int, batch: int, length: int, steps: int, seed: int, t: float
) -> Run:
    rng = study.generator(seed)
    words: tuple[str, ...] = ()
    groups = study.GROUPS
    if source == "zipf":
        plain: Array = zipf.probabilities(V, exponent)
        p = zipf.subsampled(plain, t) if t else plain
        ids = zipf.law_batches(rng, V, exponent, batch=batch, length=length, steps=steps, threshold=t)
    else:
        text = words_of_shakespeare()
        plain, V, words = text.p, text.V, text.words
        # what chance has left of a text no longer falls with the rank: its rows are summed one by one
        running, p, groups = (*_thinned_text(seed, t), V) if t else (text.ids, text.p, groups)
        ids = zipf.text_batches(rng, running, batch=batch, length=length, steps=steps)
    edges = zipf.rank_bins(V, BINS)
    touch = zipf.touch_matrix(ids, edges)
    return Run(
        V=V,
        ids=readonly(ids),
        p=p,
        words=words,
        edges=edges,
        touch=touch,
        touched=readonly(study.touched_rows(touch, edges)),
        seen=readonly(zipf.distinct_seen(ids)),
        growth=study.expected_growth(p, ids.shape[1], steps, groups),
        expected=zipf.expected_distinct(p, ids.shape[1]),
        thinned=_thinned(plain, p, ids.shape[1], t) if t else None,
    )


def _thinned(plain: Array, p: Array, tokens: int, t: float) -> Thinned:
    return Thinned(
        threshold=t,
        dropped=1.0 - float(plain @ zipf.keep_probability(plain, t)),
        first=(float(plain[0]), float(p[0])),
        expected=zipf.expected_distinct(plain, tokens),
    )


@lru_cache(maxsize=4)
def _thinned_text(seed: int, t: float) -> tuple[IntArray, FloatArray]:
    text = words_of_shakespeare()
    ids = zipf.thin(study.generator(seed), text.ids, zipf.keep_probability(text.p, t))
    return readonly(ids), zipf.shares(ids, text.V)


@lru_cache(maxsize=8)
def picture_of(run: Run, optimizer: str, tied: bool, zoom: int) -> Picture:
    """The heatmap of a run under an optimizer."""
    edges, rule = edges_of(run.V, zoom), ROW_OPTIMIZERS[optimizer]
    if tied:
        # the output layer's part reaches every row, and no rule leaves a row with a gradient where it is
        shares = readonly(zipf.touch_matrix(run.ids, edges) * 0 + 1)
    elif zoom or rule.moves_unseen:
        shares = study.moved_matrix(run.ids, edges, rule)
    else:
        shares = run.touch
    return Picture(edges, shares, zoom > 0 or run.V <= BINS)


def edges_of(V: int, zoom: int) -> IntArray:
    """Bins of ranks: even on a logarithmic axis, or single rows from rank ``zoom`` on."""
    if not zoom:
        return zipf.rank_bins(V, BINS)
    rows = min(SINGLE_ROWS, V)
    first = min(zoom, V - rows + 1)
    return zipf.rank_bins(rows, rows) + (first - 1)


@lru_cache(maxsize=8)
def moved_of(run: Run, optimizer: str, tied: bool) -> IntArray:
    """Rows that each step moves, (steps,)."""
    if tied:
        return readonly(run.touched * 0 + run.V)
    return readonly(study.moved_rows(run.touched, run.seen, run.V, ROW_OPTIMIZERS[optimizer]))


@lru_cache(maxsize=8)
def followed_of(run: Run, optimizer: str, seed: int) -> Sample:
    """Rows of every frequency under one optimizer."""
    rows, bounds = study.followed_rows(run.V, FOLLOWED_BINS, FOLLOWED_EACH)
    counts = study.count_rows(run.ids, rows, run.V)
    history = study.follow(counts, run.N, ROW_OPTIMIZERS[optimizer], seed)
    edges = zipf.rank_bins(run.V, FOLLOWED_BINS)
    middle = ((edges[:-1] + 1.0) * edges[1:]) ** 0.5
    return Sample(readonly(middle), bounds, history, study.norm_range(history, bounds))


@lru_cache(maxsize=8)
def one_row(run: Run, rank: int, seed: int) -> Followed:
    """One row under every optimizer."""
    counts = study.count_rows(run.ids, [rank - 1], run.V)
    return Followed(
        rank=rank,
        counts=counts[:, 0],
        moved={
            key: study.follow(counts, run.N, rule, (seed, rank)).moved[:, 0]
            for key, rule in ROW_OPTIMIZERS.items()
        },
        wait=float(zipf.mean_wait(run.p, run.N)[rank - 1]),
    )


@lru_cache(maxsize=8)
def tied_of(source: str, exponent: float, V: int, seed: int) -> study.TiedNorms:
    """Both parts of a small tied table's gradient, on a text of its own."""
    if source == "zipf":
        text = zipf.sample(study.generator(seed), V, exponent, TIED_TOKENS + 1)
    else:
        ids = words_of_shakespeare().ids
        text = ids[ids < V][: TIED_TOKENS + 1]
    return study.tied_norms(text, V, seed)


@lru_cache(maxsize=8)
def difference_of(run: Run, seed: int) -> float:
    """The largest difference between the ways on the first tokens of the first step."""
    ids = run.ids[0, :COMPARED]
    return study.largest_difference(ids, study.random_gradient(len(ids), COMPARED_WIDTH, seed))
