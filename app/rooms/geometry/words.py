"""What the room `geometry` says beside its figures: each look speaks for itself."""

from __future__ import annotations

from typing import Any

from app.kit.formula import Formula
from app.kit.numbers import Table
from app.rooms.geometry.compute import View, compute


def describe(view: View) -> str:
    """The caption: what the figure shows, with its numbers."""
    return view.shown.describe()


def numbers(view: View) -> list[Table]:
    """The tables behind the figure."""
    return view.shown.numbers()


def formula(view: View) -> tuple[Formula, ...]:
    """The equation, and with the present numbers in it."""
    return view.shown.formula()


def code(**state: Any) -> str:
    """NumPy code whose ``result`` is `code_answer`."""
    return "\n".join(["import numpy as np", "", *compute(**state).shown.code(), ""])


def code_answer(view: View) -> Any:
    """What ``result`` must equal."""
    return view.shown.answer()
