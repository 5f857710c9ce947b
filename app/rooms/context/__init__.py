"""The room `context`."""

from app.rooms.context.room import ContextRoom as ROOM

__all__ = ["ROOM"]
