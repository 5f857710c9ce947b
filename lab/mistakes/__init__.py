"""Twelve mistakes to make on purpose, each with the small test that catches it.

Another one is a ``Mistake`` in a module of this package, and its name in ``MISTAKES``.
"""

from __future__ import annotations

from lab.mistakes.base import Detector, DetectorFailed, Inputs, Mistake, Verdict
from lab.mistakes.batching import PACKED, PAD_VALUE, PADDING
from lab.mistakes.caching import CACHE, STALE
from lab.mistakes.rotation import LAYOUT, PARTIAL, TWICE
from lab.mistakes.rows import GRADIENT, RAW
from lab.mistakes.stretching import LONGER, YARN_TWICE

MISTAKES: dict[str, Mistake] = {
    mistake.key: mistake
    for mistake in (
        LAYOUT,
        TWICE,
        PARTIAL,
        CACHE,
        PADDING,
        PAD_VALUE,
        STALE,
        YARN_TWICE,
        GRADIENT,
        PACKED,
        LONGER,
        RAW,
    )
}

SYMPTOM_SENTENCES: dict[str, str] = {
    "batch": "The same prompt gives other logits in another batch",
    "drift": "Long prompts drift, short ones look right",
    "limit": "Fine up to 4,096 tokens, then it falls apart",
    "cache": "Decoding token by token differs from one pass over the text",
    "checkpoint": "A converted checkpoint runs, but its answers are poor",
    "endless": "The model does not stop",
    "leak": "A text continues as if it had read another one",
    "sharp": "Attention is too sharp after the window was stretched",
    "frequent": "Frequent tokens learn no faster than rare ones",
    "learns": "Training runs without errors but learns badly",
}

SYMPTOMS: dict[str, tuple[str, ...]] = {
    sentence: tuple(key for key, mistake in MISTAKES.items() if tag in mistake.symptom_tags)
    for tag, sentence in SYMPTOM_SENTENCES.items()
}
"""What a reader sees -> keys of the mistakes that fit."""

__all__ = [
    "MISTAKES",
    "SYMPTOMS",
    "SYMPTOM_SENTENCES",
    "Detector",
    "DetectorFailed",
    "Inputs",
    "Mistake",
    "Verdict",
]
