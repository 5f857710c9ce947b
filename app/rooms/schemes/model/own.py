"""What a teacher gives to every scheme in place of what is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lab.notation import FloatArray
from lab.positions import Alibi, NoPosition, Rope


@dataclass(frozen=True, eq=False)
class Own:
    """Rows of the words, Wq, Wk, slopes and frequencies, as far as they are given.

    Attributes
    ----------
    sizes : mapping
        Those of D, H and d that they fix.
    """

    sizes: Mapping[str, int]
    words: tuple[str, ...]
    x: FloatArray | None
    weights: Mapping[str, FloatArray]
    slopes: tuple[float, ...]
    frequencies: tuple[float, ...]

    def schemes(self, d: int) -> dict[str, NoPosition]:
        """The schemes that hers take the place of."""
        made: dict[str, NoPosition] = {}
        if self.slopes:
            made["alibi"] = Alibi(self.slopes)
        if self.frequencies:
            made["rope"] = Rope(d, extension=lambda d, base: (self.frequencies, 1.0))
        return made
