"""The room `build`."""

from app.rooms.build.room import BuildRoom as ROOM

__all__ = ["ROOM"]
