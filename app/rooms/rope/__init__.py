"""The room `rope`."""

from app.rooms.rope.room import RopeRoom as ROOM

__all__ = ["ROOM"]
