"""Scripts of the page that a button runs with other models at hand."""

from __future__ import annotations

import weakref
from typing import Any

from panel.viewable import Viewable
from panel.widgets import Button


def on_click(button: Button, code: str, **args: Any) -> None:
    """Run JavaScript in the page on each click; ``source`` is the button there.

    Panel keeps a script's arguments for as long as its button lives. A widget among them leads, by what
    watches it, back to that very button, so a room with such a script would never be freed. Panel gets weak
    references in their place: the room holds its widgets itself.

    Parameters
    ----------
    button : panel.widgets.Button
        What is clicked.
    code : str
        JavaScript.
    **args
        Widgets, Bokeh models, numbers and words by their names in the script.
    """
    held = {name: weakref.proxy(one) if isinstance(one, Viewable) else one for name, one in args.items()}
    button.js_on_click(args=held, code=code)
