"""Radio buttons whose list may change while one of them stays chosen."""

from __future__ import annotations

from typing import Any

import panel as pn


class Radios(pn.widgets.RadioBoxGroup):
    """Panel's group, which tells the page the place of the chosen one in a new list as well.

    The page knows the chosen one by its place. Panel sends a place when the value changes, and not when the
    list around it does: the page would keep the old one, and show another choice than the State has, or none.
    """

    def _process_param_change(self, params: dict[str, Any]) -> dict[str, Any]:
        props: dict[str, Any] = super()._process_param_change(params)
        if "labels" in props and "active" not in props:
            props["active"] = self.values.index(self.value) if self.value in self.values else None
        return props
