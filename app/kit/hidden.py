"""What `hide=controls` takes away: every widget, wherever a room has put it."""

from __future__ import annotations

from typing import Any

import panel as pn
from panel.layout.base import ListLike

UNSEEN = "unseen"
"""Tag of a widget that is no control: it carries messages between the page and Python."""

OPENS = "opens"
"""Tag of a widget that opens what stands behind a figure: an address hides that by its own names."""


def without_controls(part: Any) -> bool:
    """Take every control out of a part of a room, for good; whether something of it is left."""
    if isinstance(part, pn.widgets.WidgetBase):
        return not {UNSEEN, OPENS}.isdisjoint(part.tags or [])
    if not isinstance(part, ListLike):
        return True
    # what is empty from the start is filled later: a picture, when it comes into sight
    if not len(part):
        return True
    kept = [child for child in part if without_controls(child)]
    # a label without its control is no use
    if len(kept) != len(part):
        part.objects = [] if "lab-labelled" in part.css_classes else kept
    return bool(part.objects)


def lock(part: Any, locked: bool) -> None:
    """Have every widget of a part refuse hands and keys, or take them again."""
    if isinstance(part, pn.widgets.WidgetBase):
        if hasattr(part, "disabled") and part.disabled != locked:
            part.disabled = locked
    elif isinstance(part, ListLike):
        for child in part:
            lock(child, locked)
