"""What is left of the order of earlier characters in a causal model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from lab.notation import FloatArray, readonly
from lab.training import TrainingConfig
from lab.training.config import WEIGHTS
from lab.transformer import Transformer

TOP = 6
ROUNDING = 1e-9
"""A logit that moves by less has only been added up in another order."""


@dataclass(frozen=True, eq=False)
class OrderChange:
    """Effect of reversing all characters before the last one on the logits at the last position."""

    change: float
    """Largest change of a logit."""
    largest: float
    """Largest logit, for comparison."""
    before: FloatArray
    """Logits of the next character, shape (V,)."""
    after: FloatArray
    """The same with the characters before the last reversed, shape (V,)."""
    top: tuple[int, ...]
    """The ids whose logits were the largest, the largest first; at most TOP."""

    @property
    def same(self) -> bool:
        """Whether nothing changed but the rounding."""
        return self.change < ROUNDING


@lru_cache(maxsize=16)
def order_change(config: TrainingConfig, V: int) -> OrderChange:
    """How the next character's logits change when the characters before the last are reversed.

    The model is untrained and in float64; the text is one window of random characters.

    Without positions one causal layer adds up what it attends to, and a sum has no order: nothing changes.
    A second layer reads rows that were made of different beginnings, so there something does.

    References
    ----------
    Haviv et al. 2022, arXiv:2203.16634, section 5.

    Examples
    --------
    >>> order_change(TrainingConfig(scheme="none", layers=1), 66).change < 1e-12
    True
    >>> order_change(TrainingConfig(scheme="none", layers=2), 66).change > 0.01
    True
    """
    exact = replace(config, dtype="float64")
    model = Transformer(exact.model(V), exact.build_scheme(), exact.generator(WEIGHTS))
    ids = np.random.default_rng(config.seed).integers(V, size=config.T)
    turned = np.append(ids[-2::-1], ids[-1])
    before, after = (model.logits([text])[0, -1] for text in (ids, turned))
    return OrderChange(
        change=float(np.abs(after - before).max()),
        largest=float(np.abs(before).max()),
        before=readonly(before),
        after=readonly(after),
        top=tuple(np.argsort(-before, kind="stable")[:TOP].tolist()),
    )
