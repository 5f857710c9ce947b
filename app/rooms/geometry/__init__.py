"""The room `geometry`."""

from app.rooms.geometry.room import GeometryRoom as ROOM

__all__ = ["ROOM"]
