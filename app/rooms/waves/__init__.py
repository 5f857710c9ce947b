"""The room `waves`."""

from app.rooms.waves.room import WavesRoom as ROOM

__all__ = ["ROOM"]
