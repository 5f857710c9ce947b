"""The section `tables`: what training made of the position tables of real models."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from app.kit.formula import Formula, row
from app.kit.html import Markup, join, number, tag
from app.kit.matrix import verdict
from app.kit.numbers import Table
from app.kit.shares import percent
from app.rooms.schemes.state import Settings
from lab.compare import TrainedTable, trained_table
from lab.compare.trained import LAST

ROUNDING = 1e-9
APART = 0.2
"""Beyond this share of the median length, or half of it as a cosine, the end of a table is another."""


@dataclass(frozen=True, eq=False)
class TablesView:
    """One position table, measured, and the row that is looked at."""

    settings: Settings
    table: TrainedTable

    @property
    def T(self) -> int:
        """Rows."""
        return len(self.table.norms)

    @property
    def from_place(self) -> Any:
        """Cosine of the row looked at with the rows after it, shape (T - place,)."""
        return self.table.cosines[self.settings.place, self.settings.place :]


def compute(settings: Settings) -> TablesView:
    """Open and measure a table; a place beyond its rows stands for the last."""
    table = trained_table(settings.table)
    place = min(settings.place, len(table.norms) - 1)
    return TablesView(replace(settings, place=place), table)


def top(view: TablesView) -> Markup:
    """What the table is, and what it shows."""
    table = view.table
    said = f"{table.note} Where only distance counted, each stripe along the diagonal would have one colour."
    return join([tag("h2", f"{table.title}: position with position"), tag("p", said)])


def bottom(view: TablesView) -> Markup:
    """The lag, the break and the outlier."""
    return join([verdict(said(view)) for said in (_lag, _break, _outlier, _end)])


def _lag(view: TablesView) -> str:
    # a computed table is explained in full, but for the rounding of float64
    full = 1 - view.table.explained < ROUNDING
    share = percent(1.0 if full else view.table.explained)
    lags = ", ".join(number(float(c), 2) for c in view.table.by_lag[1:10])
    rest = "nothing else does" if full else "the rest depends on where the two stand"
    means = f"Mean cosine at distances 1 to 9: {lags}."
    return f"The distance explains {share} of the cosine's variance; {rest}. {means}"


def _break(view: TablesView) -> str:
    at, near = view.table.loneliest, view.table.neighbours
    typical = number(float(sorted(near.tolist())[len(near) // 2]), 2)
    before, after = number(float(near[at - 1]), 2), number(float(near[at]), 2)
    if min(near[at - 1], near[at]) > 0.9 * float(near.max()):
        return f"Neighbours are alike everywhere: cosine {before} and {after} even where it is lowest."
    return (
        f"The table breaks at row {at} of {view.T}: cosine {before} with the row before and {after} with the "
        f"row after, where {typical} is the median. No rule would do that; training did."
    )


def _outlier(view: TablesView) -> str:
    table = view.table
    length, middle = number(float(table.norms[table.longest]), 2), number(table.median_norm, 2)
    if float(table.norms[table.longest]) < 1.01 * table.median_norm:
        return f"Every row has length {middle}: none stands out."
    return f"Row {table.longest} is the longest, {length} against a median of {middle}."


def _end(view: TablesView) -> str:
    table = view.table
    length, cosine = number(table.last_norm, 2), number(table.last_cosine, 2)
    usual = f"where {number(table.median_norm, 2)} and {number(table.median_cosine, 2)} are the medians"
    rows = f"The last {LAST} rows have length {length} and cosine {cosine} with their neighbours, {usual}"
    if table.key == "sinusoidal":
        return f"{rows}: a computed row needs no training, and the table goes on beyond its end."
    apart = abs(table.last_norm / table.median_norm - 1) > APART or (
        abs(table.last_cosine - table.median_cosine) > APART / 2
    )
    trained = "Only a text of full length reaches them, so they get the fewest gradients"
    return f"{rows}. {trained}: {'they are unlike the rest' if apart else 'here it hardly shows'}."


def describe(view: TablesView) -> str:
    """The caption."""
    return f"{view.table.title}, {view.T} rows: {_lag(view)} {_outlier(view)}"


def numbers(view: TablesView) -> list[Table]:
    """The tables behind the figure."""
    table, place = view.table, view.settings.place
    lags = [[lag, float(mean)] for lag, mean in enumerate(table.by_lag.tolist())]
    steps = table.neighbours.tolist()
    rows: list[list[str | float]] = [
        [p, norm, steps[p] if p < len(steps) else "no row after", float(table.cosines[place, p])]
        for p, norm in enumerate(table.norms.tolist())
    ]
    return [
        Table(f"{table.title}: mean cosine by distance", ["distance", "mean cosine"], lags),
        Table(
            f"{table.title}: rows",
            ["position", "length", "cosine with the next row", f"cosine with row {place}"],
            rows,
        ),
    ]


def formula(view: TablesView) -> tuple[Formula, ...]:
    """The cosine of a row with the next one, and the share that the lag explains."""
    place = min(view.settings.place, view.T - 2)
    cosine = number(float(view.table.cosines[place, place + 1]))
    return (
        Formula(
            r"c_{m,n} = \frac{P_m \cdot P_n}{\lVert P_m \rVert \lVert P_n \rVert}",
            rf"c_{{{place},{place + 1}}} = {row(cosine)}",
            "Positions are counted from 0.",
        ),
        Formula(
            r"\eta^2 = 1 - \frac{\sum_{m<n} \left(c_{m,n} - \bar{c}_{n-m}\right)^2}"
            r"{\sum_{m<n} \left(c_{m,n} - \bar{c}\right)^2}",
            rf"\eta^2 = {row(number(view.table.explained))}",
            "Share of the cosine's variance that the distance alone explains: the correlation ratio.",
        ),
    )


_LOAD = {
    "whisper": 'pack = np.load("static/data/whisper_tiny_en_decpos_f16.npz")  # of the lab\n'
    'P = pack["pos"].astype(float)  # (448, 384)',
    "minilm": 'pack = np.load("static/data/minilm_small_int8.npz")  # of the lab\n'
    'P = pack["pos"].astype(float)  # (512, 384)',
    "sinusoidal": (
        "angle = np.arange(512)[:, None] / 10_000 ** (np.arange(0, 384, 2) / 384)\n"
        "P = np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(512, 384)"
    ),
}


def code(settings: Settings) -> str:
    """NumPy code whose ``result`` is the mean cosine by distance, with the explained share in front."""
    return (
        f"import numpy as np\n\n{_LOAD[settings.table]}\n"
        "unit = P / np.linalg.norm(P, axis=1, keepdims=True)\n"
        "cosines = unit @ unit.T  # (T, T)\n"
        "by_lag = np.array([np.diagonal(cosines, m).mean() for m in range(len(P))])\n"
        "m, n = np.triu_indices(len(P), 1)\n"
        "values = cosines[m, n]\n"
        "explained = 1 - ((values - by_lag[n - m]) ** 2).sum() / ((values - values.mean()) ** 2).sum()\n"
        "result = np.concatenate([[explained], by_lag])\n"
    )


def code_answer(view: TablesView) -> Any:
    """What ``result`` must equal."""
    return [view.table.explained, *view.table.by_lag.tolist()]
