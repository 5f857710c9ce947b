"""What the room `geometry` says beside its figures: each look speaks for itself."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from app.kit.formula import Formula
from app.kit.html import Markup, number, tag
from app.kit.numbers import Table
from app.rooms.geometry.compute import View, compute
from app.rooms.geometry.tables import ROUNDINGS
from lab.table_study import TableStudy, cosine_error


def about(view: View) -> Markup:
    """What the table holds and what it leaves out, where it is chosen and words are typed."""
    asked = view.asked
    said = [asked.study.table.note]
    if roundings := ROUNDINGS.get(asked.key):
        said.append(
            f"A cosine is off by about {number(_error(asked.key, asked.study, roundings), 4)} for that."
        )
    return tag("p", " ".join(said), class_="lab-note")


@lru_cache(maxsize=4)
def _error(key: str, study: TableStudy, roundings: int) -> float:
    return cosine_error(study.table.E, roundings)


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
