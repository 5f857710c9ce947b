"""Ticks of an axis and what stands at them, chosen as BokehJS chooses them in the page."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from typing import Any

WANTED = 6
"""Ticks that an axis would like to have: what Bokeh's tickers ask for."""
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
UNITS = ((1e12, "t"), (1e9, "b"), (1e6, "m"), (1e3, "k"))


def ticks(ticker: Any, low: float, high: float) -> list[float]:
    """The places of a ticker's ticks between two ends."""
    low, high = min(low, high), max(low, high)
    kind = type(ticker).__name__
    if kind == "FixedTicker":
        return [float(tick) for tick in ticker.ticks if low <= tick <= high]
    if kind == "LogTicker":
        return _log(low, high, [float(part) for part in ticker.mantissas])
    least = float(ticker.min_interval or 0.0)
    return _even(low, high, [float(part) for part in ticker.mantissas], least)


def _even(low: float, high: float, mantissas: list[float], least: float) -> list[float]:
    if not high > low:
        return [low]
    interval = _interval(low, high, mantissas, least)
    first, last = math.floor(low / interval), math.ceil(high / interval)
    slack = 1e-9 * (high - low)
    found = (place * interval for place in range(first, last + 1))
    return [tick for tick in found if low - slack <= tick <= high + slack]


def _interval(low: float, high: float, mantissas: list[float], least: float = 0.0) -> float:
    span = high - low
    factor = least or 1.0
    magnitude = factor * 10.0 ** math.floor(math.log10(span / WANTED / factor))
    candidates = [mantissas[-1] / 10, *mantissas, mantissas[0] * 10]
    best = min(candidates, key=lambda mantissa: abs(WANTED - span / (mantissa * magnitude)))
    return max(best * magnitude, least)


def _log(low: float, high: float, mantissas: list[float]) -> list[float]:
    if not 0 < low < high:
        return []
    first, last = math.log10(low), math.log10(high)
    if last - first < 2:
        return [tick for tick in _even(low, high, mantissas, 0.0) if tick > 0]
    start, end = math.ceil(first * 0.999999), math.floor(last * 1.000001)
    step = max(math.ceil((end - start) / 9), 1)
    return [
        tick for place in range(start - 1, end + 1, step) if low <= (tick := 10.0**place) <= high * 1.000001
    ]


def labels(axis: Any, places: list[float]) -> list[str]:
    """What stands at the ticks of an axis."""
    formatter = axis.formatter
    kind = type(formatter).__name__
    if kind == "NumeralTickFormatter":
        found = [numeral(place, formatter.format) for place in places]
    elif kind == "LogTickFormatter":
        found = _powers(places)
    else:
        found = plain(places)
    named = {float(place): label for place, label in dict(axis.major_label_overrides).items()}
    return [str(named.get(place, label)) for place, label in zip(places, found, strict=True)]


def plain(places: list[float]) -> list[str]:
    """Numbers with as many decimals as tell them apart.

    >>> plain([0.0, 0.25, 0.5]), plain([-1.0, 0.0, 1.0]), plain([0.0, 200000.0])
    (['0', '0.25', '0.5'], ['−1', '0', '1'], ['0', '2e5'])
    """
    sizes = [abs(place) for place in places if place]
    scientific = any(size >= 1e5 or size <= 1e-3 for size in sizes)
    for digits in range(3, 16):
        found = [
            _scientific(place, digits) if scientific else _trimmed(f"{place:.{digits}f}") for place in places
        ]
        if all(one != other for one, other in pairwise(found)):
            break
    return [label.replace("-", "−") for label in found] if places else []


def _scientific(place: float, digits: int) -> str:
    if not place:
        return "0"
    mantissa, exponent = f"{place:.{digits}e}".split("e")
    return f"{_trimmed(mantissa)}e{int(exponent)}"


def _trimmed(text: str) -> str:
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def _powers(places: list[float]) -> list[str]:
    exponents = [round(math.log10(place)) for place in places]
    near = len(set(exponents)) < len(exponents)
    if near or any(abs(math.log10(place) - of) > 1e-6 for place, of in zip(places, exponents, strict=True)):
        return plain(places)
    return [f"10{str(exponent).translate(SUPERSCRIPT)}" for exponent in exponents]


def numeral(value: float, pattern: str) -> str:
    """A number in one of the patterns of numeral.js that the lab uses.

    >>> numeral(12345.6, "0,0"), numeral(2500, "0.[0]a"), numeral(0.25, "0 %"), numeral(-3.0, "0,0")
    ('12,346', '2.5k', '25 %', '−3')
    """
    unit = sign = ""
    if "%" in pattern:
        value, sign = 100 * value, " %" if " %" in pattern else "%"
    if "a" in pattern:
        size = next(((size, letter) for size, letter in UNITS if abs(value) >= size), (1.0, ""))
        value, unit = value / size[0], size[1]
    decimals = re.search(r"\.(\[?)(0+)", pattern)
    text = f"{value:,.{len(decimals[2]) if decimals else 0}f}"
    text = _trimmed(text) if decimals and decimals[1] else text
    text = text if "," in pattern else text.replace(",", "")
    return ("0" if text == "-0" else text).replace("-", "−") + unit + sign
