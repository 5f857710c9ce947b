"""The mathematics of the lab: NumPy and the standard library only."""
