"""State and view of the room `gradient`: a run of batches, the rows they touch, and what moves."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

import param

from app.rooms.gradient.run import (
    TIED_ROWS,
    Followed,
    Picture,
    Run,
    Sample,
    difference_of,
    followed_of,
    moved_of,
    one_row,
    picture_of,
    run_of,
    tied_of,
)
from lab import embedding, zipf
from lab import gradient_study as study
from lab.notation import FloatArray, IntArray
from lab.row_optimizers import ROW_OPTIMIZERS, RowOptimizer

CLOSER = {"rank": "By rank", "row": "One row", "tied": "Tied table", "ways": "Several ways"}
SOURCES = {"zipf": "Zipf's law", "shakespeare": "Shakespeare"}
SUBSAMPLES = {0.0: "all kept", 1e-3: "t = 0.001", 1e-4: "t = 0.0001", 1e-5: "t = 0.00001"}
"""Thresholds of word2vec's subsampling, and what they are called; its authors took the last."""
WIDTH = 768
"""D of the table whose bytes are counted: that of GPT-2 small."""
MOST_IDS, LARGEST_ID = 12, 11


class State(param.Parameterized):
    """What a reader can set."""

    step = param.Integer(default=60, bounds=(1, 60), label="Step shown")
    source = param.Selector(default="zipf", objects=list(SOURCES), label="Tokens from")
    exponent = param.Number(default=1.0, bounds=(0.0, None), label="Exponent s")
    V = param.Integer(default=50_257, bounds=(2, 128_000), label="V, rows of the table")
    batch = param.Integer(default=8, bounds=(1, 16), label="Sequences")
    length = param.Integer(default=500, bounds=(1, 1024), label="Tokens in each")
    subsample = param.Selector(default=0.0, objects=list(SUBSAMPLES), label="Frequent words")
    steps = param.Integer(default=30, bounds=(2, 60), label="Steps of the run")
    optimizer = param.Selector(default="sgd", objects=list(ROW_OPTIMIZERS), label="Optimizer")
    tied = param.Boolean(default=False, label="Tied output layer")
    zoom = param.Integer(default=0, bounds=(0, 128_000), label="Single rows from rank (0 for all)")
    closer = param.Selector(default="rank", objects=list(CLOSER), label="Look closer")
    row = param.Integer(default=5_000, bounds=(1, 128_000), label="Rank of the row to follow")
    ids = param.String(default="0 0 1 1 2", label="Row ids")
    seed = param.Integer(default=0, bounds=(0, 9_999), label="Seed")


@dataclass(frozen=True, eq=False)
class Toy:
    """The ids a reader typed, each with the gradient 1."""

    ids: tuple[int, ...]
    one_hot: FloatArray
    """(n, V)."""
    summed: FloatArray
    """(V,)."""
    wrong: FloatArray
    """What ``grad[ids] += g`` leaves, (V,)."""


@dataclass(frozen=True, eq=False)
class View:
    """Exactly what is drawn."""

    source: str
    exponent: float
    seed: int
    batch: int
    length: int
    run: Run
    step: int
    """The step shown, from 1."""
    rule: type[RowOptimizer]
    tied: bool
    picture: Picture
    moved: IntArray
    """Rows that each step moves, (steps,)."""
    bytes: zipf.GradientBytes
    closer: str
    """Which of the following parts is on show; the others are not computed."""
    sample: Sample | None
    means: study.RankMeans | None
    """Of the sample up to the step shown, (bins,) each."""
    followed: Followed | None
    tied_norms: study.TiedNorms | None
    toy: Toy
    refused: str
    """Why the typed ids are not these, or nothing."""
    difference: float
    """Largest difference between the ways on COMPARED tokens of the first step."""

    @property
    def touched(self) -> int:
        """Rows with a gradient in the step shown."""
        return int(self.run.touched[self.step - 1])

    @property
    def seen(self) -> int:
        """Rows that have had one up to the step shown."""
        return int(self.run.seen[self.step - 1])


def compute(
    *,
    step: int,
    source: str,
    exponent: float,
    V: int,
    batch: int,
    length: int,
    subsample: float,
    steps: int,
    optimizer: str,
    tied: bool,
    zoom: int,
    closer: str,
    row: int,
    ids: str,
    seed: int,
) -> View:
    """Draw a run of batches and find the rows it touches and moves.

    ``step`` ends at the last step, ``zoom`` and ``row`` at the last rows of the table. Ids that cannot be
    read are refused beside their field and leave the run as it is.
    """
    toy, refused = _toy_or_default(ids)
    run = run_of(source, exponent, V, batch, length, steps, seed, subsample)
    rule = ROW_OPTIMIZERS[optimizer]
    shown = min(step, run.steps)
    sample = followed_of(run, optimizer, seed) if closer == "rank" else None
    return View(
        source=source,
        exponent=exponent,
        seed=seed,
        batch=batch,
        length=length,
        run=run,
        step=shown,
        rule=rule,
        tied=tied,
        picture=picture_of(run, optimizer, tied, zoom),
        moved=moved_of(run, optimizer, tied),
        bytes=zipf.gradient_bytes(run.V, WIDTH, int(run.touched[shown - 1])),
        closer=closer,
        sample=sample,
        means=study.mean_by_rank(sample.history, sample.bounds, shown) if sample else None,
        followed=one_row(run, min(row, run.V), seed) if closer == "row" else None,
        tied_norms=tied_of(source, exponent, min(run.V, TIED_ROWS), seed) if closer == "tied" else None,
        toy=toy,
        refused=refused,
        difference=difference_of(run, seed) if closer == "ways" else 0.0,
    )


@lru_cache(maxsize=16)
def _toy_or_default(text: str) -> tuple[Toy, str]:
    try:
        return toy_of(text), ""
    except ValueError as reason:
        return toy_of(State.param.ids.default), str(reason)


def toy_of(text: str) -> Toy:
    """Read a few row ids.

    Raises
    ------
    ValueError
        Saying what is wrong with the text.
    """
    parts = [part for part in re.split(r"[\s,;]+", text.strip("[]() \t")) if part]
    if not 1 <= len(parts) <= MOST_IDS:
        raise ValueError(
            f"Row ids: type 1 to {MOST_IDS} of them, not {len(parts)}; 0 0 1 1 2 is shown instead."
        )
    for part in parts:
        if not re.fullmatch(r"[0-9]{1,3}", part) or int(part) > LARGEST_ID:
            raise ValueError(
                f"Row ids: ‘{part[:20]}’ is not a whole number from 0 to {LARGEST_ID}; "
                "0 0 1 1 2 is shown instead."
            )
    ids = [int(part) for part in parts]
    V = max(ids) + 1
    one_hot = embedding.one_hot(ids, V)
    ones = [[1.0]] * len(ids)
    return Toy(
        ids=tuple(ids),
        one_hot=one_hot,
        summed=embedding.row_gradient(ids, ones).dense(V)[:, 0],
        wrong=study.assign_add(ids, ones, V)[:, 0],
    )
