"""What a reader can set in the room `mistakes`, and which mistake that leads to."""

from __future__ import annotations

import param

from lab.mistakes import MISTAKES, SYMPTOM_SENTENCES, SYMPTOMS

ANY = "any"
VERSIONS = {"wrong": "wrong", "right": "right"}
SCHEMES = {"learned": "learned table", "rope": "RoPE"}
PADS = {"end": "the end token", "own": "its own"}
EXAMPLE_IDS = "0 0 1 1 2"
TRAINED = 512
"""Positions that the model of the mistake "longer" was trained for."""
DYNAMIC = (2048, 4096)
"""Trained length and present length of the mistake "stale"."""
LARGEST_ID = 11
MOST_IDS = 24
PACKED = 7
"""Tokens of both packed documents together."""


class State(param.Parameterized):
    """What a reader can set; numbers below `at` belong to one mistake each."""

    symptom = param.Selector(default=ANY, objects=[ANY, *SYMPTOM_SENTENCES], label="What do you see?")
    mistake = param.Selector(default="layout", objects=list(MISTAKES), label="Mistake")
    version = param.Selector(default="wrong", objects=list(VERSIONS), label="Version")
    at = param.Integer(
        default=None,
        bounds=(0, DYNAMIC[1]),
        allow_None=True,
        label="Position read off",
        doc="Along the figure; its nearest place is taken.",
    )
    m = param.Integer(default=7, bounds=(1, 32), label="Position m of the query")
    prompt = param.Integer(default=9, bounds=(1, 64), label="Prompt length, in tokens")
    scheme = param.Selector(default="learned", objects=list(SCHEMES), label="Positions of the model")
    pad = param.Selector(default="end", objects=list(PADS), label="Padding token")
    cached_at = param.Integer(
        default=DYNAMIC[0] + 1,
        bounds=(DYNAMIC[0] + 1, DYNAMIC[1]),
        label="Length when cached",
        doc="In tokens.",
    )
    ids = param.String(default=EXAMPLE_IDS, label="Token ids of a batch")
    first = param.Integer(
        default=4, bounds=(1, PACKED - 1), label="Tokens of the first document", doc=f"Of {PACKED} in all."
    )
    length = param.Integer(default=2048, bounds=(TRAINED, 4096), step=1, label="Text length, in tokens")


NAMES = tuple(name for name in State.param if name != "name")
DEFAULTS = {name: State.param[name].default for name in NAMES}


def fitting(symptom: str) -> tuple[str, ...]:
    """Keys of the mistakes that fit a symptom."""
    return tuple(MISTAKES) if symptom == ANY else SYMPTOMS[SYMPTOM_SENTENCES[symptom]]


def chosen(symptom: str, mistake: str) -> str:
    """The mistake that is shown: the one asked for, or the first that fits what is seen.

    >>> chosen("any", "layout"), chosen("endless", "layout")
    ('layout', 'pad_value')
    """
    fits = fitting(symptom)
    return mistake if mistake in fits else fits[0]
