"""Predict, then check: what would you see first?"""

from __future__ import annotations

from typing import Any

from app.kit.html import number
from app.kit.questions import Question
from app.rooms.mistakes.compute import DEFAULTS, View, compute
from app.rooms.mistakes.pages import RIGHT, WRONG
from app.rooms.mistakes.pages.caching import BOTH_LATE
from app.rooms.mistakes.pages.stretching import A_LITTLE_LONG
from lab.context_extension import logit_gain

_TWICE = {"mistake": "twice", "at": 2}
_CACHE = {"mistake": "cache"}
_ROPE = {"mistake": "padding", "scheme": "rope"}
_END = {"mistake": "pad_value"}
_YARN = {"mistake": "yarn_factor", "at": 128}
_LONG = {"mistake": "longer", "length": A_LITTLE_LONG, "at": 530}
_STALE = {"mistake": "stale", "symptom": "limit"}
_ADD = {"mistake": "gradient"}


def questions() -> tuple[Question, ...]:
    """Predict, then check."""
    return (*_in_a_batch(), *_in_a_window())


def _in_a_batch() -> tuple[Question, ...]:
    return (
        Question(
            "A key is rotated when it enters the cache, and again when it is read. What would you see first?",
            (
                "Keys that grow longer with their position",
                "Scores that belong to another distance, and change when the whole text moves",
                "Nothing: query and key still turn by the same rule",
            ),
            _twice,
            _TWICE,
        ),
        Question(
            "Prompts are padded in front, the mask is right, positions count the padding too. The model "
            "turns with RoPE. What do its logits do?",
            ("They change with the padding", "Nothing", "Only those of the first token change"),
            _rope,
            _ROPE,
        ),
        Question(
            "Queries and cached keys both stand one position too late. Which check finds it?",
            (
                "Comparing the scores with one full pass",
                "Comparing the lengths of the turned vectors",
                "Neither: every score is right",
            ),
            _cache,
            _CACHE,
        ),
        Question(
            "Padding is the end token, and every target of that id is left out of the loss. What does the "
            "model do in the end?",
            ("It stops too early", "It never stops", "It writes padding between words"),
            _end,
            _END,
        ),
    )


def _in_a_window() -> tuple[Question, ...]:
    return (
        Question(
            "YaRN at factor 128, its factor squared by mistake. How much do the logits grow?",
            ("1.5 times, as they should", "2.2 times", "4.9 times"),
            _yarn,
            _YARN,
        ),
        Question(
            f"A RoPE model trained on 512 positions gets {A_LITTLE_LONG} tokens. What would you see first?",
            (
                "An error that names position 512",
                "No error; some pairs meet angles they never met in training",
                "Nothing is new before four times the length",
            ),
            _long,
            _LONG,
        ),
        Question(
            "Dynamic NTK with keys cached under an earlier base. Up to which length do all tests pass?",
            (
                "Up to the trained length",
                "Up to twice the trained length",
                "They fail from the first token on",
            ),
            _stale,
            _STALE,
        ),
        Question(
            "grad[ids] += G with the ids 0, 0, 1, 1, 2 and gradients of 1. What do rows 0, 1, 2 get?",
            ("2, 2, 1", "1, 1, 1", "An error: an index is repeated"),
            _add,
            _ADD,
        ),
    )


def _view(values: dict[str, Any]) -> View:
    return compute(**{**DEFAULTS, **values})


def _holds(view: View, words: str) -> bool:
    return next(holds for sentence, holds in view.run.stays if words in sentence)


def _twice() -> tuple[int, str]:
    view = _view(_TWICE)
    kept = _holds(view, "keeps its length")
    scores = [float(view.run.values(version)[view.place]) for version in (WRONG, RIGHT)]
    said = f"Each key {'keeps its' if kept else 'changes its'} length. {view.page.says(view.run, view.place)}"
    return (0 if not kept else 1 if scores[0] != scores[1] else 2), said


def _rope() -> tuple[int, str]:
    view, learned = _view(_ROPE), _view({"mistake": "padding"})
    changes = [float(one.run.symptom.wrong.max()) for one in (view, learned)]
    said = (
        "All distances are what they were: a shift cancels. With up to 8 tokens of padding the largest "
        f"change is {number(changes[0])}; with a table of learned positions it is {number(changes[1])}."
    )
    return (1 if changes[0] < 1e-9 else 0), said


def _cache() -> tuple[int, str]:
    view = _view(_CACHE)
    passed = view.run.verdicts[BOTH_LATE].passed
    scores = [float(view.run.values(version)[0]) for version in (RIGHT, WRONG, BOTH_LATE)]
    right, late, both = (number(score, 6) for score in scores)
    said = (
        f"Right is {right}, the query alone one late gives {late}, both one late {both} again, and turned "
        "vectors keep their length in any case. A table of learned positions would show it: it reads another "
        "row."
    )
    return (2 if passed else 0), said


def _end() -> tuple[int, str]:
    view = _view(_END)
    lengths = view.run.inputs["lengths"].tolist()
    wrong = view.run.values(WRONG)
    ends = sum(int(wrong[i, n - 2]) for i, n in enumerate(lengths))
    said = f"{ends} of {len(lengths)} ends count in the loss, so nothing ever teaches it to write one."
    return (1 if ends == 0 else 0), said


def _yarn() -> tuple[int, str]:
    view = _view(_YARN)
    right, wrong = (float(view.run.values(version)[view.place]) for version in (RIGHT, WRONG))
    gains = [logit_gain(right), logit_gain(wrong)]
    said = (
        f"The multiplier of cos and sin is {number(right, 4)}, so the logits should grow "
        f"{number(gains[0], 4)} times. Squared it is {number(wrong, 4)}, and they grow {number(gains[1], 4)} "
        "times."
    )
    nearest = min(range(3), key=lambda index: abs((1.5, 2.2, 4.9)[index] - gains[1]))
    return nearest, said


def _long() -> tuple[int, str]:
    view = _view(_LONG)
    message = view.run.verdicts[WRONG].message
    said = f"Every angle is a number and nothing is raised, but {message}."
    quiet = _holds(view, "no error is raised")
    return (0 if not quiet else 1 if message else 2), said


def _stale() -> tuple[int, str]:
    view = _view(_STALE)
    trained = view.run.inputs["trained"]
    short = _holds(view, "up to the trained length")
    apart = float(abs(view.run.symptom.right - view.run.symptom.wrong).max())
    said = (
        f"Up to {trained:,} tokens the base never moved, so no key is stale. At "
        f"{view.run.inputs['length']:,} a cached score is off by up to {number(apart)}."
    )
    return (0 if short else 2), said


def _add() -> tuple[int, str]:
    view = _view(_ADD)
    right, wrong = (
        [int(g) for g in values.tolist()] for values in (view.run.symptom.right, view.run.symptom.wrong)
    )
    said = (
        f"It gives {', '.join(map(str, wrong[:3]))} where {', '.join(map(str, right[:3]))} is right: of "
        "several uses of a row only the last one counts, and nothing is raised."
    )
    return (1 if wrong[:3] == [1, 1, 1] else 0), said
