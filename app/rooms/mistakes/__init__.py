"""The room `mistakes`."""

from app.rooms.mistakes.room import MistakesRoom as ROOM

__all__ = ["ROOM"]
