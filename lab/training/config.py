"""What one training run is made of, every field checked."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from lab.notation import check_count, check_positive
from lab.positions import SCHEMES, Scheme
from lab.transformer import ModelConfig, parameter_count
from lab.transformer.parameters import Precision

MAX_STEPS = 100_000
WEIGHTS, POSITIONS, BATCHES, SAMPLES = range(4)
"""Streams of random numbers of one seed: what one of them draws never shifts another."""


@dataclass(frozen=True)
class TrainingConfig:
    """One run: scheme, model, batches and optimiser.

    Models of one seed start with the same weights and see the same batches under every scheme, so a
    difference between two schemes can be taken seed by seed.

    Attributes
    ----------
    scheme : str
        A key of ``SCHEMES``.
    seed : int
        Of weights, learned positions and batches, 0 or above.
    steps : int
        Updates, 1 to 100,000.
    layers : int
        Blocks, 1 or 2.
    tied : bool
        Whether the output matrix is E itself.
    T, batch : int
        Characters of a window, and windows of a batch.
    D, H, mlp : int
        Width, heads, and width of the MLP's hidden layer in multiples of D.
    embedding_sd : float
        Standard deviation of the rows of E at the start. The usual one is .02 (Radford et al. 2018, section
        4.1); here it is 1, as large as what the schemes add. A run of 1,000 steps that begins with .02 ends
        higher: sinusoidal 2.38 in place of 2.26, RoPE 2.36 in place of 2.23, learned 2.63 in place of 2.28
        (seed 0).
    learning_rate : float
        Largest rate of Adam, reached after the warm-up.
    beta1, beta2 : float
        Decay of Adam's two averages, 0 or above and below 1.
    warmup : int
        Steps over which the rate rises in a line, 0 or more.
    final_rate : float
        Part of the rate that is left at the end of the cosine, 0 to 1.
    snapshot_every : int
        Steps between two copies of the character rows, 0 for none.
    dtype : {"float32", "float64"}
        Precision of the model.

    Raises
    ------
    ValueError
        If a field is out of its range; the message names the field, the value and what is allowed.

    Examples
    --------
    >>> TrainingConfig(scheme="alibi", seed=3).steps
    1000
    >>> TrainingConfig(scheme="rotary")
    Traceback (most recent call last):
        ...
    ValueError: scheme 'rotary' is unknown; choose one of none, raw, sinusoidal, learned, rope, alibi
    """

    scheme: str = "rope"
    seed: int = 0
    steps: int = 1000
    layers: int = 1
    tied: bool = False
    T: int = 32
    batch: int = 4
    D: int = 48
    H: int = 4
    mlp: int = 2
    embedding_sd: float = 1.0
    learning_rate: float = 0.01
    beta1: float = 0.9
    beta2: float = 0.99
    warmup: int = 20
    final_rate: float = 0.1
    snapshot_every: int = 0
    dtype: Precision = "float32"

    def __post_init__(self) -> None:
        if self.scheme not in SCHEMES:
            raise ValueError(f"scheme {self.scheme!r} is unknown; choose one of {', '.join(SCHEMES)}")
        for name in ("seed", "warmup", "snapshot_every"):
            _check_whole(name, getattr(self, name))
        if check_count("steps", self.steps) > MAX_STEPS:
            raise ValueError(f"steps must be at most {MAX_STEPS:,}; got {self.steps:,}")
        check_count("batch", self.batch)
        if self.T < 2:
            raise ValueError(f"window T must be at least 2, so that there is an order to learn; got {self.T}")
        check_positive("learning_rate", self.learning_rate)
        for name in ("beta1", "beta2"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 0 and below 1; got {getattr(self, name)!r}")
        if not 0 <= self.final_rate <= 1:
            raise ValueError(f"final_rate is a part of the rate, 0 to 1; got {self.final_rate!r}")
        self.model(V=2)  # the model's own fields are checked where they are defined

    def model(self, V: int) -> ModelConfig:
        """Return the sizes of the model for a vocabulary of V characters."""
        return ModelConfig(
            V=V,
            D=self.D,
            H=self.H,
            T=self.T,
            layers=self.layers,
            mlp=self.mlp,
            tied=self.tied,
            embedding_sd=self.embedding_sd,
            dtype=self.dtype,
        )

    def generator(self, stream: int) -> np.random.Generator:
        """Return the random numbers of one stream of the seed."""
        return np.random.default_rng([self.seed, stream])

    def build_scheme(self) -> Scheme:
        """Return a fresh scheme for a model of this size."""
        return SCHEMES[self.scheme].build(
            D=self.D,
            H=self.H,
            d=self.D // self.H,
            max_positions=self.T,
            rng=self.generator(POSITIONS),
        )

    def parameters(self, V: int) -> int:
        """Return how many numbers a model for V characters trains.

        Examples
        --------
        >>> TrainingConfig().parameters(66), TrainingConfig(scheme="learned").parameters(66)
        (24768, 26304)
        """
        return parameter_count(self.model(V), self.build_scheme())

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by name, ready for JSON."""
        return asdict(self)


def _check_whole(name: str, value: int) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 0:
        raise ValueError(f"{name} must be a whole number of at least 0; got {value!r}")
