"""Small true pictures for the start page: SVG in the colours of the tokens, no numbers, no script."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.kit.html import Markup, join, tag

WIDTH, HEIGHT = 260, 100


def svg(content: Markup, width: float = WIDTH, height: float = HEIGHT) -> Markup:
    """An SVG of the card's size that scales with it."""
    return tag("svg", content, viewBox=f"0 0 {width} {height}", xmlns="http://www.w3.org/2000/svg")


def matrix(values: Any, gap: float = 2.0) -> Markup:
    """A matrix as coloured cells, diverging around 0."""
    grid = values.tolist() if hasattr(values, "tolist") else values
    rows, columns = len(grid), len(grid[0])
    size = min(WIDTH / columns, HEIGHT / rows)
    left, top = (WIDTH - size * columns) / 2, (HEIGHT - size * rows) / 2
    strongest = max((abs(v) for row in grid for v in row), default=1.0) or 1.0

    def fill(v: float) -> str:
        end = "pos" if v > 0 else "neg"
        return f"fill:color-mix(in oklab,var(--{end}) {abs(v) / strongest:.0%},var(--zero))"

    cells = (
        tag(
            "rect",
            x=f"{left + j * size:.1f}",
            y=f"{top + i * size:.1f}",
            width=f"{size - gap:.1f}",
            height=f"{size - gap:.1f}",
            rx=2 if size > 8 else 0,
            style=fill(v),
        )
        for i, row in enumerate(grid)
        for j, v in enumerate(row)
    )
    return svg(join(cells))


def curves(lines: Sequence[tuple[Any, str]]) -> Markup:
    """Lines over a shared range; each is its heights at even steps and the token of its colour."""
    series = [(_listed(values), colour) for values, colour in lines]
    low = min(min(values) for values, _ in series)
    high = max(max(values) for values, _ in series)
    span = (high - low) or 1.0

    def points(values: list[float]) -> str:
        step = WIDTH / max(len(values) - 1, 1)
        heights = (HEIGHT - 4 - (v - low) / span * (HEIGHT - 8) for v in values)
        return " ".join(f"{i * step:.1f},{height:.1f}" for i, height in enumerate(heights))

    paths = (
        tag(
            "polyline",
            points=points(values),
            style=f"fill:none;stroke:var(--{colour});stroke-width:2;stroke-linejoin:round",
        )
        for values, colour in series
    )
    return svg(join(paths))


def bars(heights: Any, colour: str = "accent") -> Markup:
    """Bars from the foot of the card."""
    values = _listed(heights)
    step, top = WIDTH / len(values), max(values) or 1.0
    return svg(
        join(
            tag(
                "rect",
                x=f"{i * step:.1f}",
                y=f"{HEIGHT * (1 - v / top):.1f}",
                width=f"{max(step - 2, 1):.1f}",
                height=f"{HEIGHT * v / top:.1f}",
                style=f"fill:var(--{colour})",
            )
            for i, v in enumerate(values)
        )
    )


def _listed(values: Any) -> list[float]:
    return [float(v) for v in (values.tolist() if hasattr(values, "tolist") else values)]
