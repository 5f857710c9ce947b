"""The served lab with a pulse in each room: what the page sends comes back once all before it is done.

``python -m tests.play.door`` is ``python -m app.serve`` for the player. A server answers a change some time
after it took it, and says nothing where nothing changed: a page cannot know by itself that it is at rest.
"""

from __future__ import annotations

import os
from typing import Any

from app import serve

PULSE, ECHO = "pulse", "echo"


def beat() -> None:
    """Give every room its pulse from now on."""
    import panel as pn

    from app.kit.room import Room

    lay_out = Room._lay_out

    def with_pulse(room: Room) -> Any:
        layout = lay_out(room)
        pulse = pn.widgets.TextInput(visible=False, tags=[PULSE])
        echo = pn.widgets.TextInput(visible=False, tags=[ECHO])
        pulse.param.watch(lambda event: setattr(echo, "value", event.new), "value")
        layout.extend([pulse, echo])
        return layout

    Room._lay_out = with_pulse


if __name__ == "__main__":
    # Bokeh reads the key when it is imported
    serve.sign_sessions(os.environ)
    beat()
    serve.main()
