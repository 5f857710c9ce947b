"""How published models turn their queries and keys, with the numbers of their own configuration files."""

from __future__ import annotations

from dataclasses import dataclass

from lab.context_extension.base import NoExtension
from lab.context_extension.llama3 import Llama3
from lab.context_extension.longrope import PHI3_LONG, PHI3_SHORT, LongRope
from lab.context_extension.ntk import LargerBase
from lab.context_extension.yarn import Yarn
from lab.notation import FloatArray, check_count, check_even, check_positive
from lab.positions.rope import plain_frequencies


@dataclass(frozen=True, kw_only=True)
class ModelRope:
    """The rotation of one model.

    Parameters
    ----------
    title : str
        Name of the model.
    d : int
        Width of a head.
    base : float
        Base of the trained frequencies: the one the extension starts from.
    trained, target : int
        Positions seen before the extension, and positions the model is offered for.
    extension : NoExtension
        The method with its parameters.
    source : str
        Where the numbers come from.
    rotary_dim : int, optional
        Leading dimensions that turn; all of them by default.
    notes : tuple of str
        What a reader should know about how the numbers were read.
    layer_types : tuple of str
        Types of layers between which a reader can choose, where they turn differently.
    layer_type : str
        The type these numbers are of; empty where all layers turn alike.
    ambiguous : bool
        Whether the longest sequence in the file may mean the trained or the stretched length.
    further : str
        What is known of training at the long length, a clause that follows the title; empty if nothing is.

    Raises
    ------
    ValueError
        If a width is odd or a length below 1, or the extension does not suit width and base.

    Examples
    --------
    >>> PRESETS["llama-2-7b"].inv_freq[:2].round(3)
    array([1.   , 0.866])
    """

    title: str
    d: int
    base: float
    trained: int
    target: int
    extension: NoExtension
    source: str
    rotary_dim: int | None = None
    notes: tuple[str, ...] = ()
    layer_types: tuple[str, ...] = ()
    layer_type: str = ""
    ambiguous: bool = False
    further: str = ""

    def __post_init__(self) -> None:
        check_even("head width d", self.d)
        if check_even("rotary_dim", self.width) > self.d:
            raise ValueError(f"rotary_dim {self.width} is wider than the head, d = {self.d}")
        check_count("trained length", self.trained)
        check_count("target length", self.target)
        check_positive("attention factor", self.extension(self.width, self.base)[1])

    @property
    def width(self) -> int:
        """Dimensions that turn."""
        return self.d if self.rotary_dim is None else self.rotary_dim

    @property
    def inv_freq(self) -> FloatArray:
        """Frequencies in use, radians per position: shape (width / 2,)."""
        return self.extension(self.width, self.base)[0]

    @property
    def trained_inv_freq(self) -> FloatArray:
        """Frequencies before the extension: shape (width / 2,)."""
        return plain_frequencies(self.width, self.base)[0]

    @property
    def attention_factor(self) -> float:
        """What cos and sin are multiplied by; the logit gain is its square."""
        return self.extension(self.width, self.base)[1]


PRESETS: dict[str, ModelRope] = {
    "llama-2-7b": ModelRope(
        title="Llama 2 7B",
        d=128,
        base=10_000.0,
        trained=4096,
        target=4096,
        extension=NoExtension(),
        source="Touvron et al. 2023, arXiv:2307.09288; config.json of meta-llama/Llama-2-7b-hf",
    ),
    "code-llama-7b": ModelRope(
        title="Code Llama 7B",
        d=128,
        base=10_000.0,
        trained=4096,
        target=16_384,
        extension=LargerBase(factor=4.0, trained=4096, new_base=1_000_000.0),
        source="Rozière et al. 2023, arXiv:2308.12950, section 2.4; config.json of codellama/CodeLlama-7b-hf",
        further="trained further on sequences of 16,384 tokens under the larger base",
    ),
    "llama-3.1-8b": ModelRope(
        title="Llama 3.1 8B",
        d=128,
        base=500_000.0,
        trained=8192,
        target=131_072,
        extension=Llama3(factor=8.0, trained=8192, low_freq_factor=1.0, high_freq_factor=4.0),
        source="config.json of meta-llama/Llama-3.1-8B; apply_scaling in meta-llama/llama-models",
        further="its training went on while the window grew from 8,192 to 131,072 positions "
        "(Grattafiori et al. 2024, arXiv:2407.21783, section 3.4.2)",
    ),
    "llama-3.2-1b": ModelRope(
        title="Llama 3.2 1B",
        d=64,
        base=500_000.0,
        trained=8192,
        target=131_072,
        extension=Llama3(factor=32.0, trained=8192, low_freq_factor=1.0, high_freq_factor=4.0),
        source="config.json of meta-llama/Llama-3.2-1B",
        further="made from Llama 3.1 models, whose training went on at up to 131,072 positions",
    ),
    "qwen-2.5-yarn": ModelRope(
        title="Qwen2.5 7B with YaRN 4",
        d=128,
        base=1_000_000.0,
        trained=32_768,
        target=131_072,
        extension=Yarn(factor=4.0, trained=32_768),
        source="model card of Qwen/Qwen2.5-7B-Instruct, the rope_scaling it advises for long texts",
        notes=("the released configuration has no rope_scaling: the reader of long texts adds it",),
        further="not trained beyond 32,768 positions; its card advises YaRN for long texts alone",
    ),
    "gpt-oss-20b": ModelRope(
        title="gpt-oss-20b",
        d=64,
        base=150_000.0,
        trained=4096,
        target=131_072,
        extension=Yarn(factor=32.0, trained=4096, beta_fast=32.0, beta_slow=1.0, truncate=False),
        source="config.json of openai/gpt-oss-20b",
        further="released for 131,072 positions; how long it was trained there is not published",
    ),
    "phi-3-mini-128k": ModelRope(
        title="Phi-3-mini-128k",
        d=96,
        base=10_000.0,
        trained=4096,
        target=131_072,
        extension=LongRope(
            factor=32.0, trained=4096, length=131_072, short_factor=PHI3_SHORT, long_factor=PHI3_LONG
        ),
        source="Abdin et al. 2024, arXiv:2404.14219; factor lists as in public tests of Phi-3 code",
        notes=("its short list was not confirmed against a second source",),
        further="extended by LongRoPE before its release, a method that trains further after the search",
    ),
}
