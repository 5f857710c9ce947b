"""Three families of transformers: every matrix, bias and gain they keep."""

from __future__ import annotations

from dataclasses import dataclass

from lab.counting.parts import Architecture, Part, make_part
from lab.notation import check_count


@dataclass(frozen=True, kw_only=True)
class GPT2(Architecture):
    """A decoder of the GPT-2 type: learned positions, layer norms and biases everywhere.

    Parameters
    ----------
    V, D, layers, heads : int
        Vocabulary, width, layers, attention heads; D must be divisible by the heads.
    max_positions : int
        Rows of the position table.
    mlp_width : int, optional
        Width inside the MLP; None stands for 4 D.
    tied : bool
        Whether the output layer reads the token table.
    head : bool
        Whether there is an output layer at all.

    Raises
    ------
    ValueError
        If a size is not a whole number of at least 1, is beyond ``LIMITS``, or D does not split into heads.

    References
    ----------
    Radford et al. 2019, Language Models are Unsupervised Multitask Learners, section 2.3.

    Examples
    --------
    >>> GPT2(V=50_257, D=768, layers=12, heads=12, max_positions=1024).parameters
    124439808
    """

    max_positions: int
    mlp_width: int | None = None
    head: bool = True

    def __post_init__(self) -> None:
        _default_mlp(self)
        super().__post_init__()
        _check_split(self.D, self.heads)

    @property
    def has_output(self) -> bool:
        return self.head

    def parts(self) -> tuple[Part, ...]:
        L, D, F = self.layers, self.D, self.mlp_width or 4 * self.D
        letters = {"V": self.V, "D": D, "L": L, "F": F, "P": self.max_positions}
        return (
            make_part("tokens", "token table", "V·D", self.V * D, letters),
            make_part("positions", "learned positions", "P·D", self.max_positions * D, letters),
            make_part("attention", "attention", "L·(4·D² + 4·D)", L * (4 * D * D + 4 * D), letters),
            make_part("mlp", "MLP", "L·(2·D·F + F + D)", L * (2 * D * F + F + D), letters),
            make_part("norms", "layer norms", "(2·L + 1)·2·D", (2 * L + 1) * 2 * D, letters),
            _output(self, letters),
        )


