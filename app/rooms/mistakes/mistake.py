"""What the figures of all mistakes share: the picture, what is read off it, what stays right, and the test.

Another mistake is one class: a `Curve` or another `MistakeFigure` with a key of `lab.mistakes`, its sentences
under that key in words.txt, and its name among the ``kinds`` of the room.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar

from app.kit.figure import Figure, Snapshot
from app.kit.formula import Formula, decimal
from app.kit.html import EMPTY, Markup, join, tag
from app.kit.matrix import matrix, verdict
from app.kit.numbers import Table
from app.kit.schemes import legend
from app.kit.snippet import snippet
from app.kit.words import Words
from app.rooms.mistakes.model import RIGHT, WRONG, Run, Seen, every_verdict, make, versions
from app.rooms.mistakes.versus import COLOURS, VersusCurves
from lab.mistakes import MISTAKES, SYMPTOM_SENTENCES, Inputs, Mistake

WORDS = Words(__file__)
DIGITS = 6
SHARED: tuple[str, ...] = ("symptom", "version", "at")
"""What mistakes use of the State alike; the rest of what one uses are its own numbers."""


class MistakeFigure(Figure):
    """One mistake; a subclass says what is its own."""

    words, view = WORDS, Seen
    uses: ClassVar[tuple[str, ...]] = SHARED[:2]
    axis: ClassVar[str] = ""
    """The lab's input along which the picture runs."""
    start: ClassVar[int] = 0
    """Where the cursor stands at first; the nearest value is taken."""

    law: ClassVar[str]
    """The law that is broken, as LaTeX."""

    # what is its own

    def inputs(self, s: Any) -> Mapping[str, Any]:
        """What its numbers change in the lab's inputs.

        Raises
        ------
        ValueError
            If a reader's text cannot be read.
        """
        return dict(s)

    def along(self, inputs: Inputs) -> Any:
        """Where the values of the picture stand."""
        return inputs[self.axis]

    def drawn(self, inputs: Inputs, version: str) -> Any:
        """What the picture shows of a version."""
        return self.made(inputs, version)

    def facts(self, view: Seen) -> Mapping[str, Any]:
        """What its sentences name beside what a view has."""
        return {}

    def detail(self, view: Seen) -> Markup:
        """A small picture below what is read off."""
        return EMPTY

    def filled(self, view: Seen) -> str:
        """The law with the present numbers."""
        raise NotImplementedError(self.key)  # pragma: no cover

    def lines(self, s: Any) -> str:
        """NumPy lines that assign ``right`` and ``wrong`` as the picture shows them."""
        raise NotImplementedError(self.key)  # pragma: no cover

    def picture(self) -> Sequence[Any]:
        """Make the picture's parts."""
        raise NotImplementedError(self.key)  # pragma: no cover

    # for a mistake to say it with

    def made(self, inputs: Inputs, version: str) -> Any:
        """What a version gives."""
        return versions(self.mistake)[version](inputs)

    def say(self, name: str, view: Any = None, **more: Any) -> str:
        return super().say(name, view, **({} if view is None else view.facts), **more)

    def says(self, view: Seen) -> str:
        """The sentence of the caption that reads the picture."""
        return self.say("caption", view)

    def axes(self) -> dict[str, str]:
        """What the picture and its axes are called."""
        return {"label": f"Right and wrong version: {self.title}", "x": self.say("x"), "y": self.say("y")}

    def both(self, view: Seen, rows: Any, columns: Sequence[str], **options: Any) -> Markup:
        """A small matrix: a row for each version, outlined where they differ by more than rounding shows."""
        differ = [
            (1, j) for j, (right, wrong) in enumerate(zip(*rows, strict=True)) if abs(right - wrong) > 1e-5
        ]
        named = {"title": self.say("small", view), "under": self.say("under", view), "rows": (RIGHT, WRONG)}
        return matrix(rows, columns=columns, marked_cells=differ, **{"signed": False, **named, **options})

    # what all share

    @property
    def mistake(self) -> Mistake:
        """The mistake of the lab."""
        return MISTAKES[self.key]

    @property
    def title(self) -> str:
        return self.mistake.title

    @property
    def lead(self) -> str:
        return self.mistake.why

    @classmethod
    def own(cls) -> tuple[str, ...]:
        """The numbers of the State that change its inputs."""
        return tuple(name for name in cls.uses if name not in SHARED)

    def compute(self, s: Snapshot) -> Seen:
        return self.look(s)

    def look(self, s: Any) -> Seen:
        """A run as a reader looks at it; the run itself is made once."""
        run = self.run(*(getattr(s, name) for name in self.own()))
        return Seen(s, run, self.start, self.facts)

    @classmethod
    @lru_cache(maxsize=64)
    def run(cls, *numbers: Any) -> Run:
        """The mistake made with these numbers; the cursor and the switch move without another run."""
        figure = cls()
        changes = figure.inputs(Snapshot(dict(zip(cls.own(), numbers, strict=True))))
        return make(figure.mistake, changes, figure.along, figure.drawn)

    def cursor(self, view: Seen) -> Mapping[str, Any]:
        """What the slider along the picture shows; nothing where there is no line to read."""
        return {}

    def make(self) -> Sequence[Any]:
        return self.seen, self.head, *self.picture(), self.readings, self.checks, self.test, self.rivals

    def seen(self, view: Seen) -> Markup:
        """How it shows."""
        quoted = join((f"“{SYMPTOM_SENTENCES[key]}”" for key in self.mistake.symptom_tags), " · ")
        return tag("p", "Seen as: ", quoted, class_="lab-mistakes-seen")

    def head(self, view: Seen) -> Markup:
        """What the picture shows, and the colours of its versions."""
        title = tag("p", tag("b", self.say("picture", view)))
        return tag("div", title, legend(COLOURS.items()), class_="lab-mistakes-head")

    def readings(self, view: Seen) -> Markup:
        """What is read off, the verdict on the version in force, and the mistake's own small picture."""
        boxes = join(_box(*reading, marked=reading[0] == view.version) for reading in self.reads(view))
        said = verdict(told(view), "good" if view.verdict.passed else "bad")
        return join([tag("dl", boxes, class_="lab-mistakes-reads"), said, self.detail(view)])

    def reads(self, view: Seen) -> list[list[str]]:
        """What is read off: the version that each number is of, if any, its name, the number, and a note."""
        lines = (line.split("|") for line in self.words.several(f"{self.key}.reads"))
        return [[self.words.vformat(part, (view,), view.facts).strip() for part in line] for line in lines]

    def checks(self, view: Seen) -> Markup:
        """What stays right on the wrong version, beside what the test says of each version."""
        stays = (_check(holds, said[0].upper() + said[1:]) for said, holds in view.run.stays.items())
        tested = (
            _check(said.passed, tag("b", name), f": {said.message or 'passes'}", marked=name == view.version)
            for name, said in view.run.verdicts.items()
        )
        parts = (_part("stays", _list(stays)), _part("tested", _list(tested)))
        return tag("div", *parts, class_="lab-mistakes-section lab-mistakes-two")

    def test(self, view: Seen) -> Markup:
        """The test itself, as it ran."""
        shown = _part("source", snippet(self.mistake.detector.source), source=self.mistake.source)
        return tag("div", shown, class_="lab-mistakes-section")

    def rivals(self, view: Seen) -> Markup:
        """What else fits the symptom, and what the test of each says."""
        if not view.rivals:
            return EMPTY
        said = ((tag("b", MISTAKES[key].title), f": {every_verdict()[key].message}") for key in view.rivals)
        named = {"seen": SYMPTOM_SENTENCES[view.symptom], "count": len(view.rivals) + 1}
        shown = _part("rivals", _list(_check(False, *words) for words in said), **named)
        return tag("div", shown, class_="lab-mistakes-section")

    def caption(self, view: Seen) -> str:
        return f"{self.title}. {self.says(view)} {told(view)}"

    def table(self, view: Seen) -> list[Table]:
        """The numbers of the picture."""
        run, y = view.run, self.say("y")
        rows = [list(row) for row in zip(run.x.tolist(), run.right.tolist(), run.wrong.tolist(), strict=True)]
        return [Table(self.say("picture", view), [self.say("x"), f"{y}, right", f"{y}, wrong"], rows)]

    def numbers(self, view: Seen) -> list[Table]:
        tests = [[name, _yes(said.passed), said.message] for name, said in view.run.verdicts.items()]
        stays = [[said, _yes(holds)] for said, holds in view.run.stays.items()]
        return [
            *self.table(view),
            Table("What the test says", ["version", "passes", "because"], tests),
            Table("What stays right on the wrong version", ["check", "holds"], stays),
            _all(),
        ]

    def formula(self, view: Seen) -> tuple[Formula, ...]:
        return (Formula(self.law, self.filled(view), self.say("formula", view)),)

    def code(self, s: Snapshot) -> str:
        return f"import numpy as np\n\n{self.lines(s)}result = np.stack([right, wrong])\n"

    def code_answer(self, view: Seen) -> Any:
        return [view.run.right, view.run.wrong]


