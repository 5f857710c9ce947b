"""One query and one key: drawn, and scored at many pairs of positions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from lab.notation import FloatArray, as_floats, as_positions, readonly
from lab.positions.rope import Rope


def draw_q_k(d: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """Draw a query and a key of ``d`` normal numbers each, the query first.

    Examples
    --------
    >>> draw_q_k(8, seed=0)[0].round(3)[:3]
    array([ 0.126, -0.132,  0.64 ])
    """
    rng = np.random.default_rng(seed)
    return readonly(rng.standard_normal(d)), readonly(rng.standard_normal(d))


def scores_at(rope: Rope, q: ArrayLike, k: ArrayLike, q_pos: ArrayLike, k_pos: ArrayLike) -> FloatArray:
    """Score one query and one key at many pairs of positions: (d,), (d,), (n,), (n,) -> (n,).

    Both vectors are turned to each position, so the result shows what rounding does where the distance is
    the same.

    Raises
    ------
    ValueError
        If q or k is not d finite numbers, or the positions are not two equally long rows of integers.

    Examples
    --------
    >>> one_radian = Rope(2)
    >>> scores_at(one_radian, [1.0, 0.0], [1.0, 0.0], [3, 503], [1, 501]).round(3)
    array([-0.416, -0.416])
    """
    q, k = as_floats("q (d,)", q, (rope.d,)), as_floats("k (d,)", k, (rope.d,))
    q_pos = as_positions(q_pos)
    k_pos = as_positions(k_pos, length=q_pos.size)
    q_turned = rope.rotate(np.broadcast_to(q, (q_pos.size, rope.d)), q_pos)  # (d,) -> (n, d)
    k_turned = rope.rotate(np.broadcast_to(k, (k_pos.size, rope.d)), k_pos)
    scores: FloatArray = (q_turned * k_turned).sum(axis=-1)
    return scores
