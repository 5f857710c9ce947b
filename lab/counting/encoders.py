"""Models with an encoder of a newer or another kind: T5 and ModernBERT."""

from __future__ import annotations

from dataclasses import dataclass

from lab.counting.parts import Architecture, Part, check_split, make_part, output_part


@dataclass(frozen=True, kw_only=True)
class T5(Architecture):
    """An encoder and a decoder that share a token table, with a learned bias by distance.

    Parameters
    ----------
    V, D, layers, heads : int
        Vocabulary, width, encoder layers, heads of each attention.
    decoder_layers : int, optional
        Layers of the decoder; None stands for as many as the encoder has.
    head_width : int
        Width of a head; heads x head_width need not be D.
    mlp_width : int
        Width inside the MLP.
    gated : bool
        Whether the MLP has three matrices (T5 1.1) in place of two.
    buckets : int
        Distances that have a bias of their own, for each head.
    tied : bool
        Whether the output layer reads the token table.

    Raises
    ------
    ValueError
        If a size is not a whole number in range.

    References
    ----------
    Raffel et al. 2020, arXiv:1910.10683, section 2.1.

    Examples
    --------
    >>> T5(V=32_128, D=512, layers=6, heads=8, head_width=64, mlp_width=2048).parameters
    60506624
    """

    decoder_layers: int | None = None
    head_width: int
    mlp_width: int
    gated: bool = False
    buckets: int = 32

    def __post_init__(self) -> None:
        if self.decoder_layers is None:
            object.__setattr__(self, "decoder_layers", self.layers)
        super().__post_init__()

    @property
    def has_output(self) -> bool:
        return True

    @property
    def positions(self) -> str:
        return "relative"

    @property
    def cache(self) -> Part:
        # of the tokens that it writes, and as much again of those that the encoder read
        letters = {"G": self.decoder_layers or self.layers, "H": self.heads, "d": self.head_width}
        count = 2 * letters["G"] * letters["H"] * letters["d"]
        return make_part("cache", "keys and values", "2·G·H·d", count, letters)

    def parts(self) -> tuple[Part, ...]:
        L, G, D, F = self.layers, self.decoder_layers or self.layers, self.D, self.mlp_width
        H, d, B, matrices = self.heads, self.head_width, self.buckets, 3 if self.gated else 2
        letters = {"V": self.V, "D": D, "L": L, "G": G, "F": F, "H": H, "d": d, "B": B}
        # a decoder layer attends twice: to itself and to the encoder
        return (
            make_part("tokens", "token table", "V·D", self.V * D, letters),
            make_part("positions", "biases by distance", "2·B·H", 2 * B * H, letters),
            make_part("attention", "attention", "(L + 2·G)·4·D·H·d", (L + 2 * G) * 4 * D * H * d, letters),
            make_part("mlp", "MLP", f"(L + G)·{matrices}·D·F", (L + G) * matrices * D * F, letters),
            make_part("norms", "norms", "(2·L + 3·G + 2)·D", (2 * L + 3 * G + 2) * D, letters),
            output_part(self, letters),
        )


@dataclass(frozen=True, kw_only=True)
class ModernBERT(Architecture):
    """An encoder of the BERT kind with rotary positions, a gated MLP and no biases.

    Parameters
    ----------
    V, D, layers, heads : int
        Vocabulary, width, layers, attention heads; D must be divisible by the heads.
    mlp_width : int
        Width inside the gated MLP.
    masked_lm : bool
        Whether the head that guesses masked tokens is kept: a dense layer, a norm, the output layer and its
        bias.
    tied : bool
        Whether that output layer reads the token table.

    Raises
    ------
    ValueError
        If a size is not a whole number in range, or D does not split into heads.

    References
    ----------
    Warner et al. 2024, arXiv:2412.13663, section 2.1.

    Examples
    --------
    >>> ModernBERT(V=50_368, D=768, layers=22, heads=12, mlp_width=1152, masked_lm=True).parameters
    149655232
    """

    mlp_width: int
    masked_lm: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_split(self.D, self.heads)

    @property
    def has_output(self) -> bool:
        return self.masked_lm

    def parts(self) -> tuple[Part, ...]:
        L, D, F = self.layers, self.D, self.mlp_width
        letters = {"V": self.V, "D": D, "L": L, "F": F}
        body = (
            make_part("tokens", "token table", "V·D", self.V * D, letters),
            make_part("positions", "positions: rotations, nothing is stored", "0", 0, letters),
            make_part("attention", "attention", "L·4·D²", L * 4 * D * D, letters),
            make_part("mlp", "gated MLP", "L·3·D·F", L * 3 * D * F, letters),
            # two in each layer but the first, whose rows come normed from the table, and one at the end
            make_part("norms", "norms", "(2·L + 1)·D", (2 * L + 1) * D, letters),
        )
        if not self.masked_lm:
            return (*body, make_part("head", "output layer: none", "0", 0, letters))
        dense = make_part("transform", "dense layer and norm", "D² + D", D * D + D, letters)
        return (*body, dense, output_part(self, letters, bias=True))
