"""Position tables of real models: what training made of them, measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from lab.data import minilm, whisper_positions
from lab.geometry import cosine_by_lag, cosine_matrix, variance_explained_by_lag
from lab.notation import FloatArray, readonly
from lab.positions import Sinusoidal

WIDTH, ROWS = 384, 512
"""Sizes of the sinusoidal table that stands beside the real ones: MiniLM's."""


class _Source(NamedTuple):
    title: str
    note: str
    rows: Callable[[], FloatArray]


TABLES: dict[str, _Source] = {
    "whisper": _Source(
        "Whisper's decoder",
        "448 learned rows of the model tiny.en, stored in float16.",
        whisper_positions,
    ),
    "minilm": _Source(
        "MiniLM",
        "512 learned rows of an encoder, fine-tuned and distilled: no decoder such as GPT-2.",
        lambda: minilm().positions,
    ),
    "sinusoidal": _Source(
        "Sinusoidal, for comparison",
        "Computed with base 10,000, as wide and as long as MiniLM's.",
        lambda: Sinusoidal(WIDTH).table(np.arange(ROWS)),
    ),
}
"""Title, note and rows of each table, by key."""


@dataclass(frozen=True, eq=False)
class TrainedTable:
    """Measurements of a position table P of shape (T, D).

    Attributes
    ----------
    cosines : numpy.ndarray
        Of each row with each row, shape (T, T).
    by_lag : numpy.ndarray
        Mean cosine of rows that far apart, shape (T,).
    explained : float
        Share of the cosine's variance that the distance alone explains.
    norms : numpy.ndarray
        Shape (T,).
    median_norm : float
    longest : int
        The row with the largest norm.
    neighbours : numpy.ndarray
        Cosine of row p with row p + 1, shape (T - 1,).
    loneliest : int
        The row from 2 on whose cosine with its two neighbours is lowest: where the table breaks. Rows 0 and
        1 are left out, because row 0 is unlike all others in every trained table.
    last_norm, last_cosine : float
        Mean norm of the last ``LAST`` rows, and mean cosine of neighbours among them: only texts of full
        length train them.
    median_cosine : float
        Median cosine of neighbours.
    """

    key: str
    title: str
    note: str
    P: FloatArray
    cosines: FloatArray
    by_lag: FloatArray
    explained: float
    norms: FloatArray
    median_norm: float
    longest: int
    neighbours: FloatArray
    loneliest: int
    last_norm: float
    last_cosine: float
    median_cosine: float


def trained_table(key: str) -> TrainedTable:
    """Open a table of ``TABLES`` and measure it; kept after the first call.

    Raises
    ------
    ValueError
        If there is no such table.
    DataMissing
        If its file is not there (in the browser: has not arrived yet).

    Examples
    --------
    >>> table = trained_table("whisper")
    >>> table.loneliest, round(table.explained, 2)
    (224, 0.77)
    """
    if key not in TABLES:
        raise ValueError(f"there is no table {key!r}; there are {', '.join(TABLES)}")
    return _measured(key)


LAST = 4
"""Rows at the end of a table that are looked at together."""


@lru_cache(maxsize=len(TABLES))
def _measured(key: str) -> TrainedTable:
    title, note, load = TABLES[key]
    P = load()
    cosines = cosine_matrix(P)  # (T, D) -> (T, T)
    norms = np.linalg.norm(P.astype(np.float64), axis=1)
    neighbours = np.diagonal(cosines, 1).copy()
    around = neighbours[1:-1] + neighbours[2:]  # of rows 2 .. T - 2 with both neighbours
    return TrainedTable(
        key=key,
        title=title,
        note=note,
        P=P,
        cosines=readonly(cosines),
        by_lag=readonly(cosine_by_lag(cosines)),
        explained=variance_explained_by_lag(cosines),
        norms=readonly(norms),
        median_norm=float(np.median(norms)),
        longest=int(norms.argmax()),
        neighbours=readonly(neighbours),
        loneliest=int(around.argmin()) + 2,
        last_norm=float(norms[-LAST:].mean()),
        last_cosine=float(neighbours[1 - LAST :].mean()),
        median_cosine=float(np.median(neighbours)),
    )
