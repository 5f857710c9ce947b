"""LongRoPE: a divisor for each pair, found by search, and one list for short and one for long texts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lab.context_extension.base import NoExtension, check_factor, check_optional
from lab.notation import FloatArray, as_floats, check_count
from lab.positions.rope import plain_frequencies


def _numbers(text: str) -> tuple[float, ...]:
    return tuple(float(word) for word in text.split())


# Phi-3-mini-128k: 48 pairs, factor 32. The long list is float32 in the released file; the short list was not
# confirmed against a second source.
PHI3_FACTOR = 32.0
PHI3_LONG: tuple[float, ...] = _numbers(
    """
    1.03 1.05 1.05 1.0799999 1.2299999 1.2299999 1.3 1.4499999 1.5999999 1.6499999 1.8999999 2.86
    3.6899998 5.4199996 5.49 5.49 9.09 11.58 15.66 15.7699995 15.79 18.36 21.99 23.08 30.009998
    32.350002 32.590004 35.560005 39.950005 53.840004 56.200005 57.950005 59.290005 59.770004
    59.920006 61.190006 61.960007 62.500008 63.370007 63.480007 63.480007 63.660007 63.850006
    64.08001 64.76001 64.80001 64.81001 64.81001
    """
)
PHI3_SHORT: tuple[float, ...] = _numbers(
    """
    1.05 1.05 1.05 1.1 1.1 1.1 1.25 1.25 1.4 1.45 1.55 1.85 1.9 2.0 2.0 2.0 2.0 2.0 2.0 2.0 2.0 2.0
    2.0 2.0 2.0 2.0 2.0 2.0 2.0 2.0 2.0 2.0 2.1 2.1 2.2 2.35 2.35 2.35 2.35 2.4 2.4 2.65 2.7 2.9
    2.95 3.05 3.05 3.05
    """
)


def _check_divisors(name: str, values: Sequence[float] | None) -> None:
    if values is None:
        return
    divisors = as_floats(f"{name} (d / 2,)", values, (None,))
    if (divisors <= 0).any():
        raise ValueError(f"{name} must be above 0: each entry divides a frequency; got {divisors.min()}")


@dataclass(frozen=True, kw_only=True)
class LongRope(NoExtension):
    """Divide the frequency of each pair by its own number; which list depends on the present length.

    Up to the trained length the short list holds, from one token more the long list. As with dynamic NTK,
    keys cached before that step no longer fit the queries after it. Published short lists do change the pairs
    of short texts.

    The lists come out of a search for one model, so there is no formula for them. Where none is given, those
    of Phi-3-mini-128k stand in, resampled to d / 2 pairs and raised to the power ln(factor) / ln(32): the
    published numbers at d = 96 and factor 32, all ones at factor 1, an illustration elsewhere.

    Parameters
    ----------
    factor : float
        Target length over trained length, at least 1; the attention factor follows from it.
    trained : int
        Positions seen in training.
    length : int
        Present length of the sequence.
    short_factor, long_factor : sequence of float, optional
        One divisor a pair.
    attention_factor : float, optional
        The multiplier of cos and sin, in place of sqrt(1 + ln(factor) / ln(trained)).
    short_mscale, long_mscale : float, optional
        The multiplier while the short, or the long, list is in use, in place of either (Phi-3.5-MoE: 1.2432).

    Raises
    ------
    ValueError
        If the factor or a length is below 1, a divisor or the attention factor not above 0, or the trained
        length is 1, which leaves the attention factor undefined; when called, if the list in use has not one
        number for each pair.

    References
    ----------
    Ding et al. 2024, arXiv:2402.13753, section 3; the attention factor as in the released Phi-3 code.

    Examples
    --------
    >>> toy = LongRope(factor=32.0, trained=64, length=65, short_factor=(1.0, 1.2), long_factor=(1.0, 32.0))
    >>> toy.which, toy.divisors(4)
    ('long', array([ 1., 32.]))
    """

    key: ClassVar[str] = "longrope"
    title: ClassVar[str] = "LongRoPE"
    formula: ClassVar[str] = (
        r"\theta_i' = \frac{\theta_i}{\hat{\lambda}_i}, \quad m = \sqrt{1 + \frac{\ln s}{\ln L}}"
    )
    source: ClassVar[str] = "Ding et al. 2024, arXiv:2402.13753, section 3; released Phi-3 code"

    factor: float
    trained: int
    length: int
    short_factor: tuple[float, ...] | None = None
    long_factor: tuple[float, ...] | None = None
    attention_factor: float | None = None
    short_mscale: float | None = None
    long_mscale: float | None = None

    def __post_init__(self) -> None:
        check_factor(self.factor)
        check_count("trained length", self.trained)
        check_count("present length", self.length)
        _check_divisors("short_factor", self.short_factor)
        _check_divisors("long_factor", self.long_factor)
        check_optional("attention_factor", self.attention_factor)
        check_optional("short_mscale", self.short_mscale)
        check_optional("long_mscale", self.long_mscale)
        if self.trained == 1 and self.given_multiplier is None:
            raise ValueError(
                "a trained length of 1 leaves LongRoPE's attention factor undefined; take at least 2"
            )

    @property
    def which(self) -> str:
        """The list in use, "short" or "long"."""
        return "long" if self.length > self.trained else "short"

    def divisors(self, d: int) -> FloatArray:
        """Return what the frequency of each pair is divided by: shape (d / 2,).

        Raises
        ------
        ValueError
            If the list in use has another length.
        """
        long = self.which == "long"
        given = self.long_factor if long else self.short_factor
        if given is None:
            return _stand_in(PHI3_LONG if long else PHI3_SHORT, d // 2, self.factor)
        if len(given) != d // 2:
            entries = f"{len(given):,} {'entry' if len(given) == 1 else 'entries'}"
            raise ValueError(
                f"{self.which}_factor has {entries}, but a width of {d:,} turns {d // 2:,} "
                f"{'pair' if d == 2 else 'pairs'}; give one number for each pair"
            )
        return np.array(given, dtype=np.float64)

    def stands_in(self, d: int) -> bool:
        """Whether the list in use is an illustration: neither given nor published for this width and factor.

        Examples
        --------
        >>> LongRope(factor=32.0, trained=4096, length=8192).stands_in(96)
        False
        >>> LongRope(factor=4.0, trained=4096, length=8192).stands_in(128)
        True
        """
        given = self.long_factor if self.which == "long" else self.short_factor
        return given is None and (d != 2 * len(PHI3_LONG) or self.factor != PHI3_FACTOR)

    @property
    def given_multiplier(self) -> float | None:
        """The multiplier that was given for the list in use; None where the formula holds."""
        of_list = self.long_mscale if self.which == "long" else self.short_mscale
        return self.attention_factor if of_list is None else of_list

    @property
    def multiplier(self) -> float:
        """What cos and sin are multiplied by."""
        if self.given_multiplier is not None:
            return self.given_multiplier
        return math.sqrt(1 + math.log(self.factor) / math.log(self.trained))

    def __call__(self, d: int, base: float) -> tuple[FloatArray, float]:
        plain, _ = plain_frequencies(d, base)
        return plain / self.divisors(d), self.multiplier


def _stand_in(published: tuple[float, ...], pairs: int, factor: float) -> FloatArray:
    places = np.linspace(0, len(published) - 1, pairs)
    resampled = np.interp(places, np.arange(len(published)), published)
    powers: FloatArray = resampled ** (math.log(factor) / math.log(PHI3_FACTOR))
    return powers
