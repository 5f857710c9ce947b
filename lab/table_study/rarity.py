"""Do rare words have shorter rows? The answer depends on how it is asked, so it is asked three ways."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lab.geometry import spearman
from lab.notation import FloatArray, IntArray, readonly
from lab.table_study.table import TableStudy

BIN = 100
COMMONEST = 1000


@dataclass(frozen=True, eq=False)
class Rarity:
    """Length of a row against the place of its word in the vocabulary, which stands for its rarity."""

    ids: IntArray
    """Rows of whole words, in the order of the table, shape (N,)."""
    norms: FloatArray
    """Shape (N,)."""
    means: FloatArray
    """Mean length of each hundred words, of the rest for the last, shape (ceil(N / 100),)."""
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
    """Return the length of each word's row against the word's place in the table.

    Raises
    ------
    ValueError
        If the table has fewer than 200 whole words: two means at least are needed, of a hundred each.

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
    if len(ids) < 2 * BIN:
        raise ValueError(
            f"Length against rarity needs at least {2 * BIN} words; this table has {len(ids)}. "
            "Choose the MiniLM table."
        )
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
