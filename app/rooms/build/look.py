"""What the figures of the room `build` are made of: chips, matrices, tables of numbers, large pictures."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import panel as pn

from app.kit.figures import Heatmap, largest, typical
from app.kit.html import EMPTY, Markup, dims, join, number, shorten, tag, visible
from app.kit.matrix import Chip, chips, matrix, row_label, verdict
from app.kit.numbers import Table
from app.rooms.build.model import LIMIT, WORDS, Built, Tokens

MOST_CHIPS = 80
NAMED = 16
"""Rows of a picture that are named by their token; more are numbered."""


def tokens(view: Tokens, numbered: bool = True, marked: Collection[int] = ()) -> Markup:
    """The text as token chips with their ids and positions, what table it is, and what was left out."""
    words = [piece.word for piece in view.pieces if not piece.unknown]
    several = {word for word in set(words) if words.count(word) > 1} if view.s.example == "own" else set()
    shown = []
    for position, piece in enumerate(view.pieces[:MOST_CHIPS], start=1):
        id, at = (piece.id, position) if numbered else (None, None)
        note = "tokens.word" if piece.unknown else "tokens.piece" if piece.word in several else ""
        shown.append(Chip(piece.token, id, at, position in marked, WORDS.raw(note, "")))
    return join([chips(shown), *_notes(view)])


def _notes(view: Tokens) -> list[Markup]:
    full = WORDS.say("tokens.full", view, own=str(view.full_ids[view.t - 1])) if view.full_ids else ""
    notes = [f"{view.table.note or _given(view)} {full}".strip()]
    if view.T > MOST_CHIPS:
        notes.append(WORDS.say("tokens.some", view, most=MOST_CHIPS))
    if unknown := [piece.text for piece in view.pieces if piece.unknown]:
        listed = ", ".join(visible(word, 24) for word in list(dict.fromkeys(unknown))[:6])
        notes.append(WORDS.say("tokens.unknown", listed=listed))
    if removed := getattr(view.table.tokenizer, "removed", lambda _: "")(view.text):
        notes.append(WORDS.say("tokens.removed", removed=len(removed)))
    dropped = WORDS.say("tokens.dropped", view, limit=LIMIT) if view.dropped else ""
    return [
        *(tag("p", note, class_="lab-note") for note in notes),
        verdict(dropped, "warn") if dropped else EMPTY,
    ]


def _given(view: Tokens) -> str:
    P = view.table.P
    places = WORDS.say("given.no P") if P is None else WORDS.say("given.rows of P", count=len(P))
    return WORDS.say("given.note", view, places=places)


def table(view: Tokens) -> Markup:
    """E, token by token, the rows of the text outlined."""
    picked = set(view.ids.tolist())
    return matrix(
        view.table.E,
        title="E",
        under=dims(("V", view.V), ("D", view.D)),
        rows=[row_label(token, id) for id, token in enumerate(view.table.vocabulary.tokens)],
        marked_rows=picked,
        faded_rows=set(range(view.V)) - picked,
    )


def rows(view: Tokens, values: Any, title: str, under: Markup | str = "", **options: Any) -> Markup:
    """A matrix with a row for each token of the text."""
    under = under or dims(("T", view.T), ("D", view.D))
    return matrix(values, title=title, under=under, **{"rows": labels(view), **options})


def picked(view: Tokens, strongest: float | None = None) -> Markup:
    """The rows of E that the ids pick."""
    return rows(view, view.rows, "E[ids] × √D" if view.s.scale else "E[ids]", strongest=strongest)


def labels(view: Tokens) -> list[Markup]:
    """The token of each row with its id."""
    return [row_label(piece.token, piece.id) for piece in view.pieces]


def strongest(view: Built) -> float:
    """The largest magnitude of the matrices that stand together."""
    return float(max(abs(view.X).max(), abs(view.rows).max())) or 1.0


def numbers(title: str, view: Tokens, values: Any, names: Sequence[str] = ()) -> Table:
    """One row of numbers per token."""
    listed = values if isinstance(values, list) else values.tolist()
    columns = ["position", "token", *(names or (f"x{j}" for j in range(1, len(listed[0]) + 1)))]
    lines = zip(view.pieces, listed, strict=True)
    return Table(
        title, columns, [[at, piece.token, *line] for at, (piece, line) in enumerate(lines, start=1)]
    )


class Pictures:
    """Matrices too large for printed numbers, as pictures that are made when the first of them comes."""

    def __init__(self, parts: Mapping[str, str]) -> None:
        self._parts, self.maps = parts, dict[str, Heatmap]()
        self.pane = pn.Column(margin=0, sizing_mode="stretch_width")

    def show(self, view: Tokens) -> None:
        """Show them where they are large; None stands for one that there is not."""
        if not view.small and not self.maps:
            self.maps = {name: _heatmap(name) for name in self._parts}
            self.pane.extend(made.pane for made in self.maps.values())
        for name, made in self.maps.items():
            values = getattr(view, self._parts[name])
            made.pane.visible = not view.small and values is not None
            if not made.pane.visible:
                continue
            top = typical(values)
            saturates = f" · colours end at ±{number(top)}" if top < largest(values) else ""
            made.set(values, top)
            made.set_title(f"{name}{saturates}")
            if view.T <= NAMED:
                made.words("y", [shorten(visible(piece.token), 12) for piece in view.pieces])
            else:
                made.places("y")


def _heatmap(name: str) -> Heatmap:
    return Heatmap(
        label=f"{name} as a heatmap",
        title=name,
        x="dimension",
        y="position",
        height=230,
        tips=("position", "dimension"),
    )
