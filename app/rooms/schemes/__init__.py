"""The room `schemes`."""

from app.rooms.schemes.room import SchemesRoom as ROOM

__all__ = ["ROOM"]
