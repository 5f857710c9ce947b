"""State and view of the room `schemes`: a section for each view, behind one set of functions."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from app.kit import budget
from app.rooms.schemes import comparison, scores, slopes, tables
from app.rooms.schemes.comparison import CompareView
from app.rooms.schemes.scores import ScoresView
from app.rooms.schemes.slopes import SlopesView
from app.rooms.schemes.state import DEFAULTS, NAMES, Settings, State
from app.rooms.schemes.tables import TablesView

__all__ = ["DEFAULTS", "NAMES", "SECTIONS", "State", "View", "compute", "cost", "section_of"]

View = ScoresView | CompareView | SlopesView | TablesView

SECTIONS: Mapping[str, ModuleType] = {
    "scores": scores,
    "compare": comparison,
    "slopes": slopes,
    "tables": tables,
}
"""By the value of `show`; each has compute, top, bottom, describe, numbers, formula, code and code_answer."""


def cost(**state: Any) -> budget.Cost:
    """All other bounds hold the sizes small, their products too."""
    return budget.typed(state["text"])


def compute(**state: Any) -> View:
    """Compute the section that is shown, and nothing else.

    Raises
    ------
    ValueError
        If the text holds no word.
    DataMissing
        If the file of a real table has not arrived.
    """
    view: View = SECTIONS[state["show"]].compute(Settings.of(**state))
    return view


def section_of(view: View) -> ModuleType:
    """The section a view belongs to."""
    return SECTIONS[view.settings.show]
