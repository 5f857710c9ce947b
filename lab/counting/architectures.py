"""The GPT-2 and the BERT family: every matrix, bias and gain they keep."""

from __future__ import annotations

from dataclasses import dataclass

from lab.counting.parts import Architecture, Part, check_split, make_part, output_part
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
        check_split(self.D, self.heads)

    @property
    def has_output(self) -> bool:
        return self.head

    @property
    def positions(self) -> str:
        return "learned"

    @property
    def cache(self) -> Part:
        count = 2 * self.layers * self.D
        return make_part("cache", "keys and values", "2·L·D", count, {"L": self.layers, "D": self.D})

    def parts(self) -> tuple[Part, ...]:
        L, D, F = self.layers, self.D, self.mlp_width or 4 * self.D
        letters = {"V": self.V, "D": D, "L": L, "F": F, "P": self.max_positions}
        return (
            make_part("tokens", "token table", "V·D", self.V * D, letters),
            make_part("positions", "learned positions", "P·D", self.max_positions * D, letters),
            make_part("attention", "attention", "L·(4·D² + 4·D)", L * (4 * D * D + 4 * D), letters),
            make_part("mlp", "MLP", "L·(2·D·F + F + D)", L * (2 * D * F + F + D), letters),
            make_part("norms", "layer norms", "(2·L + 1)·2·D", (2 * L + 1) * 2 * D, letters),
            output_part(self, letters),
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
        check_split(self.D, self.heads)

    def _check_size(self, name: str, value: int) -> None:
        if name != "token_types" or isinstance(value, bool) or value != 0:
            super()._check_size(name, value)

    @property
    def has_output(self) -> bool:
        return self.masked_lm

    @property
    def positions(self) -> str:
        return "learned"

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


def _default_mlp(model: GPT2 | BERT) -> None:
    if model.mlp_width is None:
        object.__setattr__(model, "mlp_width", 4 * check_count("D", model.D))
