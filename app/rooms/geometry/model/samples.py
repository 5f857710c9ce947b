"""What random pairs of rows say, and what the lengths of all words say."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.rooms.geometry.model.study import TableStudy
from app.rooms.geometry.words import WORDS
from lab.geometry import UNDEFINED, spearman
from lab.notation import Array, FloatArray, IntArray, readonly

_CHUNK = 256
"""Pairs at once: all of them in float64 would take as much memory as a large table."""
BINS = 100
"""Bins of a histogram of cosines."""
MIDDLES = readonly((np.arange(BINS) + 0.5) * 2 / BINS - 1)
BIN = 100
"""Words whose lengths are averaged."""
COMMONEST = 1000


@dataclass(frozen=True, eq=False)
class PairStudy:
    """Random pairs of different rows, as they are and with the mean row taken away."""

    pairs: int
    raw: FloatArray
    """Cosines, (pairs,)."""
    centred: FloatArray
    """Cosines of the same pairs after centring, (pairs,)."""
    left_out: int
    """Zero rows, which have no cosine."""
    common: float
    """Length of the mean row over the mean length of the rows."""


def study_pairs(study: TableStudy, seed: int | np.random.Generator, pairs: int = 4000) -> PairStudy:
    """Cosines of random pairs of different rows, drawn with replacement as `lab.geometry.isotropy` does.

    Raises
    ------
    ValueError
        If fewer than two rows have a direction.

    References
    ----------
    Mu, Bhat and Viswanath 2018, arXiv:1702.01417, section 2.1;
    Ethayarajh 2019, arXiv:1909.00512, section 3.3.

    Examples
    --------
    >>> from lab.vocab import RUNNING
    >>> found = study_pairs(TableStudy(RUNNING), 0, 50)
    >>> found.raw.shape, found.left_out
    ((50,), 0)
    """
    rows = np.delete(np.arange(study.V), study.zero_rows)
    V = len(rows)
    if V < 2:
        raise ValueError(WORDS.say("pairs.alone", V=V, undefined=UNDEFINED))
    rng = np.random.default_rng(seed)
    first = rng.integers(V, size=pairs)
    second = (first + rng.integers(1, V, size=pairs)) % V  # another row, each as likely
    first, second = rows[first], rows[second]
    dots, centred = np.empty(pairs), np.empty(pairs)
    for start in range(0, pairs, _CHUNK):
        some = slice(start, start + _CHUNK)
        # in float64: an own table may hold 1e20, and a large common part would drown what centring leaves
        one, other = (study.table.E[ids[some]].astype(np.float64) for ids in (first, second))
        np.einsum("nd,nd->n", one, other, out=dots[some])
        np.einsum("nd,nd->n", one - study.mean, other - study.mean, out=centred[some])
    return PairStudy(
        pairs=pairs,
        raw=_cosines(dots, study.norms[first], study.norms[second]),
        centred=_cosines(centred, study.centred_norms[first], study.centred_norms[second]),
        left_out=study.V - V,
        common=float(np.linalg.norm(study.mean) / study.norms.mean()),
    )


def _cosines(dots: Array, first: Array, second: Array) -> FloatArray:
    """Dot products over lengths, (N,); a row that equals the mean has no direction left and gives 0."""
    lengths = first * second
    cosines: FloatArray = np.divide(dots, lengths, out=np.zeros_like(dots), where=lengths > 0)
    return readonly(np.clip(cosines, -1, 1))


def histogram(cosines: Array) -> FloatArray:
    """The share of the cosines, (N,), in each of equal bins from -1 to 1, (BINS,).

    Examples
    --------
    >>> shares = histogram(np.array([-1.0, 0.005, 0.015, 1.0]))
    >>> shares[[0, 50, 99]].tolist(), shares.sum().item()
    ([0.25, 0.5, 0.25], 1.0)
    """
    counts, _ = np.histogram(cosines, BINS, (-1.0, 1.0))
    return readonly(counts / len(cosines))


@dataclass(frozen=True, eq=False)
class Rarity:
    """Length of a row against the place of its word in the vocabulary, which stands for its rarity."""

    ids: IntArray
    """Rows of whole words, in the order of the table, (N,)."""
    norms: FloatArray
    """(N,)."""
    means: FloatArray
    """Mean length of each hundred words, of the rest for the last, (ceil(N / 100),)."""
    all_words: float
    """Spearman's rank correlation over all words."""
    commonest: float
    """Over the first 1,000 words, or all if they are fewer."""
    of_means: float
    """Over the means of a hundred words: averaging hides the scatter."""

    @property
    def first(self) -> int:
        """How many words `commonest` is about."""
        return min(COMMONEST, len(self.ids))


def study_rarity(study: TableStudy) -> Rarity:
    """The length of each word's row against the word's place in the table, of 200 words at least.

    References
    ----------
    Schakel and Wilson 2015, arXiv:1508.02297 (length against frequency).

    Examples
    --------
    >>> from lab.vocab import minilm_table
    >>> found = study_rarity(TableStudy(minilm_table()))
    >>> round(found.all_words, 2), round(found.commonest, 2), round(found.of_means, 2)
    (-0.36, 0.51, -0.84)
    """
    ids = study.words
    norms = study.norms[ids]
    rank = np.arange(len(ids))
    starts = np.arange(0, len(ids), BIN)
    means = np.add.reduceat(norms, starts) / np.diff(starts, append=len(ids))
    return Rarity(
        ids=ids,
        norms=readonly(norms),
        means=readonly(means),
        all_words=spearman(rank, norms),
        commonest=spearman(rank[:COMMONEST], norms[:COMMONEST]),
        of_means=spearman(np.arange(len(means)), means),
    )
