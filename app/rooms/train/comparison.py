"""What each scheme ends at, seed by seed, with the runs of one's own beside."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from app.kit.formula import Formula, text
from app.kit.html import Markup, counted, join, tag
from app.kit.numbers import Cell, Table
from app.kit.schemes import colour_of, name
from app.rooms.train.history import Finished
from app.rooms.train.look import TrainFigure, fixed, settings, signed, worth
from app.rooms.train.model.stored import Stored, title_of
from app.rooms.train.work import Record
from lab.training import Comparison


class Schemes(TrainFigure):
    """Every scheme with its mean, its spread and its difference to no position."""

    key, view = "comparison", Stored
    uses = ("scheme",)

    def follows(self) -> Any:
        return self.own.last

    def make(self) -> Sequence[Any]:
        return self.table, self.note, self.history

    def table(self, view: Stored) -> Markup:
        """A row for each scheme, and one for each own run that compares."""
        runs = view.runs
        own = [run for run in view.own.ended if run.held_out is not None and run.compares_with(runs)]
        values = [*runs.held_out.ravel().tolist(), *(run.held_out for run in own)]
        ends = (min(values), max(values))
        heads = ("Scheme", "Each seed", "Mean ± sd", "Against none", "")
        body = [
            _row(row, losses, ends, row is view.chosen)
            for row, losses in zip(view.comparisons, runs.held_out.tolist(), strict=True)
        ]
        body += [_own_row(run, run.difference_to_none(runs), ends) for run in own]
        head = tag("thead", tag("tr", join(tag("th", head, scope="col") for head in heads)))
        return tag("table", head, tag("tbody", join(body)), class_="lab-train-table")

    def note(self, view: Stored) -> Markup:
        """When a difference is noise."""
        return tag("p", self.say("criterion", view.chosen, freedom=view.seeds - 1), class_="lab-note")

    def history(self, view: Stored) -> Markup:
        """Own runs that do not stand in the table, and the losses of the last one to take along."""
        parts, last = [], view.own.last
        other = [run for run in view.own.ended if run.held_out is None or not run.compares_with(view.runs)]
        if other:
            items = join(tag("li", self.listed(view, run)) for run in other)
            parts.append(tag("p", self.say("others"), class_="lab-note"))
            parts.append(tag("ul", items, class_="lab-train-history"))
        if last and last.run and last.step:
            button = tag(
                "button", "Copy as CSV", type="button", class_="lab-copy", data_copy=losses(last).csv()
            )
            parts.append(tag("p", self.say("copied"), " ", button, class_="lab-note"))
        return join(parts)

    def listed(self, view: Stored, run: Finished) -> str:
        """An own run in a line: what differs, and what it came to."""
        differs = settings(run.config, view.runs.config)
        about = ", ".join(filter(None, (differs, self.say("text") if run.own_text else "")))
        named = f"{run.title} ({about})" if about else run.title
        if run.held_out is not None:
            return f"{named}: {fixed(run.held_out)}"
        return self.say("ended", run, named=named)

    def caption(self, view: Stored) -> str:
        aware = [row for row in view.comparisons if row.difference < 0 and not row.noise]
        if not aware:
            return self.say("nothing", view)
        gains, means = [-row.difference for row in aware], [row.mean for row in aware]
        names = ", ".join(title_of(row.scheme) for row in aware)
        ends = {"least": min(gains), "most": max(gains), "apart": max(means) - min(means)}
        raw = view.mean_of("raw")
        harm = self.say("harm", raw) if raw.difference > 0 and not raw.noise else ""
        return f"{self.say('caption', view, names=names, **ends)} {harm}".strip()

    def numbers(self, view: Stored) -> list[Table]:
        runs = view.runs
        names = ["scheme", "seeds", "mean", "sd", "difference to none", "sd of it", "noise below", "verdict"]
        measured = ("seeds", "mean", "sd", "difference", "difference_sd", "limit")
        rows = [
            [title_of(row.scheme), *(getattr(row, name) for name in measured), worth(row)]
            for row in view.comparisons
        ]
        each = [
            [title_of(key), *line] for key, line in zip(runs.schemes, runs.held_out.tolist(), strict=True)
        ]
        seeds = ["scheme", *(f"seed {seed}" for seed in runs.seeds)]
        return [
            Table("Stored runs: held-out loss by scheme", names, rows),
            Table("Stored runs: held-out loss of each", seeds, each),
        ]

    def formula(self, view: Stored) -> tuple[Formula, ...]:
        row, named = view.chosen, text(view.title)
        return (
            Formula(
                r"\Delta = \frac{1}{R} \sum_{r} \left( L_r^{\text{scheme}} - L_r^{\text{none}} \right)"
                r"\qquad \text{noise if } |\Delta| < \max\left(.01,\ t\, s_\Delta / \sqrt{R}\right)",
                rf"\Delta_{{{named}}} = {row.difference:.3f},\quad "
                rf"{row.quantile:.3f} \cdot {row.difference_sd:.4f} / \sqrt{{{row.seeds}}} = "
                rf"{row.quantile * row.error:.3f}",
                self.say("formula", row, freedom=row.seeds - 1),
            ),
        )

    def code(self, s: Any) -> str:
        row = Stored(s).chosen
        named = {"t": repr(row.quantile), "freedom": row.seeds - 1, "comparisons": row.comparisons}
        return _TABLE.format(scheme=s.scheme, **named)

    def code_answer(self, view: Stored) -> Any:
        return [[row.mean, row.sd, row.difference, row.difference_sd] for row in view.comparisons]


_TABLE = """import numpy as np
from lab.training import load_runs

