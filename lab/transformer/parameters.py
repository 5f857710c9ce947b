"""Sizes of the character model, and its parameters as one flat vector."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from lab.notation import Array, check_count, check_positive
from lab.positions import Scheme

Precision = Literal["float32", "float64"]

UNTIED_OUTPUT_SD = 0.02
"""Small, so that an untrained model is near the uniform one and its loss near ln V."""

TIED_LOGIT = 3.0
"""Tied logits are h · E * TIED_LOGIT / D.

An untrained model passes each row of E through to the output, where it meets itself: at standard deviation 1
that logit is this number. At 3 the first loss is .13 above ln V; at sqrt(D), a usual scale, 1.4 above; at 1
training is slow, because rows of standard deviation 1 have far to go."""


@dataclass(frozen=True)
class ModelConfig:
    """Sizes of the character model.

    Attributes
    ----------
    V : int
        Entries of the vocabulary.
    D : int
        Width of the model, a multiple of H.
    H : int
        Attention heads.
    T : int
        Tokens of a training window: positions 0 .. T - 1 are trained.
    layers : int
        One or two blocks.
    mlp : int
        Width of the hidden layer of each MLP, in multiples of D.
    tied : bool
        Whether the output matrix is E itself.
    embedding_sd : float
        Standard deviation of the rows of E at the start.
    dtype : {"float32", "float64"}
        Precision of everything.

    Raises
    ------
    ValueError
        If a size is no whole number of at least 1, D no multiple of H, the number of layers not 1 or 2, the
        standard deviation not above 0, or the precision unknown.

    Examples
    --------
    >>> ModelConfig(V=66).d
    12
    """

    V: int
    D: int = 48
    H: int = 4
    T: int = 32
    layers: int = 1
    mlp: int = 2
    tied: bool = False
    embedding_sd: float = 1.0
    dtype: Precision = "float32"

    def __post_init__(self) -> None:
        check_count("vocabulary V", self.V)
        check_count("width D", self.D)
        check_count("heads H", self.H)
        check_count("window T", self.T)
        check_count("mlp", self.mlp)
        check_positive("embedding_sd", self.embedding_sd)
        if self.D % self.H:
            raise ValueError(
                f"width D = {self.D} does not split into H = {self.H} heads; take a multiple of H"
            )
        if self.layers not in (1, 2):
            raise ValueError(f"layers must be 1 or 2; got {self.layers!r}")
        if self.dtype not in get_args(Precision):
            raise ValueError(
                f"dtype {self.dtype!r} is unknown; choose one of {', '.join(get_args(Precision))}"
            )

    @property
    def d(self) -> int:
        """Width of one head."""
        return self.D // self.H


class Parameters(Mapping[str, Array]):
    """Named arrays that are views of one flat vector.

    An optimiser then needs one loop over one vector, whatever the model is made of.

    Parameters
    ----------
    shapes : mapping of str to tuple of int
        Names and shapes, in the order in which they lie in the vector.
    dtype : str
        Precision of the vector.

    Examples
    --------
    >>> parameters = Parameters({"E": (2, 3), "W": (3, 1)}, "float64")
    >>> parameters["W"][...] = 1.0
    >>> parameters.flat
    array([0., 0., 0., 0., 0., 0., 1., 1., 1.])
    """

    def __init__(self, shapes: Mapping[str, tuple[int, ...]], dtype: str) -> None:
        sizes = {name: math.prod(shape) for name, shape in shapes.items()}
        self.flat: Array = np.zeros(sum(sizes.values()), dtype=dtype)
        self._views: dict[str, Array] = {}
        start = 0
        for name, shape in shapes.items():
            self._views[name] = self.flat[start : start + sizes[name]].reshape(shape)
            start += sizes[name]

    def __getitem__(self, name: str) -> Array:
        return self._views[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._views)

    def __len__(self) -> int:
        return len(self._views)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Name and shape of each array."""
        return {name: view.shape for name, view in self._views.items()}


def scheme_key(name: str) -> str:
    """Return the name under which a trainable array of the scheme lies in the vector."""
    return f"scheme.{name}"


def initial_parameters(config: ModelConfig, scheme: Scheme, rng: np.random.Generator) -> Parameters:
    """Draw the parameters of an untrained model.

    E has the chosen standard deviation; a matrix has 1 / sqrt(rows), which keeps the size of what passes
    through it; the two that write to the residual stream are divided by sqrt(2 layers) on top, so that its
    size does not grow with depth. The arrays of the scheme start as the scheme drew them. No array of a block
    depends on the scheme, so models of one seed start alike under every scheme.

    References
    ----------
    Radford et al. 2019, "Language models are unsupervised multitask learners", section 2.3.

    Examples
    --------
    >>> from lab.positions import NoPosition
    >>> drawn = initial_parameters(ModelConfig(V=66), NoPosition(), np.random.default_rng(0))
    >>> drawn.flat.size
    24768
    """
    shapes = _shapes(config)
    shapes |= {scheme_key(name): array.shape for name, array in scheme.params().items()}
    parameters = Parameters(shapes, config.dtype)
    for name, view in parameters.items():
        if name == "E":
            view[...] = config.embedding_sd * rng.standard_normal(view.shape)
        elif name == "output":
            view[...] = UNTIED_OUTPUT_SD * rng.standard_normal(view.shape)
        elif not name.startswith("scheme."):
            sums = 2 * config.layers if name.endswith(("mix", "down")) else 1
            view[...] = rng.standard_normal(view.shape) / math.sqrt(view.shape[0] * sums)
    for name, array in scheme.params().items():
        parameters[scheme_key(name)][...] = array
    return parameters


def parameter_count(config: ModelConfig, scheme: Scheme) -> int:
    """Return how many numbers a model of these sizes trains, those of the scheme included.

    Parameters
    ----------
    config : ModelConfig
        Sizes.
    scheme : Scheme
        Where position enters; only the shapes of its arrays are read.

    Examples
    --------
    >>> from lab.positions import NoPosition
    >>> parameter_count(ModelConfig(V=66), NoPosition())
    24768
    """
    trained = sum(array.size for array in scheme.params().values())
    return trained + sum(math.prod(shape) for shape in _shapes(config).values())


def _shapes(config: ModelConfig) -> dict[str, tuple[int, ...]]:
    V, D, hidden = config.V, config.D, config.mlp * config.D
    shapes: dict[str, tuple[int, ...]] = {"E": (V, D)}
    for layer in range(config.layers):
        shapes |= {
            f"{layer}.qkv": (D, 3 * D),
            f"{layer}.mix": (D, D),
            f"{layer}.up": (D, hidden),
            f"{layer}.down": (hidden, D),
        }
    if not config.tied:
        shapes["output"] = (V, D)
    return shapes
