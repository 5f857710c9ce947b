"""The section `angles`: which angles of the stretched window the model never met in training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.kit.formula import Formula, numeral
from app.kit.html import Markup, counted, join, number, tag
from app.kit.numbers import Table
from app.kit.shares import percent
from app.rooms.context import filled, look, rules
from app.rooms.context.methods import unseen_of
from app.rooms.context.setting import Setting, Stage, stage_of
from lab.context_extension import UnseenAngles


@dataclass(frozen=True, eq=False)
class AnglesView(Stage):
    """New angles of every pair at every distance, under every method that is drawn."""

    unseen: Mapping[str, UnseenAngles]

    @property
    def middles(self) -> Any:
        """The middle of each bin of distance."""
        edges = self.new.edges
        return (edges[:-1] + edges[1:]) / 2

    @property
    def stretched(self) -> bool:
        """Whether the window is longer than the trained one."""
        return self.core.window > self.core.trained


def compute(setting: Setting) -> AnglesView:
    """Count the new angles of every method."""
    fields = stage_of(setting, setting.core)
    return AnglesView(*fields, {key: unseen_of(setting.core, key) for key in fields[2]})


def top(view: AnglesView) -> Markup:
    """The facts, and what the maps show."""
    core = view.core
    trained, window = number(core.trained), number(core.window)
    said = (
        f"Training knew distances below {trained}, and in each pair the angles they came to. In a window of "
        f"{window} the coloured pairs meet angles that they never met. Dashed: the trained length."
        if view.stretched
        else f"The window is the trained one, {counted(core.trained, 'position')}: no angle is new. The "
        f"factor "
        "stretches it."
    )
    return join([look.facts(view), look.head("Angles that training never met", said)])


def middle(view: AnglesView) -> Markup:
    """The head of the lines."""
    said = "Share of the pairs that stand at an angle new to the model, at each distance."
    return join([look.head("When it begins", said), look.legend(view)])


def bottom(view: AnglesView) -> Markup:
    """The methods side by side."""
    rows: dict[str, Any] = {}
    for key, found in view.unseen.items():
        first = found.first[found.first >= 0]
        rows[key] = [
            look.bar(found.total, percent(found.total)),
            f"{len(first)} of {view.core.pairs}",
            number(float(first.min())) if len(first) else "never",
        ]
    columns = ("new angles", "pairs that meet any", "first at distance")
    note = tag(
        "p",
        "A window without new angles is not yet of use: slowed pairs bring neighbours closer (see Scores), "
        "and "
        "the model has to learn to read them. So stretching is followed by training. LLaMA 7B, interpolated "
        "from 2,048 to 8,192 positions, had a perplexity of 16.10 on PG-19; 200 steps of training brought it "
        "to 7.12 and 1,000 to 6.95. To 16,384: 112.13, and 6.83 after 1,000 steps (Chen et al. 2023, "
        "arXiv:2306.15595).",
        class_="lab-note lab-context-note",
    )
    return join([look.table(view, columns, rows, "New angles by method"), look.refusals(view), note])


def describe(view: AnglesView) -> str:
    """The caption: the share of new angles, and where they begin."""
    new, plain, core = view.new, view.new_plain, view.core
    first = new.first[new.first >= 0]
    begins = (
        f"the first at distance {number(float(first.min()))}, in {len(first)} of "
        f"{counted(core.pairs, 'pair')}"
        if len(first)
        else "no pair meets one"
    )
    return (
        f"Of all angles, {counted(core.pairs, 'pair')} at {counted(core.window, 'distance')}, "
        f"{percent(new.total)} are new under {view.chosen.title} to a model trained on "
        f"{counted(core.trained, 'position')} and no more: {begins}. Under plain RoPE {percent(plain.total)} "
        f"are new.{_further(view)}{look.mismatch(view)}"
    )


def _further(view: AnglesView) -> str:
    """What the model itself was trained on after it was stretched, while it is shown as it is."""
    rope, core = view.setting.rope, view.core
    as_it_is = view.setting.method == rope.extension.key and core.trained == rope.trained
    return f" {rope.title}: {rope.further}." if rope.further and as_it_is else ""


def numbers(view: AnglesView) -> list[Table]:
    """Shares by method, by pair and by distance."""
    columns = [view.methods[key].title for key in view.unseen]
    found = view.unseen.values()
    totals: list[list[str | float]] = [
        [view.methods[key].title, one.total, int((one.first >= 0).sum())] for key, one in view.unseen.items()
    ]
    shares = zip(*(one.share.tolist() for one in found), strict=True)
    by_pair = [[pair, *values] for pair, values in enumerate(shares)]
    firsts = zip(*(one.first.tolist() for one in found), strict=True)
    first: list[list[str | float]] = [
        [pair, *("never" if value < 0 else value for value in values)] for pair, values in enumerate(firsts)
    ]
    lines = zip(*(one.map.mean(axis=0).tolist() for one in found), strict=True)
    starts = view.new.edges.tolist()
    by_distance = [[starts[place], *values] for place, values in enumerate(lines)]
    return [
        Table("New angles", ["method", "share", "pairs that meet any"], totals),
        Table("Share of distances at a new angle", ["pair", *columns], by_pair),
        Table("First distance at a new angle", ["pair", *columns], first),
        Table("Share of pairs at a new angle", ["from distance", *columns], by_distance),
    ]


def formula(view: AnglesView) -> tuple[Formula, ...]:
    """When an angle is new, at the pair that is looked at."""
    pair, core = view.pair, view.core
    arc = numeral(float(view.new.covered[pair]))
    theta = numeral(float(view.plain.inv_freq[pair]))
    new = Formula(
        r"n \theta_i' \bmod 2 \pi \ge \min(L \theta_i, 2 \pi), \quad 0 \le n < N",
        rf"\min(L \theta_{{{pair}}}, 2 \pi) = \min({numeral(core.trained)} \cdot {theta}, 2 \pi) = {arc}, "
        rf"\quad {numeral(100 * float(view.new.share[pair]))} \% \text{{ new}}",
        "Training covered the angles from 0 to L θ, or the whole circle once a pair had turned. An angle "
        "between two trained ones counts as met.",
    )
    return new, filled.method(view)


def code(setting: Setting) -> str:
    """NumPy code whose ``result`` holds the share of new angles of each pair, the share of all in front."""
    view = compute(setting)
    return rules.source(view) + (
        "\narc = np.minimum(trained * plain, 2 * np.pi)  # what training covered of each circle\n"
        "slack = 1e-9  # an end within rounding of a whole distance is that distance\n"
        "new = np.zeros(d // 2)\n"
        "for i in np.flatnonzero(arc < 2 * np.pi):\n"
        "    w = inv_freq[i] % (2 * np.pi)\n"
        "    turn = 2 * np.pi * np.arange(int(window * w / (2 * np.pi)) + 1)\n"
        "    # in each turn the known angles come first: whole distances from start to before end\n"
        "    start = np.ceil(turn / w - slack)\n"
        "    end = np.maximum(np.ceil((turn + arc[i]) / w - slack), start)\n"
        "    end[0] = max(end[0], 1)  # everybody knows angle 0\n"
        "    known = np.minimum(end, window) - np.minimum(start, window)\n"
        "    new[i] = 1 - known.sum() / window\n"
        "result = np.concatenate([[new.mean()], new])\n"
    )


def code_answer(view: AnglesView) -> Any:
    """What ``result`` must equal."""
    return [view.new.total, *view.new.share.tolist()]
