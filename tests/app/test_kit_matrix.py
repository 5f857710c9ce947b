"""Cells of a matrix: a number can be read on every shade, in the light theme and the dark."""

from __future__ import annotations

import re

import pytest

from app.kit.assets import stylesheet
from app.kit.matrix import shade

READABLE = 4.5
"""Contrast that WCAG 2.2, success criterion 1.4.3, asks of text."""


def linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4


def colours(token: str) -> list[tuple[float, float, float]]:
    """Linear light of a token in the light theme and the dark."""
    found = re.search(rf"--{token}: light-dark\(#(\w{{6}}), #(\w{{6}})\)", stylesheet("tokens.css"))
    assert found
    return [
        (linear(int(code[:2], 16) / 255), linear(int(code[2:4], 16) / 255), linear(int(code[4:], 16) / 255))
        for code in found.groups()
    ]


def oklab(colour: tuple[float, float, float]) -> tuple[float, ...]:
    """Ottosson 2020, A perceptual color space for image processing."""
    r, g, b = colour
    l, m, s = (
        (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b) ** (1 / 3),
        (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b) ** (1 / 3),
        (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b) ** (1 / 3),
    )
    return (
        0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
        1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
        0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s,
    )


def luminance(lab: tuple[float, ...]) -> float:
    L, a, b = lab
    l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3
    m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3
    s = (L - 0.0894841775 * a - 1.2914855480 * b) ** 3
    red = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s
    green = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s
    blue = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize(("sign", "token"), [("n", "neg"), ("p", "pos")])
@pytest.mark.parametrize(("theme", "strong", "inks"), [(0, "s", (0.0, 1.0)), (1, "d", (1.0, 0.0))])
def test_the_ink_of_every_shade_can_be_read(
    sign: str, token: str, theme: int, strong: str, inks: tuple[float, float]
) -> None:
    zero, full = oklab(colours("zero")[theme]), oklab(colours(token)[theme])
    for strength in range(101):
        mixed = tuple(a + (b - a) * strength / 100 for a, b in zip(zero, full, strict=True))
        paper, ink = luminance(mixed), inks[strong in shade(sign, strength).split()]
        low, high = sorted((paper, ink))
        assert (high + 0.05) / (low + 0.05) >= READABLE, strength
