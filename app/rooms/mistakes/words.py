"""What the room `mistakes` says beside its figures: caption, numbers, formula, code."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from app.kit.formula import Formula
from app.kit.numbers import Table
from app.rooms.mistakes.compute import View, every_verdict
from app.rooms.mistakes.pages import PAGES
from app.rooms.mistakes.quiz import questions
from app.rooms.mistakes.stage import told
from app.rooms.mistakes.state import chosen
from lab.mistakes import MISTAKES, SYMPTOM_SENTENCES

__all__ = ["code", "code_answer", "describe", "formula", "numbers", "questions"]


def describe(view: View) -> str:
    """The caption: what the figure shows, and what the test says."""
    says = view.page.says(view.run, view.place)
    return f"{view.mistake.title}. {says} {told(view, view.run.verdicts[view.version])}"


def numbers(view: View) -> list[Table]:
    """The tables behind the figures."""
    tests = [[name, "yes" if said.passed else "no", said.message] for name, said in view.run.verdicts.items()]
    stays = [[sentence, "yes" if holds else "no"] for sentence, holds in view.run.stays]
    return [
        *_figure(view),
        Table("What the test says", ["version", "passes", "because"], tests),
        Table("What stays right on the wrong version", ["check", "holds"], stays),
        _all(),
    ]


def _figure(view: View) -> list[Table]:
    symptom = view.run.symptom
    if symptom.kind == "matrix":
        columns = [symptom.y_label, *(f"{place:.0f}" for place in symptom.x.tolist())]
        return [
            Table(
                f"{symptom.title}: {name}",
                columns,
                [[head, *row] for head, row in zip(symptom.names, values.tolist(), strict=True)],
            )
            for name, values in (("right", symptom.right), ("wrong", symptom.wrong))
        ]
    rows = zip(symptom.x.tolist(), symptom.right.tolist(), symptom.wrong.tolist(), strict=True)
    columns = [symptom.x_label, f"{symptom.y_label}, right", f"{symptom.y_label}, wrong"]
    return [Table(symptom.title, columns, [list(row) for row in rows])]


@lru_cache(maxsize=1)
def _all() -> Table:
    return Table(
        "All twelve, on inputs where they show",
        ["mistake", "what its test says of the wrong version", "seen as"],
        [
            [
                one.title,
                every_verdict()[key].message,
                "; ".join(SYMPTOM_SENTENCES[t] for t in one.symptom_tags),
            ]
            for key, one in MISTAKES.items()
        ],
    )


def formula(view: View) -> tuple[Formula, ...]:
    """The law that is broken, and the same with the present numbers."""
    return view.page.formula(view.run, view.place)


def code(**state: Any) -> str:
    """NumPy code whose ``result`` holds what the figure shows: the right values, then the wrong ones."""
    page = PAGES[chosen(state["symptom"], state["mistake"])]
    lines = page.code(**{name: state[name] for name in page.uses})
    return f"import numpy as np\n\n{lines}result = np.stack([right, wrong])\n"


def code_answer(view: View) -> Any:
    """What ``result`` must equal."""
    return [view.run.symptom.right.tolist(), view.run.symptom.wrong.tolist()]
