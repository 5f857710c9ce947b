"""Student's t distribution: how far a mean of a few measurements may stray by chance.

Written by hand, so that the lab needs nothing beside NumPy. With a whole number of degrees of freedom the
distribution is a finite sum, and its quantile is found by halving an interval.
"""

from __future__ import annotations

import math
from functools import lru_cache

from lab.notation import check_count

HALVINGS = 200
"""More than a float has digits to halve."""


def student_t_within(t: float, df: int) -> float:
    """Return the probability that a variable of Student's t distribution lies between -t and t.

    Parameters
    ----------
    t : float
        At least 0; may be infinite.
    df : int
        Degrees of freedom, at least 1.

    Returns
    -------
    float
        0 to 1.

    Raises
    ------
    ValueError
        If t is below 0 or no number, or df is not a whole number of at least 1.

    References
    ----------
    Abramowitz and Stegun 1964, Handbook of Mathematical Functions, equations 26.7.3 and 26.7.4.

    Examples
    --------
    >>> round(student_t_within(1.0, 1), 3), round(student_t_within(2.0, 7), 3)
    (0.5, 0.914)
    """
    if not t >= 0:
        raise ValueError(f"t must be at least 0, the interval is from -t to t; got {t!r}")
    nu = check_count("degrees of freedom", df)
    return _within(math.atan2(t, math.sqrt(nu)), nu)


def _within(angle: float, nu: int) -> float:
    """The probability as a function of the angle arctan(t / sqrt(nu)), 0 to pi / 2."""
    sin, cos = math.sin(angle), math.cos(angle)
    odd = nu % 2
    term, total = (cos if odd else 1.0), 0.0
    for k in range(odd, nu - 1, 2):
        total += term
        term *= (k + 1) / (k + 2) * cos * cos
    return 2 / math.pi * (angle + sin * total) if odd else sin * total


@lru_cache(maxsize=256)
def student_t_quantile(level: float, df: int) -> float:
    """Return the t beyond which, on both sides together, the given share of the distribution lies.

    Parameters
    ----------
    level : float
        The two-sided level: .05 asks for the interval that holds 95 %. Above 0 and below 1.
    df : int
        Degrees of freedom, at least 1: one fewer than the measurements of a mean.

    Raises
    ------
    ValueError
        If the level is not between 0 and 1, or df is not a whole number of at least 1.

    References
    ----------
    Student 1908, "The probable error of a mean", Biometrika 6.

    Examples
    --------
    >>> round(student_t_quantile(0.05, 7), 3), round(student_t_quantile(0.01, 7), 3)
    (2.365, 3.499)
    """
    if not 0 < level < 1:
        raise ValueError(f"a two-sided level lies between 0 and 1, such as .05; got {level!r}")
    nu = check_count("degrees of freedom", df)
    low, high = 0.0, math.pi / 2
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if _within(middle, nu) < 1 - level:
            low = middle
        else:
            high = middle
    return math.sqrt(nu) * math.tan((low + high) / 2)
