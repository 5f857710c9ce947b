"""The sentences of the room `build` that weigh and place what its matrices show."""

from __future__ import annotations

from functools import lru_cache

from app.kit.html import Markup, number, tag, vector, visible
from app.kit.matrix import verdict
from app.rooms.build.compute import View
from lab.embedding import Drowned, drowned

WIDE = 512
"""Width of the first Transformer, at which a row is weighed against a position."""
ZERO = 1e-12
"""A mean below this is rounding of float64."""


def about(view: View) -> Markup:
    """What the table is, and what was left out of it."""
    parts = [view.table.note]
    if view.full_ids:
        place = min(2, len(view.ids))
        token, id = visible(view.tokens[place - 1], 24), int(view.ids[place - 1])
        parts.append(
            f"An id is a row of this table: ‘{token}’ is {id} here, {view.full_ids[place - 1]} in MiniLM."
        )
    return tag("p", " ".join(parts), class_="lab-note")


def sizes(view: View) -> Markup:
    """How long token rows are beside what is added to them, and what the root of D is for."""
    if view.added_lengths is None:
        return _factor_alone(view)
    rows, added = (number(float(lengths.mean())) for lengths in (view.row_lengths, view.added_lengths))
    several = len(view.ids) > 1
    long = "on average token rows are" if several else "the token row is"
    said = f"{long} {rows} long, what is added {added}."
    said = f"{_factor(view)}: {said}" if view.scale != 1.0 else said[0].upper() + said[1:]
    found = _drowned()
    return verdict(
        f"{said} At D = {found.D} a row of variance 1/D is {number(found.row, 1)} long, a sinusoidal "
        f"position {number(found.times, 0)} times as long: the token drowns. Times √{found.D} = "
        f"{number(found.D**0.5, 1)} the row is {number(found.scaled, 1)} long, the position "
        f"{number(found.position, 1)}."
    )


def _factor_alone(view: View) -> Markup:
    if view.scale == 1.0:
        return Markup("")
    return verdict(
        f"{_factor(view)}. {view.scheme.title} adds nothing that could drown it: the factor only makes rows "
        f"longer. At D = {WIDE} it is {number(WIDE**0.5, 1)}."
    )


def _factor(view: View) -> str:
    return f"Every row is multiplied by √D = √{view.table.D} = {number(view.scale)}"


@lru_cache(maxsize=1)
def _drowned() -> Drowned:
    return drowned(WIDE)


def means(view: View) -> Markup:
    """The mean of each row of X, which a layer norm subtracts."""
    low, high = float(view.means.min()), float(view.means.max())
    parts = [view.rows] if view.added is None else [view.rows, view.added]
    if max(abs(mean) for rows in parts for mean in rows.mean(axis=1).tolist()) < ZERO:
        of = "E" if view.added is None else "E and P"
        return verdict(
            f"The rows of {of} used here add up to 0, so every row of X has mean {number(high)}: a LayerNorm "
            "subtracts the mean of a row, and takes nothing from these."
        )
    run = (
        f"Means of the rows of X: {number(low)} to {number(high)}"
        if len(view.means) > 1
        else f"The row of X has mean {number(low)}"
    )
    if view.scheme.key == "raw":
        return verdict(
            f"{run}. A raw index moves the mean of its row and nothing else: a LayerNorm subtracts it, and "
            "nothing of it is left.",
            "warn",
        )
    return verdict(f"{run}. A LayerNorm subtracts the mean of a row, an RMSNorm does not.")


def batch(view: View) -> str:
    """The axis that the pictures leave out."""
    shape = ", ".join(str(size) for size in view.batch)
    return (
        f"Models read several texts at once: X is (B, T, D), this text alone ({shape}); four tokens at "
        "D = 512 are (1, 4, 512)."
    )


def pooled(view: View) -> Markup:
    """What a sentence embedding is, which is no row of E."""
    D = view.table.D
    return verdict(
        "A sentence embedding is no row of E. It pools the rows that leave the last block into one vector, "
        f"often their mean. The mean of the rows of X is such a vector, of {D} numbers: "
        f"{vector(view.pooled.tolist(), most=6)}."
    )


def stream(view: View) -> str:
    """What each row of X is to the blocks."""
    D = view.table.D
    first = "MiniLM normalises X first. From there on each" if view.example == "own" else "Each"
    return (
        f"{first} row is one token's slot on the residual stream: every block reads it and adds to it, and "
        f"its width stays D = {D}."
    )
