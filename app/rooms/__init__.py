"""One module a room; its key is the module's name and its class is called ``ROOM`` there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from app.kit.room import Room

NAMES = {
    "build": "Build X",
    "geometry": "Geometry",
    "count": "Count",
    "order": "Order",
    "waves": "Waves",
    "rope": "RoPE",
    "context": "Context",
    "schemes": "Schemes",
    "mistakes": "Mistakes",
    "gradient": "Gradient",
    "train": "Train",
}
"""Each room's name, in the order of the path from text to gradient."""


class _Rooms(Mapping[str, type[Room]]):
    """The rooms by key, each imported when it is first asked for: a page pays for the room it shows."""

    def __getitem__(self, key: str) -> type[Room]:
        if key not in NAMES:
            raise KeyError(key)
        room: type[Room] = import_module(f"app.rooms.{key}").ROOM
        return room

    def __contains__(self, key: object) -> bool:
        return key in NAMES  # asking is not importing

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)


ROOMS: Mapping[str, type[Room]] = _Rooms()
