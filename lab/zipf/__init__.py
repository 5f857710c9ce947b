"""Which rows of the table a batch of tokens touches, when tokens are as unequal as words are.

Read ``law`` first (the bounded law and its closed forms), then ``words`` (a real text beside it), then
``subsample`` (frequent words made less frequent) and ``touch`` (a run, step by step). Row ids are ranks
counted from 0: id 0 is the most frequent token.
"""

from __future__ import annotations

from lab.zipf.law import (
    MAX_RANKS,
    expected_counts,
    expected_distinct,
    mean_wait,
    probabilities,
    sample,
    unseen_probability,
)
from lab.zipf.subsample import keep_probability, shares, subsampled, thin
from lab.zipf.touch import (
    GradientBytes,
    distinct_seen,
    gradient_bytes,
    law_batches,
    rank_bins,
    text_batches,
    touch_matrix,
)
from lab.zipf.words import PowerLawFit, WordCounts, fit_exponent, word_counts

__all__ = [
    "MAX_RANKS",
    "GradientBytes",
    "PowerLawFit",
    "WordCounts",
    "distinct_seen",
    "expected_counts",
    "expected_distinct",
    "fit_exponent",
    "gradient_bytes",
    "keep_probability",
    "law_batches",
    "mean_wait",
    "probabilities",
    "rank_bins",
    "sample",
    "shares",
    "subsampled",
    "text_batches",
    "thin",
    "touch_matrix",
    "unseen_probability",
    "word_counts",
]
