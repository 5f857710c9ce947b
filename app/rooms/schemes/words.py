"""What the room `schemes` says beside its figures: each section says it, the questions are the room's."""

from __future__ import annotations

from typing import Any

from app.kit.formula import Formula
from app.kit.html import number
from app.kit.numbers import Table
from app.kit.questions import Question
from app.kit.shares import percent
from app.rooms.schemes.comparison import ACTS
from app.rooms.schemes.compute import DEFAULTS, SECTIONS, View, compute, section_of
from app.rooms.schemes.state import Settings
from lab.compare import Row


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
    source: str = SECTIONS[state["show"]].code(Settings.of(**state))
    return source


def code_answer(view: View) -> Any:
    """What ``result`` must equal."""
    return section_of(view).code_answer(view)


_MOVED = {"show": "scores", "shift": 500}
_LIMIT = {"show": "scores", "shift": 1020}
_TABLE = {"show": "compare", "shift": 500}
_TWELVE = {"show": "slopes", "H": 12, "head": 9}
_WHISPER = {"show": "tables", "table": "whisper", "place": 224}
_PLACES = {"input": 0, "qk": 1, "v": 2, "scores": 3}


def questions() -> tuple[Question, ...]:
    """Predict, then check."""
    return (
        Question(
            "The whole sequence moves 500 positions on. Whose scores stay as they were?",
            (
                "All schemes': the distances are the same",
                "Those of RoPE, ALiBi and no position",
                "Those of the sinusoidal and the learned rows",
            ),
            _who_stays,
            _MOVED,
        ),
        Question(
            "A table was trained for 1,024 positions. What stops it at the next one?",
            (
                "The row it would add does not exist",
                "Its scores become too large",
                "Nothing: it repeats its last row",
            ),
            _what_stops,
            _LIMIT,
        ),
        Question(
            "Where does RoPE act?",
            ("On the embeddings", "On q and k", "On v", "On the scores"),
            lambda: _where("rope"),
            _TABLE,
        ),
        Question(
            "And ALiBi?",
            ("On the embeddings", "On q and k", "On v", "On the scores"),
            lambda: _where("alibi"),
            _TABLE,
        ),
        Question(
            "ALiBi with 12 heads in a released model: is the slope of head 9 below that of head 8?",
            ("Yes, slopes fall from head to head", "No, it is the steepest of all", "They are equal"),
            _ninth_head,
            _TWELVE,
        ),
        Question(
            "Does the cosine of two rows of Whisper's trained table depend on their distance alone?",
            ("Yes, fully", "For the most part", "Hardly at all"),
            _whisper,
            _WHISPER,
        ),
    )


def _view(values: dict[str, Any]) -> Any:
    return compute(**{**DEFAULTS, **values})


def _rows(values: dict[str, Any]) -> dict[str, Row]:
    return {row.key: row for row in _view(values).rows}


def _who_stays() -> tuple[int, str]:
    rows = _rows({**_MOVED, "show": "compare"})
    stay = {key for key, row in rows.items() if row.kind != "absolute"}
    said = ", ".join(f"{row.title} {number(row.change or 0.0)}" for row in rows.values())
    right = 0 if stay == set(rows) else 1 if {"rope", "alibi", "none"} <= stay else 2
    return right, f"Largest change of a score: {said}."


def _what_stops() -> tuple[int, str]:
    beyond = _rows(_TABLE)["learned"].beyond
    return (0 if beyond.scores is None else 2), f"The scheme says: {beyond.error}."


def _where(key: str) -> tuple[int, str]:
    row = _rows(_TABLE)[key]
    others = "no row of x and no v changes" if "input" not in row.acts_on else "the rows of x change"
    changed = " and ".join(ACTS[place] for place in row.acts_on)
    said = f"Calling its hooks changes {changed} and nothing else: {others}."
    return _PLACES[row.acts_on[0]], said


def _ninth_head() -> tuple[int, str]:
    slopes = _view(_TWELVE).table.released.tolist()
    eighth, ninth = slopes[7], slopes[8]
    right = 0 if ninth < eighth else 1 if ninth == max(slopes) else 2
    said = f"Head 8 has {number(eighth, 6)}, head 9 has {number(ninth, 6)}: a second list starts there."
    return right, said


def _whisper() -> tuple[int, str]:
    share = _view(_WHISPER).table.explained
    said = f"The distance explains {percent(share)} of the variance; row 224 is in the rest."
    return (0 if share > 0.995 else 1 if share > 0.5 else 2), said
