"""What a sequence takes beside the weights: keys and values that are kept, and scores if written out."""

from __future__ import annotations

from dataclasses import dataclass

from lab.counting.parts import Architecture, byte_count
from lab.notation import check_count

LONGEST = 2**24
MOST_SEQUENCES = 2**16


@dataclass(frozen=True)
class SequenceMemory:
    """Numbers that a batch of sequences takes, beside the weights.

    Parameters
    ----------
    length, batch : int
        Tokens of a sequence, and sequences side by side.
    cache : int
        Keys and values of all layers; 0 for an encoder, which keeps none.
    rows : int
        Rows of X before each layer and after the last, as training keeps them at the least.
    scores : int
        Scores of one layer, where they are written out: the heads times the length squared.
    """

    length: int
    batch: int
    cache: int
    rows: int
    scores: int

    def bytes(self, name: str, dtype: str) -> int:
        """Return the bytes of ``cache``, ``rows`` or ``scores``."""
        return byte_count(getattr(self, name), dtype)


def sequence_memory(model: Architecture, length: int, batch: int = 1) -> SequenceMemory:
    """Count what a batch of sequences takes beside the weights.

    Every layer is counted with full attention: layers with a sliding window keep no more than their window.
    Kernels that never write the scores out (FlashAttention) save the last of the three, not the first.

    Parameters
    ----------
    model : Architecture
        The sizes.
    length, batch : int
        Tokens of a sequence, and sequences side by side.

    Returns
    -------
    SequenceMemory
        Counts of numbers; ``bytes`` turns them into bytes.

    Raises
    ------
    ValueError
        If a length or batch is below 1 or too large.

    References
    ----------
    Shazeer 2019, arXiv:1911.02150 (what keys and values cost); Dao et al. 2022, arXiv:2205.14135 (scores that
    are not written out).

    Examples
    --------
    Llama 3 8B: 2 x 32 layers x 8 key heads x 128 = 65,536 numbers per token.

    >>> from lab.counting.models import MODELS
    >>> sequence_memory(MODELS["llama-3-8b"].architecture, 8192).cache
    536870912
    """
    for name, value, most in (("length", length, LONGEST), ("batch", batch, MOST_SEQUENCES)):
        if check_count(name, value) > most:
            raise ValueError(f"{name} must be at most {most:,}; got {value:,}")
    tokens, kept = length * batch, model.cache
    return SequenceMemory(
        length=length,
        batch=batch,
        cache=tokens * kept.parameters if kept else 0,
        rows=tokens * (model.layers + 1) * model.D,
        scores=batch * model.heads * length**2,
    )
