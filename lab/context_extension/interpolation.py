"""Position interpolation: every pair slowed alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from lab.context_extension.base import NoExtension, check_factor
from lab.notation import FloatArray
from lab.positions.rope import plain_frequencies


@dataclass(frozen=True, kw_only=True)
class Linear(NoExtension):
    """Divide every frequency by the factor: position p turns as p / factor did.

    No angle is new to the model, but neighbours stand ``factor`` times closer, the fastest pair included.

    Parameters
    ----------
    factor : float
        Target length over trained length, at least 1.

    Raises
    ------
    ValueError
        If the factor is below 1 or not finite.

    References
    ----------
    Chen et al. 2023, arXiv:2306.15595, equation 4.

    Examples
    --------
    With 16,384 positions out of 4,096, position 12,000 turns as 3,000 did:

    >>> slowed, _ = Linear(factor=4.0)(4, 10_000.0)
    >>> 12_000 * slowed
    array([3000.,   30.])
    """

    key: ClassVar[str] = "linear"
    title: ClassVar[str] = "Position interpolation"
    formula: ClassVar[str] = r"\theta_i' = \frac{\theta_i}{s}"
    source: ClassVar[str] = "Chen et al. 2023, arXiv:2306.15595, equation 4"

    factor: float

    def __post_init__(self) -> None:
        check_factor(self.factor)

    def __call__(self, d: int, base: float) -> tuple[FloatArray, float]:
        return plain_frequencies(d, base)[0] / self.factor, 1.0
