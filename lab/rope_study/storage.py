"""Positions that went through half precision, and what the score makes of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from lab.notation import FloatArray, IntArray, as_positions, check_count
from lab.positions.precision import Precision, cast_positions
from lab.positions.rope import Rope


def stored_positions(pos: ArrayLike, precision: Precision | None) -> IntArray:
    """Return positions as they come back from a number format, still integers; None stands for no cast.

    Raises
    ------
    ValueError
        If a position becomes infinite, the positions are not integers, or the format is unknown.

    Examples
    --------
    >>> stored_positions([256, 257, 258, 259], "bfloat16")
    array([256, 256, 258, 260])
    """
    if precision is None:
        return as_positions(pos)
    cast = cast_positions(pos, precision)
    if not np.isfinite(cast).all():
        lost = int(as_positions(pos)[~np.isfinite(cast)][0])
        raise ValueError(f"position {lost:,} is infinite in {precision}; positions must stay below 65,520")
    return cast.astype(np.int64)


def score_along(
    rope: Rope, q: ArrayLike, k: ArrayLike, distance: int, length: int, precision: Precision | None
) -> FloatArray:
    """Score q and k at one distance while both move: entry p has the nearer of them at position p.

    With exact positions every entry is the same. Stored in half precision, positions round and the
    distance changes from place to place.

    Parameters
    ----------
    distance : int
        Query position less key position.
    length : int
        How many places, from 0.
    precision : {"bfloat16", "float16", "float32"} or None
        How positions are stored; None for integers.

    Returns
    -------
    numpy.ndarray
        Shape (length,).

    Raises
    ------
    ValueError
        If q or k is not d finite numbers, the length below 1, or a position becomes infinite.

    Examples
    --------
    >>> half_a_radian = Rope(2, extension=lambda d, base: ([0.5], 1.0))
    >>> score_along(half_a_radian, [1.0, 0.0], [1.0, 0.0], 2, 258, "bfloat16")[-3:].round(3)
    array([ 0.878,  0.54 , -0.416])
    """
    place = np.arange(check_count("length", length))
    q_pos = stored_positions(place + max(distance, 0), precision)
    k_pos = stored_positions(place + max(-distance, 0), precision)
    # few distances are left after rounding: each is scored once
    kept, index = np.unique(q_pos - k_pos, return_inverse=True)
    scores: FloatArray = rope.total_by_distance(q, k, kept)[index]
    return scores
