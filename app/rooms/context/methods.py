"""Every method at work on one set of sizes: frequencies, bands, gain, and the angles that are new.

Everything that depends on these sizes alone is computed once, and the same objects are found again.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any, NamedTuple

from app.rooms.context.reading import factor_of
from lab import context_extension as lab
from lab.context_extension import EXTENSIONS, ModelRope, NoExtension, UnseenAngles

OWN, PLAIN = "own", "none"
"""The model's own method, and plain RoPE."""
SIZES = ("factor", "trained", "base", "d", "length")
"""What may be asked for in place of the model's."""
BINS = 128
"""Bins of distance in the map of new angles."""


class Core(NamedTuple):
    """What the frequencies and angles depend on."""

    d: int
    base: float
    trained: int
    window: int
    """Positions the stretched model is used for."""
    factor: float
    length: int
    """Tokens at hand, for the methods that depend on it."""
    own: NoExtension
    """The model's method; the others are built with their usual parameters."""

    @property
    def pairs(self) -> int:
        """Pairs that turn."""
        return self.d // 2


@dataclass(frozen=True, eq=False)
class Method:
    """One method at work on one core; without an extension it says why it refuses."""

    key: str
    title: str
    extension: NoExtension | None
    error: str = ""
    inv_freq: Any = ()
    """Radians per position, (pairs,)."""
    ratio: Any = ()
    """Frequency over that of plain RoPE, (pairs,)."""
    wavelengths: Any = ()
    multiplier: float = 1.0
    """Of cos and sin."""
    bands: tuple[str, ...] = ()
    neighbours: float = 0.0
    """How far a vector of length 1 moves from one position to the next."""

    @property
    def gain(self) -> float:
        """Of the logits: the square of the multiplier."""
        return lab.logit_gain(self.multiplier)

    @property
    def counts(self) -> dict[str, int]:
        """Pairs in each band that has any, fastest first."""
        names = self.extension.band_names if self.extension else ()
        return {name: count for name, count in lab.count_bands(self.bands, names).items() if count}

    @property
    def listed(self) -> str:
        """The bands in words."""
        return ", ".join(f"{count} {name}" for name, count in self.counts.items())


def extension_of(core: Core, key: str) -> NoExtension:
    """Build a method; the model's own keeps the parameters it was published with.

    Raises
    ------
    ValueError
        If a value is out of the method's range.
    """
    shared: dict[str, Any] = {"factor": core.factor, "trained": core.trained, "length": core.length}
    if key != core.own.key:
        return EXTENSIONS[key].build(**shared)
    known = {field.name for field in fields(core.own)}
    return replace(core.own, **{name: value for name, value in shared.items() if name in known})


@lru_cache(maxsize=64)
def method_of(core: Core, key: str) -> Method:
    """One method; what it refuses is kept as its error."""
    title = EXTENSIONS[key].title
    try:
        extension = extension_of(core, key)
        inv_freq, multiplier = extension(core.d, core.base)
    except ValueError as reason:
        return Method(key, title, None, str(reason))
    return Method(
        key=key,
        title=title,
        extension=extension,
        inv_freq=inv_freq,
        ratio=lab.ratio(core.d, core.base, extension),
        wavelengths=lab.wavelengths(inv_freq),
        multiplier=multiplier,
        bands=extension.bands(core.d, core.base),
        neighbours=lab.neighbour_distance(inv_freq),
    )


@lru_cache(maxsize=64)
def unseen_of(core: Core, key: str) -> UnseenAngles:
    """Which angles of the stretched window a method turns to that training never met.

    Raises
    ------
    ValueError
        If a window is too long.
    """
    new, old = method_of(core, key).inv_freq, method_of(core, PLAIN).inv_freq
    return lab.unseen_angles(new, old, core.trained, core.window, BINS)


def core_of(rope: ModelRope, s: Any) -> Core:
    """The sizes in effect: those that are asked for, else the model's."""
    usual = factor_of(rope)
    trained = rope.trained if s.trained is None else s.trained
    factor = usual if s.factor is None else float(s.factor)
    window = rope.target if (trained, factor) == (rope.trained, usual) else round(trained * factor)
    return Core(
        d=rope.width if s.d is None else s.d,
        base=rope.base if s.base is None else float(s.base),
        trained=trained,
        window=window,
        factor=factor,
        length=window if s.length is None else s.length,
        own=rope.extension,
    )
