"""How this room writes a change that may be nothing but rounding."""

from __future__ import annotations

from app.kit.formula import row
from app.kit.html import minus, number


def change(value: float) -> str:
    """A change in words; `number` would call rounding zero, and here its size is the point.

    >>> change(4.4e-16), change(2.43), change(0.0)
    ('4e−16', '2.43', '0')
    """
    return minus(f"{value:.0e}") if 0 < value < 1e-9 else number(value)


def change_latex(value: float) -> str:
    """The same as LaTeX, small ones as a power of ten.

    >>> change_latex(4.4e-16)
    '4 \\\\times 10^{{-16}}'
    """
    mantissa, _, exponent = change(value).partition("e")
    return rf"{row(mantissa)} \times 10^{{{row(exponent)}}}" if exponent else row(mantissa)
