"""The stylesheet of a room, shared by its components: each lives in a shadow root of its own.

Panel takes stylesheets as strings and would send the text once a component. As a Bokeh model it is sent
once a document, however many components refer to it.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from bokeh.models import InlineStyleSheet, Plot
from bokeh.models.ui import UIElement

from app.compat import on_rendering
from app.kit.assets import stylesheet

NAME, ROOM = "embedding-lab", "lab-room"


def dress(viewable: Any, root: Any, changed: Any = None, old_models: Any = None) -> None:
    """Give every component of a room its stylesheet; Panel calls this for new models too.

    A room may stand among components of somebody else's, which keep their own looks.
    """
    is_room = ROOM in root.css_classes
    rooms = (
        [root] if is_room else [one for one in root.select({"type": UIElement}) if ROOM in one.css_classes]
    )
    for room in rooms:
        _dress(room, root.document)


def _dress(room: Any, document: Any) -> None:
    sheet = next((made for made in room.stylesheets if getattr(made, "name", None) == NAME), None)
    if sheet is None:
        sheet = InlineStyleSheet(css=stylesheet("room.css"), name=NAME)
    # a document looks through all its models again at each change of one, unless it waits until the end
    waits = document.models.freeze() if document else nullcontext()
    with waits:
        for model in room.select({"type": UIElement}):
            # a canvas has no use for it, and Panel's pane would copy it back into a list of strings
            if not isinstance(model, Plot) and sheet not in model.stylesheets:
                model.stylesheets = [*model.stylesheets, sheet]


def install() -> None:
    """Have Panel dress everything it renders from now on."""
    on_rendering(dress)
