"""Six ways to say where a token stands, behind one interface.

A seventh is one file with a subclass of ``NoPosition``, and its name in ``SCHEMES``.
"""

from __future__ import annotations

from lab.positions.alibi import Alibi
from lab.positions.base import NoPosition, Scheme
from lab.positions.learned import Learned
from lab.positions.raw_index import RawIndex
from lab.positions.rope import Rope
from lab.positions.sinusoidal import Sinusoidal

SCHEMES: dict[str, type[NoPosition]] = {
    scheme.key: scheme for scheme in (NoPosition, RawIndex, Sinusoidal, Learned, Rope, Alibi)
}

__all__ = ["SCHEMES", "Alibi", "Learned", "NoPosition", "RawIndex", "Rope", "Scheme", "Sinusoidal"]
