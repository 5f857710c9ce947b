"""What a reader can set in the room `schemes`, and the same as values of a view."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import param

from lab.compare import TABLES

SHOWN = {
    "scores": "Scores",
    "compare": "Comparison",
    "slopes": "ALiBi",
    "tables": "Real tables",
}
EXAMPLE = "the cat climbed the roof"
MOST_WORDS = 12
FARTHEST = 4096
MOST_HEADS = 64


class State(param.Parameterized):
    """What a reader can set."""

    show = param.Selector(default="scores", objects=list(SHOWN), label="Show")
    text = param.String(default="", label="Text")
    shift = param.Integer(
        default=16, bounds=(0, FARTHEST), label="Shift of the whole sequence", doc="In positions."
    )
    head = param.Integer(default=3, bounds=(1, MOST_HEADS), label="Head shown", doc="Counted from 1.")
    H = param.Integer(default=8, bounds=(1, MOST_HEADS), label="Heads H")
    D = param.Selector(default=16, objects=[4, 8, 16, 32], label="Width D of the model")
    d = param.Selector(default=8, objects=[2, 4, 8, 16], label="Width d of a head")
    seed = param.Integer(default=0, bounds=(0, 9999), label="Seed of x, Wq and Wk")
    table = param.Selector(default="whisper", objects=list(TABLES), label="Position table")
    place = param.Integer(default=100, bounds=(0, 511), label="Position looked at", doc="Row of the table.")


@dataclass(frozen=True)
class Settings:
    """The values of the State, with those that depend on others brought within their limits."""

    show: str
    text: str
    shift: int
    head: int
    H: int
    D: int
    d: int
    seed: int
    table: str
    place: int

    @classmethod
    def of(cls, **state: Any) -> Settings:
        """Take the values of a State; a head beyond the last stands for the last."""
        return cls(**{**state, "head": min(state["head"], state["H"])})

    @property
    def words(self) -> tuple[str, ...]:
        """All words of the text.

        Raises
        ------
        ValueError
            If there are none.
        """
        words = (self.text or EXAMPLE).split()
        if not words:
            raise ValueError(
                "This text holds no word. Type at least one, or empty the field for the example."
            )
        return tuple(words)


NAMES = tuple(Settings.__dataclass_fields__)
DEFAULTS = {key: State.param[key].default for key in NAMES}