runs = load_runs()  # those of the lab
held_out = runs.held_out.astype(np.float64)  # (S, R): schemes by seeds, nats per character
uniform = np.log(len(runs.tokens))  # ln V

difference = held_out - held_out[runs.schemes.index("none")]  # seed by seed
standard_error = difference.std(axis=1, ddof=1) / np.sqrt(held_out.shape[1])
t = {t}  # Student's, {freedom} degrees of freedom, two-sided, at .05 / {comparisons}
noise = np.abs(difference.mean(axis=1)) < np.maximum(0.01, t * standard_error)

below_uniform = uniform - held_out[runs.schemes.index({scheme!r})].mean()
columns = [held_out.mean(axis=1), held_out.std(axis=1, ddof=1)]
columns += [difference.mean(axis=1), difference.std(axis=1, ddof=1)]
result = np.stack(columns, axis=1)  # (S, 4)
"""


def losses(record: Record) -> Table:
    """Every loss that a run has had."""
    held_out = dict(zip(record.curve_steps, record.curve, strict=True))
    taken = record.run.losses.tolist() if record.run else []
    rows: list[list[Cell]] = [[0, "", held_out.get(0, "")]]
    rows += [[step, loss, held_out.get(step, "")] for step, loss in enumerate(taken, start=1)]
    return Table("Your run", ["step", "loss of the batch before it", "held-out loss after it"], rows)


def _row(row: Comparison, seeds: Sequence[float], ends: tuple[float, float], marked: bool) -> Markup:
    against = "" if row.scheme == "none" else f"{signed(row.difference)} ± {fixed(row.difference_sd)}"
    dots = strip(tuple(seeds), row.mean, ends, colour_of(row.scheme))
    mean = f"{fixed(row.mean)} ± {fixed(row.sd)}"
    css = "lab-marked" if marked else None
    return _cells(name(row.scheme, title_of(row.scheme)), dots, mean, against, worth(row), css)


def _own_row(run: Finished, difference: float | None, ends: tuple[float, float]) -> Markup:
    loss = run.held_out or 0.0
    against = "" if difference is None else signed(difference)
    dot, named = strip((loss,), None, ends, "ink"), f"Yours: {run.title}"
    return _cells(named, dot, fixed(loss), against, "one run has no spread", "lab-train-yours")


def _cells(named: Markup | str, dots: Markup, mean: str, against: str, worth: str, css: str | None) -> Markup:
    numbers = (tag("td", cell, class_="lab-num") for cell in (mean, against))
    return tag("tr", tag("th", named, scope="row"), tag("td", dots), *numbers, tag("td", worth), class_=css)


@lru_cache(maxsize=32)
def strip(values: tuple[float, ...], mean: float | None, ends: tuple[float, float], colour: str) -> Markup:
    """Each seed as a dot on a scale that all rows share, and the mean as a line."""

    def at(value: float) -> str:
        return f"left:{100 * (value - ends[0]) / ((ends[1] - ends[0]) or 1.0):.1f}%"

    dots = [tag("i", style=at(value)) for value in values]
    line = [] if mean is None else [tag("b", style=at(mean))]
    said = f"{counted(len(values), 'run')} from {fixed(min(values))} to {fixed(max(values))}"
    look = {"class_": "lab-train-strip", "style": f"--c:var(--{colour})", "role": "img", "aria_label": said}
    return tag("span", *line, *dots, **look)