@dataclass(frozen=True, kw_only=True)
class BERT(Architecture):
    """An encoder of the BERT type: learned positions, token types, a norm after each sum.

    Parameters
    ----------
    V, D, layers, heads : int
        Vocabulary, width, layers, attention heads; D must be divisible by the heads.
    max_positions : int
        Rows of the position table.
    token_types : int
        Rows of the segment table; 0 if there is none.
    mlp_width : int, optional
        Width inside the MLP; None stands for 4 D.
    pooler : bool
        Whether a dense layer follows for the first token.
    masked_lm : bool
        Whether the head that guesses masked tokens is kept: a dense layer, a norm, the output layer and
        its bias.
    tied : bool
        Whether that output layer reads the token table.

    Raises
    ------
    ValueError
        If a size is not a whole number in range, or D does not split into heads.

    References
    ----------
    Devlin et al. 2018, arXiv:1810.04805, section 3.

    Examples
    --------
    >>> BERT(V=30_522, D=768, layers=12, heads=12, max_positions=512).parameters
    109482240
    """

    max_positions: int
    token_types: int = 2
    mlp_width: int | None = None
    pooler: bool = True
    masked_lm: bool = False

    def __post_init__(self) -> None:
        _default_mlp(self)
        super().__post_init__()
        _check_split(self.D, self.heads)

    def _check_size(self, name: str, value: int, most: int) -> None:
        if name != "token_types" or isinstance(value, bool) or value != 0:
            super()._check_size(name, value, most)

    @property
    def has_output(self) -> bool:
        return self.masked_lm

    def parts(self) -> tuple[Part, ...]:
        L, D, F, U = self.layers, self.D, self.mlp_width or 4 * self.D, self.token_types
        letters = {"V": self.V, "D": D, "L": L, "F": F, "P": self.max_positions, "U": U}
        return (
            make_part("tokens", "token table", "V·D", self.V * D, letters),
            make_part("positions", "learned positions", "P·D", self.max_positions * D, letters),
            make_part("types", "token types", "U·D", U * D, letters),
            make_part("attention", "attention", "L·(4·D² + 4·D)", L * (4 * D * D + 4 * D), letters),
            make_part("mlp", "MLP", "L·(2·D·F + F + D)", L * (2 * D * F + F + D), letters),
            make_part("norms", "layer norms", "(2·L + 1)·2·D", (2 * L + 1) * 2 * D, letters),
            make_part("pooler", "pooler", "D² + D", D * D + D, letters)
            if self.pooler
            else make_part("pooler", "pooler: none", "0", 0, letters),
            *self._masked_lm_parts(letters),
        )

    def _masked_lm_parts(self, letters: dict[str, int]) -> tuple[Part, ...]:
        if not self.masked_lm:
            return (make_part("head", "output layer: none", "0", 0, letters),)
        own = 0 if self.tied else self.V * self.D
        name = "output bias (matrix: the token table)" if self.tied else "output layer"
        return (
            make_part("transform", "dense layer and norm", "D² + 3·D", self.D * self.D + 3 * self.D, letters),
            make_part("head", name, "V" if self.tied else "V·D + V", own + self.V, letters),
        )


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
    head: bool = True

    def __post_init__(self) -> None:
        check_count("heads", self.heads)
        check_count("D", self.D)
        if self.head_width is None:
            _check_split(self.D, self.heads)
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
        L, D, F, H = self.layers, self.D, self.mlp_width, self.heads
        K, d = self.kv_heads or H, self.head_width or D // H
        letters = {"V": self.V, "D": D, "L": L, "F": F, "H": H, "K": K, "d": d}
        attention = [("2·D·H·d + 2·D·K·d", 2 * D * H * d + 2 * D * K * d)]
        attention += [("H·d + 2·K·d", H * d + 2 * K * d)] if self.qkv_bias else []
        attention += [("D", D)] if self.output_bias else []
        mlp = [("3·D·F", 3 * D * F)]
        mlp += [("2·F + D", 2 * F + D)] if self.mlp_bias else []
        norms = ("(2·L + 1)·D", (2 * L + 1) * D)
        if self.qk_norm:
            norms = (f"{norms[0]} + L·2·d", norms[1] + L * 2 * d)
        return (
            make_part("tokens", "token table", "V·D", self.V * D, letters),
            make_part("positions", "positions: rotations, nothing is stored", "0", 0, letters),
            make_part("attention", "attention", *_per_layer(L, attention), letters),
            make_part("mlp", "gated MLP", *_per_layer(L, mlp), letters),
            make_part("norms", "norms", *norms, letters),
            _output(self, letters),
        )


def _per_layer(layers: int, terms: list[tuple[str, int]]) -> tuple[str, int]:
    """Join the terms of one layer and take them L times."""
    return f"L·({' + '.join(text for text, _ in terms)})", layers * sum(number for _, number in terms)


def _output(model: Architecture, letters: dict[str, int]) -> Part:
    if not model.has_output:
        return make_part("head", "output layer: none", "0", 0, letters)
    if model.tied:
        return make_part("head", "output layer: the token table again", "0", 0, letters)
    return make_part("head", "output layer", "V·D", model.V * model.D, letters)


def _default_mlp(model: GPT2 | BERT) -> None:
    if model.mlp_width is None:
        object.__setattr__(model, "mlp_width", 4 * check_count("D", model.D))


def _check_split(D: int, heads: int) -> None:
    if D % heads:
        raise ValueError(f"D must split evenly into heads; {D} is not divisible by {heads}")
