"""The servable: one page for each session, its room and state from the address."""

from __future__ import annotations

from urllib.parse import parse_qs

import panel as pn
from panel.io.resources import get_dist_path

from app import hardening, prompt
from app.shell import announce, make_room, room_of, room_on_order, served_template, title_of

ASSETS = "assets/"
"""Where `app.serve` puts the folder static/, as seen from the page."""


def serve() -> None:
    """Build the page of the present session."""
    # Panel's own reading of the address fails on a second question mark, and on the name of a host like [::1]
    query = pn.state.curdoc.session_context.request.uri.partition("?")[2]
    if hardening.joins(query):
        # only the very first request of a process that was not started by `app.serve` comes this far
        pn.config.authorize_callback = lambda user: False
        return
    # a session that its connection makes, and not its page, would take Panel's sheets from another host
    pn.state.curdoc.template_variables["dist_url"] = get_dist_path(cdn=False)
    key, notice = room_of(query)
    template = served_template(key, ASSETS, notice)
    if key:
        wants_spec = "spec" in parse_qs(query, keep_blank_values=True)
        template.add_panel("room", room_on_order(key, query) if wants_spec else make_room(key, query).layout)
    template.servable(title=title_of(key), location=False)
    announce(pn.state.curdoc)


hardening.install()
prompt.install()
serve()
