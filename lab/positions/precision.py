"""What happens to positions that are stored in half precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from lab.notation import Array, FloatArray, check_count
from lab.positions.base import signed_positions

Precision = Literal["bfloat16", "float16", "float32"]


def _to_bfloat16(values: Array) -> FloatArray:
    # bfloat16 is the upper half of a float32. Adding just under half a unit, plus one where the last kept bit
    # is odd, rounds to nearest and ties to even.
    bits = values.astype(np.float32).view(np.uint32)
    last_kept_bit = (bits >> np.uint32(16)) & np.uint32(1)
    rounded = (bits + np.uint32(0x7FFF) + last_kept_bit) & np.uint32(0xFFFF0000)
    return rounded.view(np.float32)


def _to_float16(values: Array) -> FloatArray:
    with np.errstate(over="ignore"):  # infinity is the answer from 65,520 on, and shown as such
        return values.astype(np.float16)


_CASTS: dict[str, Callable[[Array], FloatArray]] = {
    "bfloat16": _to_bfloat16,
    "float16": _to_float16,
    "float32": lambda values: values.astype(np.float32),
}


def cast_positions(pos: ArrayLike, precision: Precision) -> FloatArray:
    """Return positions as they come back from a cast: (T,) -> (T,), in float64.

    bfloat16 keeps 8 significant bits, so whole numbers are exact to 256 only; float16 keeps 11, exact to
    2,048, and ends at 65,504: from 65,520 on it gives infinity. Angles must therefore be formed in
    float32 or better.

    Parameters
    ----------
    pos : array_like of int
        Shape (T,).
    precision : {"bfloat16", "float16", "float32"}
        Rounding is to nearest, ties to even.

    Raises
    ------
    ValueError
        If the positions are not integers, or the precision is unknown.

    Examples
    --------
    >>> cast_positions([256, 257, 258, 259], "bfloat16")
    array([256., 256., 258., 260.])
    """
    if precision not in _CASTS:
        raise ValueError(
            f"precision {precision!r} is unknown; choose one of {', '.join(get_args(Precision))}"
        )
    return _CASTS[precision](signed_positions(pos)).astype(np.float64)


def count_distinct(length: int, precision: Precision) -> int:
    """Return how many of the positions 0 .. length - 1 remain distinct after a cast.

    Raises
    ------
    ValueError
        If the length is below 1, or the precision unknown.

    Examples
    --------
    >>> count_distinct(4096, "bfloat16")
    769
    """
    return int(np.unique(cast_positions(np.arange(check_count("length", length)), precision)).size)
