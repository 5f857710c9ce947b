"""The scores of one text under every scheme, before and after a shift."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.kit import budget
from app.kit.figure import Figure, Snapshot
from app.kit.figures import Curves
from app.kit.formula import Formula, row
from app.kit.html import Markup, join, number, tag, visible
from app.kit.matrix import Chip, chips
from app.kit.numbers import Table
from app.kit.schemes import colour_of, legend
from app.rooms.schemes import rules
from app.rooms.schemes.model import MOST_WORDS, SPAN, WORDS, Scores, change
from app.rooms.schemes.multiples import Multiple, multiples
from lab.positions import SCHEMES

BEFORE = " before the shift"
PLACES = {"input": "adds to the input", "qk": "turns q and k", "scores": "adds to the scores"}


class ProbedFigure(Figure):
    """What the figures that ask every scheme share."""

    words = WORDS
    uses = ("own", "text", "shift", "head", "H", "D", "d", "seed")

    def compute(self, s: Snapshot) -> Any:
        view: Any = self.view(s)
        _ = view.still  # a text without words is refused before anything is drawn
        return view

    def cost(self, s: Snapshot) -> budget.Cost:
        # all other bounds hold the sizes small, their products too
        return budget.typed(s.text)


class ScoreMatrices(ProbedFigure):
    """A score matrix per scheme on one colour scale, and score against distance."""

    key, view = "scores", Scores

    def make(self) -> Sequence[Any]:
        titles = {key: (scheme.title, colour_of(key)) for key, scheme in SCHEMES.items()}
        before = {key + BEFORE: (title + BEFORE, colour) for key, (title, colour) in titles.items()}
        self.curves = Curves(
            {**before, **titles},
            dashes=dict.fromkeys(before, "dotted"),
            width=1.8,
            legend=False,
            label="Score of the same two tokens against their distance, under each scheme",
            x="distance between query and key, in positions",
            y="score",
            height=300,
            x_range=(0, SPAN),
            y_range=(-1, 1),
        )
        for line in self.curves.figure.renderers[: len(before)]:
            line.glyph.update(line_width=1.2, line_alpha=0.65)
        return self.matrices, self.curves, self.unseen

    def draw(self, view: Scores) -> None:
        lines = dict(view.lines)
        if self.changed("before", view.still):
            self.curves.set_y(*view.still.frame)
            lines |= {key + BEFORE: line for key, line in view.still.lines.items()}
        for key, line in lines.items():
            y = [] if line.scores is None else line.scores[0].astype("float32")
            self.curves.set(key, list(range(len(y))), y)

    def matrices(self, view: Scores) -> Markup:
        """Tokens with their positions, the matrices, and the head of the curves."""
        words, at = view.probe.words, [str(position) for position in view.positions]
        shown = [Chip(word, note=f"position {p}") for word, p in zip(words, at, strict=True)]
        left_out = soft(self.say("left_out", view, most=MOST_WORDS)) if view.dropped else ""
        parts = []
        for key, found in view.matrices.items():
            under = PLACES.get(view.probe.schemes[key].enters or "", "acts nowhere")
            named = (view.titles[key], colour_of(key), under)
            parts.append(Multiple(*named, values=found.scores, error=found.error, note=_note(view, key)))
        asks, answers = visible(words[-1], 20), visible(words[0], 20)
        return join(
            [
                chips(shown),
                left_out,
                multiples(parts, strongest=view.still.scale, rows=at, columns=at),
                soft(self.scale(view)),
                tag("h3", "Score against distance"),
                tag("p", self.say("curves", asks=asks, answers=answers)),
                legend((title, colour_of(key)) for key, title in view.titles.items()),
            ]
        )

    def scale(self, view: Scores) -> str:
        """What the colours say, and what lies beyond their end."""
        said, beyond = self.say("scale", view), view.saturated
        if not beyond:
            return said
        most = max(view.matrices[key].largest for key in beyond)
        return f"{said} {self.say('beyond', listed=_titled(view, beyond), most=most)}"

    def moved(self, view: Scores) -> str:
        """What the move of the whole sequence did to the scores."""
        if view.s.shift == 0:
            return self.say("ask")
        stay = [key for key in view.change if view.stays(key)]
        refuse = [key for key, moved in view.change.items() if moved is None]
        listed = ", ".join(
            f"{view.titles[key]} by up to {number(moved)}"
            for key, moved in view.change.items()
            if moved is not None and key not in stay
        )
        said = [self.say("stay", view, listed=_titled(view, stay))]
        said += [self.say("moved", listed=listed)] if listed else []
        said += [self.say("refuse", listed=_titled(view, refuse))] if refuse else []
        return " ".join(said)

    def unseen(self, view: Scores) -> Markup:
        """What the frame of the curves does not show."""
        said = [f"{view.titles[key]}: {line.error}." for key, line in view.lines.items() if line.error]
        for key, line in view.outside.items():
            said.append(self.say("leaves", title=view.titles[key], low=line.min(), high=line.max()))
        return join(map(soft, said))

    def caption(self, view: Scores) -> str:
        return self.say("caption", view, schemes=len(view.titles), moved=self.moved(view))

    def numbers(self, view: Scores) -> list[Table]:
        shift, titles, before = view.s.shift, view.titles, view.still.matrices
        largest = {key: found.error or found.largest for key, found in view.matrices.items()}
        changes = [
            (titles[key], "refused" if moved is None else moved, before[key].largest, largest[key])
            for key, moved in view.change.items()
        ]
        columns = ["scheme", "largest change", "largest score at shift 0", f"at shift {shift}"]
        lines = {titles[key]: line.scores[0] for key, line in view.lines.items() if line.scores is not None}
        along = [[at, *(float(line[at]) for line in lines.values())] for at in range(SPAN + 1)]
        tables = [
            Table("What the shift changes", columns, changes),
            Table(f"Score against distance at shift {shift}", ["distance", *lines], along),
        ]
        columns = ["asks", "position", *(f"answers {position}" for position in view.positions)]
        for key, found in view.matrices.items():
            if found.scores is not None:
                asked = zip(view.probe.words, view.positions, found.scores.tolist(), strict=True)
                rows = [[word, position, *line] for word, position, line in asked]
                tables.append(Table(f"Scores under {titles[key]}", columns, rows))
        return tables

    def formula(self, view: Scores) -> tuple[Formula, ...]:
        """Each scheme's rule, and the score of the last token for the first, before and after the move."""
        return tuple(
            Formula(
                scheme.formula,
                r",\quad ".join(_cell(view, key, shift) for shift in dict.fromkeys((0, view.s.shift))),
                f"{scheme.title}: {scheme.source}.",
            )
            for key, scheme in view.probe.schemes.items()
        )

    def code(self, s: Snapshot) -> str:
        return rules.source(Scores(s)) + "result = matrices(shift)\n"

    def code_answer(self, view: Scores) -> Any:
        return [view.matrices[key].scores for key in rules.written(view)]


def soft(said: str) -> Markup:
    """A line under a picture."""
    return tag("p", said, class_="lab-note")


def _titled(view: Scores, keys: Sequence[str]) -> str:
    """Titles in a row, as in a sentence."""
    titles = [view.titles[key] for key in keys]
    return " and ".join(filter(None, (", ".join(titles[:-1]), *titles[-1:])))


def _note(view: Scores, key: str) -> Markup | str:
    moved = view.change[key]
    if moved is None:
        return "no score: it refuses"
    if view.s.shift == 0:
        return "at its first positions"
    if view.stays(key):
        return join([tag("b", "stays"), f", but for {change(moved)}" if moved else " to the last digit"])
    return join(["moved by ", tag("b", number(moved))])


def _cell(view: Scores, key: str, shift: int) -> str:
    last, found = view.probe.T - 1, (view.matrices if shift else view.still.matrices)[key]
    score = f"s_{{{last + shift},{shift}}}"
    if found.scores is None:
        return score + r"\ \text{does not exist}"
    return f"{score} = {row(number(float(found.scores[last, 0])))}"
