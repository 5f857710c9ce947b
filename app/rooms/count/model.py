"""What the figures of the room `count` show: a model part by part, and what its token table costs."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from app.kit.view import View, part
from app.rooms.count.origin import SIZES, Origin, altered, changes_of, origin_of
from lab.counting import (
    MODELS,
    Architecture,
    Latent,
    PaddedVocabulary,
    Part,
    SequenceMemory,
    byte_count,
    check_dimension,
    padded_vocabulary,
    phantom_mass,
    sequence_memory,
)
from lab.notation import FloatArray

FIRST_V, LAST_V = 30_000, 256_000
"""The vocabularies that the slider and the curve span; one outside widens both."""
REFERENCES = ("bge-small", "gpt2", "qwen2.5-0.5b", "gemma-2b", "llama-3-8b")


class Curve(NamedTuple):
    """The share of one model's table, in per cent, over the vocabularies of the grid."""

    name: str
    shares: FloatArray
    yours: bool = False


@lru_cache(maxsize=64)
def growth_of(model: Architecture) -> tuple[int, int]:
    """Parameters that each entry of the vocabulary adds, and those that do not grow with it."""
    one, two = (replace(model, V=V).parameters for V in (1, 2))
    return two - one, 2 * one - two


@lru_cache
def shares() -> dict[str, float]:
    """The token table's share in each published model, the largest first."""
    found = {key: model.architecture.table_share for key, model in MODELS.items()}
    return dict(sorted(found.items(), key=lambda item: -item[1]))


class Counted(View):
    """A model, its parts, and what each figure shows of it.

    Whatever a figure does not ask for is not computed, and the settings it depends on need not be there.
    """

    steps = 32
    """Stretches of the curve over V."""
    asked = 1024
    """Learned positions that a model without any is asked about."""

    @part
    def origin(self) -> Origin:
        return origin_of(self.s.preset, self.s.config)

    @part
    def model(self) -> Any:
        """The architecture, with what was changed; some families have sizes that others have not."""
        return altered(self.origin, {name: getattr(self.s, name) for name in SIZES})

    @part
    def changes(self) -> tuple[str, ...]:
        return changes_of(self.origin, self.model)

    @part
    def parts(self) -> tuple[Part, ...]:
        return tuple(self.model.parts())

    @property
    def parameters(self) -> int:
        return sum(one.parameters for one in self.parts)

    @property
    def share(self) -> float:
        """The token table's part of all parameters."""
        return float(self.model.table_parameters / self.parameters)

    @property
    def own(self) -> bool:
        """Whether a pasted config is counted."""
        return self.origin.published is None

    @property
    def title(self) -> str:
        return self.origin.title

    def of_kind(self, key: str) -> Part:
        """The part of a kind."""
        return next(one for one in self.parts if one.key == key)

    # the table's share against V, of this model and of others

    @part
    def ends(self) -> tuple[int, int]:
        """The smallest vocabulary that is drawn, and the largest."""
        return min(FIRST_V, self.model.V), max(LAST_V, self.model.V)

    @part
    def grid(self) -> Any:
        low, high = self.ends
        return (low + (high - low) * np.arange(self.steps + 1) // self.steps).astype(float)

    @part
    def shape(self) -> Architecture:
        """The model but for its V: the curve is the same for each."""
        return replace(self.model, V=1)

    @part
    def growth(self) -> tuple[int, int]:
        """What each further entry adds, and the rest."""
        return growth_of(self.shape)

    @part
    def curves(self) -> tuple[Curve, ...]:
        known = [MODELS[key] for key in REFERENCES if MODELS[key].title != self.title]
        made = [Curve(one.title, self._shares(one.architecture)) for one in known]
        # a model that differs by V alone lies on the curve of its origin
        if not self.own and self.shape != replace(self.origin.architecture, V=1):
            made.append(Curve(self.title, self._shares(self.origin.architecture)))
        shares = self._shares(self.model)
        made.append(Curve("this model", shares, yours=True))
        if self.model.has_output and not self.model.tied:
            made.append(Curve("with output layer", shares * self.growth[0] / self.model.D, yours=True))
        return tuple(made)

    def _shares(self, model: Architecture) -> Any:
        entry, rest = growth_of(replace(model, V=1))
        return 100 * self.grid * model.D / (entry * self.grid + rest)

    # the model tied and untied

    @part
    def pair(self) -> tuple[Architecture, ...]:
        """The tied model and the untied one; the model alone where there is no output layer."""
        if not self.model.has_output:
            return (self.model,)
        return replace(self.model, tied=True), replace(self.model, tied=False)

    # the table with its rows rounded up to a multiple

    @part
    def padded(self) -> PaddedVocabulary:
        return padded_vocabulary(self.model.V, self.s.multiple)

    @part
    def extra(self) -> int:
        """Parameters that the padding rows cost."""
        return replace(self.model, V=self.padded.rows).parameters - self.parameters

    @part
    def mass(self) -> float | None:
        """Share of the softmax on padding rows; None without an output layer."""
        return phantom_mass(self.padded, self.s.logit) if self.model.has_output else None

    # the table of positions, or what there is instead

    @part
    def stored(self) -> Part:
        return self.of_kind("positions")

    @property
    def position_rows(self) -> int:
        """Rows of the table; 0 without one."""
        return 0 if self.model.positions == "relative" else self.stored.parameters // int(self.model.D)

    @property
    def window(self) -> int:
        """Tokens that have a row."""
        return max(self.position_rows - self.origin.skipped, 0)

    # what sequences take beside the weights

    @part
    def memory(self) -> SequenceMemory:
        return sequence_memory(self.model, self.s.length, self.s.batch)

    @part
    def weights(self) -> int:
        """Bytes of the model."""
        return int(self.model.bytes(self.s.dtype))

    @part
    def even(self) -> int:
        """Tokens whose keys and values weigh as much as the model."""
        kept = byte_count(self.model.cache.parameters, self.s.dtype)
        return max(round(self.weights / (kept * self.memory.batch)), 1)

    @part
    def key_heads(self) -> int:
        return getattr(self.model, "kv_heads", None) or self.model.heads

    @part
    def spared(self) -> float:
        """How many times as much the keys and values of every head would take."""
        model = self.model
        if isinstance(model, Latent):
            whole = model.layers * model.heads * (model.nope_width + model.rope_width + model.value_width)
            return whole / model.cache.parameters
        return float(model.heads / self.key_heads)

    @part
    def last_position(self) -> int | None:
        """Tokens that have learned positions; None where no table ends."""
        rows = getattr(self.model, "max_positions", None)
        return None if rows is None else rows - self.origin.skipped

    # a store of vectors, which keeps those of one width

    @part
    def refusal(self) -> str:
        """Why it refuses vectors of this model; empty if it takes them."""
        # one vector, as a search would bring it
        try:
            check_dimension(self.s.dimension, np.zeros((1, self.model.D)))
        except ValueError as reason:
            return str(reason)
        return ""

    # where the model stands among the published ones

    @part
    def rank(self) -> int:
        """Counted from 1."""
        return 1 + sum(share > self.share for share in shares().values())
