"""A ranked list of tokens with a bar and a number each: nearest rows, answers, distances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.kit.html import Markup, join, number, tag, visible


@dataclass(frozen=True)
class Ranked:
    """One entry; ``share`` is the length of its bar, -1 to 1, and ``note`` a word after the token."""

    token: str
    value: float
    share: float
    note: str = ""
    marked: bool = False


def ranking(entries: Sequence[Ranked], *, title: Markup | str, under: str = "", rows: int = 0) -> Markup:
    """The list, the first on top; it keeps the height of ``rows`` entries when there are fewer."""
    items = join(_entry(entry) for entry in entries)
    return tag(
        "figure",
        tag("figcaption", tag("b", title), tag("span", under) if under else ""),
        tag("ol", items, style=f"--rows:{max(rows, len(entries))}"),
        class_="lab-ranking",
    )


def _entry(entry: Ranked) -> Markup:
    side = "neg" if entry.share < 0 else "pos"
    width = min(abs(entry.share), 1.0)
    return tag(
        "li",
        tag(
            "span",
            tag("span", visible(entry.token, 24), dir="auto"),
            tag("i", f" {entry.note}") if entry.note else "",
            class_="lab-ranked-token",
        ),
        tag("span", tag("span", style=f"width:{width:.1%};background:var(--{side})"), class_="lab-share"),
        tag("span", number(entry.value), class_="lab-ranked-value"),
        class_="lab-marked" if entry.marked else None,
    )
