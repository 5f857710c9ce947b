"""Do two arrays hold numbers of the same draw?"""

from __future__ import annotations

from typing import Any

import numpy as np


def shared(a: Any, b: Any) -> bool:
    """Whether two arrays share a run of two numbers, up to a common factor.

    Ratios of neighbours stay where an array is scaled or begins later in the same stream.
    """
    return bool(_ratios(a) & _ratios(b))


def _ratios(values: Any) -> set[str]:
    flat = np.asarray(values, dtype=float).ravel()
    return {f"{ratio:.11e}" for ratio in flat[1:] / flat[:-1]}
