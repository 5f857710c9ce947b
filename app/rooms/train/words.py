"""What the room `train` says beside its figures: caption, numbers, formula."""

from __future__ import annotations

import math

from app.kit.formula import Formula, text
from app.kit.html import number
from app.kit.numbers import Cell, Table
from app.rooms.train.compute import TABLES, Spans, View
from app.rooms.train.model import theirs
from app.rooms.train.stage import fixed, title_of, verdict_of


def describe(view: View) -> str:
    """The caption: what the stored runs say of the chosen scheme."""
    base, row = view.runs.baselines, view.chosen
    V = len(view.runs.tokens)
    start = fixed(float(view.untrained[view.runs.schemes.index(row.scheme)].mean()))
    if row.scheme == "none":
        against = f"{fixed(base.uniform - row.mean)} below uniform"
    else:
        side = "below" if row.difference < 0 else "above"
        noise = ", which is noise" if row.noise else ""
        against = f"{fixed(abs(row.difference))} ± {fixed(row.difference_sd)} {side} no position{noise}"
    return (
        f"{theirs(view)}{title_of(row.scheme)} ends at a cross-entropy of {fixed(row.mean)} ± "
        f"{fixed(row.sd)} nats per character (perplexity {number(math.exp(row.mean), 1)}) after "
        f"{view.runs.config.steps:,} steps ({row.seeds} seeds), {against}. To beat: uniform ln {V} = "
        f"{fixed(base.uniform)}, unigram {fixed(base.unigram)}, bigram {fixed(base.bigram)}. Untrained, the "
        f"loss is {start}, near ln {V}."
    )


def numbers(view: View) -> list[Table]:
    """The tables behind the figures."""
    runs = view.runs
    base = runs.baselines
    titles = [title_of(key) for key in runs.schemes]
    compared: list[list[Cell]] = [
        [
            title_of(row.scheme),
            row.seeds,
            row.mean,
            row.sd,
            row.difference,
            row.difference_sd,
            row.limit,
            verdict_of(row),
        ]
        for row in view.comparisons
    ]
    return [
        Table(
            "Stored runs: held-out loss by scheme",
            ["scheme", "seeds", "mean", "sd", "difference to none", "sd of it", "noise below", "verdict"],
            compared,
        ),
        Table(
            "To beat",
            ["model", "nats per character"],
            [["uniform", base.uniform], ["unigram", base.unigram], ["bigram", base.bigram]],
        ),
        Table(
            "Stored runs: held-out loss of each",
            ["scheme", *(f"seed {seed}" for seed in runs.seeds)],
            [[title, *losses] for title, losses in zip(titles, runs.held_out.tolist(), strict=True)],
        ),
        _spans("Stored runs: held-out loss by step", "step", view.curve, view),
        _spans("Stored runs: held-out loss by position in the window", "position", view.by_position, view),
        _spans("Stored runs: held-out loss beyond the trained length", "middle of the bin", view.long, view),
        _rows(view),
    ]


def _spans(title: str, x: str, spans: Spans, view: View) -> Table:
    index = view.runs.schemes.index(view.config.scheme)
    rows = [
        [place, *map(_loss, [*means, float(spans.low[index][at]), float(spans.high[index][at])])]
        for at, (place, means) in enumerate(zip(spans.x, spans.mean.T.tolist(), strict=True))
    ]
    named = title_of(view.config.scheme)
    columns = [x, *(title_of(key) for key in view.runs.schemes), f"{named}, lowest", f"{named}, highest"]
    return Table(title, columns, rows)


def _loss(value: float) -> Cell:
    """A loss, or that the scheme has no row for such a position."""
    return value if value == value else "refused"


def _rows(view: View) -> Table:
    shown = view.shown
    found, at = shown.movement, shown.maps.scores[shown.copy]
    columns = zip(
        shown.tokens,
        shown.classes,
        found.counts.tolist(),
        found.norm_before.tolist(),
        found.norm_after.tolist(),
        found.moved.tolist(),
        at[:, 0].tolist(),
        at[:, 1].tolist(),
        strict=True,
    )
    return Table(
        f"Rows of the {TABLES[view.rows]} after {shown.steps:,} steps, stored RoPE run, seed "
        f"{view.runs.seeds[0]}",
        ["character", "class", "count", "length before", "length now", "moved", "map x", "map y"],
        [list(row) for row in columns],
    )


def formula(view: View) -> tuple[Formula, ...]:
    """The loss, what a guess costs, and the comparison seed by seed."""
    runs, row = view.runs, view.chosen
    V, base = len(runs.tokens), runs.baselines
    named = text(title_of(row.scheme))
    return (
        Formula(
            r"L = -\frac{1}{N} \sum_{t} \ln p(x_{t+1} \mid x_1 \ldots x_t)",
            rf"L_{{{named}}} = {row.mean:.3f}\;\text{{nats}},\quad e^{{L}} = {math.exp(row.mean):.1f}"
            rf"\;\text{{of }} {V}",
            "The cross-entropy of the next character; e to it is the perplexity. A model that hesitates "
            "between n equally likely characters has the loss ln n and the perplexity n.",
        ),
        Formula(
            r"L_{\text{uniform}} = \ln \dim{V}",
            rf"\ln {V} = {base.uniform:.3f}",
            "What a uniform guess costs, and where an untrained model begins.",
        ),
        Formula(
            r"\Delta = \frac{1}{R} \sum_{r} \left( L_r^{\text{scheme}} - L_r^{\text{none}} \right)"
            r"\qquad \text{noise if } |\Delta| < \max\left(.01,\ t\, s_\Delta / \sqrt{R}\right)",
            rf"\Delta_{{{named}}} = {row.difference:.3f},\quad "
            rf"{row.quantile:.3f} \cdot {row.difference_sd:.4f} / \sqrt{{{row.seeds}}} = "
            rf"{row.quantile * row.error:.3f}",
            "Seed by seed: the same weights, the same batches, only the scheme differs. t is Student’s, with "
            f"R − 1 = {row.seeds - 1} degrees of freedom, at .05 / {row.comparisons}: so that all "
            f"{row.comparisons} comparisons together call chance a difference in at most one case of twenty.",
        ),
    )
