"""The figures of the room, in reading order."""

from app.rooms.geometry.figures.analogy import Analogy
from app.rooms.geometry.figures.angle import AnglesByHand
from app.rooms.geometry.figures.base import GeometryFigure
from app.rooms.geometry.figures.map import WordsOnPlane
from app.rooms.geometry.figures.near import NearestRows
from app.rooms.geometry.figures.pairs import RandomPairs
from app.rooms.geometry.figures.rarity import LengthAndRarity
from app.rooms.geometry.figures.sums import WordAndPosition
from app.rooms.geometry.model.study import TableStudy

KINDS: tuple[type[GeometryFigure], ...] = (
    AnglesByHand,
    NearestRows,
    WordsOnPlane,
    Analogy,
    RandomPairs,
    LengthAndRarity,
    WordAndPosition,
)
FIGURES = {kind.key: kind for kind in KINDS}

__all__ = ["FIGURES", "KINDS", "GeometryFigure", "allowed"]


def allowed(study: TableStudy) -> list[str]:
    """The figures that a table has the rows for, by key."""
    return [kind.key for kind in KINDS if not kind.view.refusal(study)]
