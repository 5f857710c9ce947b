"""The one pane for HTML. It takes Markup only, so nothing a reader typed can reach it unescaped."""

from __future__ import annotations

from typing import Any

from app.compat import HtmlPane
from app.kit.html import EMPTY, Markup, tag

Pane = HtmlPane


class Html:
    """A pane of safe HTML. Empty it takes no room; assigning the same content again sends nothing."""

    def __init__(self, markup: Markup = EMPTY, *, css: str = "", role: str = "", **options: Any) -> None:
        self._role = role
        classes = ["lab-html", *css.split()]
        self.pane = Pane(
            self._wrapped(markup),
            css_classes=classes,
            sizing_mode="stretch_width",
            margin=0,
            visible=bool(markup),
            **options,
        )

    def set(self, markup: Markup) -> None:
        """Show this markup.

        Raises
        ------
        TypeError
            If it is a plain string: escape it, or build it with `html.tag`.
        """
        wrapped = self._wrapped(markup)
        if wrapped != self.pane.object:
            self.pane.param.update(object=wrapped, visible=bool(markup))

    def _wrapped(self, markup: Markup) -> str:
        if not isinstance(markup, Markup):
            raise TypeError(f"a pane takes Markup, not {type(markup).__name__}: escape the text first")
        if self._role:
            return f'<div role="{self._role}">{markup}</div>'
        return str(markup)


def section(title: str, says: str) -> Pane:
    """The head of a lower part of a room: its title and a line on what it shows."""
    return Html(tag("div", tag("h2", title), tag("p", says)), css="lab-part").pane
