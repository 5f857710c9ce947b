"""A figure in a notebook's cell: ``EmbeddingFigure("rope", figure="score", theta=.5)``.

Where there is a kernel it runs the lab's Python at hand, and the page gets all that it needs through the
kernel. Where there is none, as in an exported page, the figure comes from the built site that ``site`` names.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

import anywidget
import traitlets
from traitlets import TraitError

from app.kit import guard, url
from app.kit.html import Markup, tag
from app.notebook.link import Link
from app.notebook.values import Setting, checked, plain
from app.rooms import ROOMS
from lab.places import STATIC

_NOT_LIVE = (
    "This figure of the Embedding Lab is live in a notebook with a kernel. Run the cell, or name the built "
    'site in it: site="https://your.site/lab/".'
)


class EmbeddingFigure(anywidget.AnyWidget):
    """A room, or one figure of it.

    Every setting of the room is an attribute that can be read, set and observed, and follows what a reader
    does; all of them together are ``state``. A setting whose name the widget has for something else stands
    in ``state`` alone.

    Parameters
    ----------
    room : str
        Its key, such as "rope".
    query : str
        A state as an address has it, such as "theta=.9&m=5".
    figure : str
        The key of one figure, which is then shown alone.
    hide : str or iterable of str
        Parts that are left out: controls, formula, code, questions, numbers.
    theme : str
        "light", "dark", or "auto", which follows the page.
    site : str
        Address of a built site, for pages without a kernel.
    title : str
        What the figure is called there, for who hears it.
    spec : mapping, optional
        A specification without its room: data of your own, controls, locks, a question, words.
    **settings
        Settings of the room.

    Raises
    ------
    TraitError
        If there is no such room, figure or setting, or a setting does not take its value.

    Examples
    --------
    >>> fig = EmbeddingFigure("rope", figure="score", theta=0.5)
    >>> fig.theta = 1.0
    >>> fig.state["theta"], fig.query
    (1.0, 'theta=1.0')
    >>> fig.close()
    """

    _esm = (STATIC / "js" / "notebook.js").read_text(encoding="utf-8")
    room = traitlets.Unicode(read_only=True).tag(sync=True)
    figure = traitlets.Unicode(read_only=True).tag(sync=True)
    hide = traitlets.Unicode(read_only=True).tag(sync=True)
    query = traitlets.Unicode(read_only=True, help="The state as an address has it.").tag(sync=True)
    theme = traitlets.Enum(url.THEMES, "auto").tag(sync=True)
    site = traitlets.Unicode().tag(sync=True)
    title = traitlets.Unicode().tag(sync=True)
    state = traitlets.Dict().tag(sync=True)
    _turns = traitlets.Int().tag(sync=True)

    def __init__(
        self,
        room: str,
        query: str = "",
        *,
        figure: str = "",
        hide: str | Iterable[str] = (),
        theme: str = "auto",
        site: str = "",
        title: str = "",
        spec: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> None:
        if room not in ROOMS:
            raise TraitError(f"There is no room {room!r}. The rooms are {', '.join(ROOMS)}.")
        self._kind: Any = ROOMS[room]
        self._follows = False
        self._refused = ""
        options = {"figure": figure, "hide": hide if isinstance(hide, str) else ",".join(hide)}
        asked = url.parse(query, self._kind.State, self._kind.keys())
        written = "&".join(f"{name}={quote(said)}" for name, said in options.items() if said)
        wrong = (*asked.notices, *url.parse(written, self._kind.State, self._kind.keys()).notices)
        if wrong:
            raise TraitError(" ".join(wrong).replace("The address says ", "It says "))
        asked_for = json.dumps({**(spec or {}), "room": room})
        self._link = Link(room, written, self._tell, asked_for)
        if self._link.room.spec.problems:
            raise TraitError(" ".join(self._link.room.spec.problems))
        # with data of one's own a setting may offer them beside its other choices
        self._kind = self._link.room
        self._link.room.refuse = self._hear_refusal(self._link.room.refuse)  # type: ignore[method-assign]
        self._change({**asked.values, **checked(self._kind, settings)})
        for name, said in {"room": room, **options, "query": self._query()}.items():
            self.set_trait(name, said)
        super().__init__(theme=theme, site=site, title=title, state=self._values())
        known = url.settings(self._kind.State)
        self._attributes = [name for name in known if not hasattr(type(self), name)]
        self.add_traits(**{name: Setting(known[name]) for name in self._attributes})
        self._follow()
        self.observe(self._set, [*self._attributes, "state"])
        self._link.room.state.param.watch(self._follow, list(known))
        self.on_msg(lambda widget, content, buffers: self._link.receive(content))

    def close(self) -> None:
        """Take the figure off every page and free what it holds."""
        # a figure that was refused is closed too, and has none
        if link := self.__dict__.get("_link"):
            link.close()
        super().close()

    def _repr_mimebundle_(self, **options: Any) -> Any:
        bundle = super()._repr_mimebundle_(**options)
        if bundle is not None:
            # for pages that know no widgets
            bundle[0]["text/html"] = str(self._html())
        return bundle

    def _html(self) -> Markup:
        if not self.site:
            return tag("p", _NOT_LIVE)
        site = self.site.rstrip("/")
        asked = {"figure": self.figure, "hide": self.hide, "state": self.query, "title": self.title}
        asked["theme"] = "" if self.theme == "auto" else self.theme
        said = {name: value for name, value in asked.items() if value}
        script = tag("script", "", src=f"{site}/static/js/embed.js")
        alone = tag("a", f"Embedding Lab: {self.room}", href=f"{site}/{self.room}/?{self.query}".rstrip("?"))
        return script + tag("embedding-lab", alone, room=self.room, **said)

    # what is set in Python, and what a reader does

    @traitlets.validate("state")
    def _check_state(self, proposal: Mapping[str, Any]) -> dict[str, Any]:
        return plain(checked(self._kind, proposal["value"]))

    def _set(self, change: Mapping[str, Any]) -> None:
        if self._follows:
            return
        name, value = change["name"], change["new"]
        if name != "state":
            self._change({name: value})
            return
        defaults = {key: one.default for key, one in url.settings(self._kind.State).items()}
        self._change({**defaults, **checked(self._kind, value)})

    def _change(self, values: Mapping[str, Any]) -> None:
        """Bring the room to these values, or back to those before where it cannot show them."""
        room = self._link.room
        before = {name: getattr(room.state, name) for name in url.settings(room.State)}
        self._refused = ""
        with self._link.at_work():
            room.set_from_page(values)
        if self._refused:
            refused = self._refused
            with self._link.at_work():
                room.set_from_page(before)
            raise TraitError(f"{', '.join(values)}: {refused}")

    def _hear_refusal(self, refuse: Any) -> Any:
        def heard(reason: Exception) -> None:
            self._refused = guard.sentence_of(reason)
            refuse(reason)

        return heard

    def _follow(self, *_: Any) -> None:
        """Have the attributes say what the State has."""
        values = self._link.room.values()
        self._follows = True
        try:
            with self.hold_trait_notifications():
                for name in self._attributes:
                    setattr(self, name, values[name])
                self.state = self._values()
                self.set_trait("query", self._query())
        finally:
            self._follows = False

    def _values(self) -> dict[str, Any]:
        room = self._link.room
        return plain({name: getattr(room.state, name) for name in url.settings(room.State)})

    def _query(self) -> str:
        return url.write(self._link.room.state)[0]

    def _tell(self, content: dict[str, Any], buffers: list[bytes]) -> None:
        self.send(content, buffers)
