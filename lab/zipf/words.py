"""How often the words of a real text come, and the line through their log-log plot."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lab.notation import FloatArray, check_count, readonly

# letters, then at most one apostrophe with letters after it: "don't" is one word, "o'erwatch'd" is two
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")


@dataclass(frozen=True, eq=False)
class WordCounts:
    """The words of a text by falling frequency."""

    words: tuple[str, ...]
    """Word of rank i at i - 1, in small letters."""
    counts: NDArray[np.intp]
    """How often each word comes, falling; shape (V,)."""
    ids: NDArray[np.intp]
    """The text as row ids (rank - 1), in reading order; shape (N,)."""

    @property
    def V(self) -> int:
        """Types: different words."""
        return len(self.words)

    @property
    def total(self) -> int:
        """Tokens: running words."""
        return len(self.ids)

    @property
    def p(self) -> FloatArray:
        """Share of each word, shape (V,): what a draw of one running word gives."""
        return self.counts / self.total


def word_counts(text: str) -> WordCounts:
    """Count the words of a text and rank them.

    A word is a run of letters, with one apostrophe inside at most; capitals do not count. Words that come
    equally often are ranked by the alphabet: ranking them by first appearance would put a false diagonal
    into a picture of rank against time.

    Parameters
    ----------
    text : str
        Any text with at least one word.

    Raises
    ------
    ValueError
        If there is no word in it.

    Examples
    --------
    >>> counted = word_counts("The dog, the cat. The dog's cat!")
    >>> counted.words, counted.counts.tolist(), counted.ids.tolist()
    (('the', 'cat', 'dog', "dog's"), [3, 2, 1, 1], [0, 2, 0, 1, 0, 3, 1])
    """
    running = _WORD.findall(text.lower().replace("’", "'"))
    if not running:
        raise ValueError(f"a text of {len(text)} characters holds no word; a word is a run of letters")
    ranked = sorted(Counter(running).items(), key=lambda pair: (-pair[1], pair[0]))
    row = {word: i for i, (word, _) in enumerate(ranked)}
    return WordCounts(
        words=tuple(row),
        counts=readonly(np.array([count for _, count in ranked], dtype=np.intp)),
        ids=readonly(np.fromiter((row[word] for word in running), dtype=np.intp, count=len(running))),
    )


@dataclass(frozen=True)
class PowerLawFit:
    """The straight line log(count) = log(scale) - exponent log(rank) over a range of ranks."""

    exponent: float
    scale: float
    """Count that the line gives rank 1; rarely the count of the first word."""
    r_squared: float
    """Share of the variance of log(count) that the line explains within the range."""
    first: int
    last: int

    def counts(self, ranks: ArrayLike) -> FloatArray:
        """Return the counts on the line at these ranks (from 1), shape as given."""
        return self.scale * np.asarray(ranks, dtype=np.float64) ** -self.exponent


def fit_exponent(counts: ArrayLike, first: int = 10, last: int = 1000) -> PowerLawFit:
    """Fit the exponent by least squares of log(count) on log(rank).

    It describes the middle of the plot: one number to draw a line with, and to set `probabilities` to. It is
    not a maximum-likelihood estimate and no evidence that the counts follow a power law: every rank weighs
    the same however uncertain its count is, ranks made from the same counts leave hardly any scatter (so
    ``r_squared`` is near 1 for many other shapes too), and another range gives another exponent.

    Parameters
    ----------
    counts : array_like
        Counts by falling frequency, shape (V,); rank 1 first.
    first, last : int
        The ranks used, both included.

    Raises
    ------
    ValueError
        If there are fewer than ``last`` counts, the range holds fewer than two ranks, or the counts are not
        positive and falling.

    References
    ----------
    Clauset, Shalizi and Newman 2009, arXiv:0706.1062, section 3 and appendix A (against such fits).

    Examples
    --------
    >>> fit = fit_exponent([1000 / rank**0.8 for rank in range(1, 101)], first=10, last=100)
    >>> round(fit.exponent, 6), round(fit.scale)
    (0.8, 1000)
    """
    ranked = np.asarray(counts, dtype=np.float64)
    low, high = check_count("first rank", first), check_count("last rank", last)
    if ranked.ndim != 1 or high > len(ranked) or low >= high:
        raise ValueError(f"ranks {low} to {high} are no range within the {ranked.size} counts given")
    if not np.isfinite(ranked).all() or ranked.min() <= 0 or (np.diff(ranked) > 0).any():
        raise ValueError("counts must be positive and sorted from the most frequent down")
    x, y = np.log(np.arange(low, high + 1)), np.log(ranked[low - 1 : high])
    dx, dy = x - x.mean(), y - y.mean()
    slope = float(dx @ dy / (dx @ dx))
    spread = float(dy @ dy)
    left = float(((dy - slope * dx) ** 2).sum())
    return PowerLawFit(
        exponent=-slope,
        scale=float(np.exp(y.mean() - slope * x.mean())),
        r_squared=1.0 - left / spread if spread > 0 else 1.0,
        first=low,
        last=high,
    )
