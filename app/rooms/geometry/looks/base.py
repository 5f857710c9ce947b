"""What every look at a table declares. A look is computed once and then only read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from app.kit.formula import Formula
from app.kit.html import EMPTY, Markup
from app.kit.numbers import Table
from app.rooms.geometry.tables import SMALL, Asked
from lab.table_study import TableStudy


@dataclass(frozen=True, eq=False)
class Look(ABC):
    """One way to look at a table."""

    asked: Asked

    title: ClassVar[str]
    controls: ClassVar[tuple[str, ...]]
    """Names of the State's values that matter here; the others are not shown."""
    figure: ClassVar[str] = ""
    """The picture on a canvas it draws on, if any."""
    labels: ClassVar[dict[str, str]] = {}
    """What the words' fields are called here."""

    @classmethod
    @abstractmethod
    def of(cls, asked: Asked) -> Self:
        """Compute it.

        Raises
        ------
        ValueError
            If what is asked does not exist in this table.
        """

    @classmethod
    def refusal(cls, study: TableStudy) -> str:
        """Why this table cannot be looked at so, with the way out; empty if it can."""
        return ""

    def stage(self) -> Markup:
        """The picture in HTML, across the page."""
        return EMPTY

    def beside(self) -> Markup:
        """A list that stands beside the canvas, if there is one."""
        return EMPTY

    def under(self) -> Markup:
        """What stands below the canvas."""
        return EMPTY

    def draw(self, figure: Any) -> None:
        """Assign to the picture on the canvas.

        Raises
        ------
        NotImplementedError
            If the look names a picture and does not draw it.
        """
        raise NotImplementedError(type(self).__name__)

    @abstractmethod
    def describe(self) -> str:
        """The caption."""

    @abstractmethod
    def numbers(self) -> list[Table]:
        """The tables behind the figure."""

    @abstractmethod
    def formula(self) -> tuple[Formula, ...]:
        """The equation and its present numbers."""

    @abstractmethod
    def code(self) -> list[str]:
        """Lines of NumPy after `opening`, the last of which assigns ``result``."""

    @abstractmethod
    def answer(self) -> Any:
        """What ``result`` must equal."""


def opening(asked: Asked) -> list[str]:
    """Lines of NumPy that make E, and tokens where a word is looked up by name."""
    table = asked.study.table
    if asked.key == "minilm":
        return [
            'pack = np.load("static/data/minilm_small_int8.npz")  # of the lab',
            'E = pack["tok_q"].astype(np.float32) * pack["tok_scale"].astype(np.float32)[:, None]  # (V, D)',
            'tokens = pack["vocab"].tobytes().decode().split("\\n")',
        ]
    if asked.key == "smollm2":
        return [
            'pack = np.load("static/data/smollm2_rope_pack.npz")  # of the lab',
            'E = pack["tok_q"].astype(np.float32) * pack["tok_scale"].astype(np.float32)[:, None]  # (V, D)',
            'tokens = pack["vocab"].tobytes().decode().replace("Ġ", " ").split("\\n")',
        ]
    if asked.study.V <= SMALL:
        rows = "\n".join(f"    {row}," for row in table.E.tolist())
        return [f"E = np.array([\n{rows}\n])  # (V, D)", f"tokens = {list(table.vocabulary.tokens)!r}"]
    if not table.name.endswith((".npy", ".npz")):
        return [
            "from lab.own_table import open_table  # of the lab",
            "",
            "# your own table: put the paths of its files here; first= begins a checkpoint elsewhere",
            f"table = open_table({table.name!r})",
            "E, tokens = table.E, list(table.vocabulary.tokens)",
        ]
    return [
        "# your own table: put your files' names here",
        'E = np.load("table.npy").astype(np.float32)  # (V, D)',
        'tokens = open("tokens.txt", encoding="utf-8").read().split("\\n")[: len(E)]',
    ]


UNIT = "U = E / np.linalg.norm(E, axis=1, keepdims=True)"
