"""The rule of each scheme as NumPy code that stands alone, for readers who copy it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from app.rooms.schemes.probing import Still
from app.rooms.schemes.state import Settings
from lab.compare import Answer


class _View(Protocol):
    @property
    def settings(self) -> Settings: ...
    @property
    def still(self) -> Still: ...
    @property
    def matrices(self) -> Mapping[str, Answer]: ...


class Rule(NamedTuple):
    """Lines that prepare a scheme at the positions ``pos``, and what they hand to ``score``."""

    lines: tuple[str, ...]
    handed: str


RULES: Mapping[str, Rule] = {
    "none": Rule((), ""),
    "raw": Rule((), "add=pos[:, None]"),
    "sinusoidal": Rule(
        (
            "wave = pos[:, None] / 10_000 ** (np.arange(0, D, 2) / D)  # (T, D / 2)",
            "PE = np.stack([np.sin(wave), np.cos(wave)], axis=-1).reshape(T, D)",
        ),
        "add=PE",
    ),
    "learned": Rule(("P = np.random.default_rng([seed, 3]).standard_normal((trained, D))",), "add=P[pos]"),
    "rope": Rule(
        (
            "angle = pos[:, None] / 10_000 ** (np.arange(0, d, 2) / d)  # (T, d / 2)",
            "def turn(v):",
            "    pairs = (v[:, 0::2] + 1j * v[:, 1::2]) * np.exp(1j * angle)",
            "    return np.stack([pairs.real, pairs.imag], axis=-1).reshape(T, d)",
        ),
        "turn=turn",
    ),
    "alibi": Rule(
        (
            "low = 2 ** int(np.log2(H))  # the released rule for any head count",
            "slopes = [2 ** (-8 * h / low) for h in range(1, low + 1)]",
            "slopes += [2 ** (-4 * h / low) for h in range(1, 2 * (H - low), 2)]",
            "distance = abs(pos[:, None] - pos)",
        ),
        "bias=-slopes[head] * distance",
    ),
}
"""By key of the scheme. A scheme without an entry is named in a comment and left out of the result."""

_START = """import numpy as np

words = {words}
D, H, d, seed, head, shift, trained = {sizes}
T = len(words)

def normal(stream, *shape):
    return np.random.default_rng([seed, stream]).standard_normal(shape)

distinct = list(dict.fromkeys(words))
x = normal(0, len(distinct), D)[[distinct.index(word) for word in words]]  # (T, D)
Wq, Wk = ((normal(stream, H, D, d) / np.sqrt(D))[head] for stream in (1, 2))  # (D, d), one head

def score(add=0, turn=lambda v: v, bias=0):
    q, k = turn((x + add) @ Wq), turn((x + add) @ Wk)
    return q @ k.T / np.sqrt(d) + bias

def matrices(shift):
    pos = np.arange(T) + shift
    found = []
"""


def written(view: _View) -> list[str]:
    """Schemes whose rule is written here and that have scores at the present shift."""
    return [key for key, found in view.matrices.items() if key in RULES and found.scores is not None]


def source(view: _View) -> str:
    """The code up to a function ``matrices(shift)`` that returns the score matrices, (schemes, T, T)."""
    settings, probe = view.settings, view.still.probe
    sizes = (
        settings.D,
        settings.H,
        settings.d,
        settings.seed,
        view.still.head,
        settings.shift,
        probe.trained,
    )
    lines = [_START.format(words=ascii(list(probe.words)), sizes=", ".join(str(size) for size in sizes))]
    for key, scheme in probe.schemes.items():
        if key in written(view):
            rule = RULES[key]
            body = [*rule.lines, f"found.append(score({rule.handed}))"]
            lines.append(f"    # {scheme.title}\n" + "".join(f"    {line}\n" for line in body))
        else:
            reason = view.matrices[key].error or "its rule is not written out here"
            lines.append(f"    # {scheme.title}: {reason}\n")
    lines.append("    return np.array(found)\n\n")
    return "".join(lines)
