"""From rows and names to a table that rooms can look at."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import NamedTuple

import numpy as np

from lab.notation import Array, FloatArray, readonly
from lab.own_table.checkpoint import Source
from lab.own_table.names import Names, numbered, unique
from lab.own_table.rows import MAX_ROWS
from lab.own_table.text import MAX_WIDTH
from lab.vocab import Table, Vocabulary, Words


class OwnTable(NamedTuple):
    """A reader's table, and where more of it can be had."""

    table: Table
    source: Source | None = None
    """The checkpoint that it comes from; `lab.own_table.reading_again` takes other rows of it."""


class Read(NamedTuple):
    """What files hold, before it is checked as a whole."""

    names: Names
    """V of them, or none."""
    E: Array
    P: Array | None = None


def checked(name: str, read: Read) -> Table:
    """The table of rows and names; what there is too much of is left out, and said.

    Raises
    ------
    ValueError
        If it has fewer than two rows, or a number that is not finite.
    """
    said = list(read.names.said)
    E, tokens = read.E, read.names.tokens
    if E.ndim == 2 and len(E) > MAX_ROWS:
        said.append(f"The first {MAX_ROWS:,} of {len(E):,} rows were taken; more cannot be held.")
        E, tokens = E[:MAX_ROWS], tokens[:MAX_ROWS]
    E = finite("the table", E)
    V, D = E.shape
    if V < 2:
        raise ValueError(f"the table has {V} row; two are needed to compare")
    P = None if read.P is None else finite("the positions", read.P)
    if P is not None and P.shape[1] != D:
        raise ValueError(f"position rows are {P.shape[1]} wide and token rows {D}; both must have one width")
    if tokens:
        names = unique(tokens)
        said += names.said
    else:
        names = Names(numbered(V))
        said.append(
            "No names came with it, so rows are named by their numbers; choose a list together with it."
        )
    return own_table(name, names.tokens, E, P, said)


def own_table(
    name: str, tokens: Sequence[str], E: FloatArray, P: FloatArray | None, said: Sequence[str]
) -> Table:
    """A table of a reader's, with what was said about its files."""
    V, D = E.shape
    vocabulary = Vocabulary(tokens)
    head = f"{V:,} rows of {D:,} number{'s' * (D != 1)}."
    return Table(
        name=PurePath(name).name,
        vocabulary=vocabulary,
        tokenizer=Words(vocabulary),
        E=E,
        P=P,
        position_origin=0,
        note=" ".join([head, *said]),
        example=" ".join(vocabulary.tokens[:3]),
    )


def finite(name: str, array: Array) -> FloatArray:
    """Rows as float32, checked.

    Raises
    ------
    ValueError
        If they are no matrix of finite numbers, or too many.
    """
    if array.ndim != 2:
        raise ValueError(f"{name} must be a matrix of rows; its shape is {array.shape}")
    if array.dtype.kind not in "iuf":
        raise ValueError(f"{name} must hold real numbers; its dtype is {array.dtype}, save it as float32")
    V, D = array.shape
    if not D or D > MAX_WIDTH or V > MAX_ROWS:
        raise ValueError(
            f"{name} has shape {array.shape}; up to {MAX_ROWS:,} rows can be read, of up to {MAX_WIDTH:,} "
            "numbers"
        )
    with np.errstate(over="ignore"):
        rows = array.astype(np.float32)
    bad = ~np.isfinite(rows)
    if bad.any():
        row, column = (int(i) for i in np.argwhere(bad)[0])
        raise ValueError(
            f"{name} must be finite in float32; row {row}, column {column} (from 0) is {array[row, column]}: "
            "correct it or leave the row out"
        )
    return readonly(np.ascontiguousarray(rows))
