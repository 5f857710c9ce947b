r"""Formulas: LaTeX in, MathML out, with the dimension letters in their colours.

MathML needs no script and no font download, and screen readers read it aloud. Dimension letters are
written ``\dim{T}``; they pass through the converter as a colour and come out as a CSS class.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from latex2mathml.converter import convert

from app.kit.html import DIMENSIONS, Markup, join, number, tag

_SIGNS = {"<": ("\ue000", "&lt;"), ">": ("\ue001", "&gt;")}
"""Stand-ins for what would be HTML: the converter takes the words of a text as they are."""
# colours no formula uses, one a letter: they only mark the place where the class goes
_MARKS = {letter: f"#0000{index:02d}" for index, letter in enumerate(DIMENSIONS, start=1)}


@dataclass(frozen=True)
class Formula:
    """An equation, the same with the present numbers in it, and a line on what it says."""

    latex: str
    filled: str = ""
    says: str = ""


def show(formulas: tuple[Formula, ...]) -> Markup:
    """The formula pane of a room."""
    return join(
        tag(
            "div",
            tag("div", mathml(formula.latex), class_="lab-equation"),
            tag("div", mathml(formula.filled), class_="lab-equation lab-filled") if formula.filled else "",
            tag("p", formula.says) if formula.says else "",
            class_="lab-formula",
        )
        for formula in formulas
    )


@lru_cache(maxsize=512)
def mathml(latex: str) -> Markup:
    """One block of MathML. The LaTeX is ours; text of a reader goes through `text` first."""
    marked = re.sub(r"\\dim\{(\w)\}", lambda found: _marked(found.group(1)), latex)
    written = convert(marked, display="block")
    for stand_in, entity in _SIGNS.values():
        written = written.replace(stand_in, entity)
    if foreign := re.search(r"<(?!/?m[a-z]+[\s>/])", written):
        raise ValueError(f"a formula is no HTML: {written[foreign.start() :][:40]}")
    for letter, colour in _MARKS.items():
        written = written.replace(f'mathcolor="{colour}"', f'class="dim-{letter}"')
    return Markup(written)


def row(values: str) -> str:
    """A vector as `html.vector` prints it, as LaTeX: the signs become LaTeX's own."""
    values = re.sub(r" \(\d[\d,]* in all\)", "", values)
    # braces make each minus a sign of its number; after a comma it would be set as a subtraction
    return re.sub(r"−([\d.,]*\d)", r"{-\1}", values).replace("…", r"\ldots ").replace("∞", r"\infty ")


def numeral(value: float) -> str:
    """A number with five significant digits; small and large ones as a power of ten, in braces of its own.

    >>> numeral(0.25), numeral(0.01154781), numeral(50265.48), numeral(1.5e-7), numeral(1e9)
    ('0.25', '0.011548', '50{,}265', '{1.5 \\\\cdot 10^{-7}}', '{10^{9}}')
    """
    mantissa, exponent = f"{value:.4e}".split("e")
    places = int(exponent)
    if value == 0 or -3 <= places < 9:
        return row(number(value, max(4 - places, 0))).replace(",", "{,}")
    ten = f"10^{{{places}}}"
    return f"{{{ten}}}" if float(mantissa) == 1 else rf"{{{row(number(float(mantissa), 4))} \cdot {ten}}}"


def decimal(value: float, digits: int = 3) -> str:
    """A number with as many decimals as the page prints of it; a small one as a power of ten.

    >>> decimal(-1200.5), decimal(0.981), decimal(1.5e-8)
    ('{-1{,}200.5}', '0.981', '{1.5 \\\\cdot 10^{-8}}')
    """
    written = number(value, digits)
    if "e" not in written:
        return row(written).replace(",", "{,}")
    mantissa, exponent = written.replace("−", "-").split("e")
    return rf"{{{mantissa} \cdot 10^{{{int(exponent)}}}}}"


def power(base: float, exponent: str) -> str:
    """A number raised to a power; in parentheses where it is a product or has a sign of its own.

    >>> power(10_000, "-2i/d"), power(2.5e9, "-2i/d")
    ('10{,}000^{-2i/d}', '\\\\left( {2.5 \\\\cdot 10^{9}} \\\\right)^{-2i/d}')
    """
    written = numeral(base)
    plain = "10^" not in written and base >= 0
    return rf"{written}^{{{exponent}}}" if plain else rf"\left( {written} \right)^{{{exponent}}}"


def text(value: str) -> str:
    """Words inside a formula; neither LaTeX's special characters nor those of HTML mean anything.

    >>> mathml(text("<b>")).striptags()
    '<b>'
    """
    plain = re.sub(r"[\\{}$&#^_%~\ue000\ue001]", " ", value)
    return r"\text{" + plain.translate({ord(sign): stand_in for sign, (stand_in, _) in _SIGNS.items()}) + "}"


def _marked(letter: str) -> str:
    if letter not in _MARKS:
        raise ValueError(f"{letter!r} is no dimension letter; they are {', '.join(_MARKS)}")
    return rf"{{\textcolor{{{_MARKS[letter]}}}{{{letter}}}}}"
