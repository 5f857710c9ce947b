"""Which door a page came through: where the Python behind it runs, and so where goes what a reader gives."""

from __future__ import annotations

import sys


def in_browser() -> bool:
    """Whether this Python runs in the reader's own browser, as on the built site, and not on a server.

    >>> in_browser()  # under CPython
    False
    """
    return sys.platform == "emscripten"


def typed_goes() -> str:
    """What becomes of what a reader types, true for the door of this page."""
    if in_browser():
        return "Nothing you type leaves this page."
    return "What you type is sent to the server behind this page, which computes the figures."


def file_goes() -> str:
    """What becomes of a file that a reader chooses, true for the door of this page."""
    if in_browser():
        return "It stays in this page; a copied link does not carry it."
    return (
        "It is sent to the server behind this page, which forgets it when you leave; a copied link does not "
        "carry it."
    )


def computed() -> str:
    """Where the figures are computed, true for the door of this page."""
    where = "here in your browser" if in_browser() else "on the server"
    return f"Every figure is computed by the lab's NumPy core, {where}, while you watch."
