"""A mistake made with a reader's numbers: both versions of it, what the test says, and what stays right."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np

from app.kit.frozen import freeze
from app.kit.view import View, part
from lab.mistakes import MISTAKES, SYMPTOM_SENTENCES, SYMPTOMS, Inputs, Mistake, Verdict

RIGHT, WRONG = "right", "wrong"
ANY = "any"
"""A reader has named no symptom."""


def versions(mistake: Mistake) -> Mapping[str, Callable[[Inputs], Any]]:
    """Every version of a mistake by name: the right one, the wrong one, and the others."""
    return {RIGHT: mistake.right, WRONG: mistake.wrong, **mistake.others}


def fitting(symptom: str) -> tuple[str, ...]:
    """Keys of the mistakes that fit a symptom."""
    return tuple(MISTAKES) if symptom == ANY else SYMPTOMS[SYMPTOM_SENTENCES[symptom]]


def chosen(symptom: str, mistake: str) -> str:
    """The mistake that is shown: the one asked for, or the first that fits what is seen.

    >>> chosen("any", "layout"), chosen("endless", "layout")
    ('layout', 'pad_value')
    """
    fits = fitting(symptom)
    return mistake if mistake in fits else fits[0]


@dataclass(frozen=True, eq=False)
class Run:
    """A mistake made on inputs, and all that is checked on them.

    ``x`` is where the values of the picture stand, (n,), ``right`` and ``wrong`` are what it shows of both
    versions: (n,), or (rows, n) of matrices.
    """

    mistake: Mistake
    inputs: Inputs
    x: Any
    right: Any
    wrong: Any

    @part
    def outputs(self) -> Mapping[str, Any]:
        """What each version gives."""
        return {name: version(self.inputs) for name, version in versions(self.mistake).items()}

    @part
    def verdicts(self) -> Mapping[str, Verdict]:
        """What the test says of each version."""
        verdict, tested = self.mistake.detector.verdict, versions(self.mistake).items()
        return {name: verdict(version, self.inputs) for name, version in tested}

    @part
    def stays(self) -> Mapping[str, bool]:
        """What a reader might check instead, and whether it holds on the wrong version."""
        return {said: holds(self.inputs) for said, holds in self.mistake.stays_right.items()}


def make(
    mistake: Mistake,
    changes: Mapping[str, Any],
    along: Callable[[Inputs], Any],
    drawn: Callable[[Inputs, str], Any],
) -> Run:
    """Make a mistake on the lab's inputs, some changed; ``along`` and ``drawn`` say what is drawn of it."""
    inputs = MappingProxyType({**mistake.witness(), **changes})
    shown = (along(inputs), drawn(inputs, RIGHT), drawn(inputs, WRONG))
    return freeze(Run(mistake, inputs, *(np.array(values, dtype=float) for values in shown)))


class Seen(View):
    """A run as a reader looks at it: one version put forward, one value read off.

    ``start`` is where the cursor stands while nobody has moved it, ``named`` what sentences name beside it.
    """

    run: Run
    start: int
    named: Callable[[Seen], Mapping[str, Any]]

    def __init__(self, s: Any, run: Run, start: int, named: Callable[[Seen], Mapping[str, Any]]) -> None:
        super().__init__(s)
        self.__dict__.update(run=run, start=start, named=named)

    @part
    def facts(self) -> Mapping[str, Any]:
        """What the mistake's sentences name beside what a view has."""
        return self.named(self)

    @property
    def inputs(self) -> Inputs:
        """What the mistake is made on."""
        return self.run.inputs

    @property
    def version(self) -> str:
        """The version that is put forward."""
        return str(self.s.version)

    @property
    def verdict(self) -> Verdict:
        """What the test says of it."""
        return self.run.verdicts[self.version]

    @property
    def symptom(self) -> str:
        """The symptom that a reader has named, if this mistake has it."""
        named = str(self.s.symptom)
        return named if self.run.mistake.key in fitting(named) else ANY

    @property
    def rivals(self) -> list[str]:
        """Keys of the other mistakes with that symptom."""
        named = [] if self.symptom == ANY else fitting(self.symptom)
        return [key for key in named if key != self.run.mistake.key]

    # of a line, at the cursor

    @part
    def stops(self) -> list[int]:
        """Where the cursor can stand."""
        return [round(x) for x in self.run.x.tolist()]

    @part
    def index(self) -> int:
        """Which value is read off: the one nearest to where the cursor is put."""
        return int(np.abs(self.run.x - (self.start if self.s.at is None else self.s.at)).argmin())

    @property
    def x(self) -> float:
        """Where it stands."""
        return float(self.run.x[self.index])

    @property
    def right(self) -> float:
        """The value of the right version there."""
        return float(self.run.right[self.index])

    @property
    def wrong(self) -> float:
        """The value of the wrong version there."""
        return float(self.run.wrong[self.index])

    @property
    def apart(self) -> float:
        """How far they are apart."""
        return abs(self.right - self.wrong)

    def output(self, version: str) -> Any:
        """What any version gives there."""
        return self.run.outputs[version][self.index]


@lru_cache(maxsize=1)
def every_verdict() -> Mapping[str, Verdict]:
    """What the test of each mistake says of its wrong version, on the lab's own inputs."""
    said = {key: one.detector.verdict(one.wrong, one.witness()) for key, one in MISTAKES.items()}
    return MappingProxyType(said)


def cosine(rows: Any) -> Any:
    """Cosine of two tokens at each position: (2, T, D) -> (T,)."""
    unit = rows / np.linalg.norm(rows, axis=-1, keepdims=True)
    return (unit[0] * unit[1]).sum(axis=-1)


def length(row: Any) -> float:
    """Euclidean length of a row."""
    return float(np.linalg.norm(row))


def largest(values: Any) -> float:
    """The largest magnitude; that of rounding is 0, since sums in another order differ in their last bit."""
    most = float(np.abs(values).max())
    return most if most > 1e-12 else 0.0
