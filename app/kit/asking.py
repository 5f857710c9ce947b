"""A teacher's question about a figure: the figure's own values decide which option is right."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from app.kit.numbers import Table
from app.kit.questions import Question
from app.kit.spec import Asked
from lab.expression import evaluate

Values = Mapping[str, Any]


def question_of(asked: Asked, figure: str, values: Callable[[], Values]) -> Question:
    """A question of a specification as one of the room's."""
    options = tuple(one.text for one in asked.options)

    def answer() -> tuple[int, str]:
        right = options.index(asked.right) if asked.right else _first_that_holds(asked, values())
        return right, asked.options[right].why

    why = tuple(one.why for one in asked.options)
    return Question(asked.prompt, options, answer, asked.show, figure, "own", why)


def _first_that_holds(asked: Asked, values: Values) -> int:
    for at, option in enumerate(asked.options):
        if option.when and bool(evaluate(option.when, values)):
            return at
    # an option without a condition is what is left
    left = [at for at, option in enumerate(asked.options) if not option.when]
    if len(left) != 1:
        raise ValueError(f"{asked.prompt} None of its options holds in this figure")
    return left[0]


def values_of(state: Values, tables: Sequence[Table]) -> dict[str, Any]:
    """The values of a figure by name: its settings, the columns of its tables, and each table's numbers.

    >>> values_of({"m": 3}, [Table("Score by distance", ["distance", "score"], [[0, 1.5], [1, 2.5]])])
    {'m': 3, 'distance': [0, 1], 'score': [1.5, 2.5], 'score_by_distance': [[0, 1.5], [1, 2.5]]}
    """
    found = dict(state)
    for table in tables:
        for at, name in enumerate(table.columns):
            found.setdefault(_slug(name), [row[at] for row in table.rows if at < len(row)])
        labels = _labels(table)
        found.setdefault(_slug(table.title), [list(row[labels:]) for row in table.rows])
    return found


def _labels(table: Table) -> int:
    """How many columns on the left name a row: up to the last one of words."""
    words = {at for row in table.rows for at, cell in enumerate(row) if isinstance(cell, str)}
    return max(words, default=-1) + 1


def _slug(name: str) -> str:
    words = re.sub(r"\W+", "_", name.strip()).strip("_")
    if not words[:1].isalpha():
        return f"column_{words}"
    # a symbol of the field keeps its case: X, E, d
    return words.lower() if len(words) > 1 else words
