"""The heart of the room `count`, in HTML: the share, the bar, and the numbers of every part."""

from __future__ import annotations

from typing import Any

from app.kit.html import Markup, counted, dims, join, number, tag
from app.kit.shares import Slice, percent, stacked, swatch
from app.rooms.count.compute import View
from app.rooms.count.model import FAMILIES
from lab.counting import Architecture, Part

# the tables are strong, the blocks between them soft: the question is what the tables take
COLOURS = {
    "tokens": "var(--dim-V)",
    "positions": "var(--dim-T)",
    "types": "color-mix(in oklab, var(--dim-T) 50%, var(--paper))",
    "attention": "color-mix(in oklab, var(--dim-H) 32%, var(--paper))",
    "mlp": "color-mix(in oklab, var(--dim-D) 32%, var(--paper))",
    "experts": "color-mix(in oklab, var(--dim-D) 18%, var(--paper))",
    "router": "var(--dim-D)",
    "norms": "var(--edge)",
    "pooler": "color-mix(in oklab, var(--edge) 45%, var(--paper))",
    "transform": "color-mix(in oklab, var(--edge) 45%, var(--paper))",
    "head": "color-mix(in oklab, var(--dim-V) 45%, var(--paper))",
}
STRONG = ("tokens", "positions")
UNITS = ((1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


def in_bytes(count: int) -> str:
    """Bytes with three figures, in powers of a thousand.

    >>> in_bytes(154_389_504), in_bytes(16_060_522_496), in_bytes(2_000), in_bytes(12)
    ('154 MB', '16.1 GB', '2 kB', '12 bytes')
    """
    for unit, name in UNITS:
        if count >= unit:
            return f"{number(float(f'{count / unit:.3g}'))} {name}"
    return counted(count, "byte")


def slices(model: Architecture) -> list[Slice]:
    """The parts of a model as they are drawn."""
    return [
        Slice(part.name, part.parameters, COLOURS[part.key], part.key in STRONG) for part in model.parts()
    ]


def heart(view: View) -> Markup:
    """What is counted, the share as one number, the bar, and the numbers of every part."""
    return join(
        [
            _name(view),
            _headline(view),
            stacked(slices(view.model), label=f"Parameters of {view.title} by part"),
            _parts(view),
        ]
    )


def _name(view: View) -> Markup:
    family = FAMILIES[type(view.model)]
    if view.changes:
        said = "; ".join(f"{change.name} {change.before} → {change.after}" for change in view.changes)
        note = join([tag("b", f"changed from {view.title}"), f": {said}"])
    elif view.origin.published == view.parameters:
        note = join([f"{family}; published with {view.parameters:,} parameters, the sum below"])
    else:
        note = join([f"{family}, as your config.json has it"])
    if view.origin.notes:
        note = join([note, f". {'. '.join(f'{said[0].upper()}{said[1:]}' for said in view.origin.notes)}"])
    shown = "A model of your own" if view.changes or view.own else view.title
    return tag("div", tag("h2", shown), tag("span", note), class_="lab-count-name")


def _headline(view: View) -> Markup:
    model, dtype = view.model, view.dtype
    table = view.parts[0]
    product = join([dims(("V", model.V), ("D", model.D)), f" = {model.table_parameters:,}"])
    weights = f"{in_bytes(table.bytes(dtype))} of {in_bytes(model.bytes(dtype))} as {dtype}"
    return tag(
        "div",
        tag("b", percent(view.share), class_="lab-figure-number"),
        tag(
            "span",
            tag("span", f"of {view.parameters:,} parameters are the token table"),
            tag("span", product, ", ", weights),
            tag("span", active(view)) if model.idle_parameters else "",
        ),
        class_="lab-headline",
    )


def active(view: View) -> str:
    """How much of a mixture of experts takes part in the pass of one token."""
    model: Any = view.model
    share = percent(model.active_parameters / view.parameters)
    return (
        f"{model.active_parameters:,} of all, {share}, take part in the pass of one token: {model.active:,} "
        f"of {counted(model.experts, 'expert')} in a layer"
    )


def _parts(view: View) -> Markup:
    head = join(
        tag("th", name, scope="col", class_=css)
        for name, css in (
            ("Part", None),
            ("counted as", "lab-count-formula"),
            ("parameters", None),
            (f"bytes, {view.dtype}", "lab-count-bytes"),
            ("share", None),
        )
    )
    total = tag(
        "tr",
        tag("th", "all", scope="row"),
        tag("td", "", class_="lab-count-formula"),
        tag("td", f"{view.parameters:,}"),
        tag("td", f"{view.model.bytes(view.dtype):,}", class_="lab-count-bytes"),
        tag("td", "100 %"),
    )
    rows = join(_part(part, view) for part in view.parts)
    return tag("table", tag("thead", tag("tr", head)), tag("tbody", rows, total), class_="lab-count-parts")


def _part(part: Part, view: View) -> Markup:
    kind, colour, numbers = "", COLOURS[part.key], part.numbers
    if not part.parameters:
        kind, colour, numbers = "lab-soft", "transparent", ""
    elif part.key == "tokens":
        kind = "lab-marked"
    # drawn with each step of a slider: written directly, and all of it is the lab's own
    return Markup(
        f'<tr class="{kind}"><th scope="row">{swatch(colour)}{part.name}</th>'
        f'<td class="lab-count-formula">{numbers}</td><td>{part.parameters:,}</td>'
        f'<td class="lab-count-bytes">{part.bytes(view.dtype):,}</td>'
        f"<td>{percent(part.parameters / view.parameters)}</td></tr>"
    )
