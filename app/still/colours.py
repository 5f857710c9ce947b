"""Colours of a still: the tokens of the page by name, or written out for a theme.

A still that follows the page's theme writes ``var(--accent,#3b4cca)``: the token, and its light value where
there is no page around. One for a theme writes plain colours, which every reader of SVG knows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

import tinycss2
from tinycss2 import color4

from app.kit.assets import stylesheet

THEMES = ("auto", "light", "dark")
Rgb = tuple[float, float, float]


@dataclass(frozen=True)
class Ink:
    """A colour as SVG takes it, and how much of it covers."""

    css: str
    alpha: float = 1.0


@lru_cache
def tokens() -> dict[str, tuple[str, str]]:
    """Colour tokens by name: in the light theme, in the dark one."""
    pattern = r"--([\w-]+):\s*light-dark\((#[0-9a-f]{6}),\s*(#[0-9a-f]{6})\)"
    return {name: (light, dark) for name, light, dark in re.findall(pattern, stylesheet("tokens.css"))}


@lru_cache
def lengths() -> dict[str, str]:
    """The tokens that are no colours: sizes, spaces, faces."""
    found = re.findall(r"--([\w-]+):\s*([^;]+);", stylesheet("tokens.css"))
    return {f"--{name}": value.strip() for name, value in found if not value.startswith("light-dark")}


@lru_cache(maxsize=4096)
def ink(text: str, theme: str = "auto") -> Ink | None:
    """The colour that a CSS value names in a theme; None where it paints nothing.

    >>> ink("var(--accent)").css, ink("var(--accent)", "dark").css, ink("transparent")
    ('var(--accent,#3b4cca)', '#9aa6ff', None)
    >>> ink("color-mix(in oklab, var(--pos) 50%, #fff)", "light").css
    '#98a8dd'
    """
    values = tinycss2.parse_component_value_list(text.strip(), skip_comments=True)
    return _ink([value for value in values if value.type != "whitespace"], theme)


def _ink(values: list[tinycss2.ast.Node], theme: str) -> Ink | None:
    first = values[0] if values else None
    if first is None or (first.type == "ident" and first.lower_value in ("transparent", "none")):
        return None
    if first.type == "function":
        parts = _arguments(first.arguments)
        if first.lower_name == "var":
            return _token(tinycss2.serialize(parts[0]).removeprefix("--"), theme)
        if first.lower_name == "light-dark":
            if theme != "auto":
                return _ink(parts[theme == "dark"], theme)
            both = [_css(_ink(part, theme)) for part in parts]
            return Ink(f"light-dark({','.join(both)})")
        if first.lower_name == "color-mix":
            return _mixed(parts[1], parts[2], theme)
    colour = color4.parse_color(tinycss2.serialize(values))
    if colour is None or isinstance(colour, str):
        raise ValueError(f"{tinycss2.serialize(values)!r} is no colour that a still can paint")
    red, green, blue = colour.to("srgb").coordinates
    return Ink(_hex((red, green, blue)), float(colour.alpha))


def _token(name: str, theme: str) -> Ink:
    light, dark = tokens()[name]
    if theme == "auto":
        return Ink(f"var(--{name},{light})")
    return Ink(dark if theme == "dark" else light)


def _mixed(one: list[tinycss2.ast.Node], other: list[tinycss2.ast.Node], theme: str) -> Ink | None:
    share = next((value.value / 100 for value in one if value.type == "percentage"), 0.5)
    first, second = (_ink([v for v in part if v.type != "percentage"], theme) for part in (one, other))
    if second is None or first is None:
        # mixed with nothing a colour stays what it is, and covers less
        rest, covers = (first, share) if second is None else (second, 1 - share)
        return Ink(rest.css, rest.alpha * covers) if rest and covers > 0 else None
    if share in (0.0, 1.0):
        return first if share else second
    if theme == "auto":
        return Ink(f"color-mix(in oklab,{first.css} {100 * share:g}%,{second.css})")
    pairs = zip(_oklab(first.css), _oklab(second.css), strict=True)
    lightness, a, b = (x * share + y * (1 - share) for x, y in pairs)
    return Ink(_hex(_from_oklab((lightness, a, b))))


def _css(found: Ink | None) -> str:
    return found.css if found else "transparent"


def _arguments(values: list[tinycss2.ast.Node]) -> list[list[tinycss2.ast.Node]]:
    parts: list[list[tinycss2.ast.Node]] = [[]]
    for value in values:
        if value.type == "literal" and value.value == ",":
            parts.append([])
        elif value.type != "whitespace":
            parts[-1].append(value)
    return parts


def _rgb(colour: str) -> Rgb:
    if len(colour) == 4:
        colour = "#" + "".join(2 * sign for sign in colour[1:])
    return int(colour[1:3], 16) / 255, int(colour[3:5], 16) / 255, int(colour[5:7], 16) / 255


def _hex(colour: Rgb) -> str:
    written = "".join(f"{round(255 * min(max(part, 0.0), 1.0)):02x}" for part in colour)
    return f"#{written[::2]}" if written[::2] == written[1::2] else f"#{written}"


# Björn Ottosson, "A perceptual color space for image processing", 2020: the matrices of OKLab


def _oklab(colour: str) -> Rgb:
    red, green, blue = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in _rgb(colour))
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    medium = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short,
    )


def _from_oklab(lab: Rgb) -> Rgb:
    lightness, a, b = lab
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )
    red, green, blue = (12.92 * v if v <= 0.0031308 else 1.055 * v ** (1 / 2.4) - 0.055 for v in linear)
    return red, green, blue
