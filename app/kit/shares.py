"""What a whole is made of: one bar cut into its parts, named where there is room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.kit.html import Markup, escape, join, number, tag
from app.kit.picture import HEIGHT, WIDTH, svg


@dataclass(frozen=True)
class Slice:
    """One part; ``colour`` is CSS in tokens, ``strong`` says whether words on it need the light ink."""

    name: str
    size: float
    colour: str
    strong: bool = False


def stacked(slices: Sequence[Slice], *, label: str, whole: float | None = None) -> Markup:
    """The bar. With ``whole`` it is drawn to the scale of a larger one, so that two can be compared.

    A part's name and share stand in it only where they fit, so no two can collide: put `swatch` and the
    numbers below the bar.
    """
    total = sum(part.size for part in slices) or 1.0
    shown = [part for part in slices if part.size > 0]
    said = ", ".join(f"{part.name} {percent(part.size / total)}" for part in shown)
    return tag(
        "div",
        join(_slice(part, part.size / total) for part in shown),
        class_="lab-stacked",
        role="img",
        aria_label=f"{label}: {said}",
        style=f"width:{100 * total / (whole or total):.3f}%",
    )


def _slice(part: Slice, share: float) -> Markup:
    said, name = percent(share), escape(part.name)
    ink = "on-strong" if part.strong else "ink"
    # drawn with each step of a slider: written directly, with the name escaped
    return Markup(
        f'<div class="lab-slice" title="{name}: {said}" '
        f'style="flex:{100 * share:.4f} 1 0;background:{part.colour};color:var(--{ink})">'
        f"<span><b>{said}</b><i>{name}</i></span></div>"
    )


def swatch(colour: str) -> Markup:
    """The colour of a part beside its name."""
    return Markup(f'<span class="lab-swatch" style="background:{colour}" aria-hidden="true"></span>')


def percent(share: float) -> str:
    """A share with two figures, whole per cents from ten on; more where it would read as all but is not.

    >>> percent(0.3102), percent(0.0654), percent(0.00031), percent(1.0), percent(0.0)
    ('31 %', '6.5 %', '0.031 %', '100 %', '0 %')
    >>> percent(0.9985), percent(0.99999), percent(1 - 1e-9)
    ('99.9 %', '99.999 %', 'over 99.999 %')
    """
    value = 100 * share
    if value < 10:
        return f"{number(float(f'{value:.2g}'), 6)} %"
    if value >= 100:
        return f"{value:,.0f} %" if value >= 100.5 or value == 100 else f"{number(value, 6)} %"
    written = next((text for digits in range(4) if float(text := f"{value:.{digits}f}") < 100), "over 99.999")
    return f"{written} %"


def picture(bars: Sequence[Sequence[Slice]]) -> Markup:
    """Bars under each other as an SVG of the start page's size, each cut into its parts."""
    step = HEIGHT / len(bars)
    rects = []
    for row, slices in enumerate(bars):
        total, left = sum(part.size for part in slices), 0.0
        for part in slices:
            width = WIDTH * part.size / total
            rects.append(
                tag(
                    "rect",
                    x=f"{left:.1f}",
                    y=f"{row * step + 2:.1f}",
                    width=f"{max(width - 1, 0):.1f}",
                    height=f"{step - 5:.1f}",
                    style=f"fill:{part.colour}",
                )
            )
            left += width
    return svg(join(rects))
