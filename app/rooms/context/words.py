"""What the room `context` says beside its figures: each section says it, the questions are the room's."""

from __future__ import annotations

from typing import Any

from app.kit.formula import Formula
from app.kit.numbers import Table
from app.rooms.context.compute import SECTIONS, View, section_of
from app.rooms.context.quiz import questions
from app.rooms.context.setting import Setting

__all__ = ["code", "code_answer", "describe", "formula", "numbers", "questions"]


def describe(view: View) -> str:
    """The caption."""
    said: str = section_of(view).describe(view)
    return said


def numbers(view: View) -> list[Table]:
    """The tables behind the figure."""
    tables: list[Table] = section_of(view).numbers(view)
    return tables


def formula(view: View) -> tuple[Formula, ...]:
    """The equations, general and with the present numbers."""
    formulas: tuple[Formula, ...] = section_of(view).formula(view)
    return formulas


def code(**state: Any) -> str:
    """NumPy code that ends by assigning ``result``."""
    source: str = SECTIONS[state["show"]].code(Setting.of(**state))
    return source


def code_answer(view: View) -> Any:
    """What ``result`` must equal."""
    return section_of(view).code_answer(view)
