"""What every architecture offers: its parts, their parameters and their bytes."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from lab.given import given

LETTERS: dict[str, str] = {
    "V": "entries of the vocabulary",
    "D": "width of the model",
    "L": "layers",
    "H": "query heads",
    "K": "key and value heads",
    "d": "width of one head",
    "F": "width inside the MLP",
    "P": "learned positions",
    "U": "kinds of segment (token types)",
    "N": "experts in a layer",
    "X": "width inside an expert",
    "S": "width inside the shared expert",
    "M": "layers without experts",
    "Q": "rank of the queries",
    "C": "rank of keys and values",
    "n": "part of a head that does not turn",
    "r": "part of a head that turns",
    "v": "width of a value",
    "B": "buckets of distance",
    "G": "decoder layers",
}
"""What the letters of a part's formula stand for."""

LIMITS: dict[str, int] = {
    "V": 100_000_000,
    "D": 1_000_000,
    "layers": 10_000,
    "heads": 100_000,
    "kv_heads": 100_000,
    "head_width": 1_000_000,
    "mlp_width": 10_000_000,
    "max_positions": 100_000_000,
    "token_types": 1_000_000,
    "experts": 100_000,
    "active": 100_000,
    "expert_width": 10_000_000,
    "q_rank": 1_000_000,
    "kv_rank": 1_000_000,
    "nope_width": 1_000_000,
    "rope_width": 1_000_000,
    "value_width": 1_000_000,
    "buckets": 1_000_000,
    "decoder_layers": 10_000,
}
"""The largest size that is believed: far above any model, far below a slip of the keyboard."""

DTYPES: dict[str, int] = {"float32": 32, "bfloat16": 16, "float16": 16, "int8": 8, "4-bit": 4}
"""Bits of one parameter. int8 and 4-bit count the numbers alone: the scales that a quantised format keeps
beside them (one float16 for 32 numbers adds half a bit each) are not in it."""


def check_size(name: str, value: int) -> int:
    """Return a size if it is one that a model can have.

    Raises
    ------
    ValueError
        If it is not a whole number of at least 1, or beyond ``LIMITS``.

    Examples
    --------
    >>> check_size("D", 768)
    768
    """
    most = LIMITS[name]
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if whole and value > most:
        raise ValueError(f"{name} must be at most {most:,}; got {given(value)}")
    if not whole or value < 1:
        raise ValueError(f"{name} must be a whole number of at least 1; got {given(value)}")
    return int(value)


