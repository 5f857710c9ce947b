"""A text field that suggests words of a long list while they are typed; any other text may be entered too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import param

from app.compat import Suggesting

SUGGESTED = 8


class Search:
    """The field and its words.

    Suggestions start with what was typed and keep the order they are given in. Give the shortest first: a
    word typed in full then comes before longer ones that begin with it, and Enter takes the word itself.
    """

    def __init__(self, parameter: param.String) -> None:
        self._known: Sequence[str] | None = None
        self.widget = Suggesting.from_param(
            parameter,
            max_completions=SUGGESTED,
            options=[],
            restrict=False,
            case_sensitive=False,
            min_characters=2,
            search_strategy="starts_with",
            css_classes=["lab-field", "lab-search"],
            sizing_mode="stretch_width",
            margin=0,
        )

    def offer(self, words: Sequence[str], placeholder: str) -> None:
        """Suggest these words from now on; the list is sent only when it is another one."""
        changed: dict[str, Any] = {"placeholder": placeholder}
        if words is not self._known:
            self._known = words
            changed["options"] = list(words)
        self.widget.param.update(**changed)
