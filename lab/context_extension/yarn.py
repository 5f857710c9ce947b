"""YaRN: fast pairs kept, slow pairs interpolated, a ramp between, and sharper attention."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lab.context_extension.base import NoExtension, between, check_factor, check_optional
from lab.given import given
from lab.notation import FloatArray, check_count, check_positive
from lab.positions.rope import plain_frequencies

LARGEST_MSCALE = 1e6


def yarn_multiplier(factor: float, mscale: float = 1.0) -> float:
    """Return YaRN's multiplier of cos and sin, 0.1 mscale ln(factor) + 1; its square is the logit gain.

    Raises
    ------
    ValueError
        If the factor is below 1.

    References
    ----------
    Peng et al. 2023, arXiv:2309.00071, equation 22 (there it is the square root of 1 / t).

    Examples
    --------
    >>> round(yarn_multiplier(32.0), 6), round(yarn_multiplier(128.0) ** 2, 4)
    (1.346574, 2.2058)
    """
    return 0.1 * mscale * math.log(check_factor(factor)) + 1.0


@dataclass(frozen=True, kw_only=True)
class Yarn(NoExtension):
    """Keep pairs that turn often in the trained window, interpolate those that hardly do, blend between.

    The bounds are ``beta_fast`` and ``beta_slow`` turns. The paper's ramp is linear in the number of turns;
    the released code, the models and this class take one that is linear in the pair's index.

    Two ways of the common implementation are not followed:

    - Where the trained window is shorter than 2π / beta_slow, or so long that even the last pairs turn more
      than ``beta_fast`` times, both ends of its ramp are clamped past each other and the ramp flips: every
      pair comes out unchanged that should be interpolated, or the reverse. Here the ends never cross.
    - It ignores ``mscale`` where ``mscale_all_dim`` is missing or 0. Here each has its own default (1 and 0),
      as in the code of the DeepSeek models that brought these fields. DeepSeek-V3 sets both to 1: then cos
      and sin are not multiplied, and its attention multiplies the scores by ``softmax_gain`` instead.

    Parameters
    ----------
    factor : float
        Target length over trained length, at least 1.
    trained : int
        Positions seen in training.
    beta_fast, beta_slow : float
        Turns in the trained window where the ramp begins and ends; equal, they leave one step between
        neighbouring pairs.
    truncate : bool
        Round the ends of the ramp outwards to whole pairs.
    mscale, mscale_all_dim : float, optional
        Weights of the logarithm in the multiplier, and in what it is divided by.
    attention_factor : float, optional
        The multiplier itself, in place of the formula.

    Raises
    ------
    ValueError
        If the factor or a length is below 1, a beta not above 0, ``beta_fast`` below ``beta_slow``, an mscale
        negative, or the attention factor not above 0; when called, if the base is not above 1.

    References
    ----------
    Peng et al. 2023, arXiv:2309.00071, definitions 2 and 3 and equation 22; the ramp as in the released code.

    Examples
    --------
    >>> Yarn(factor=4.0, trained=32_768).bands(8, 1e6)
    ('extrapolated', 'extrapolated', 'blended', 'interpolated')
    >>> round(Yarn(factor=4.0, trained=32_768)(8, 1e6)[1], 6)
    1.138629
    """

    key: ClassVar[str] = "yarn"
    title: ClassVar[str] = "YaRN"
    formula: ClassVar[str] = (
        r"\theta_i' = (1 - \gamma_i) \, \theta_i + \gamma_i \frac{\theta_i}{s}, \quad m = 0.1 \ln s + 1"
    )
    source: ClassVar[str] = "Peng et al. 2023, arXiv:2309.00071, definitions 2 and 3, equation 22"
    band_names: ClassVar[tuple[str, ...]] = ("extrapolated", "blended", "interpolated")

    factor: float
    trained: int
    beta_fast: float = 32.0
    beta_slow: float = 1.0
    truncate: bool = True
    mscale: float | None = None
    mscale_all_dim: float | None = None
    attention_factor: float | None = None

    def __post_init__(self) -> None:
        check_factor(self.factor)
        check_count("trained length", self.trained)
        check_positive("beta_fast", self.beta_fast)
        check_positive("beta_slow", self.beta_slow)
        if self.beta_fast < self.beta_slow:
            raise ValueError(
                f"beta_fast must not be below beta_slow: pairs that turn more often are kept; "
                f"got {given(self.beta_fast)} and {given(self.beta_slow)}"
            )
        for name, value in (("mscale", self.mscale), ("mscale_all_dim", self.mscale_all_dim)):
            if value is not None and not 0 <= value <= LARGEST_MSCALE:
                raise ValueError(f"{name} must be from 0 to {LARGEST_MSCALE:g}; got {given(value)}")
        check_optional("attention_factor", self.attention_factor)

    def ramp_ends(self, d: int, base: float) -> tuple[float, float]:
        """Return the pair indices where blending begins and ends.

        Pair i turns trained / (2π base^(2i/d)) times, so
        i = d ln(trained / 2π turns) / (2 ln base).
        """
        if check_positive("base", base) <= 1:
            raise ValueError(f"YaRN needs a base above 1, so that pairs differ in speed; got {base}")
        low, high = (
            d * math.log(self.trained / (2 * math.pi * turns)) / (2 * math.log(base))
            for turns in (self.beta_fast, self.beta_slow)
        )
        if self.truncate:
            low, high = math.floor(low), math.ceil(high)
        return low, high

    def interpolated(self, d: int, base: float) -> FloatArray:
        """Return the share of the interpolated frequency in each pair, 0 to 1: shape (d / 2,)."""
        pair = np.arange(len(plain_frequencies(d, base)[0]))
        low, high = self.ramp_ends(d, base)
        if high < 0:  # the ramp ends before the first pair; clamped as below it would begin there
            return np.ones(len(pair))
        low, high = max(low, 0.0), min(high, d - 1.0)
        # never below 0, so that the ramp cannot turn around where the clamps put high before low
        ramp: FloatArray = np.clip((pair - low) / max(high - low, 0.001), 0.0, 1.0)
        return ramp

    @property
    def multiplier(self) -> float:
        """What cos and sin are multiplied by."""
        if self.attention_factor is not None:
            return self.attention_factor
        mscale = 1.0 if self.mscale is None else self.mscale
        return yarn_multiplier(self.factor, mscale) / yarn_multiplier(self.factor, self.mscale_all_dim or 0.0)

    @property
    def softmax_gain(self) -> float:
        """What models with ``mscale_all_dim`` multiply the scores by, beside cos and sin; 1 without it."""
        return yarn_multiplier(self.factor, self.mscale_all_dim or 0.0) ** 2

    def __call__(self, d: int, base: float) -> tuple[FloatArray, float]:
        plain, _ = plain_frequencies(d, base)
        return between(plain, self.factor, self.interpolated(d, base)), self.multiplier

    def bands(self, d: int, base: float) -> tuple[str, ...]:
        """Name each pair extrapolated (kept), blended or interpolated."""
        kept, blended, divided = self.band_names
        return tuple(
            kept if share == 0 else divided if share == 1 else blended for share in self.interpolated(d, base)
        )
