"""What one dimension of a table says, and what not: said of hand-made tables, measured on the others."""

from __future__ import annotations

from dataclasses import dataclass

from app.kit.html import Markup, join, shorten, tag, visible
from app.kit.matrix import verdict
from app.kit.shares import percent
from app.rooms.geometry.tables import HANDMADE, SMALL, Asked
from lab.table_study import Angle, Spread, largest_words, spread

LISTED = 6


@dataclass(frozen=True)
class Dimension:
    """The dimension that weighs most in a dot product, and how much the others do."""

    found: Spread
    words: tuple[str, ...]
    """The words with the largest numbers in it; none for a small table."""


def heaviest(asked: Asked, angle: Angle) -> Dimension:
    """Find it for the first pair of words."""
    found = spread(angle.products)
    words: tuple[str, ...] = ()
    if asked.study.V > SMALL:
        words = tuple(asked.study.names(largest_words(asked.study, found.first, LISTED)))
    return Dimension(found, words)


def said(asked: Asked, heavy: Dimension) -> Markup:
    """A hand-made table is called so; of any other it is measured that no dimension has a name."""
    found = heavy.found
    if asked.key in HANDMADE:
        return verdict(_HAND, "warn")
    if not heavy.words or not found.share:
        return join([])
    listed = tag("b", ", ".join(shorten(visible(word), 16) for word in heavy.words))
    return join(
        [
            tag("h3", "Has a dimension a name?", class_="lab-heading"),
            verdict(
                join(
                    [
                        f"x{found.first + 1} weighs most for this pair: {percent(found.share)} of all "
                        f"magnitudes. Half of them takes {found.half} of {found.terms} dimensions: meaning "
                        f"is spread. The words with the largest x{found.first + 1} are ",
                        listed,
                        ". Training names no dimension; turning all rows alike changes each number and no "
                        "angle.",
                    ]
                )
            ),
        ]
    )


_HAND = (
    "Made by hand: its dimensions mean what somebody decided. In a trained table none has a name, and "
    "meaning is spread over many: see it on MiniLM's."
)
