"""The room `count`."""

from app.rooms.count.room import CountRoom as ROOM

__all__ = ["ROOM"]
