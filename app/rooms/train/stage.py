"""What the room says in HTML: samples, the table of schemes, and the reader's own runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from app.kit import spread
from app.kit.html import EMPTY, Markup, counted, join, minus, tag, visible
from app.kit.numbers import Cell, Table
from app.kit.schemes import colour_of, name
from app.rooms.train.compute import View
from app.rooms.train.history import Finished, settings
from app.rooms.train.plots import batches_a_dot
from app.rooms.train.work import Record
from lab.positions import SCHEMES
from lab.training import Comparison


def fixed(value: float) -> str:
    """A loss: always three decimals."""
    return minus(f"{value:.3f}")


def signed(value: float) -> str:
    """A difference of losses with its sign; what rounds to nothing has none."""
    text = f"{value:+.3f}"
    return "0.000" if float(text) == 0 else minus(text)


def title_of(key: str) -> str:
    """The title of a scheme."""
    return str(SCHEMES[key].title)


def key(own: bool) -> Markup:
    """What the lines of the main figure are; elsewhere there is no run before and no batch."""
    series = [(title_of(scheme), colour_of(scheme)) for scheme in SCHEMES]
    lines = [("your run", "ink", "line")]
    if own:
        lines += [("your run before", "ink-soft", "dotted"), ("batches", "ink-soft", "dots")]
    return spread.legend(series, lines)


def legend(view: View, record: Record | None) -> Markup:
    """What bands, lines and dots of the main figure are."""
    seeds, own = len(view.runs.seeds), bool(record and record.own_text)
    bands = (
        f"Faint lines: the mean of {seeds} stored runs, which read another text: no measure of yours"
        if own
        else f"Bands: lowest to highest of {seeds} stored runs, for the chosen scheme and for no position; "
        "lines: their mean"
    )
    said = f"{bands}, on {view.runs.about['curve_windows']} held-out windows of {view.config.T}."
    if record and record.run:
        size = batches_a_dot(record.config.steps)
        said += f" Dots: training batches of your run, {'one' if size == 1 else f'the mean of {size}'} each."
    if own:
        said += " Levels are those of your text."
    return tag("p", said, class_="lab-note")


def samples(view: View, record: Record | None) -> Markup:
    """Text written by the run, or by the stored run of the scheme."""
    scheme = record.config.scheme if record else view.config.scheme
    written: Mapping[int, str] = record.samples if record else view.runs.samples[scheme]
    own = f"your run, {title_of(scheme)}" if record else f"the stored run of {title_of(scheme)}, seed 0"
    rows = [_sample(step, text) for step, text in written.items()]
    # the list keeps its height while a run writes
    rows += [_sample(None, "")] * (4 - len(rows))
    head = tag("p", f"What {own} writes, one character after the other:", class_="lab-note")
    return tag("div", head, tag("ol", join(rows), class_="lab-train-samples"))


def _sample(step: int | None, text: str) -> Markup:
    when = EMPTY if step is None else tag("span", f"after {step:,}")
    return tag("li", when, tag("code", printed(text)))


def printed(text: str) -> Markup:
    """Written text with its line ends as signs."""
    lines = [join([visible(line).replace("␣", " ")]) for line in text.split("\n")]
    return (tag("i", "↵") + " ").join(lines)


def table(view: View, own: Sequence[Finished]) -> Markup:
    """Every scheme with its mean, spread and difference to none."""
    runs = view.runs
    comparable = [run for run in own if run.held_out is not None and run.compares_with(view)]
    values = [*runs.held_out.ravel().tolist(), *(run.held_out for run in comparable)]
    low, high = min(values), max(values)
    heads = ("Scheme", "Each seed", "Mean ± sd", "Against none", "")
    body = [
        _row(row, runs.held_out[index].tolist(), (low, high), row.scheme == view.config.scheme)
        for index, row in enumerate(view.comparisons)
    ]
    body += [_own_row(view, run, (low, high)) for run in comparable]
    return tag(
        "table",
        tag("thead", tag("tr", join(tag("th", head, scope="col") for head in heads))),
        tag("tbody", join(body)),
        class_="lab-train-table",
    )


def _row(row: Comparison, seeds: Sequence[float], ends: tuple[float, float], marked: bool) -> Markup:
    reference = row.scheme == "none"
    cells = (
        tag("td", strip(tuple(seeds), row.mean, ends, colour_of(row.scheme))),
        tag("td", f"{fixed(row.mean)} ± {fixed(row.sd)}", class_="lab-num"),
        tag(
            "td",
            "" if reference else f"{signed(row.difference)} ± {fixed(row.difference_sd)}",
            class_="lab-num",
        ),
        tag("td", verdict_of(row)),
    )
    head = tag("th", name(row.scheme, title_of(row.scheme)), scope="row")
    return tag("tr", head, join(cells), class_="lab-marked" if marked else None)


def verdict_of(row: Comparison) -> str:
    """What a difference to none is worth, in a word."""
    if row.scheme == "none":
        return "the reference"
    if row.noise:
        return "noise"
    return "better" if row.difference < 0 else "worse"


def _own_row(view: View, run: Finished, ends: tuple[float, float]) -> Markup:
    difference = run.difference_to_none(view)
    loss = run.held_out or 0.0
    cells = (
        tag("td", strip((loss,), None, ends, "ink")),
        tag("td", fixed(loss), class_="lab-num"),
        tag("td", "" if difference is None else signed(difference), class_="lab-num"),
        tag("td", "one run has no spread"),
    )
    return tag("tr", tag("th", f"Yours: {run.title}", scope="row"), join(cells), class_="lab-train-yours")


@lru_cache(maxsize=32)
def strip(values: tuple[float, ...], mean: float | None, ends: tuple[float, float], colour: str) -> Markup:
    """Each seed as a dot on a scale that all rows share, and the mean as a line."""

    def place(value: float) -> str:
        return f"left:{100 * (value - ends[0]) / ((ends[1] - ends[0]) or 1.0):.1f}%"

    dots = [tag("i", style=place(value)) for value in values]
    line = [] if mean is None else [tag("b", style=place(mean))]
    said = f"{len(values)} runs from {fixed(min(values))} to {fixed(max(values))}"
    return tag(
        "span",
        join([*line, *dots]),
        class_="lab-train-strip",
        style=f"--c:var(--{colour})",
        role="img",
        aria_label=said,
    )


def history(view: View, own: Sequence[Finished], record: Record | None) -> Markup:
    """Runs of one's own that do not stand in the table, and the losses of the last one to take along."""
    parts = []
    other = [run for run in own if run.held_out is None or not run.compares_with(view)]
    if other:
        items = join(tag("li", _history(view, run)) for run in other)
        parts.append(tag("p", "Your other runs, which the table cannot hold:", class_="lab-note"))
        parts.append(tag("ul", items, class_="lab-train-history"))
    if record and record.run and record.step:
        copied = losses(record).csv()
        button = tag("button", "Copy as CSV", type="button", class_="lab-copy", data_copy=copied)
        parts.append(tag("p", "Losses of your last run, step by step: ", button, class_="lab-note"))
    return join(parts)


def losses(record: Record) -> Table:
    """Every loss that a run has had."""
    held_out = dict(zip(record.curve_steps, record.curve, strict=True))
    taken = record.run.losses.tolist() if record.run else []
    rows: list[list[Cell]] = [[0, "", held_out.get(0, "")]]
    rows += [[step, loss, held_out.get(step, "")] for step, loss in enumerate(taken, start=1)]
    return Table("Your run", ["step", "loss of the batch before it", "held-out loss after it"], rows)


def _history(view: View, run: Finished) -> str:
    said = settings(run.config, view.runs.config)
    about = ", ".join(part for part in (said, "your text" if run.own_text else "") if part)
    named = f"{run.title} ({about})" if about else run.title
    if run.held_out is not None:
        return f"{named}: {fixed(run.held_out)}"
    return f"{named}: {run.reason}, after {counted(run.steps, 'step')}"
