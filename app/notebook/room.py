"""A room inside somebody's Panel app: ``pn.Row(EmbeddingRoom("rope", "theta=.9")).servable()``.

What a page of the lab has beside a room comes along: colours and sizes as a stylesheet of the room's own
column, and the page's scripts in a pane of no height.
"""

from __future__ import annotations

import json
import re
from itertools import count
from typing import Any

import panel as pn

from app import shell
from app.kit.assets import stylesheet
from app.notebook import files
from lab.places import STATIC

_made = count(1)
_THEME = re.compile(r"^\.lab-theme(\S*) \{", re.MULTILINE)
_OWN = """:host { container-type: inline-size; font: var(--size-m)/1.5 var(--font);
  color: var(--ink); background: var(--paper); }"""
# a pane runs its scripts each time it is drawn; modules are linked once a page
_SCRIPT = """<script>(() => {
const lab = (window.EmbeddingLab ??= {});
const { frame, link, modules } = %s;
const address = (text) => URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
lab.followTheme ?? (0, eval)(frame);
lab.panel ??= import(address(link)).then((notebook) => notebook.link(modules));
lab.panel.then(({ wear }) => setTimeout(wear));
})()</script>"""


class EmbeddingRoom(pn.viewable.Viewer):
    """A room, or one figure of it, as a Panel object.

    ``room`` is the room itself, ``room.state`` its settings as a Parameterized object that other parts of an
    app may watch and set.

    Parameters
    ----------
    key : str
        The room's key, such as "rope".
    query : str
        A state and options as an address has them, such as "figure=score&theta=.9&hide=code".

    Raises
    ------
    ValueError
        If there is no such room.

    Examples
    --------
    >>> made = EmbeddingRoom("rope", "theta=.9")
    >>> made.room.state.theta
    0.9
    """

    def __init__(self, key: str, query: str = "") -> None:
        super().__init__()
        if key not in shell.ROOMS:
            raise ValueError(f"There is no room {key!r}. The rooms are {', '.join(shell.ROOMS)}.")
        self.room = shell.make_room(key, query, f"panel-{next(_made)}")
        self._layout = pn.Column(
            self.room.layout,
            _page_pane(),
            css_classes=["lab-theme"],
            stylesheets=[tokens() + _OWN],
            sizing_mode="stretch_width",
            margin=0,
        )

    def __panel__(self) -> pn.Column:
        """What Panel shows."""
        return self._layout


def tokens() -> str:
    """The design tokens, for an element that wears them in a shadow of its own."""
    return _THEME.sub(r":host(.lab-theme\1) {", stylesheet("tokens.css"))


def _page_pane() -> Any:
    told = {
        "frame": (STATIC / "js" / files.FRAME).read_text(encoding="utf-8"),
        "link": (STATIC / "js" / "notebook.js").read_text(encoding="utf-8"),
        "modules": files.modules("panel.js"),
    }
    return pn.pane.HTML(_SCRIPT % json.dumps(told).replace("</", "<\\/"), margin=0, height=0)
