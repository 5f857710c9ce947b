"""The place of a figure on a page: its head, controls, picture, caption, and what stands behind it.

Everything that can fail is done in `prepare`, before anything on the page is changed; `show` only assigns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import panel as pn

from app.kit.drawer import Drawer
from app.kit.figure import Figure
from app.kit.hidden import OPENS, without_controls
from app.kit.html import EMPTY, Markup, heading, tag
from app.kit.matrix import error
from app.kit.panes import Html

UNMADE = "lab-unmade"
FEW = 3
"""Controls that a figure shows at first in a page of somebody else's."""
FIGURE = "figure:"
"""How the tag of a figure's column begins: the page finds by it what comes into sight."""


@dataclass(frozen=True)
class Prepared:
    """All that a page shows of a figure in one state."""

    used: Any
    view: Any
    caption: Markup
    aside: Markup
    html: tuple[Markup, ...]
    behind: Mapping[str, Markup]


@dataclass(frozen=True)
class Said:
    """What a page says of a figure beside its own words."""

    title: str | None = None
    caption: str | None = None
    opened: tuple[str, ...] | None = None
    headed: bool = True
    """Whether its title is a heading."""
    compact: bool = False
    """Whether it begins with few controls, and with nothing open behind it."""


class Place:
    """One figure of a room.

    Parameters
    ----------
    figure : Figure
    controls : sequence
        Controls that act on this figure alone.
    hidden : frozenset of str
        Parts that the address takes away.
    leads : bool
        Whether it is the first, or open by itself: its caption is spoken and its formula is open.
    reopened : callable
        Called with the place when its reader opens or closes what stands behind it.
    said : Said
        What the page says of it.
    """

    def __init__(
        self,
        figure: Figure,
        controls: Sequence[Any],
        hidden: frozenset[str],
        leads: bool,
        reopened: Callable[[Place], None],
        said: Said = Said(),
    ) -> None:
        self.figure = figure
        self.shown: Prepared | None = None
        self._said = said
        self._own, self._hidden, self._leads, self._reopened = controls, hidden, leads, reopened
        self._parts: list[Any] = []
        self._saying: list[tuple[Html, Callable[[Any], Markup]]] = []
        self._picture, self._above = (
            pn.Column(margin=0, sizing_mode="stretch_width", css_classes=["lab-picture"]) for _ in range(2)
        )
        # what was never open has an empty column: of many figures behind tabs a page makes one
        self.column = pn.Column(margin=0, sizing_mode="stretch_width")

    def turn(self, opened: bool) -> None:
        """Open or close the figure."""
        self.column.visible = opened
        if opened:
            self._frame()

    def _frame(self) -> None:
        """Make what stands around the picture, once."""
        if len(self.column):
            return
        figure, hidden, leads = self.figure, self._hidden, self._leads
        controls = [] if "controls" in hidden else self._own
        self._error = Html(role="alert", css="lab-errors")
        self._caption = Html(role="status" if leads else "", css="lab-caption")
        opened = self._said.opened
        if opened is None:
            opened = ("formula",) if leads and not self._said.compact else ()
        self.drawer = Drawer(figure.title or figure.key, hidden, opened, lambda: self._reopened(self))
        head = self._head()
        # in a page of somebody else's a few controls are enough to begin with
        few = FEW if self._said.compact else len(controls)
        beside = pn.Column(margin=0, sizing_mode="stretch_width", visible=bool(controls))
        beside.append(_inline(controls[:few]))
        if len(controls) > few:
            beside.extend(_more(controls[few:]))
        # what will come into sight keeps a place, so that a page does not jump while it is scrolled
        self._picture.css_classes = ["lab-picture", UNMADE]
        parts = pn.Column(
            Html(head, css="lab-part lab-first" if leads else "lab-part").pane,
            *([self._above] if figure.above else []),
            beside,
            self._error.pane,
            self._picture,
            self._caption.pane,
            *self.drawer.parts,
            css_classes=["lab-figure", f"lab-figure-{figure.key}"],
            margin=0,
            sizing_mode="stretch_width",
            tags=[FIGURE + figure.key],
        )
        if "controls" in hidden:
            without_controls(parts)
        self.column.append(parts)

    def _head(self) -> Markup:
        own = self._said.title
        title, lead = (self.figure.title, self.figure.lead) if own is None else (own, "")
        if not title or "title" in self._hidden:
            return EMPTY
        return tag("div", heading(title, 2, not self._said.headed), tag("p", lead) if lead else "")

    def due(self, values: Mapping[str, Any]) -> bool:
        """Whether it shows another state than this one, or none yet."""
        return self.shown is None or self.shown.used != self._used(values)

    def prepare(self, values: Mapping[str, Any], view: Any = None) -> Prepared:
        """All that is to be shown of a state; a view that is there already is taken.

        Raises
        ------
        ValueError
            If the values do not fit together, or cost too much.
        """
        self._frame()
        used = self._used(values)
        if view is None:
            view = self.shown.view if self.shown and self.shown.used == used else self.figure.viewed(values)
        self._make()
        said = tuple(says(view) for _, says in self._saying)
        return Prepared(
            used, view, self._caption_of(view), self.figure.aside(view), said, self._behind(values, view)
        )

    def _caption_of(self, view: Any) -> Markup:
        if "caption" in self._hidden:
            return EMPTY
        words = self._said.caption
        own = tag("p", words, class_="lab-own") if words else EMPTY
        return own + tag("p", self.figure.caption(view))

    def show(self, prepared: Prepared) -> None:
        """Put a state on the page."""
        self.figure.draw(prepared.view)
        for (pane, _), markup in zip(self._saying, prepared.html, strict=True):
            pane.set(markup)
        self._caption.set(prepared.caption)
        self.drawer.show(prepared.behind)
        self._error.set(EMPTY)
        self.shown = prepared

    def back_to(self, before: Prepared | None) -> None:
        """Put an earlier state back: a drawing that failed half way leaves a figure of two states."""
        if before is not None:
            self.show(before)

    def fail(self, sentence: str) -> None:
        """Say why this figure, and no other, cannot be shown."""
        self._error.set(error(sentence))
        self.stale(True)

    def open(self, values: Mapping[str, Any]) -> None:
        """Fill what the reader has opened behind the figure."""
        if self.shown is not None:
            self.drawer.show(self._behind(values, self.shown.view))

    def stale(self, stale: bool) -> None:
        """Dim what shows another state than the controls."""
        if not len(self.column):
            return
        for part in (self._above, self._picture, self._caption.pane, *self.drawer.parts):
            classes = [name for name in part.css_classes if name != "lab-stale"]
            wanted = [*classes, "lab-stale"] if stale else classes
            if wanted != part.css_classes:
                part.css_classes = wanted

    def _used(self, values: Mapping[str, Any]) -> Any:
        return {name: values[name] for name in self.figure.uses}, self.figure.follows()

    def _behind(self, values: Mapping[str, Any], view: Any) -> dict[str, Markup]:
        return self.drawer.content(self.figure, self.figure.snapshot(values), view)

    def _make(self) -> None:
        if self._parts:
            return
        for part in self.figure.make():
            if callable(part):
                pane = Html()
                self._saying.append((pane, part))
                part = pane
            part = getattr(part, "pane", part)
            if "controls" not in self._hidden or without_controls(part):
                self._parts.append(part)
        self._above.extend(self._parts[: self.figure.above])
        self._picture.extend(self._parts[self.figure.above :])
        self._picture.css_classes = [name for name in self._picture.css_classes if name != UNMADE]


def _inline(controls: Sequence[Any]) -> pn.Row:
    return pn.Row(*controls, css_classes=["lab-inline"], margin=0, sizing_mode="stretch_width")


def _more(controls: Sequence[Any]) -> tuple[Any, pn.Column]:
    """Further controls behind a switch: a grid keeps its display when it is invisible, a column does not."""
    rest = pn.Column(_inline(controls), margin=0, sizing_mode="stretch_width", visible=False)
    switch = pn.widgets.CheckBoxGroup(
        options=["More settings"], value=[], inline=True, css_classes=["lab-tabs", "lab-more"], margin=0,
        tags=["label:Settings", OPENS],
    )  # fmt: skip
    switch.param.watch(lambda event: rest.param.update(visible=bool(event.new)), "value")
    return switch, rest
