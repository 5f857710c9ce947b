"""A reader who does anything at all, in both doors, and what must hold after each move."""
