"""What each mistake adds to the common page: its numbers, what is read off its figure, formula and code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from app.kit.formula import Formula, row
from app.kit.html import EMPTY, Markup, number
from lab.mistakes import MISTAKES, Inputs, Mistake, Symptom, Verdict

RIGHT, WRONG = "right", "wrong"
DIGITS = 6


def versions(mistake: Mistake) -> Mapping[str, Callable[[Inputs], Any]]:
    """Every version of a mistake by name: the right one, the wrong one, and the others."""
    return {RIGHT: mistake.right, WRONG: mistake.wrong, **mistake.others}


@dataclass(frozen=True, eq=False)
class Run:
    """A mistake made on inputs, and everything that was checked on them."""

    mistake: Mistake
    inputs: Inputs
    symptom: Symptom
    verdicts: Mapping[str, Verdict]
    """What the test says of each version: the right one, the wrong one, and others by name."""
    stays: tuple[tuple[str, bool], ...]
    """What a reader might check instead, and whether it holds on the wrong version."""

    def version(self, name: str) -> Callable[[Inputs], Any]:
        """A version by name."""
        return versions(self.mistake)[name]

    def values(self, name: str) -> Any:
        """Output of a version by name."""
        return self.version(name)(self.inputs)

    @property
    def caught(self) -> bool:
        """Whether the test fails the wrong version on these inputs."""
        return not self.verdicts[WRONG].passed


@dataclass(frozen=True)
class Reading:
    """A number read off the figure; ``of`` is the version whose colour it carries, if any."""

    name: str
    value: str
    note: str = ""
    of: str = ""


class Page:
    """One mistake on the page; a subclass says what is its own."""

    key: ClassVar[str]
    uses: ClassVar[tuple[str, ...]] = ()
    """Names of the State that change its inputs."""
    cursor: ClassVar[str] = ""
    """What a place along the figure is; empty where there is no line to read."""
    slider: ClassVar[str] = ""
    """Label of the slider along the figure, if it is not just the cursor's name."""
    what: ClassVar[str] = "score"
    """What is read there."""
    start: ClassVar[int] = 0
    """Where the cursor stands at first; the nearest place is taken."""
    digits: ClassVar[int] = DIGITS

    def inputs(self, **numbers: Any) -> Mapping[str, Any]:
        """What changes in the witness, from the values of ``uses``.

        Raises
        ------
        ValueError
            If a reader's text cannot be read.
        """
        return {}

    def witness(self) -> Inputs:
        """Inputs of the lab on which the mistake shows."""
        return MISTAKES[self.key].witness()

    def place(self, run: Run, at: int | None) -> int:
        """Index of the place that is nearest to where a reader looks."""
        wanted = self.start if at is None else at
        places = run.symptom.x.tolist()
        return min(range(len(places)), key=lambda index: abs(places[index] - wanted))

    def reads(self, run: Run, place: int) -> Sequence[Reading]:
        """Both versions at the cursor, and how far they are apart."""
        right, wrong = at_cursor(run, place)
        name = f"{self.cursor} {number(run.symptom.x[place], 1)}"
        return (
            Reading(f"right, {name}", number(right, self.digits), of=RIGHT),
            Reading(f"wrong, {name}", number(wrong, self.digits), of=WRONG),
            Reading("apart", number(abs(right - wrong), self.digits)),
        )

    def detail(self, run: Run, place: int) -> Markup:
        """A picture of its own below the readings."""
        return EMPTY

    def says(self, run: Run, place: int) -> str:
        """The sentence of the caption that reads the figure."""
        right, wrong = at_cursor(run, place)
        where = f"{self.cursor} {number(run.symptom.x[place], 1)}"
        values = number(wrong, self.digits), number(right, self.digits)
        return f"At {where} the {self.what} is {values[0]} where {values[1]} is right."

    def formula(self, run: Run, place: int) -> tuple[Formula, ...]:
        """The law it breaks, and the same with the present numbers."""
        raise NotImplementedError(self.key)  # pragma: no cover

    def code(self, **numbers: Any) -> str:
        """NumPy lines that assign ``right`` and ``wrong`` as the figure shows them."""
        raise NotImplementedError(self.key)  # pragma: no cover


def at_cursor(run: Run, place: int) -> tuple[float, float]:
    """The right and the wrong value at a place of the figure."""
    return float(run.symptom.right[place]), float(run.symptom.wrong[place])


def latex(value: float) -> str:
    """A number with six decimals, as LaTeX."""
    return plain(value, DIGITS)


def plain(value: float, digits: int = 3) -> str:
    """A number as it is printed everywhere, as LaTeX: its thousands are no list of two numbers.

    >>> plain(-1200.5), latex(0.1)
    ('{-1{,}200.5}', '0.1')
    """
    return row(number(value, digits)).replace(",", "{,}")
