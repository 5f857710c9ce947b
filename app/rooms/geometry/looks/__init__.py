"""The ways to look at a table, by key, in the order in which they are offered."""

from __future__ import annotations

from app.rooms.geometry.looks.analogy import AnalogyLook
from app.rooms.geometry.looks.angle import AngleLook
from app.rooms.geometry.looks.base import Look
from app.rooms.geometry.looks.near import NearLook
from app.rooms.geometry.looks.pairs import PairsLook
from app.rooms.geometry.looks.rarity import RarityLook
from app.rooms.geometry.looks.sums import SumsLook
from app.rooms.geometry.looks.words_map import MapLook

LOOKS: dict[str, type[Look]] = {
    "angle": AngleLook,
    "near": NearLook,
    "map": MapLook,
    "analogy": AnalogyLook,
    "pairs": PairsLook,
    "rarity": RarityLook,
    "sums": SumsLook,
}

__all__ = ["LOOKS", "Look"]
