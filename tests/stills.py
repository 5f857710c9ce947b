"""Reads a still back: its words and where they stand, the points of its lines, the cells of its pictures."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

import numpy as np
from PIL import Image

from app.still.metrics import text_width

SVG = "{http://www.w3.org/2000/svg}"
STEP = re.compile(r"([MLlhvz])([^MLlhvz]*)")
NUMBER = re.compile(r"-?(?:\d+\.?\d*|\.\d+)")


@dataclass(frozen=True)
class Said:
    """One line of text, its start and end, and its baseline."""

    text: str
    left: float
    right: float
    y: float
    size: float
    turned: bool


def tree(svg: str) -> Any:
    """The still as XML."""
    return ElementTree.fromstring(svg)


def elements(root: Any, inherited: dict[str, str] | None = None) -> Iterator[tuple[Any, dict[str, str]]]:
    """Elements at their own places, each with the style that holds for it.

    What is moved or scaled as a whole, such as the face of a clock, is passed over.
    """
    for child in root:
        own = dict(part.split(":", 1) for part in child.get("style", "").split(";") if ":" in part)
        style = {**(inherited or {}), **own}
        moved = child.tag == f"{SVG}g" and child.get("transform")
        if child.tag in (f"{SVG}svg", f"{SVG}defs") or moved:
            continue
        yield child, style
        yield from elements(child, style)


def said(root: Any) -> list[Said]:
    """All lines of text."""
    found = []
    for element, style in elements(root):
        if element.tag != f"{SVG}text":
            continue
        x, wide = float(element.get("x")), sum(_wide(text, own) for text, own in _pieces(element, style))
        left = x - {"start": 0.0, "middle": wide / 2, "end": wide}[style.get("text-anchor", "start")]
        size = float(style["font-size"].removesuffix("px"))
        turned = bool(element.get("transform"))
        y = float(element.get("y"))
        found.append(Said("".join(element.itertext()), left, left + wide, y, size, turned))
    return found


def _pieces(element: Any, style: dict[str, str]) -> Iterator[tuple[str, dict[str, str]]]:
    yield element.text or "", style
    for piece in element:
        own = dict(part.split(":", 1) for part in piece.get("style", "").split(";") if ":" in part)
        yield piece.text or "", {**style, **own}
        yield piece.tail or "", style


def _wide(text: str, style: dict[str, str]) -> float:
    size = float(style["font-size"].removesuffix("px"))
    bold = style.get("font-weight", "400") in ("600", "700")
    # the first of the faces that are listed
    mono = "Mono" in style.get("font-family", "").partition(",")[0]
    return text_width(text, size, bold=bold, mono=mono)


def points(d: str) -> Any:
    """The corners of a path, as (x, y)."""
    at, found = np.zeros(2), []
    for letter, rest in STEP.findall(d):
        numbers = [float(one) for one in NUMBER.findall(rest)]
        if letter in "hv":
            steps = [(one, 0.0) if letter == "h" else (0.0, one) for one in numbers]
        else:
            steps = list(zip(numbers[::2], numbers[1::2], strict=True))
        for step in steps:
            at = np.array(step) + (0 if letter in "ML" else at)
            found.append(at)
    return np.array(found)


def axis(words: list[Said], along: str) -> Any:
    """From pixels to numbers, by the labels of an axis: a function, read off the picture alone."""
    numbers = [one for one in words if re.fullmatch(r"−?\d+(\.\d+)?", one.text) and not one.turned]
    if along == "x":
        foot = max(one.y for one in numbers)
        ticks = [((one.left + one.right) / 2, one) for one in numbers if one.y == foot]
    else:
        edge = min(one.right for one in numbers)
        ticks = [(one.y - 4.2, one) for one in numbers if abs(one.right - edge) < 0.2]
    places = np.array([place for place, _ in ticks])
    values = np.array([float(one.text.replace("−", "-")) for _, one in ticks])
    slope, start = np.polyfit(places, values, 1)
    assert np.abs(start + slope * places - values).max() < 0.02 * np.ptp(values)
    return lambda pixels: start + slope * np.asarray(pixels)


def masks(root: Any) -> list[Any]:
    """The pictures of a still's masks, from 0 to 1."""
    found = []
    for element in root.iter(f"{SVG}image"):
        content = base64.b64decode(element.get("href").partition(",")[2])
        found.append(np.asarray(Image.open(io.BytesIO(content)), float) / 255)
    return found
