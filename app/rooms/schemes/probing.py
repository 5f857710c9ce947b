"""The probe of a setting and what its schemes answer; kept while a reader only moves the sequence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from app.rooms.schemes.state import MOST_WORDS, Settings
from lab.compare import Answer, Probe, make_probe, score_by_distance, score_matrix, shared_scale
from lab.positions import SCHEMES, NoPosition

SPAN = 64
"""Distances over which the same two tokens are scored."""
TRIED = (0, 1, 8, 64, 512)
"""Shifts whose curves the frame must hold, so that it stands still while the sequence moves."""
TALLEST = 12.0
"""No frame reaches further from 0: softmax gives a key whose score is 12 lower a 160,000th of the weight."""


@dataclass(frozen=True, eq=False)
class Still:
    """What does not depend on the shift: the probe, its scores at the first positions, the common scales."""

    probe: Probe
    head: int
    """Counted from 0."""
    matrices: Mapping[str, Answer]
    lines: Mapping[str, Answer]
    scale: float
    """Where the colours end."""
    frame: tuple[float, float]
    """Lowest and highest score that the curves' frame shows."""


def still(settings: Settings) -> Still:
    """Everything about a setting but its shift."""
    words = settings.words[:MOST_WORDS]
    # the registry is part of the key: a scheme that is added must not find the answers of six
    kinds = tuple(SCHEMES.items())
    return _still(words, settings.D, settings.H, settings.d, settings.seed, settings.head - 1, kinds)


@lru_cache(maxsize=32)
def _still(
    words: tuple[str, ...],
    D: int,
    H: int,
    d: int,
    seed: int,
    head: int,
    kinds: tuple[tuple[str, type[NoPosition]], ...],
) -> Still:
    probe = make_probe(words, D=D, H=H, d=d, seed=seed, kinds=dict(kinds))
    matrices = {key: score_matrix(probe, key, 0, head) for key in probe.schemes}
    lines = {key: score_by_distance(probe, key, SPAN, 0, head) for key in probe.schemes}
    return Still(
        probe, head, matrices, lines, shared_scale(list(matrices.values())), _frame(probe, head, lines)
    )


def _frame(probe: Probe, head: int, lines: Mapping[str, Answer]) -> tuple[float, float]:
    limit = shared_scale(list(lines.values()))
    within = [key for key, line in lines.items() if line.largest <= limit]
    tried = [score_by_distance(probe, key, SPAN, shift, head).scores for key in within for shift in TRIED]
    low = min((float(scores.min()) for scores in tried if scores is not None), default=-1.0)
    high = max((float(scores.max()) for scores in tried if scores is not None), default=1.0)
    margin = 0.12 * max(high - low, 1.0)
    return max(low - margin, -TALLEST), min(high + margin, TALLEST)
