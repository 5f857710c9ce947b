"""A piece of code that a reader can copy."""

from __future__ import annotations

from app.kit.html import Markup, tag


def snippet(source: str) -> Markup:
    """The code with a button that copies it."""
    return tag(
        "div",
        tag("button", "Copy", type="button", class_="lab-copy", data_copy=source),
        tag("pre", tag("code", source), tabindex="0"),
        class_="lab-code",
    )
