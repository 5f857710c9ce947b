"""The room `order`."""

from app.rooms.order.room import OrderRoom as ROOM

__all__ = ["ROOM"]
