"""The mathematics of the lab: NumPy and the standard library only."""

__version__ = "0.1.0"
