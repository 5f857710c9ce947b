"""A trained row for each position, and the position ids that padding calls for."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from lab.notation import Array, FloatArray, IntArray, as_floats, check_count, check_positive
from lab.positions.base import Enters, NoPosition, signed_positions


class Learned(NoPosition):
    """A table P with one trained row for each position, added to the token rows.

    The row index is the position, from 0. The course counts its places from 1 (``origin``), so what it
    calls P_1 is row 0.

    Parameters
    ----------
    table : array_like
        P, shape (max_positions, D). A float array is used as it is, so that an optimiser can train it.

    Raises
    ------
    ValueError
        If the table is not a non-empty matrix of finite numbers.

    References
    ----------
    Gehring et al. 2017, arXiv:1705.03122, section 3.1; used by GPT-2 and BERT.

    Examples
    --------
    >>> scheme = Learned([[0.0, 0.0], [0.5, -0.5]])
    >>> scheme.add_to_input([[1.0, 1.0], [1.0, 1.0]], [0, 1])
    array([[1. , 1. ],
           [1.5, 0.5]])
    >>> scheme.add_to_input([[1.0, 1.0]], [2])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ValueError: position 2 has no row: the table was trained for 2 positions, 0 to 1; ...
    """

    key: ClassVar[str] = "learned"
    title: ClassVar[str] = "Learned table"
    formula: ClassVar[str] = r"X_p = E_{t_p} + P_p"
    source: ClassVar[str] = "Gehring et al. 2017, arXiv:1705.03122, section 3.1"
    enters: ClassVar[Enters] = "input"
    origin: ClassVar[int] = 1

    def __init__(self, table: ArrayLike) -> None:
        self.P = as_floats("P (max_positions, D)", table, (None, None))
        check_count("rows of P", self.P.shape[0])
        check_count("width D of P", self.P.shape[1])

    @classmethod
    def build(
        cls,
        *,
        D: int,
        H: int,
        d: int,
        max_positions: int,
        rng: np.random.Generator | None = None,
        sd: float = 1.0,
    ) -> Self:
        """Draw max_positions rows of width D from a normal law with standard deviation ``sd``.

        Parameters
        ----------
        sd : float
            Compare it with that of the token rows: the smaller part of a sum is the harder one to read.
        """
        rows, width = check_count("max_positions", max_positions), check_count("width D", D)
        generator = rng if rng is not None else np.random.default_rng(0)
        return cls(check_positive("sd", sd) * generator.standard_normal((rows, width)))

    @property
    def trained_limit(self) -> int:
        """Rows of the table."""
        return len(self.P)

    def _rows(self, pos: ArrayLike) -> IntArray:
        rows = signed_positions(pos)
        missing = rows[(rows < 0) | (rows >= len(self.P))]
        if missing.size:
            limit = len(self.P)
            raise ValueError(
                f"position {missing[0]} has no row: the table was trained for {limit} positions, "
                f"0 to {limit - 1}; shorten the text, enlarge the table and train its new rows, "
                "or take a scheme that is computed"
            )
        return rows

    def add_to_input(self, x: ArrayLike, pos: ArrayLike) -> FloatArray:
        """Add row ``pos[t]`` of P to token row t: (..., T, D), (T,) -> (..., T, D).

        Raises
        ------
        ValueError
            Also if a position has no row.
        """
        rows = self.P[self._rows(pos)]  # (T,) -> (T, D)
        x = as_floats("x (..., T, D)", x, (..., *rows.shape))
        return x + rows.astype(x.dtype)

    def params(self) -> dict[str, Array]:
        """Return ``{"P": table}``, the table itself."""
        return {"P": self.P}

    def grad_params(self, pos: ArrayLike, grad_x: ArrayLike) -> dict[str, Array]:
        """Sum the gradient of every use of a row: (T,), (..., T, D) -> ``{"P": (max_positions, D)}``.

        Examples
        --------
        >>> Learned([[0.0], [0.0], [0.0]]).grad_params([0, 1, 1], [[1.0], [2.0], [3.0]])["P"]
        array([[1.],
               [5.],
               [0.]])
        """
        rows = self._rows(pos)
        grad_x = as_floats("grad_x (..., T, D)", grad_x, (..., rows.size, self.P.shape[1]))
        summed = grad_x.sum(axis=tuple(range(grad_x.ndim - 2)))  # (..., T, D) -> (T, D)
        grad = np.zeros_like(self.P)
        # grad[rows] += would keep only the last of several uses of a row
        np.add.at(grad, rows, summed.astype(grad.dtype))
        return {"P": grad}


def mask_positions(mask: ArrayLike) -> IntArray:
    """Return position ids that count real tokens only, from 0: (..., T) -> (..., T).

    With padding on the left, the first real token must stand at position 0 as it did in training.
    Padding itself gets 0, a row that exists; what stands there has to be masked in attention anyway.

    Parameters
    ----------
    mask : array_like of bool, or of 0 and 1
        True for a real token, False for padding.

    Raises
    ------
    ValueError
        If the mask holds anything but 0 and 1.

    Examples
    --------
    >>> mask_positions([0, 0, 1, 1, 1])
    array([0, 0, 0, 1, 2])
    """
    real = np.asarray(mask)
    if not np.isin(real, (0, 1)).all():
        raise ValueError(f"a padding mask holds 1 for tokens and 0 for padding; got {np.unique(real)}")
    counted: IntArray = np.maximum(np.cumsum(real.astype(np.int64), axis=-1) - 1, 0)
    return counted


def fairseq_positions(ids: ArrayLike, padding_idx: int) -> IntArray:
    """Return position ids as fairseq and RoBERTa number them: (..., T) -> (..., T).

    Padding gets ``padding_idx`` and the first real token ``padding_idx + 1``, so 512 tokens need a table of
    513 + padding_idx rows, of which the rows below ``padding_idx + 1`` never serve a token.

    Raises
    ------
    ValueError
        If the ids are not integers, or ``padding_idx`` is negative.

    Examples
    --------
    >>> fairseq_positions([1, 1, 7, 8, 9], padding_idx=1)
    array([1, 1, 2, 3, 4])
    """
    tokens = np.asarray(ids)
    if not np.issubdtype(tokens.dtype, np.integer):
        raise ValueError(f"token ids must be integers; got {tokens.dtype}")
    if padding_idx < 0:
        raise ValueError(f"padding_idx is a token id, 0 or above; got {padding_idx}")
    real = (tokens != padding_idx).astype(np.int64)
    numbered: IntArray = np.cumsum(real, axis=-1) * real + padding_idx
    return numbered
