"""Nothing that the States of build, order, schemes, waves and rope allow takes long, or much memory."""

from __future__ import annotations

import itertools
import tracemalloc
from typing import Any

import pytest

from app.kit import budget, url
from app.rooms import ROOMS

MOST = int(budget.MOST_OPERATIONS / budget.A_CHARACTER)
TYPED = [
    (key, name)
    for key in ("build", "order", "schemes", "rope")
    for name in ("text", "permutation", "second", "q", "k", "a", "b")
    if name in url.settings(ROOMS[key].State)
]


def state(key: str, **changed: Any) -> dict[str, Any]:
    return {**{name: item.default for name, item in url.settings(ROOMS[key].State).items()}, **changed}


@pytest.mark.parametrize(("key", "name"), TYPED)
def test_more_text_than_can_be_read_is_refused_before_it_is_read(key: str, name: str) -> None:
    with pytest.raises(ValueError, match=f"at most {MOST:,} are read"):
        ROOMS[key].viewed(state(key, **{name: "x " * MOST}))


CORNERS: dict[str, dict[str, tuple[Any, ...]]] = {
    "build": {
        "example": ("own", "ids"),
        "text": ("1 " * 600,),
        "scheme": ("learned", "rope"),
        "scale": (True,),
    },
    "schemes": {
        "show": ("scores", "compare", "slopes", "tables"),
        "H": (1, 64),
        "D": (4, 32),
        "d": (2, 16),
        "shift": (0, 4096),
        "text": ("a b c d e f g h i j k l m",),
    },
    "waves": {"d": (2, 511, 512), "length": (8, 512), "position": (0, 100_000), "shift": (-64, 64)},
    "rope": {
        "turn": ("theta", "base"),
        "d": (2, 128),
        "reach": (32, 2_048),
        "m": (0, 2_047),
        "n": (0, 2_047),
        "precision": ("float64", "bfloat16"),
    },
    "order": {"text": ("a b c d e f g h",), "second": ("i j k l",), "places": (2, 64), "scheme": ("alibi",)},
}


@pytest.mark.parametrize("key", CORNERS)
def test_corners_stay_within_the_budget(key: str) -> None:
    """Products of bounds: measured in bytes, which do not depend on how busy the machine is."""
    room, names = ROOMS[key], list(CORNERS[key])
    for values in itertools.product(*CORNERS[key].values()):
        made = state(key, **dict(zip(names, values, strict=True)))
        made = room.normalise(made)[0]
        tracemalloc.start()
        views = room.viewed(made)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 100e6, made
        assert all(room.figure(key).caption(view) for key, view in views.items())
