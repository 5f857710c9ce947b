"""The matrices of the room `build`: E, the rows that are picked, X, and their labels."""

from __future__ import annotations

from app.kit.html import Markup, dims
from app.kit.matrix import matrix, row_label
from app.rooms.build.compute import View


def lookup_table(view: View) -> Markup:
    """The table, token by token."""
    return matrix(
        view.table.E,
        title="E",
        under=dims(("V", len(view.table.vocabulary)), ("D", view.table.D)),
        rows=[row_label(token, i) for i, token in enumerate(view.table.vocabulary.tokens)],
        marked_rows=set(view.ids.tolist()),
        faded_rows=set(range(len(view.table.vocabulary))) - set(view.ids.tolist()),
    )


def picked(view: View, top: float | None = None) -> Markup:
    """The rows of E that the ids pick; ``top`` fixes the colour scale."""
    title = "E[ids]" if view.scale == 1.0 else "E[ids] × √D"
    return matrix(
        view.rows,
        title=title,
        under=dims(("T", len(view.ids)), ("D", view.table.D)),
        rows=labels(view),
        strongest=top,
    )


def x_matrix(view: View, top: float) -> Markup:
    """X, with the rows of a swap outlined."""
    return matrix(
        view.X,
        title="X",
        under="what the blocks begin with",
        rows=labels(view),
        strongest=top,
        marked_rows=[place - 1 for place in view.swap.places] if view.swap else (),
    )


def strongest_of(view: View) -> float:
    """The largest magnitude of the matrices that stand together."""
    return float(max(abs(view.X).max(), abs(view.rows).max())) or 1.0


def labels(view: View) -> list[Markup]:
    """The token of each row with its id."""
    return [row_label(piece.token, piece.id) for piece in view.pieces]


def swapped_labels(view: View) -> list[Markup]:
    """The labels with the two swapped places traded."""
    shown = labels(view)
    if view.swap:
        first, second = (place - 1 for place in view.swap.places)
        shown[first], shown[second] = shown[second], shown[first]
    return shown
