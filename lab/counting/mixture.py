"""Decoders whose MLP is a choice of experts: Mixtral, the Qwen and OLMo mixtures, DeepSeek."""

from __future__ import annotations

from dataclasses import dataclass

from lab.counting.llama import Llama
from lab.counting.parts import Part, make_part, per_layer
from lab.given import given


@dataclass(frozen=True, kw_only=True)
class Mixture(Llama):
    """A Llama whose layers hold several MLPs, of which a router picks a few for each token.

    Parameters
    ----------
    mlp_width : int
        Width inside the MLP of the layers without experts; that of an expert where there are none.
    experts, active : int
        Experts in a layer, and how many of them a token passes.
    expert_width : int
        Width inside an expert.
    shared_width : int
        Width of the MLP that every token passes beside them; 0 if there is none.
    shared_gate : bool
        Whether a row of D numbers weighs that MLP.
    dense_layers : int
        Layers, counted from the first, with one MLP and no experts.

    Raises
    ------
    ValueError
        If a size is out of range, more experts are active than there are, or more layers dense.

    References
    ----------
    Jiang et al. 2024, arXiv:2401.04088 (Mixtral); Yang et al. 2025, arXiv:2505.09388 (Qwen3).

    Examples
    --------
    >>> mixtral = Mixture(V=32_000, D=4096, layers=32, heads=32, kv_heads=8, mlp_width=14_336, experts=8,
    ...                   active=2, expert_width=14_336, tied=False)
    >>> mixtral.parameters, mixtral.active_parameters
    (46702792704, 12879925248)
    """

    experts: int
    active: int
    expert_width: int
    shared_width: int = 0
    shared_gate: bool = False
    dense_layers: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.active > self.experts:
            raise ValueError(f"{self.active:,} experts are active, but there are {self.experts:,}")
        for name in ("shared_width", "dense_layers"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 10_000_000:
                raise ValueError(f"{name} must be a whole number of at least 0; got {given(value)}")
        if self.dense_layers > self.layers:
            raise ValueError(f"{self.dense_layers:,} layers have no experts, but there are {self.layers:,}")

    @property
    def idle_parameters(self) -> int:
        """Parameters of the experts that one token passes by: (L − M) (N − A) 3 D X."""
        idle = self.experts - self.active
        return (self.layers - self.dense_layers) * idle * 3 * self.D * self.expert_width

    def letters(self) -> dict[str, int]:
        """Return the sizes by the letters of the formulas."""
        own = {"N": self.experts, "X": self.expert_width, "S": self.shared_width, "M": self.dense_layers}
        return super().letters() | own

    def feed_forward(self, letters: dict[str, int]) -> tuple[Part, ...]:
        """Return the experts, their router, and the MLPs that every token passes."""
        L, D, F, N, X, S, M = (letters[letter] for letter in "LDFNXSM")
        mixed, rest = ("(L − M)", L - M) if M else ("L", L)
        shared = [("3·D·S", 3 * D * S)] if S else []
        shared += [("D", D)] if S and self.shared_gate else []
        found = [("M·3·D·F", M * 3 * D * F)] if M else []
        found += [per_layer(rest, shared, mixed)] if shared else []
        text, count = " + ".join(text for text, _ in found), sum(count for _, count in found)
        return (
            make_part("mlp", "MLPs of every token", text, count, letters)
            if found
            else make_part("mlp", "MLPs of every token: none", "0", 0, letters),
            make_part("experts", "experts", f"{mixed}·N·3·D·X", rest * N * 3 * D * X, letters),
            make_part("router", "routers", f"{mixed}·N·D", rest * N * D, letters),
        )


@dataclass(frozen=True, kw_only=True)
class Latent(Mixture):
    """A mixture of the DeepSeek type: keys and values of all heads come out of one short vector.

    Parameters
    ----------
    q_rank : int, optional
        Length of the vector that queries come out of; None where they come from the row itself.
    kv_rank : int
        Length of the vector that keys and values come out of.
    nope_width, rope_width : int
        Parts of a head that do not turn, and that turn; the turning part of the key is one for all heads.
    value_width : int
        Width of a value.

    References
    ----------
    DeepSeek-AI 2024, arXiv:2405.04434 and arXiv:2412.19437.

    Examples
    --------
    >>> v3 = Latent(V=129_280, D=7168, layers=61, heads=128, mlp_width=18_432, experts=256, active=8,
    ...             expert_width=2048, shared_width=2048, dense_layers=3, q_rank=1536, kv_rank=512,
    ...             nope_width=128, rope_width=64, value_width=128, tied=False)
    >>> v3.parameters
    671026404352
    """

    q_rank: int | None = None
    kv_rank: int
    nope_width: int
    rope_width: int
    value_width: int

    def __post_init__(self) -> None:
        if self.head_width is None:
            object.__setattr__(self, "head_width", self.nope_width + self.rope_width)
        super().__post_init__()

    def _check_size(self, name: str, value: int) -> None:
        if name != "q_rank" or value is not None:
            super()._check_size(name, value)

    def letters(self) -> dict[str, int]:
        """Return the sizes by the letters of the formulas."""
        own = {
            "Q": self.q_rank or 0,
            "C": self.kv_rank,
            "n": self.nope_width,
            "r": self.rope_width,
            "v": self.value_width,
        }
        return super().letters() | own

    @property
    def cache(self) -> Part:
        letters, count = self.letters(), self.layers * (self.kv_rank + self.rope_width)
        return make_part("cache", "short vectors and turning keys", "L·(C + r)", count, letters)

    def attention(self, letters: dict[str, int]) -> Part:
        """Return the matrices down to the short vectors, up to the heads, and their norms."""
        D, H, Q, C, n, r, v = (letters[letter] for letter in "DHQCnrv")
        queries = (
            ("D·Q + Q + Q·H·(n + r)", D * Q + Q + Q * H * (n + r)) if Q else ("D·H·(n + r)", D * H * (n + r))
        )
        keys = ("D·(C + r) + C + C·H·(n + v)", D * (C + r) + C + C * H * (n + v))
        terms = [queries, keys, ("H·v·D", H * v * D)]
        return make_part("attention", "latent attention", *per_layer(self.layers, terms), letters)
