"""The rule of Llama 3.1: bands by wavelength."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lab.context_extension.base import NoExtension, between, check_factor
from lab.given import given
from lab.notation import FloatArray, check_count, check_positive
from lab.positions.rope import plain_frequencies


@dataclass(frozen=True, kw_only=True)
class Llama3(NoExtension):
    """Keep short wavelengths, divide long ones by the factor, and blend between.

    A pair is kept if it turns more than ``high_freq_factor`` times in the trained window, divided if fewer
    than ``low_freq_factor`` times; between, its share of the kept frequency is linear in the number of turns,
    where YaRN's is linear in the pair's index. There is no attention factor.

    Parameters
    ----------
    factor : float
        Target length over trained length, at least 1.
    trained : int
        Positions seen in training.
    low_freq_factor, high_freq_factor : float
        Turns in the trained window that bound the blend; equal, they leave none.

    Raises
    ------
    ValueError
        If the factor or the length is below 1, a bound not above 0, or ``high_freq_factor`` below
        ``low_freq_factor``.

    References
    ----------
    Meta 2024, ``apply_scaling`` of the reference implementation in meta-llama/llama-models; Grattafiori et
    al. 2024, arXiv:2407.21783, section 3.2 (the base 500,000).

    Examples
    --------
    >>> from lab.context_extension.base import count_bands
    >>> llama = Llama3(factor=8.0, trained=8192)
    >>> count_bands(llama.bands(128, 500_000.0), llama.band_names)
    {'unchanged': 29, 'smoothed': 6, 'divided': 29}
    """

    key: ClassVar[str] = "llama3"
    title: ClassVar[str] = "Llama 3"
    formula: ClassVar[str] = (
        r"\theta_i' = (1 - \sigma_i) \frac{\theta_i}{s} + \sigma_i \theta_i, \quad "
        r"\sigma_i = \frac{L / \lambda_i - f_{low}}{f_{high} - f_{low}}, \quad 0 \le \sigma_i \le 1"
    )
    source: ClassVar[str] = "Meta 2024, meta-llama/llama-models, apply_scaling"
    band_names: ClassVar[tuple[str, ...]] = ("unchanged", "smoothed", "divided")

    factor: float
    trained: int
    low_freq_factor: float = 1.0
    high_freq_factor: float = 4.0

    def __post_init__(self) -> None:
        check_factor(self.factor)
        check_count("trained length", self.trained)
        check_positive("low_freq_factor", self.low_freq_factor)
        check_positive("high_freq_factor", self.high_freq_factor)
        if self.high_freq_factor < self.low_freq_factor:
            raise ValueError(
                f"high_freq_factor must not be below low_freq_factor: pairs that turn more often are kept; "
                f"got {given(self.high_freq_factor)} and {given(self.low_freq_factor)}"
            )

    @property
    def wavelength_bounds(self) -> tuple[float, float]:
        """Wavelengths, in positions, below which a pair is kept and above which it is divided."""
        return self.trained / self.high_freq_factor, self.trained / self.low_freq_factor

    def interpolated(self, d: int, base: float) -> FloatArray:
        """Return the share of the divided frequency in each pair, 0 to 1: shape (d / 2,)."""
        turns = self.trained * plain_frequencies(d, base)[0] / (2 * np.pi)
        blend = self.high_freq_factor - self.low_freq_factor
        if blend == 0:
            divided: FloatArray = np.where(turns < self.low_freq_factor, 1.0, 0.0)
            return divided
        shares: FloatArray = 1 - np.clip((turns - self.low_freq_factor) / blend, 0.0, 1.0)
        return shares

    def __call__(self, d: int, base: float) -> tuple[FloatArray, float]:
        plain, factor = plain_frequencies(d, base)
        return between(plain, self.factor, self.interpolated(d, base)), factor

    def bands(self, d: int, base: float) -> tuple[str, ...]:
        """Name each pair unchanged, smoothed or divided."""
        kept, smoothed, divided = self.band_names
        return tuple(
            kept if share == 0 else divided if share == 1 else smoothed
            for share in self.interpolated(d, base)
        )
