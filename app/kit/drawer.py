"""Formula, numbers and code behind a figure, and its menu. Only what is open is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import panel as pn

from app.kit import formula as formulas
from app.kit import numbers as tables
from app.kit.figure import Figure
from app.kit.hidden import OPENS
from app.kit.html import Markup, tag
from app.kit.panes import Html
from app.kit.snippet import snippet

KINDS = {"formula": "Formula", "numbers": "Numbers", "code": "Code"}
_MENU = (("link", "Copy link"), ("embed", "Embed"), ("png", "PNG"), ("svg", "SVG"))


class Drawer:
    """What can be opened below one figure.

    Parameters
    ----------
    title : str
        Of the figure, for who hears it.
    hidden : frozenset of str
        Kinds that are left out.
    opened : sequence of str
        Kinds that are open from the start.
    reopened : callable
        Called when a reader opens or closes one.
    """

    def __init__(
        self, title: str, hidden: frozenset[str], opened: Sequence[str], reopened: Callable[[], None]
    ) -> None:
        shown = {name: key for key, name in KINDS.items() if key not in hidden}
        self._panes = {key: Html(css="lab-panel") for key in shown.values()}
        self.parts: list[Any] = []
        if not shown:
            return
        self._chosen = pn.widgets.CheckBoxGroup(
            options=shown,
            value=[key for key in shown.values() if key in opened],
            inline=True,
            css_classes=["lab-tabs"],
            margin=0,
            tags=[f"label:Behind the figure: {title}", OPENS],
        )
        self._chosen.param.watch(lambda _: reopened(), "value")
        menu = tag(
            "details",
            tag("summary", "⋯", aria_label=f"Menu of the figure: {title}"),
            tag("div", *(tag("button", name, type="button", data_figure=key) for key, name in _MENU)),
            class_="lab-menu",
        )
        beside = [] if "menu" in hidden else [Html(menu).pane]
        bar = pn.Row(self._chosen, *beside, css_classes=["lab-drawer"], margin=0)
        self.parts = [bar, *(made.pane for made in self._panes.values())]

    def content(self, figure: Figure, s: Any, view: Any) -> dict[str, Markup]:
        """What is open, filled with the numbers of a view; nothing is drawn yet."""
        make: Mapping[str, Callable[[], Markup]] = {
            "formula": lambda: formulas.show(figure.formula(view)),
            "numbers": lambda: tables.show(figure.numbers(view)),
            "code": lambda: snippet(figure.code(s)),
        }
        opened = self._chosen.value if self.parts else []
        return {key: make[key]() for key in opened}

    def show(self, content: Mapping[str, Markup]) -> None:
        """Show what `content` made, and close the rest."""
        for key, pane in self._panes.items():
            pane.set(content.get(key, Markup("")))
