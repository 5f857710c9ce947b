"""How models look: a colour for each part, bytes as people say them, and which model is meant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from app.kit.html import Markup, counted, join, number, tag
from app.kit.shares import Slice, percent
from app.rooms.count.model import Counted
from app.rooms.count.origin import WORDS
from lab.counting import Architecture

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


def name(view: Counted) -> tuple[str, Markup]:
    """What the model is called, and where its sizes are from."""
    family = WORDS.raw(f"family {type(view.model).__name__}.title")
    if view.changes:
        said = join([tag("b", WORDS.say("model.changed", view)), f": {'; '.join(view.changes)}"])
    else:
        said = join([WORDS.say("model.config" if view.own else "model.published", view, family=family)])
    notes = "".join(f". {note[0].upper()}{note[1:]}" for note in view.origin.notes)
    return WORDS.raw("model.own") if view.changes or view.own else view.title, join([said, notes])


def subject(view: Counted) -> str:
    """The model as a sentence begins with it."""
    if view.changes:
        return WORDS.say("model.altered", view)
    return WORDS.raw("model.pasted") if view.own else view.title


def times(ratio: float) -> str:
    """A part of the weights, or how many times as much as they.

    >>> times(0.25), times(1.0), times(3.0)
    ('25 %', 'all', '3 times')
    """
    if ratio == 1:
        return "all"
    return percent(ratio) if ratio < 1 else f"{number(ratio, 2)} times"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], css: str) -> Markup:
    """Sizes in rows: a class, a name, what is counted, and numbers. Narrow pages leave out some columns."""
    top = "".join(f'<th scope="col">{name}</th>' for name in heads)
    # drawn with each step of a slider: written directly, and all of it is the lab's own
    body = "".join(
        f'<tr class="{kind}"><th scope="row">{name}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
        for kind, name, *cells in rows
    )
    return Markup(
        f'<table class="lab-count-parts {css}"><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>'
    )
