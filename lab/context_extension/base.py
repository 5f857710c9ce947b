"""What every context extension offers, and the one that does nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np

from lab.given import given
from lab.notation import FloatArray, check_count, check_positive
from lab.positions.rope import plain_frequencies

RATIO_BANDS = ("sped up", "unchanged", "divided by less", "divided", "divided by more")
NEARLY = 1e-9
LARGEST_FACTOR = 1e9


def check_factor(value: float) -> float:
    """Return ``value`` if it is a number by which a window can be stretched.

    Raises
    ------
    ValueError
        If it is below 1, above 10^9 or not a number.

    Examples
    --------
    >>> check_factor(4.0)
    4.0
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ValueError(f"factor must be a number of at least 1; got {given(value)}")
    if not 1 <= value <= LARGEST_FACTOR:  # false for NaN too
        raise ValueError(
            f"factor must be a finite number of at least 1, at most 10^9, "
            f"where 1 is no stretch; got {given(value)}"
        )
    return float(value)


def check_optional(name: str, value: float | None) -> None:
    """Check a number above 0 that may be left out.

    Raises
    ------
    ValueError
        If it is given and not a finite number above 0.

    Examples
    --------
    >>> check_optional("attention_factor", None)
    """
    if value is not None:
        check_positive(name, value)


def between(plain: FloatArray, factor: float, interpolated: FloatArray) -> FloatArray:
    """Blend plain frequencies with those divided by ``factor``: (pairs,), (pairs,) -> (pairs,).

    Parameters
    ----------
    plain : numpy.ndarray
        Frequencies of plain RoPE.
    factor : float
        At least 1.
    interpolated : numpy.ndarray
        Share of the divided frequency in each pair, 0 to 1.

    Examples
    --------
    >>> between(np.array([1.0, 0.5, 0.25]), 2.0, np.array([0.0, 0.5, 1.0]))
    array([1.   , 0.375, 0.125])
    """
    divided = plain / factor
    # rounding must not leave the interval: at factor 1 it is a single point, and the result is plain RoPE
    # bit for bit
    return np.clip(plain * (1 - interpolated) + divided * interpolated, divided, plain)


def count_bands(bands: Iterable[str], order: Iterable[str]) -> dict[str, int]:
    """Count the pairs of each band, in the order of the bands.

    Examples
    --------
    >>> count_bands(["unchanged", "divided", "divided"], ["unchanged", "smoothed", "divided"])
    {'unchanged': 1, 'smoothed': 0, 'divided': 2}
    """
    names = list(bands)
    return {name: names.count(name) for name in order}


@dataclass(frozen=True, kw_only=True)
class NoExtension:
    """Plain RoPE, past the trained length as before it; the base class of the methods.

    An extension is a callable ``(d, base) -> (inv_freq, attention_factor)`` that ``Rope(extension=...)``
    takes. ``d`` is the width that turns: of a head whose rotation is partial, the rotated part.

    The attention factor multiplies cos and sin, hence q and k alike: scores grow by its square, the logit
    gain. Which of the two is meant has to be said each time.

    References
    ----------
    Su et al. 2021, arXiv:2104.09864, section 3.2.2.

    Examples
    --------
    >>> NoExtension()(4, 10_000.0)
    (array([1.  , 0.01]), 1.0)
    >>> NoExtension.build(factor=4, trained=2048)
    NoExtension()
    """

    key: ClassVar[str] = "none"
    title: ClassVar[str] = "Plain RoPE"
    formula: ClassVar[str] = r"\theta_i' = \theta_i = b^{-2i/d}"
    source: ClassVar[str] = "Su et al. 2021, arXiv:2104.09864, section 3.2.2"
    band_names: ClassVar[tuple[str, ...]] = RATIO_BANDS

    @classmethod
    def build(cls, *, factor: float, trained: int, length: int | None = None, **own: Any) -> Self:
        """Make the method for a window ``factor`` times the trained one; each takes what it uses.

        Parameters
        ----------
        factor : float
            Target length over trained length, at least 1.
        trained : int
            Positions seen in training.
        length : int, optional
            Present length of the sequence, for the methods that depend on it; the full stretched window by
            default.
        **own
            The method's own parameters, as in its constructor.

        Raises
        ------
        ValueError
            If a value is out of range, or the method has no parameter of that name.

        Examples
        --------
        >>> NoExtension.build(factor=0.5, trained=2048)  # doctest: +ELLIPSIS
        Traceback (most recent call last):
            ...
        ValueError: factor must be a finite number of at least 1, ...; got 0.5
        """
        stretched = round(check_factor(factor) * check_count("trained length", trained))
        present = stretched if length is None else check_count("present length", length)
        shared = {"factor": float(factor), "trained": trained, "length": present}
        known = {field.name for field in fields(cls)}
        for name in own:
            if name not in known - set(shared):
                offered = ", ".join(sorted(known - set(shared))) or "none"
                raise ValueError(f"{cls.title} has no parameter ‘{name}’; its own are: {offered}")
        return cls(**{name: value for name, value in shared.items() if name in known}, **own)

    @property
    def stretch(self) -> float:
        """How many trained windows long the sequence may be: the divisor that interpolation would take."""
        factor: float = getattr(self, "factor", 1.0)
        return factor

    def at(self, length: int) -> Self:
        """Return the method at another present length; itself, if it does not depend on one.

        Raises
        ------
        ValueError
            If the length is below 1.
        """
        check_count("present length", length)
        if "length" not in {field.name for field in fields(self)}:
            return self
        changed: dict[str, Any] = {"length": length}
        return replace(self, **changed)

    def __call__(self, d: int, base: float) -> tuple[FloatArray, float]:
        """Return the frequency of each pair, shape (d / 2,), and the multiplier of cos and sin.

        Raises
        ------
        ValueError
            If d is odd, too narrow for the method, or the base not above 0.
        """
        return plain_frequencies(d, base)

    def bands(self, d: int, base: float) -> tuple[str, ...]:
        """Name what happens to each pair, d / 2 names out of ``band_names``.

        By default the frequency ratio decides: sped up, unchanged, divided by less than the stretch, by
        just the stretch, or by more.
        """
        divisor = plain_frequencies(d, base)[0] / self(d, base)[0]
        names = []
        for value in divisor:
            if abs(value - 1) < NEARLY:
                names.append("unchanged")
            elif abs(value / self.stretch - 1) < NEARLY:
                names.append("divided")
            elif value < 1:
                names.append("sped up")
            else:
                names.append("divided by less" if value < self.stretch else "divided by more")
        return tuple(names)
