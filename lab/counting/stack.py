"""Decoders with layer norms and a plain MLP: GPT-NeoX, Phi, Falcon, OPT, BLOOM, StarCoder 2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lab.counting.parts import Architecture, Part, check_split, make_part, output_part, per_layer
from lab.given import given
from lab.notation import check_count

Scheme = Literal["rotary", "learned", "alibi"]
SAYS = {
    "rotary": "positions: rotations, nothing is stored",
    "alibi": "positions: slopes by rule, nothing is stored",
}


@dataclass(frozen=True, kw_only=True)
class Stack(Architecture):
    """A decoder whose norms have gain and bias, and whose MLP has two matrices.

    Parameters
    ----------
    V, D, layers, heads : int
        Vocabulary, width, layers, query heads; D must be divisible by the heads.
    mlp_width : int, optional
        Width inside the MLP; None stands for 4 D.
    kv_heads : int, optional
        Key and value heads, a divisor of the query heads; None stands for as many.
    biases : bool
        Whether the matrices of attention and MLP have biases.
    norms_per_layer : int
        1 where attention and MLP read the same normed row side by side, else 2.
    embedding_norm : bool
        Whether the rows are normed as they leave the table.
    scheme : {"rotary", "learned", "alibi"}
        How order comes in; only a learned table stores numbers.
    max_positions : int, optional
        Rows of the position table, where there is one.
    head_bias : bool
        Whether the output layer has a bias.
    head : bool
        Whether there is an output layer at all.

    Raises
    ------
    ValueError
        If a size is not a whole number in range, does not split as it must, or the scheme and the position
        table contradict each other.

    References
    ----------
    Biderman et al. 2023, arXiv:2304.01373 (Pythia); Zhang et al. 2022, arXiv:2205.01068 (OPT); Scao et al.
    2022, arXiv:2211.05100 (BLOOM); Almazrouei et al. 2023, arXiv:2311.16867 (Falcon).

    Examples
    --------
    >>> Stack(V=50_304, D=512, layers=6, heads=8, tied=False).parameters
    70426624
    """

    mlp_width: int | None = None
    kv_heads: int | None = None
    biases: bool = True
    norms_per_layer: int = 2
    embedding_norm: bool = False
    scheme: Scheme = "rotary"
    max_positions: int | None = None
    head_bias: bool = False
    head: bool = True

    def __post_init__(self) -> None:
        if self.mlp_width is None:
            object.__setattr__(self, "mlp_width", 4 * check_count("D", self.D))
        if self.kv_heads is None:
            object.__setattr__(self, "kv_heads", self.heads)
        super().__post_init__()
        check_split(self.D, self.heads)
        if self.heads % (self.kv_heads or 1):
            raise ValueError(
                f"{self.heads:,} query heads do not split evenly over {self.kv_heads:,} key heads"
            )
        if self.norms_per_layer not in (1, 2):
            raise ValueError(f"norms_per_layer must be 1 or 2; got {given(self.norms_per_layer)}")
        if (self.scheme == "learned") != (self.max_positions is not None):
            raise ValueError("max_positions are the rows of a learned table, and a learned table has them")

    def _check_size(self, name: str, value: int) -> None:
        if name != "max_positions" or value is not None:
            super()._check_size(name, value)

    @property
    def has_output(self) -> bool:
        return self.head

    @property
    def positions(self) -> str:
        return self.scheme

    @property
    def cache(self) -> Part:
        K, d = self.kv_heads or self.heads, self.D // self.heads
        letters = {"L": self.layers, "K": K, "d": d}
        return make_part("cache", "keys and values", "2·L·K·d", 2 * self.layers * K * d, letters)

    def parts(self) -> tuple[Part, ...]:
        L, D, F, H = self.layers, self.D, self.mlp_width or 4 * self.D, self.heads
        K, d, P = self.kv_heads or H, self.D // H, self.max_positions or 0
        letters = {"V": self.V, "D": D, "L": L, "F": F, "H": H, "K": K, "d": d, "P": P}
        attention = [("2·D·H·d + 2·D·K·d", 2 * D * D + 2 * D * K * d)]
        mlp = [("2·D·F", 2 * D * F)]
        if self.biases:
            attention += [("H·d + 2·K·d + D", D + 2 * K * d + D)]
            mlp += [("F + D", F + D)]
        many, more = self.norms_per_layer, 2 if self.embedding_norm else 1
        return (
            make_part("tokens", "token table", "V·D", self.V * D, letters),
            make_part("positions", "learned positions", "P·D", P * D, letters)
            if P
            else make_part("positions", SAYS[self.scheme], "0", 0, letters),
            make_part("attention", "attention", *per_layer(L, attention), letters),
            make_part("mlp", "MLP", *per_layer(L, mlp), letters),
            make_part(
                "norms",
                "layer norms",
                f"({'' if many == 1 else '2·'}L + {more})·2·D",
                (many * L + more) * 2 * D,
                letters,
            ),
            output_part(self, letters, bias=self.head_bias),
        )
