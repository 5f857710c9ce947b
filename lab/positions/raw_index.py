"""The naive scheme: add the index itself."""

from __future__ import annotations

from typing import ClassVar

from numpy.typing import ArrayLike

from lab.notation import FloatArray
from lab.positions.base import Enters, NoPosition, signed_positions


class RawIndex(NoPosition):
    """Add the position itself to each of the D dimensions.

    The index grows without bound while token rows keep their size, so at position 4,000 the row is
    almost nothing but its position. LayerNorm subtracts the mean of a row and would cancel it.

    References
    ----------
    No paper: the first idea, which the bounded schemes answer.

    Examples
    --------
    >>> RawIndex().add_to_input([[0.5, 0.0], [0.5, 0.0]], [0, 3])
    array([[0.5, 0. ],
           [3.5, 3. ]])
    """

    key: ClassVar[str] = "raw"
    title: ClassVar[str] = "Raw index"
    formula: ClassVar[str] = r"X_{p,c} = E_{t_p,c} + p"
    source: ClassVar[str] = "no paper: the first idea, which the bounded schemes answer"
    enters: ClassVar[Enters] = "input"

    def add_to_input(self, x: ArrayLike, pos: ArrayLike) -> FloatArray:
        """Add ``pos[t]`` to every entry of row t: (..., T, D), (T,) -> (..., T, D)."""
        rows = super().add_to_input(x, pos)
        return rows + signed_positions(pos).astype(rows.dtype)[:, None]
