"""The room `gradient`."""

from app.rooms.gradient.room import GradientRoom as ROOM

__all__ = ["ROOM"]
