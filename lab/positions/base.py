"""What every position scheme offers, and the scheme that does nothing."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike

from lab.notation import Array, FloatArray, IntArray, as_floats, as_positions

Enters = Literal["input", "qk", "scores"] | None


class Scheme(Protocol):
    """A way to tell attention where each token stands.

    Positions are explicit integers counted from 0. A course that counts from ``origin`` shows
    ``pos + origin``; no hook ever sees that sum.
    """

    key: ClassVar[str]
    title: ClassVar[str]
    formula: ClassVar[str]
    source: ClassVar[str]
    enters: ClassVar[Enters]
    origin: ClassVar[int]

    @classmethod
    def build(
        cls, *, D: int, H: int, d: int, max_positions: int, rng: np.random.Generator | None = None
    ) -> Self: ...

    @property
    def trained_limit(self) -> int | None: ...

    def add_to_input(self, x: ArrayLike, pos: ArrayLike) -> FloatArray: ...

    def rotate(self, qk: ArrayLike, pos: ArrayLike) -> FloatArray: ...

    def bias(self, q_pos: ArrayLike, k_pos: ArrayLike) -> FloatArray | float: ...

    def params(self) -> dict[str, Array]: ...

    def grad_params(self, pos: ArrayLike, grad_x: ArrayLike) -> dict[str, Array]: ...


class NoPosition:
    """No position at all: the scheme "none", and the base class of the others.

    Each hook checks its shapes and changes nothing, so a scheme overrides the one hook it needs.

    References
    ----------
    Vaswani et al. 2017, arXiv:1706.03762, equation 1 (the score without positions).
    Haviv et al. 2022, arXiv:2203.16634 (causal models without positions still learn order).

    Examples
    --------
    >>> import numpy as np
    >>> scheme = NoPosition.build(D=4, H=2, d=2, max_positions=8)
    >>> x = np.ones((3, 4))
    >>> scheme.add_to_input(x, [0, 1, 2]) is x
    True
    """

    key: ClassVar[str] = "none"
    title: ClassVar[str] = "No position"
    formula: ClassVar[str] = r"s_{h,m,n} = \frac{q_{h,m} \cdot k_{h,n}}{\sqrt{d}}"
    source: ClassVar[str] = (
        "Vaswani et al. 2017, arXiv:1706.03762, equation 1; Haviv et al. 2022, arXiv:2203.16634"
    )
    enters: ClassVar[Enters] = None
    origin: ClassVar[int] = 0

    @classmethod
    def build(
        cls, *, D: int, H: int, d: int, max_positions: int, rng: np.random.Generator | None = None
    ) -> Self:
        """Make the scheme for a model of these sizes; each scheme takes what it needs of them.

        Parameters
        ----------
        D : int
            Width of the model.
        H : int
            Attention heads.
        d : int
            Width of one head.
        max_positions : int
            Positions seen in training: the rows of a learned table.
        rng : numpy.random.Generator, optional
            Draws the learned table; None stands for seed 0.

        Raises
        ------
        ValueError
            If a size that the scheme uses does not suit it.
        """
        return cls()

    @property
    def trained_limit(self) -> int | None:
        """Number of positions that exist, or None if any position can be computed."""
        return None

    def add_to_input(self, x: ArrayLike, pos: ArrayLike) -> FloatArray:
        """Add the position to the token rows: (..., T, D), (T,) -> (..., T, D).

        Raises
        ------
        ValueError
            If the positions are not T integers, or the rows are not finite numbers of the right width.
        """
        return as_floats("x (..., T, D)", x, (..., as_positions(pos).size, None))

    def rotate(self, qk: ArrayLike, pos: ArrayLike) -> FloatArray:
        """Turn queries or keys by their position: (..., T, d), (T,) -> (..., T, d).

        Raises
        ------
        ValueError
            If the positions are not T integers, or the vectors are not finite numbers of the right width.
        """
        return as_floats("q or k (..., T, d)", qk, (..., as_positions(pos).size, None))

    def bias(self, q_pos: ArrayLike, k_pos: ArrayLike) -> FloatArray | float:
        """Return what is added to the scores: (T,), (S,) -> (H, T, S), or 0.0.

        Raises
        ------
        ValueError
            If the positions are not integers of shape (T,) and (S,).
        """
        as_positions(q_pos)
        as_positions(k_pos)
        return 0.0

    def params(self) -> dict[str, Array]:
        """Return the trainable arrays by name; an optimiser updates them in place."""
        return {}

    def grad_params(self, pos: ArrayLike, grad_x: ArrayLike) -> dict[str, Array]:
        """Return the gradient of each array of ``params`` from the gradient of ``add_to_input``.

        Parameters
        ----------
        pos : array_like of int
            Shape (T,); a position may occur more than once.
        grad_x : array_like
            Shape (..., T, D), the gradient with respect to the result of ``add_to_input``.
        """
        return {}


def signed_positions(value: ArrayLike) -> IntArray:
    """Return positions as int64: differences of unsigned integers would wrap around.

    Raises
    ------
    ValueError
        If the positions are not integers of shape (T,).

    Examples
    --------
    >>> import numpy as np
    >>> signed_positions(np.array([0, 1], dtype=np.uint8)) - 1
    array([-1,  0])
    """
    positions: np.ndarray[Any, np.dtype[np.int64]] = as_positions(value).astype(np.int64)
    return positions
