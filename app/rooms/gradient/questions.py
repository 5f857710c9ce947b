"""Predict, then check: every answer is computed here by the lab."""

from __future__ import annotations

from typing import Any

from app.kit.html import number
from app.kit.questions import Question
from app.kit.shares import percent
from app.rooms.gradient.compute import State, View, compute
from lab import zipf

RARE = 10_000
STEPS = State.param.steps.default
_DEFAULTS = {name: State.param[name].default for name in State.param if name != "name"}


def questions() -> tuple[Question, ...]:
    """Predict, then check."""
    one: dict[str, Any] = {"step": 1}
    late: dict[str, Any] = {"optimizer": "adam"}
    rare: dict[str, Any] = {"closer": "row", "row": RARE}
    tied: dict[str, Any] = {"closer": "tied", "tied": True}
    twice: dict[str, Any] = {"closer": "ways", "ids": "0 0 1 1 2"}
    text: dict[str, Any] = {"source": "shakespeare"}
    return (
        Question(
            "4,000 tokens of Zipf's law (s = 1), a table of 50,257 rows, SGD. Which rows move?",
            (
                "All 50,257, by a little",
                "4,000, one for each token",
                "Fewer than 4,000: the rows whose tokens occur, each once",
            ),
            lambda: _moved(one),
            one,
        ),
        Question(
            f"The run goes on for {STEPS} steps, with Adam in place of SGD. Which rows move in the last?",
            (
                "The same as under SGD: rows of the step",
                "Every row that has been seen in any step so far",
                "Every row of the table",
            ),
            lambda: _adam(late),
            late,
        ),
        Question(
            f"Why does the row of rank {RARE:,} learn slowly under SGD?",
            (
                "Its gradient is divided by its rank",
                "Most steps hold no token of it, so they give it no gradient at all",
                "Its learning rate is lower",
            ),
            lambda: _rare(rare),
            rare,
        ),
        Question(
            "The table is tied: it is the output layer too. What changes?",
            (
                "Nothing: a row still needs its token in the input",
                "Every row gets a gradient in every step, from the softmax",
                "Only the rows of the targets get a gradient as well",
            ),
            lambda: _tied(tied),
            tied,
        ),
        Question(
            "Ids 0 0 1 1 2, each with the gradient 1. What does ‘grad[ids] += 1’ leave in NumPy?",
            ("2, 2, 1", "1, 1, 1", "2, 2, 2"),
            lambda: _wrong(twice),
            twice,
        ),
        Question(
            "Passages of a real text, against as many independent draws of its words: which touch more rows?",
            ("The passages", "The independent draws", "Both the same, within a hundredth"),
            lambda: _text(text),
            text,
        ),
    )


def _view(values: dict[str, Any]) -> View:
    return compute(**{**_DEFAULTS, **values})


def _moved(values: dict[str, Any]) -> tuple[int, str]:
    view = _view(values)
    moved, V, N = int(view.moved[view.step - 1]), view.run.V, view.run.N
    said = (
        f"{moved:,} rows move here and {number(view.run.expected, 0)} are expected: {N - moved:,} of the "
        f"{N:,} tokens repeat a row that the step has already, and their gradients are summed."
    )
    return (0 if moved == V else 1 if moved == N else 2), said


def _adam(values: dict[str, Any]) -> tuple[int, str]:
    view = _view(values)
    moved = int(view.moved[-1])
    said = (
        f"{moved:,} of {view.run.V:,} rows move in step {view.run.steps}, though only "
        f"{int(view.run.touched[-1]):,} have a gradient in it: Adam's mean of past gradients fades and is "
        "not gone."
    )
    return (0 if moved == int(view.run.touched[-1]) else 1 if moved == view.seen else 2), said


def _rare(values: dict[str, Any]) -> tuple[int, str]:
    run = _view(values).run
    wait = zipf.mean_wait(run.p, run.N)
    first, rare = float(wait[0]), float(wait[RARE - 1])
    said = (
        f"Its token is in one step of {number(rare, 1)} on average, that of the most frequent row "
        f"{number(run.p[0] * run.N, 0)} times in each."
    )
    return (1 if rare > 2 * first else 2), said


def _tied(values: dict[str, Any]) -> tuple[int, str]:
    norms = _view(values).tied_norms
    if norms is None:  # pragma: no cover
        raise RuntimeError("the tied table was not computed")
    fed, pushed = int((norms.input_part > 0).sum()), int((norms.output_part > 0).sum())
    V = len(norms.input_part)
    said = f"In the small tied table the input part reaches {fed} of {V} rows, the output part {pushed}."
    return (1 if pushed == V else 0 if pushed == 0 else 2), said


def _wrong(values: dict[str, Any]) -> tuple[int, str]:
    toy = _view(values).toy
    left = ", ".join(number(v) for v in toy.wrong.tolist())
    right = ", ".join(number(v) for v in toy.summed.tolist())
    said = f"It leaves {left}; the gradient is {right}. Use np.add.at, or sort and sum."
    return ["2, 2, 1", "1, 1, 1", "2, 2, 2"].index(left), said


def _text(values: dict[str, Any]) -> tuple[int, str]:
    run = _view(values).run
    less = "fewer" if run.shortfall > 0 else "more"
    said = (
        f"A step of passages touches {number(float(run.touched.mean()), 0)} rows on average, "
        f"{percent(abs(run.shortfall))} {less} than the {number(run.expected, 0)} expected of independent "
        "draws: words come in clusters."
    )
    return (2 if abs(run.shortfall) < 0.01 else 1 if run.shortfall > 0 else 0), said
