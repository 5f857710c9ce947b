"""Decoders of the Llama type: rotary positions, root-mean-square norms, a gated MLP."""

from __future__ import annotations

from dataclasses import dataclass

from lab.counting.parts import Architecture, Part, check_split, make_part, output_part, per_layer
from lab.given import given
from lab.notation import check_count


@dataclass(frozen=True, kw_only=True)
class Llama(Architecture):
    """A decoder of the Llama type: rotary positions, root-mean-square norms, a gated MLP.

    Parameters
    ----------
    V, D, layers, heads : int
        Vocabulary, width, layers, query heads.
    mlp_width : int
        Width inside the gated MLP, which has three matrices.
    kv_heads : int, optional
        Key and value heads, a divisor of the query heads; None stands for as many.
    head_width : int, optional
        Width of one head; None stands for D / heads. heads x head_width need not be D.
    qkv_bias, output_bias : bool
        Biases of the query, key and value matrices, and of the matrix after the heads.
    mlp_bias : bool
        Biases of the three MLP matrices.
    qk_norm : bool
        Whether queries and keys are normalised by a gain of one head's width.
    wide_qk_norm : bool
        Whether they are normalised over all heads at once, by gains as wide as all of them.
    norms_per_layer : int
        Gains of width D in a layer: 2, 4 where sums are normalised too, 0 where norms have no gain at all.
    norm_bias : bool
        Whether each norm has a bias beside its gain.
    tied : bool
        Whether the output layer reads the token table.
    head : bool
        Whether there is an output layer at all: embedding models have none.

    Raises
    ------
    ValueError
        If a size is not a whole number of at least 1, is beyond ``LIMITS``, or does not split as it must.

    References
    ----------
    Touvron et al. 2023, arXiv:2302.13971, section 2.2; Ainslie et al. 2023, arXiv:2305.13245 (grouped heads);
    Shazeer 2020, arXiv:2002.05202 (gated MLP).

    Examples
    --------
    >>> llama3 = Llama(V=128_256, D=4096, layers=32, heads=32, kv_heads=8, mlp_width=14_336, tied=False)
    >>> llama3.parameters
    8030261248
    """

    mlp_width: int
    kv_heads: int | None = None
    head_width: int | None = None
    qkv_bias: bool = False
    output_bias: bool = False
    mlp_bias: bool = False
    qk_norm: bool = False
    wide_qk_norm: bool = False
    norms_per_layer: int = 2
    norm_bias: bool = False
    head: bool = True

    def __post_init__(self) -> None:
        if self.norms_per_layer not in range(9):
            raise ValueError(f"norms_per_layer must be from 0 to 8; got {given(self.norms_per_layer)}")
        check_count("heads", self.heads)
        check_count("D", self.D)
        if self.head_width is None:
            check_split(self.D, self.heads)
            object.__setattr__(self, "head_width", self.D // self.heads)
        if self.kv_heads is None:
            object.__setattr__(self, "kv_heads", self.heads)
        super().__post_init__()
        if self.heads % (self.kv_heads or 1):
            raise ValueError(
                f"{self.heads} query heads do not split evenly over {self.kv_heads} key and value heads"
            )

    @property
    def has_output(self) -> bool:
        return self.head

    def parts(self) -> tuple[Part, ...]:
        letters = self.letters()
        return (
            make_part("tokens", "token table", "V·D", self.V * self.D, letters),
            make_part("positions", "positions: rotations, nothing is stored", "0", 0, letters),
            self.attention(letters),
            *self.feed_forward(letters),
            self.norms(letters),
            output_part(self, letters),
        )

    @property
    def cache(self) -> Part:
        letters = self.letters()
        count = 2 * self.layers * letters["K"] * letters["d"]
        return make_part("cache", "keys and values", "2·L·K·d", count, letters)

    def letters(self) -> dict[str, int]:
        """Return the sizes by the letters of the formulas."""
        H, D = self.heads, self.D
        K, d = self.kv_heads or H, self.head_width or D // H
        return {"V": self.V, "D": D, "L": self.layers, "F": self.mlp_width, "H": H, "K": K, "d": d}

    def attention(self, letters: dict[str, int]) -> Part:
        """Return the matrices of queries, keys, values and output, in all layers."""
        D, H, K, d = (letters[letter] for letter in "DHKd")
        terms = [("2·D·H·d + 2·D·K·d", 2 * D * H * d + 2 * D * K * d)]
        terms += [("H·d + 2·K·d", H * d + 2 * K * d)] if self.qkv_bias else []
        terms += [("D", D)] if self.output_bias else []
        return make_part("attention", "attention", *per_layer(self.layers, terms), letters)

    def feed_forward(self, letters: dict[str, int]) -> tuple[Part, ...]:
        """Return what follows attention in all layers."""
        D, F = letters["D"], letters["F"]
        terms = [("3·D·F", 3 * D * F)]
        terms += [("2·F + D", 2 * F + D)] if self.mlp_bias else []
        return (make_part("mlp", "gated MLP", *per_layer(self.layers, terms), letters),)

    def norms(self, letters: dict[str, int]) -> Part:
        """Return the gains of all norms, and their biases where there are any."""
        L, D, H, K, d = (letters[letter] for letter in "LDHKd")
        many = self.norms_per_layer
        if not many:
            return make_part("norms", "norms: without gains, nothing is stored", "0", 0, letters)
        each = ("2·D", 2 * D) if self.norm_bias else ("D", D)
        text, count = f"({'' if many == 1 else f'{many}·'}L + 1)·{each[0]}", (many * L + 1) * each[1]
        if self.qk_norm:
            text, count = f"{text} + L·2·d", count + L * 2 * d
        if self.wide_qk_norm:
            text, count = f"{text} + L·(H·d + K·d)", count + L * (H * d + K * d)
        return make_part("norms", "norms", text, count, letters)
