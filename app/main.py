"""The servable: one page for each session, its room and state from the address."""

from __future__ import annotations

import panel as pn

from app import prompt
from app.shell import announce, make_room, room_of, served_template, title_of

ASSETS = "assets/"
"""Where `panel serve --static-dirs assets=static` puts the folder static/, as seen from the page."""


def serve() -> None:
    """Build the page of the present session."""
    query = pn.state.location.search if pn.state.location else ""
    key, notice = room_of(query or "")
    template = served_template(key, ASSETS, notice)
    if key:
        template.add_panel("room", make_room(key, query or "").layout)
    template.servable(title=title_of(key))
    if pn.state.curdoc:
        announce(pn.state.curdoc)


prompt.install()
serve()
