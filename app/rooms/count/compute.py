"""State and view of the room `count`: parameters and bytes by part, counted by the lab."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import param

from app.kit.url import EXACT
from app.rooms.count.model import Change, Origin, altered, changes_of, origin_of
from lab.counting import (
    DTYPES,
    MODELS,
    Architecture,
    PaddedVocabulary,
    Part,
    SequenceMemory,
    check_dimension,
    padded_vocabulary,
    phantom_mass,
    sequence_memory,
)
from lab.notation import FloatArray, as_floats, readonly

FIRST_V, LAST_V = 30_000, 256_000
"""The vocabularies that the slider and the curve span; one outside widens both."""
STEPS = 32
"""Stretches of the curve between them."""
REFERENCES = ("bge-small", "gpt2", "qwen2.5-0.5b", "gemma-2b", "llama-3-8b")
MULTIPLES = (8, 64, 128, 256, 1024)


class State(param.Parameterized):
    """What a reader can set. A size of None is the model's own; a config takes the place of the preset.

    V counts rows of the token table, d numbers in a row, max_positions rows of the position table where a
    model stores one, dimension the numbers in each vector of a store. What is too small or too large is
    refused by the lab, whose sentence the reader sees; a field with bounds would keep quiet.
    """

    preset = param.Selector(default="gpt2", objects=list(MODELS), label="Model")
    V = param.Integer(default=None, allow_None=True, label="Vocabulary V")
    d = param.Integer(default=None, allow_None=True, label="Width D")
    layers = param.Integer(default=None, allow_None=True, label="Layers")
    max_positions = param.Integer(default=None, allow_None=True, label="Learned positions")
    tied = param.Boolean(default=None, allow_None=True, label="Output layer")
    dtype = param.Selector(default="float32", objects=list(DTYPES), label="Stored as")
    config = param.String(default="", label="Your model's config.json")
    multiple = param.Selector(default=64, objects=list(MULTIPLES), label="Rows, a multiple of")
    logit = param.Number(default=-2.0, bounds=(-10.0, 2.0), step=0.5, label="Logit of each real token")
    dimension = param.Integer(default=768, bounds=(-EXACT, EXACT), label="Dimension of the store")
    length = param.Integer(default=1024, bounds=(1, 2**24), label="Length of a sequence")
    batch = param.Integer(default=1, bounds=(1, 2**16), label="Sequences side by side")


@dataclass(frozen=True, eq=False)
class Curve:
    """The share of one model's table, in per cent, over the vocabularies of the grid."""

    name: str
    shares: FloatArray
    yours: bool = False


@dataclass(frozen=True, eq=False)
class View:
    """Exactly what is drawn."""

    origin: Origin
    own: bool
    """Whether a pasted config is counted, and not a preset."""
    preset: str
    model: Architecture
    changes: tuple[Change, ...]
    parts: tuple[Part, ...]
    parameters: int
    dtype: str
    other: Architecture | None
    """The same model untied where it is tied, or tied; None without an output layer."""
    grid: FloatArray
    """Vocabularies, in thousands."""
    curves: tuple[Curve, ...]
    multiple: int
    padded: PaddedVocabulary
    padded_model: Architecture
    mass: float | None
    """Share of the softmax on rows without a token; None without an output layer."""
    logit: float
    dimension: int
    memory: SequenceMemory
    """What sequences take beside the weights."""
    refusal: str
    """Why the store refuses vectors of this model; empty if it takes them."""

    @property
    def title(self) -> str:
        """What is counted."""
        return self.origin.title

    @property
    def share(self) -> float:
        """The token table's part of all parameters."""
        return self.model.table_share


def compute(
    *,
    preset: str,
    V: int | None,
    d: int | None,
    layers: int | None,
    max_positions: int | None,
    tied: bool | None,
    dtype: str,
    config: str,
    multiple: int,
    logit: float,
    dimension: int,
    length: int,
    batch: int,
) -> View:
    """Count a model part by part.

    Raises
    ------
    ValueError
        If the config describes no model that is counted here, the model has no such size to change, or a
        size is no size.
    """
    origin = origin_of(preset, config)
    asked = {"V": V, "d": d, "layers": layers, "max_positions": max_positions, "tied": tied}
    model = altered(origin, asked)
    parts = model.parts()
    low, high = min(FIRST_V, model.V), max(LAST_V, model.V)
    padded = padded_vocabulary(model.V, multiple)
    own = origin.published is None
    return View(
        origin=origin,
        own=own,
        preset=preset,
        model=model,
        changes=changes_of(origin, model),
        parts=parts,
        parameters=model.parameters,
        dtype=dtype,
        other=replace(model, tied=not model.tied) if model.has_output else None,
        grid=_grid(low, high),
        curves=_curves(origin, model, low, high),
        multiple=multiple,
        padded=padded,
        padded_model=replace(model, V=padded.rows),
        mass=phantom_mass(padded, logit) if model.has_output else None,
        logit=logit,
        dimension=dimension,
        memory=sequence_memory(model, length, batch),
        refusal=_refusal(dimension, model.D),
    )


def _vocabularies(low: int, high: int) -> list[int]:
    return [low + (high - low) * step // STEPS for step in range(STEPS + 1)]


@lru_cache(maxsize=8)
def _grid(low: int, high: int) -> FloatArray:
    return readonly(as_floats("V", [V / 1000 for V in _vocabularies(low, high)], (None,)))


def _shares(model: Architecture, low: int, high: int, quantity: str = "table_share") -> FloatArray:
    # the curve is the same for every V of a model: a slider moved along it draws it once
    return _curve(replace(model, V=1), low, high, quantity)


@lru_cache(maxsize=64)
def _curve(model: Architecture, low: int, high: int, quantity: str) -> FloatArray:
    counted = (replace(model, V=V) for V in _vocabularies(low, high))
    shares: list[Any] = [100 * getattr(one, quantity) for one in counted]
    return readonly(as_floats("shares", shares, (None,)))


def _curves(origin: Origin, model: Architecture, low: int, high: int) -> tuple[Curve, ...]:
    known = [MODELS[key] for key in REFERENCES]
    others = [
        Curve(one.title, _shares(one.architecture, low, high)) for one in known if one.title != origin.title
    ]
    own_curve = _shares(origin.architecture, low, high)
    # a model that differs by V alone lies on the curve of its origin
    if origin.published is not None and _shares(model, low, high) is not own_curve:
        others.append(Curve(origin.title, own_curve))
    yours = [Curve("this model", _shares(model, low, high), yours=True)]
    if model.has_output and not model.tied:
        both = _shares(model, low, high, "vocabulary_share")
        yours.append(Curve("with output layer", both, yours=True))
    return (*others, *yours)


@lru_cache(maxsize=64)
def _refusal(dimension: int, D: int) -> str:
    # one vector of this model, as a search would bring it
    try:
        check_dimension(dimension, [[0.0] * D])
    except ValueError as reason:
        return str(reason)
    return ""
