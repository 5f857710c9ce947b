"""One module a room; its key is the module's name and its class is called ``ROOM`` there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from app.kit.room import Room

NAMES = {
    "build": "Build X",
    "order": "Order",
    "schemes": "Schemes",
    "waves": "Waves",
    "rope": "RoPE",
    "context": "Context",
    "gradient": "Gradient",
    "geometry": "Geometry",
    "train": "Train",
    "count": "Count",
    "mistakes": "Mistakes",
}


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
