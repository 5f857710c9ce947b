"""View of the room `mistakes`: one mistake made, its test run on every version."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from app.rooms.mistakes.pages import PAGES, WRONG, Page, Run, versions
from app.rooms.mistakes.state import ANY, DEFAULTS, NAMES, State, chosen, fitting
from lab.mistakes import MISTAKES, SYMPTOM_SENTENCES, Mistake, Verdict

__all__ = ["DEFAULTS", "NAMES", "State", "View", "compute", "every_verdict"]


@dataclass(frozen=True, eq=False)
class View:
    """Exactly what is drawn."""

    symptom: str
    """What a reader sees, or "any"."""
    fits: tuple[str, ...]
    """Keys of the mistakes that fit it."""
    key: str
    version: str
    """Which version is put forward."""
    run: Run
    place: int
    """Index of the place looked at along the figure; 0 where it has none."""
    numbers: Mapping[str, Any]
    """The reader's numbers that this mistake uses, by their names in the State."""

    @property
    def page(self) -> Page:
        """What this mistake adds to the common page."""
        return PAGES[self.key]

    @property
    def mistake(self) -> Mistake:
        """The mistake."""
        return self.run.mistake

    @property
    def seen(self) -> str:
        """The symptom as a sentence, empty where a reader named none."""
        return "" if self.symptom == ANY else SYMPTOM_SENTENCES[self.symptom]


def compute(*, symptom: str, mistake: str, version: str, at: int | None, **numbers: Any) -> View:
    """Make the mistake, test every version, and check what stays right.

    A mistake that does not fit the symptom stands for the first one that does.

    Raises
    ------
    ValueError
        If the ids of the gradient's batch cannot be read.
    """
    key = chosen(symptom, mistake)
    page = PAGES[key]
    used = {name: numbers[name] for name in page.uses}
    run = _run(key, tuple(used.values()))
    return View(
        symptom=symptom,
        fits=fitting(symptom),
        key=key,
        version=version,
        run=run,
        place=page.place(run, at) if page.cursor else 0,
        numbers=MappingProxyType(used),
    )


@lru_cache(maxsize=64)
def _run(key: str, values: tuple[Any, ...]) -> Run:
    # the cursor and the switch change nothing here: they move without another run
    mistake, page = MISTAKES[key], PAGES[key]
    changes = page.inputs(**dict(zip(page.uses, values, strict=True)))
    inputs = MappingProxyType({**mistake.witness(), **changes})
    return Run(
        mistake=mistake,
        inputs=inputs,
        symptom=mistake.symptom(inputs),
        verdicts=MappingProxyType(
            {name: mistake.detector.verdict(one, inputs) for name, one in versions(mistake).items()}
        ),
        stays=tuple((sentence, holds(inputs)) for sentence, holds in mistake.stays_right.items()),
    )


@lru_cache(maxsize=1)
def every_verdict() -> Mapping[str, Verdict]:
    """What the test of each mistake says of its wrong version, on the lab's own inputs."""
    said = {key: one.detector.verdict(versions(one)[WRONG], one.witness()) for key, one in MISTAKES.items()}
    return MappingProxyType(said)
