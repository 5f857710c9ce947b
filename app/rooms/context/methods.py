"""Every method at work on one set of sizes: frequencies, bands, gain, and the angles that are new.

Everything that depends on these sizes alone is computed once, and the same objects are found again.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any, NamedTuple

from lab.context_extension import (
    EXTENSIONS,
    NoExtension,
    UnseenAngles,
    count_bands,
    logit_gain,
    neighbour_distance,
    ratio,
    unseen_angles,
    wavelengths,
)

PLAIN = "none"
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
    """One method at work on one model; without an extension it says why it refuses."""

    key: str
    title: str
    extension: NoExtension | None
    error: str = ""
    inv_freq: Any = ()
    """Radians a position, (pairs,)."""
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
        return logit_gain(self.multiplier)

    @property
    def band_names(self) -> tuple[str, ...]:
        """All names of bands, fastest first."""
        return self.extension.band_names if self.extension else ()

    @property
    def counts(self) -> dict[str, int]:
        """Pairs in each band that has any."""
        return {name: count for name, count in count_bands(self.bands, self.band_names).items() if count}


def extension_of(core: Core, key: str) -> NoExtension:
    """Build a method; the model's own keeps the parameters it was published with.

    Raises
    ------
    ValueError
        If a value is out of the method's range.
    """
    if key != core.own.key:
        return EXTENSIONS[key].build(factor=core.factor, trained=core.trained, length=core.length)
    shared = {"factor": core.factor, "trained": core.trained, "length": core.length}
    known = {field.name for field in fields(core.own)}
    changed: dict[str, Any] = {name: value for name, value in shared.items() if name in known}
    return replace(core.own, **changed)


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
        ratio=ratio(core.d, core.base, extension),
        wavelengths=wavelengths(inv_freq),
        multiplier=multiplier,
        bands=extension.bands(core.d, core.base),
        neighbours=neighbour_distance(inv_freq),
    )


def chosen_of(core: Core, key: str) -> Method:
    """The chosen method.

    Raises
    ------
    ValueError
        If it refuses.
    """
    plain = method_of(core, PLAIN)
    if plain.error:
        raise ValueError(f"{plain.error[0].upper()}{plain.error[1:]}.")
    found = method_of(core, key)
    if found.error:
        raise ValueError(f"{found.title} refuses: {found.error}.")
    return found


@lru_cache(maxsize=64)
def unseen_of(core: Core, key: str) -> UnseenAngles:
    """Which angles of the stretched window a method turns to that training never met.

    Raises
    ------
    ValueError
        If a window is too long.
    """
    new, old = method_of(core, key).inv_freq, method_of(core, PLAIN).inv_freq
    return unseen_angles(new, old, core.trained, core.window, BINS)
