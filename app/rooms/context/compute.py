"""Compute of the room `context`: a section for each view, behind one set of functions."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from app.rooms.context import angles, heads, pairs, scores
from app.rooms.context.angles import AnglesView
from app.rooms.context.heads import HeadsView
from app.rooms.context.pairs import PairsView
from app.rooms.context.scores import ScoresView
from app.rooms.context.setting import Setting

View = PairsView | AnglesView | ScoresView | HeadsView

SECTIONS: Mapping[str, ModuleType] = {"pairs": pairs, "angles": angles, "scores": scores, "heads": heads}
"""By the value of `show`; each has compute, describe, numbers, formula, code and code_answer."""


def compute(**state: Any) -> View:
    """Compute the section that is shown, and nothing else.

    Raises
    ------
    ValueError
        If the chosen method refuses the sizes, the pasted JSON cannot be read, or a word has no token.
    DataMissing
        If the file of the real heads has not arrived.
    """
    view: View = SECTIONS[state["show"]].compute(Setting.of(**state))
    return view


def section_of(view: View) -> ModuleType:
    """The section a view belongs to."""
    return SECTIONS[view.setting.show]