def byte_count(parameters: int, dtype: str = "float32") -> int:
    """Return the bytes of so many parameters, a started byte counted whole.

    Raises
    ------
    ValueError
        If there is no such dtype.

    Examples
    --------
    >>> byte_count(50_257 * 768, "float32"), byte_count(3, "4-bit")
    (154389504, 2)
    """
    if dtype not in DTYPES:
        raise ValueError(f"there is no dtype ‘{dtype}’; the dtypes are {', '.join(DTYPES)}")
    return -(-parameters * DTYPES[dtype] // 8)


@dataclass(frozen=True)
class Part:
    """One part of a model.

    ``formula`` and ``numbers`` are the same text, with letters and with the numbers of this model.
    """

    key: str
    """The kind of part, the same for every family: what a colour stands for."""
    name: str
    formula: str
    numbers: str
    parameters: int
    sizes: tuple[tuple[str, int], ...] = ()
    """The letters of the formula with their values, in the order of ``LETTERS``."""

    def bytes(self, dtype: str = "float32") -> int:
        """Return the bytes of this part's parameters."""
        return byte_count(self.parameters, dtype)


def make_part(key: str, name: str, formula: str, parameters: int, letters: Mapping[str, int]) -> Part:
    """Return a part whose ``numbers`` are its formula with each letter replaced by its value.

    Examples
    --------
    >>> part = make_part("tokens", "token table", "V·D", 12, {"V": 4, "D": 3, "L": 2})
    >>> part.numbers, part.sizes
    ('4·3', (('V', 4), ('D', 3)))
    """
    numbers = re.sub("[A-Za-z]", lambda match: f"{letters[match[0]]:,}", formula)
    sizes = tuple((letter, letters[letter]) for letter in LETTERS if letter in formula)
    return Part(key, name, formula, numbers, parameters, sizes)


@dataclass(frozen=True, kw_only=True)
class Architecture(ABC):
    """Sizes of a model; the families fill in ``parts``. ``dataclasses.replace`` changes one size."""

    V: int
    """Rows of the token table."""
    D: int
    """Width of a row."""
    layers: int
    heads: int
    tied: bool = True
    """Whether the output layer reads the token table instead of a matrix of its own."""

    def __post_init__(self) -> None:
        for name in LIMITS:
            if hasattr(self, name):
                self._check_size(name, getattr(self, name))

    def _check_size(self, name: str, value: int) -> None:
        check_size(name, value)

    @abstractmethod
    def parts(self) -> tuple[Part, ...]:
        """Return every part, in the order data passes them; parts without parameters say why."""

    @property
    def parameters(self) -> int:
        """All parameters; a tied table counts once."""
        return sum(part.parameters for part in self.parts())

    def bytes(self, dtype: str = "float32") -> int:
        """Return the bytes of all parameters: weights alone, no gradient, no optimiser state, no cache."""
        return sum(part.bytes(dtype) for part in self.parts())

    @property
    def active_parameters(self) -> int:
        """Parameters that take part in the pass of one token: all but those of the experts not chosen."""
        return self.parameters - self.idle_parameters

    @property
    def idle_parameters(self) -> int:
        """Parameters of the experts that one token passes by."""
        return 0

    @property
    def cache(self) -> Part | None:
        """Numbers that a decoder keeps of each token for those after it; None for an encoder."""
        return None

    @property
    def positions(self) -> str:
        """How order comes in: "learned", "rotary", "alibi" or "relative"."""
        return "rotary"

    @property
    def table_parameters(self) -> int:
        """Parameters of the token table, V x D."""
        return self.V * self.D

    @property
    def table_share(self) -> float:
        """The token table's part of all parameters, 0 to 1."""
        return self.table_parameters / self.parameters

    @property
    def vocabulary_share(self) -> float:
        """What grows with V, as a part of all parameters: the table and an output layer of its own."""
        return sum(p.parameters for p in self.parts() if p.key in ("tokens", "head")) / self.parameters

    @property
    def output_flops(self) -> int:
        """Operations of the output product for one token, 2 V D.

        A multiplication and an addition for each entry of the matrix; tying saves memory, not work.
        """
        return 2 * self.V * self.D if self.has_output else 0

    @property
    @abstractmethod
    def has_output(self) -> bool:
        """Whether there is an output layer, tied or not."""


def per_layer(layers: int, terms: list[tuple[str, int]], letter: str = "L") -> tuple[str, int]:
    """Join the terms of one layer and take them as often as there are layers.

    Examples
    --------
    >>> per_layer(2, [("D", 3), ("F", 4)])
    ('L·(D + F)', 14)
    """
    return f"{letter}·({' + '.join(text for text, _ in terms)})", layers * sum(number for _, number in terms)


def output_part(model: Architecture, letters: dict[str, int], *, bias: bool = False) -> Part:
    """Return the output layer: a matrix of its own, the token table again, or none.

    Examples
    --------
    >>> from lab.counting.llama import Llama
    >>> llama = Llama(V=10, D=8, layers=1, heads=2, mlp_width=3)
    >>> output_part(llama, {"V": 10, "D": 8}).parameters
    0
    """
    if model.has_output and bias:
        text, count = ("V", model.V) if model.tied else ("V·D + V", model.V * model.D + model.V)
        name = "output bias (matrix: the token table)" if model.tied else "output layer with bias"
        return make_part("head", name, text, count, letters)
    if not model.has_output:
        return make_part("head", "output layer: none", "0", 0, letters)
    if model.tied:
        return make_part("head", "output layer: the token table again", "0", 0, letters)
    return make_part("head", "output layer", "V·D", model.V * model.D, letters)


def check_split(D: int, heads: int) -> None:
    """Check that a width splits evenly into heads.

    Raises
    ------
    ValueError
        If it does not.

    Examples
    --------
    >>> check_split(768, 12)
    """
    if D % heads:
        raise ValueError(f"D must split evenly into heads; {D:,} is not divisible by {heads:,}")
