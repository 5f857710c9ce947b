"""The room `train`: what position buys, in nats."""

from app.rooms.train.room import TrainRoom as ROOM

__all__ = ["ROOM"]
