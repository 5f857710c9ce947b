"""What a model has to beat, and when a difference between two schemes is one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from lab.notation import as_floats, check_count
from lab.student import student_t_quantile
from lab.training.corpus import Corpus
from lab.training.evaluation import held_out_windows

UNIGRAM_PRIOR = 1.0
BIGRAM_PRIOR = 10.0
NOISE = 0.01
"""Nats below which a difference is called noise, however steady it looks."""
LEVEL = 0.05
"""Chance that, of all comparisons made at once, any calls a difference of nothing more than noise."""


@dataclass(frozen=True)
class Baselines:
    """Held-out loss of three models without parameters to train, in nats a character."""

    uniform: float
    """Every character alike: ln V."""
    unigram: float
    """Characters as often as in the training part: all that a reader blind to order and context can know."""
    bigram: float
    """Characters as often as after the one before."""
    smoothing: str
    """What was done about pairs that the training part does not hold."""


def baselines(corpus: Corpus, T: int = 32) -> Baselines:
    """Return the baselines, counted on the training part and measured on the targets that ``evaluate`` uses.

    Parameters
    ----------
    corpus : Corpus
        Text.
    T : int
        Characters of a window, which decides the targets.

    Raises
    ------
    ValueError
        If the held-out part is shorter than a window.

    References
    ----------
    MacKay and Peto 1995, "A hierarchical Dirichlet language model", equation 5 (the bigram's prior).

    Examples
    --------
    >>> corpus = Corpus.from_text("ab" * 1000)
    >>> result = baselines(corpus)
    >>> round(result.uniform, 3), round(result.unigram, 3), round(result.bigram, 3)
    (0.693, 0.693, 0.006)
    """
    V = corpus.V
    unigram = corpus.counts() + UNIGRAM_PRIOR
    unigram = unigram / unigram.sum()
    first, second = corpus.train[:-1], corpus.train[1:]
    ids, targets = held_out_windows(corpus, T)
    # only the pairs that are asked for are counted: V x V would not fit for thousands of characters
    pairs, counts = np.unique(first * V + second, return_counts=True)
    asked = ids.ravel() * V + targets.ravel()
    at = np.minimum(np.searchsorted(pairs, asked), pairs.size - 1)
    seen = np.where(pairs[at] == asked, counts[at], 0)
    before = np.bincount(first, minlength=V)[ids.ravel()]
    prior = unigram[targets.ravel()]
    bigram = (seen + BIGRAM_PRIOR * prior) / (before + BIGRAM_PRIOR)
    return Baselines(
        uniform=math.log(V),
        unigram=float(-np.log(prior).mean()),
        bigram=float(-np.log(bigram).mean()),
        smoothing=(
            f"unigram: {UNIGRAM_PRIOR:g} added to each count; bigram: a Dirichlet prior worth "
            f"{BIGRAM_PRIOR:g} characters drawn from the unigram"
        ),
    )


@dataclass(frozen=True)
class Comparison:
    """Held-out loss of a scheme over several seeds, and its difference to another, in nats."""

    scheme: str
    seeds: int
    mean: float
    sd: float
    """Between seeds, with seeds - 1 in the denominator."""
    difference: float
    """Mean of the differences, seed by seed; below 0 is better."""
    difference_sd: float
    comparisons: int
    """Differences that are judged at once: the level is divided between them."""
    quantile: float
    """Student's t for them: how many standard errors chance alone hardly ever exceeds."""
    limit: float
    """The least difference that is not called noise, in nats: .01, or so many standard errors."""

    @property
    def error(self) -> float:
        """Standard error of the difference."""
        return self.difference_sd / math.sqrt(self.seeds)

    @property
    def noise(self) -> bool:
        """Whether the difference is too small to be told from chance."""
        return abs(self.difference) < self.limit


def compare(
    losses: Mapping[str, ArrayLike], reference: str = "none", comparisons: int | None = None
) -> tuple[Comparison, ...]:
    """Compare schemes whose runs had the same seeds in the same order.

    A difference is taken seed by seed, and is noise below .01 nats or below a number of its standard errors:
    Student's t with seeds - 1 degrees of freedom, two-sided, at .05 divided by the number of comparisons
    (Bonferroni). With eight seeds and five comparisons that is 3.50; 2 would be right for no number of seeds.

    Parameters
    ----------
    losses : mapping of str to array_like
        Held-out loss of each run by scheme, each of shape (seeds,).
    reference : str
        The scheme that the others are compared with.
    comparisons : int, optional
        Differences that are judged at once; all given here if left out. A pair that was picked among many
        counts them all.

    Returns
    -------
    tuple of Comparison
        In the order of ``losses``; the reference differs from itself by 0, which is noise.

    Raises
    ------
    ValueError
        If the reference is missing, there are fewer than two seeds, their numbers differ, or comparisons is
        not a whole number of at least 1.

    References
    ----------
    Dunn 1961, "Multiple comparisons among means", Journal of the American Statistical Association 56
    (Bonferroni's inequality at work).

    Examples
    --------
    >>> rows = compare({"none": [2.30, 2.31, 2.29], "rope": [2.10, 2.12, 2.08], "other": [2.31, 2.30, 2.30]})
    >>> [(row.scheme, round(row.difference, 3), row.noise) for row in rows]
    [('none', 0.0, True), ('rope', -0.2, False), ('other', 0.003, True)]
    """
    if reference not in losses:
        raise ValueError(f"there are no runs of {reference!r} to compare with; there are {', '.join(losses)}")
    base = as_floats(f"losses of {reference!r}", losses[reference], (None,))
    if base.size < 2:
        raise ValueError(f"a spread needs at least two seeds; got {base.size}")
    judged = check_count("comparisons", max(1, len(losses) - 1) if comparisons is None else comparisons)
    return tuple(
        _row(name, as_floats(f"losses of {name!r}", runs, base.shape), base, judged)
        for name, runs in losses.items()
    )


def _row(name: str, runs: np.ndarray, base: np.ndarray, comparisons: int) -> Comparison:
    difference = runs - base
    sd = float(difference.std(ddof=1))
    quantile = student_t_quantile(LEVEL / comparisons, runs.size - 1)
    return Comparison(
        scheme=name,
        seeds=runs.size,
        mean=float(runs.mean()),
        sd=float(runs.std(ddof=1)),
        difference=float(difference.mean()),
        difference_sd=sd,
        comparisons=comparisons,
        quantile=quantile,
        limit=max(NOISE, quantile * sd / math.sqrt(runs.size)),
    )