class Curve(MistakeFigure):
    """A mistake that is read off two lines."""

    uses = SHARED

    def picture(self) -> Sequence[Any]:
        self.curves = VersusCurves(**self.axes())
        return (self.curves,)

    def draw(self, view: Seen) -> None:
        if self.changed("line", view.run):
            self.curves.set(view.run.x, view.run.right, view.run.wrong)
        self.curves.forward(view.version)
        self.curves.read(view.index)

    def cursor(self, view: Seen) -> Mapping[str, Any]:
        return {"at": view.stops[view.index], "stops": view.stops, "slider": self.say("slider")}


def six(value: float) -> str:
    """A number with six decimals, as LaTeX."""
    return decimal(value, DIGITS)


def told(view: Seen) -> str:
    """The verdict on the version in force as a sentence."""
    name = "fails" if not view.verdict.passed else "passes" if view.version == RIGHT else "same"
    return WORDS.say(f"any.{name}", view)


@lru_cache(maxsize=1)
def _all() -> Table:
    rows = [
        [
            one.title,
            every_verdict()[key].message,
            "; ".join(SYMPTOM_SENTENCES[seen] for seen in one.symptom_tags),
        ]
        for key, one in MISTAKES.items()
    ]
    columns = ["mistake", "what its test says of the wrong version", "seen as"]
    return Table("All twelve, on inputs where they show", columns, rows)


def _yes(holds: bool) -> str:
    return "yes" if holds else "no"


def _part(key: str, content: Markup, **said: Any) -> Markup:
    lead = tag("p", WORDS.say(f"{key}.lead", **said), class_="lab-soft")
    return tag("section", tag("h2", WORDS.raw(f"{key}.title")), lead, content)


def _list(lines: Iterable[Markup]) -> Markup:
    return tag("ul", join(lines), class_="lab-mistakes-checks")


def _box(version: str, name: str, value: str, note: str, *, marked: bool) -> Markup:
    colour = COLOURS.get(version, "edge" if version else "line")
    said = tag("dd", tag("b", value), tag("span", note) if note else "")
    return tag(
        "div", tag("dt", name), said, style=f"--c: var(--{colour})", class_="lab-marked" if marked else None
    )


def _check(holds: bool, *words: object, marked: bool = False) -> Markup:
    look, sign, said = ("good", "✓", "holds:") if holds else ("bad", "✗", "fails:")
    mark = tag("b", sign, class_=f"lab-{look}", role="img", aria_label=said)
    return tag("li", mark, tag("span", *words), class_="lab-marked" if marked else None)
