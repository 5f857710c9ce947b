"""Radio buttons whose list may change while one of them stays chosen."""

from app.compat import Radios

__all__ = ["Radios"]
