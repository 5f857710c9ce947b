"""Methods that change the base: NTK-aware, dynamic NTK, and simply a larger one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from lab.context_extension.base import NoExtension, check_factor, check_optional
from lab.notation import FloatArray, check_count, check_even, check_positive
from lab.positions.rope import plain_frequencies


def ntk_base(d: int, base: float, scale: float) -> float:
    """Return the base whose last pair is ``scale`` times slower, while pair 0 stays: base scale^(d/(d-2)).

    Raises
    ------
    ValueError
        If d is below 4: a single pair is the first and the last at once, and d - 2 is 0.

    Examples
    --------
    >>> round(ntk_base(8, 10_000.0, 8.0))
    160000
    """
    if check_even("head width d", d) < 4:
        raise ValueError(
            f"an NTK-aware base needs a head width d of at least 4; got {d}, whose only pair is the first, "
            "which must not change, and the last, which must"
        )
    return check_positive("base", base) * float(scale ** (d / (d - 2)))


@dataclass(frozen=True, kw_only=True)
class Ntk(NoExtension):
    """Take a larger base, chosen so that pair 0 keeps its frequency and the last is divided by the factor.

    Pairs between are divided by less than the factor, so a pair that never completed a turn in training
    still meets new angles before the stretched window ends.

    Parameters
    ----------
    factor : float
        What the last pair is divided by, at least 1.

    Raises
    ------
    ValueError
        If the factor is below 1 or not finite; when called, if the head is narrower than 4.

    References
    ----------
    bloc97 2023, "NTK-Aware Scaled RoPE"; Peng et al. 2023, arXiv:2309.00071, definition 1.

    Examples
    --------
    >>> Ntk(factor=8.0)(8, 10_000.0)[0]
    array([1.00e+00, 5.00e-02, 2.50e-03, 1.25e-04])
    """

    key: ClassVar[str] = "ntk"
    title: ClassVar[str] = "NTK-aware"
    formula: ClassVar[str] = r"\theta_i' = \left( b \, s^{d/(d-2)} \right)^{-2i/d}"
    source: ClassVar[str] = "bloc97 2023; Peng et al. 2023, arXiv:2309.00071, definition 1"

    factor: float

    def __post_init__(self) -> None:
        check_factor(self.factor)

    def effective_base(self, d: int, base: float) -> float:
        """Return the base in use."""
        return ntk_base(d, base, self.factor)

    def __call__(self, d: int, base: float) -> tuple[FloatArray, float]:
        return plain_frequencies(d, self.effective_base(d, base))


@dataclass(frozen=True, kw_only=True)
class DynamicNtk(NoExtension):
    """Take the NTK-aware base for the present length, so that short texts stay as trained.

    Up to the trained length nothing changes. Beyond it the scale is factor * length / trained - (factor - 1):
    1 at the trained length, so nothing jumps there. The base moves with every new token, and a key that was
    rotated and cached under an earlier base no longer fits the query: see the mistake "stale keys".

    The length in the formula is that of the sequence. Code that put factor times the trained length there
    gave factor² - factor + 1 for every sequence. The factor is a strength rather than a target: even factor 1
    stretches a sequence that is longer than trained, by length / trained.

    Parameters
    ----------
    factor : float
        At least 1.
    trained : int
        Positions seen in training.
    length : int
        Present length of the sequence.

    Raises
    ------
    ValueError
        If the factor is below 1 or a length below 1; when called, if the head is narrower than 4.

    References
    ----------
    emozilla 2023, "Dynamically Scaled RoPE"; Peng et al. 2023, arXiv:2309.00071, section 3.3.

    Examples
    --------
    >>> round(DynamicNtk(factor=2.0, trained=2048, length=4096).effective_base(8, 10_000.0), 3)
    43267.487
    >>> DynamicNtk(factor=2.0, trained=2048, length=2048).effective_base(8, 10_000.0)
    10000.0
    """

    key: ClassVar[str] = "dynamic"
    title: ClassVar[str] = "Dynamic NTK"
    formula: ClassVar[str] = (
        r"\theta_i' = \left( b \left( s \frac{\max(n, L)}{L} - (s - 1) \right)^{d/(d-2)} \right)^{-2i/d}"
    )
    source: ClassVar[str] = "emozilla 2023; Peng et al. 2023, arXiv:2309.00071, section 3.3"

    factor: float
    trained: int
    length: int

    def __post_init__(self) -> None:
        check_factor(self.factor)
        check_count("trained length", self.trained)
        check_count("present length", self.length)

    @property
    def stretch(self) -> float:
        """Present length over trained length, at least 1."""
        return max(self.length, self.trained) / self.trained

    @property
    def scale(self) -> float:
        """What the last pair is divided by at the present length."""
        return 1 + self.factor * (self.stretch - 1)

    def effective_base(self, d: int, base: float) -> float:
        """Return the base in use at the present length."""
        return ntk_base(d, base, self.scale)

    def __call__(self, d: int, base: float) -> tuple[FloatArray, float]:
        return plain_frequencies(d, self.effective_base(d, base))


@dataclass(frozen=True, kw_only=True)
class LargerBase(NoExtension):
    """Take a larger base and go on training at the longer length.

    With ``new_base`` given, that is the base, as in Code Llama (1,000,000 in place of 10,000). Without, it is
    the base under which the pair that completed just one turn in the trained window completes just one turn
    in the stretched one: b^(ln(s L / 2π) / ln(L / 2π)). Slower pairs are divided by more than the factor,
    faster ones by less, pair 0 not at all.

    Parameters
    ----------
    factor : float
        Target length over trained length, at least 1; used where ``new_base`` is not given.
    trained : int
        Positions seen in training.
    new_base : float, optional
        The base itself.

    Raises
    ------
    ValueError
        If the factor is below 1, a length below 1 or a base not above 0; when called without ``new_base``, if
        a trained window of 6 positions or less holds no whole turn, or the base is not above 1.

    References
    ----------
    Rozière et al. 2023, arXiv:2308.12950, section 2.4 (1,000,000); Xiong et al. 2023, arXiv:2309.16039,
    section 2.1; Liu et al. 2023, arXiv:2310.05209 (the critical dimension, and the base it asks for).

    Examples
    --------
    >>> larger = LargerBase(factor=4.0, trained=4096)
    >>> round(larger.effective_base(128, 10_000.0))
    71738
    >>> LargerBase(factor=4.0, trained=4096, new_base=1e6)(4, 10_000.0)[0]
    array([1.   , 0.001])
    """

    key: ClassVar[str] = "base"
    title: ClassVar[str] = "Larger base"
    formula: ClassVar[str] = (
        r"\theta_i' = b'^{-2i/d}, \quad b' = b^{\ln (sL / 2 \pi) \, / \, \ln (L / 2 \pi)}"
    )
    source: ClassVar[str] = (
        "Rozière et al. 2023, arXiv:2308.12950, section 2.4; Liu et al. 2023, arXiv:2310.05209"
    )

    factor: float
    trained: int
    new_base: float | None = None

    def __post_init__(self) -> None:
        check_factor(self.factor)
        check_count("trained length", self.trained)
        check_optional("new_base", self.new_base)

    def effective_base(self, d: int, base: float) -> float:
        """Return the base in use."""
        check_even("head width d", d)
        check_positive("base", base)
        if self.new_base is not None:
            return self.new_base
        turns = self.trained / (2 * math.pi)
        if turns <= 1:
            raise ValueError(
                f"a trained length of {self.trained:,} holds no whole turn of any pair, so the larger base "
                "cannot be derived from it; take at least 7, or give new_base"
            )
        if base <= 1:
            raise ValueError(
                f"a larger base can only be derived from a base above 1; got {base}; give new_base"
            )
        exponent = math.log(self.factor * turns) / math.log(turns)
        try:
            return float(base**exponent)
        except OverflowError as error:
            raise ValueError(
                f"a window of {self.trained:,} positions, stretched {self.factor:g} times, asks for the base "
                f"{base:g}^{exponent:.0f}, beyond any float; give new_base"
            ) from error

    def __call__(self, d: int, base: float) -> tuple[FloatArray, float]:
        return plain_frequencies(d, self.effective_base(d, base))
