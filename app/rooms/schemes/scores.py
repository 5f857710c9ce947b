"""The section `scores`: six score matrices on one colour scale, and score against distance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.kit.formula import Formula, row
from app.kit.html import Markup, counted, join, number, tag, visible
from app.kit.matrix import Chip, chips, verdict
from app.kit.multiples import Multiple, multiples
from app.kit.numbers import Table
from app.kit.schemes import colour_of, legend
from app.rooms.schemes import rules, say
from app.rooms.schemes.probing import SPAN, Still, still
from app.rooms.schemes.state import MOST_WORDS, Settings
from lab.compare import Answer, largest_change, score_by_distance, score_matrix
from lab.compare.table import ROUNDING

PLACES = {"input": "adds to the input", "qk": "turns q and k", "scores": "adds to the scores"}


@dataclass(frozen=True, eq=False)
class ScoresView:
    """One x, one Wq, one Wk under every scheme, at the first positions and moved."""

    settings: Settings
    still: Still
    dropped: int
    """Words beyond the most that a matrix prints."""
    matrices: Mapping[str, Answer]
    lines: Mapping[str, Answer]
    change: Mapping[str, float | None]
    """Largest change of a score since the first positions; None where the scheme refuses."""

    @property
    def positions(self) -> range:
        """Where the tokens stand."""
        return range(self.settings.shift, self.settings.shift + self.still.probe.T)

    @property
    def titles(self) -> dict[str, str]:
        """Title of each scheme, by key."""
        return {key: scheme.title for key, scheme in self.still.probe.schemes.items()}

    def stays(self, key: str) -> bool:
        """Whether the move changed nothing but the rounding."""
        change, largest = self.change[key], self.still.matrices[key].largest
        return change is not None and change <= ROUNDING * max(largest, 1.0)

    def titled(self, keys: Sequence[str]) -> str:
        """Titles in a row, as in a sentence."""
        names = [self.titles[key] for key in keys]
        return ", ".join(names[:-1]) + f" and {names[-1]}" if len(names) > 1 else "".join(names)

    @property
    def outside(self) -> list[str]:
        """Schemes whose curve leaves the frame at the present shift."""
        low, high = self.still.frame
        shown = [(key, line.scores) for key, line in self.lines.items() if line.scores is not None]
        return [key for key, scores in shown if scores.min() < low or scores.max() > high]

    @property
    def saturated(self) -> list[str]:
        """Schemes with scores beyond the end of the colours."""
        return [key for key, found in self.matrices.items() if found.largest > self.still.scale * (1 + 1e-12)]


def compute(settings: Settings) -> ScoresView:
    """Ask every scheme for its scores at the present shift."""
    base = still(settings)
    probe, head = base.probe, base.head
    matrices = {key: score_matrix(probe, key, settings.shift, head) for key in probe.schemes}
    return ScoresView(
        settings=settings,
        still=base,
        dropped=max(len(settings.words) - MOST_WORDS, 0),
        matrices=matrices,
        lines={key: score_by_distance(probe, key, SPAN, settings.shift, head) for key in probe.schemes},
        change={key: largest_change(base.matrices[key], matrices[key]) for key in probe.schemes},
    )


def top(view: ScoresView) -> Markup:
    """Tokens with their positions, the matrices, and the head of the curves."""
    words = view.still.probe.words
    shown = [Chip(word, note=f"position {place}") for word, place in zip(words, view.positions, strict=True)]
    left_out = (
        tag("p", f"Left out: {view.dropped:,}. A matrix holds {MOST_WORDS} words.", class_="lab-note")
        if view.dropped
        else ""
    )
    positions = [str(place) for place in view.positions]
    parts = [
        Multiple(
            title=view.titles[key],
            colour=colour_of(key),
            under=PLACES.get(view.still.probe.schemes[key].enters or "", "acts nowhere"),
            values=found.scores,
            error=found.error,
            note=_note(view, key),
        )
        for key, found in view.matrices.items()
    ]
    drawn = multiples(parts, strongest=view.still.scale, rows=positions, columns=positions)
    return join([chips(shown), left_out, drawn, _scale(view), verdict(moved(view)), _curves_head(view)])


def _note(view: ScoresView, key: str) -> Markup | str:
    change = view.change[key]
    if change is None:
        return "no score: it refuses"
    if view.settings.shift == 0:
        return "at its first positions"
    if view.stays(key):
        return join(
            [tag("b", "stays"), f", but for {say.change(change)}" if change else " to the last digit"]
        )
    return join(["moved by ", tag("b", number(change))])


def _scale(view: ScoresView) -> Markup:
    beyond = view.saturated
    end = number(view.still.scale, 2)
    head = f"head {view.settings.head} of {view.settings.H}"
    said = f"Rows ask, columns answer, {head}. One scale for all: colours end at ±{end}."
    if beyond:
        most = max(view.matrices[key].largest for key in beyond)
        said += f" Beyond it: {view.titled(beyond)}, up to {number(most, 1)}."
    return tag("p", said, class_="lab-note")


def moved(view: ScoresView) -> str:
    """What the move of the whole sequence did to the scores."""
    shift = view.settings.shift
    if shift == 0:
        return "Move the whole sequence: which scores notice that every token stands somewhere else?"
    stay = [key for key in view.change if view.stays(key)]
    refuse = [key for key, change in view.change.items() if change is None]
    move = [key for key in view.change if key not in stay and key not in refuse]
    listed = ", ".join(f"{view.titles[key]} by up to {number(view.change[key] or 0.0)}" for key in move)
    said = f"Every token stands {counted(shift, 'position')} later. Unmoved: {view.titled(stay)}. "
    said += f"Moved: {listed}." if move else ""
    return said + (f" {view.titled(refuse)} has no row for these positions." if refuse else "")


def _curves_head(view: ScoresView) -> Markup:
    words = view.still.probe.words
    asks, answers = visible(words[-1], 20), visible(words[0], 20)
    said = (
        f"The same two tokens, ‘{asks}’ asking and ‘{answers}’ answering, at every distance. "
        "Solid: after the shift; dotted: before it. The learned rows are drawn, not trained."
    )
    lines = [(title, colour_of(key)) for key, title in view.titles.items()]
    return join([tag("h2", "Score against distance"), tag("p", said), legend(lines)])


def bottom(view: ScoresView) -> Markup:
    """What the frame of the curves does not show."""
    parts = [f"{view.titles[key]}: {line.error}." for key, line in view.lines.items() if line.error]
    for key in view.outside:
        scores = view.lines[key].scores
        if scores is not None:
            low, high = number(float(scores.min()), 1), number(float(scores.max()), 1)
            parts.append(f"{view.titles[key]} leaves the frame: from {low} to {high}.")
    return join(tag("p", part, class_="lab-note") for part in parts)


def describe(view: ScoresView) -> str:
    """The caption."""
    T = view.still.probe.T
    return f"{len(view.titles)} schemes, one x of {counted(T, 'token')}, one Wq, one Wk. {moved(view)}"


def numbers(view: ScoresView) -> list[Table]:
    """The tables behind the figure."""
    rows: list[list[str | float]] = [
        [
            view.titles[key],
            "refused" if change is None else change,
            view.still.matrices[key].largest,
            found.error or found.largest,
        ]
        for (key, change), found in zip(view.change.items(), view.matrices.values(), strict=True)
    ]
    columns = ["scheme", "largest change", "largest score at shift 0", f"at shift {view.settings.shift}"]
    tables = [Table("What the shift changes", columns, rows), _by_distance(view)]
    for key, found in view.matrices.items():
        if found.scores is not None:
            tables.append(_matrix(view, view.titles[key], found.scores.tolist()))
    return tables


def _by_distance(view: ScoresView) -> Table:
    answered = {key: line.scores[0].tolist() for key, line in view.lines.items() if line.scores is not None}
    columns = ["distance", *(view.titles[key] for key in answered)]
    rows = [[place, *(line[place] for line in answered.values())] for place in range(SPAN + 1)]
    return Table(f"Score against distance at shift {view.settings.shift}", columns, rows)


def _matrix(view: ScoresView, title: str, grid: list[list[float]]) -> Table:
    columns = ["asks", "position", *(f"answers {place}" for place in view.positions)]
    words = view.still.probe.words
    rows: list[list[str | float]] = [[words[i], place, *grid[i]] for i, place in enumerate(view.positions)]
    return Table(f"Scores under {title}", columns, rows)


def formula(view: ScoresView) -> tuple[Formula, ...]:
    """Each scheme's rule, and the score of the last token for the first, before and after the move."""
    return tuple(_formula(view, key) for key in view.matrices)


def _formula(view: ScoresView, key: str) -> Formula:
    scheme, last, shift = view.still.probe.schemes[key], view.still.probe.T - 1, view.settings.shift
    filled = _cell(view.still.matrices[key], last, 0)
    if shift:
        filled += r",\quad " + _cell(view.matrices[key], last, shift)
    return Formula(scheme.formula, filled, f"{scheme.title}: {scheme.source}.")


def _cell(found: Answer, last: int, shift: int) -> str:
    name = f"s_{{{last + shift},{shift}}}"
    if found.scores is None:
        return name + r"\ \text{does not exist}"
    return f"{name} = {row(number(float(found.scores[last, 0])))}"


def code(settings: Settings) -> str:
    """NumPy code whose ``result`` holds the score matrices."""
    return rules.source(compute(settings)) + "result = matrices(shift)\n"


def code_answer(view: ScoresView) -> Any:
    """What ``result`` must equal."""
    return [view.matrices[key].scores for key in rules.written(view)]
