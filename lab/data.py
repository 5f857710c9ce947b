"""Opens the arrays in static/data: real token and position tables, and the training text.

Nothing is read at import. Each table is opened on its first call, kept as read-only arrays, and shared. What
`data_files` knows of the files themselves can be had here too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray

from lab.data_files import (
    DATA_FILES,
    DEFAULT_ROOT,
    DataFile,
    DataMissing,
    checksum,
    data_path,
    data_root,
    find,
    reading,
    set_data_root,
    set_fetcher,
)
from lab.notation import Array, readonly

__all__ = [
    "DATA_FILES",
    "DEFAULT_ROOT",
    "DataFile",
    "DataMissing",
    "MiniLM",
    "SmolLM2",
    "checksum",
    "data_path",
    "data_root",
    "minilm",
    "reading",
    "set_data_root",
    "set_fetcher",
    "shakespeare",
    "smollm2",
    "whisper_positions",
]

Float32 = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class MiniLM:
    """Input tables of all-MiniLM-L6-v2 with a reduced vocabulary, D = 384."""

    tokens: tuple[str, ...]
    token_ids: NDArray[np.integer]
    """The ids that these tokens have in the full vocabulary, rising; shape (8944,)."""
    embeddings: Float32
    """Token rows, shape (8944, 384)."""
    positions: Float32
    """Learned position rows, shape (512, 384)."""
    segments: Float32
    """Segment rows, shape (2, 384)."""
    norm_weight: Float32
    norm_bias: Float32


@dataclass(frozen=True, eq=False)
class SmolLM2:
    """Layer 0 of SmolLM2-135M-Instruct for 1,500 tokens, quantised twice, D = 576."""

    tokens: tuple[str, ...]
    """A leading space is a real space."""
    token_ids: NDArray[np.integer]
    embeddings: Float32
    """Token rows, shape (1500, 576)."""
    Wq: Float32
    """Query matrix, shape (9 * 64, 576); rows of a head in interleaved pair order."""
    Wk: Float32
    """Key matrix, shape (3 * 64, 576); rows of a head in interleaved pair order."""
    attn_norm: Float32
    """Gain of the rms-norm before attention, shape (576,)."""
    n_heads: int = 9
    n_kv_heads: int = 3
    head_dim: int = 64
    rope_base: float = 1e5
    norm_eps: float = 1e-5
    full_vocabulary: int = 49_152
    """Tokens of the model itself: vocab_size in its config.json."""


def minilm() -> MiniLM:
    """Return MiniLM's tables, float32 and read-only.

    Raises
    ------
    DataMissing
        If the file is not there.

    Examples
    --------
    >>> minilm().embeddings.shape
    (8944, 384)
    """
    return _minilm(data_root())


def smollm2() -> SmolLM2:
    """Return SmolLM2's layer-0 pack, float32 and read-only.

    Raises
    ------
    DataMissing
        If the file is not there.

    Examples
    --------
    >>> smollm2().Wk.shape
    (192, 576)
    """
    return _smollm2(data_root())


def whisper_positions() -> Float32:
    """Return the learned positions of Whisper tiny.en's decoder, shape (448, 384), float32, read-only.

    Raises
    ------
    DataMissing
        If the file is not there.

    Examples
    --------
    >>> whisper_positions().shape
    (448, 384)
    """
    return _whisper(data_root())


def shakespeare() -> str:
    """Return seven plays as one text.

    Raises
    ------
    DataMissing
        If the file is not there.

    Examples
    --------
    >>> len(set(shakespeare()))
    66
    """
    return _shakespeare(data_root())


# The folder is the cache key: another root never shows what the former one held, and lru_cache does not
# remember an exception, so a file that arrives later is found.
@contextmanager
def _opened(key: str, root: Path) -> Iterator[NpzFile]:
    path = find(key, root)
    # NumPy leaves a file open that it cannot read
    with reading(path), path.open("rb") as file, np.load(file) as pack:
        yield pack


def _whole(key: str, path: Path) -> bytes:
    """The bytes of a text, which says nothing itself of a part that is missing."""
    content = path.read_bytes()
    if len(content) != DATA_FILES[key].bytes:
        raise ValueError(f"it has {len(content):,} bytes of {DATA_FILES[key].bytes:,}")
    return content


def _dequantise(rows: Array, scale: Array) -> Float32:
    """One scale for each row: (R, D), (R,) -> (R, D)."""
    return readonly(rows.astype(np.float32) * scale.astype(np.float32)[:, None])


def _single(array: Array) -> Float32:
    return readonly(array.astype(np.float32))


def _lines(array: Array) -> tuple[str, ...]:
    return tuple(array.tobytes().decode("utf-8").split("\n"))


@lru_cache(maxsize=1)
def _minilm(root: Path) -> MiniLM:
    with _opened("minilm", root) as pack:
        return MiniLM(
            tokens=_lines(pack["vocab"]),
            token_ids=readonly(pack["tok_id"].astype(np.intp)),
            embeddings=_dequantise(pack["tok_q"], pack["tok_scale"]),
            positions=_single(pack["pos"]),
            segments=_single(pack["typ"]),
            norm_weight=_single(pack["ln_w"]),
            norm_bias=_single(pack["ln_b"]),
        )


@lru_cache(maxsize=1)
def _smollm2(root: Path) -> SmolLM2:
    with _opened("smollm2", root) as pack:
        return SmolLM2(
            tokens=tuple(token.replace("Ġ", " ") for token in _lines(pack["vocab"])),
            token_ids=readonly(pack["tok_id"].astype(np.intp)),
            embeddings=_dequantise(pack["tok_q"], pack["tok_scale"]),
            Wq=_dequantise(pack["wq"], pack["wq_scale"]),
            Wk=_dequantise(pack["wk"], pack["wk_scale"]),
            attn_norm=_single(pack["attn_norm"]),
        )


@lru_cache(maxsize=1)
def _whisper(root: Path) -> Float32:
    with _opened("whisper", root) as pack:
        return _single(pack["pos"])


@lru_cache(maxsize=1)
def _shakespeare(root: Path) -> str:
    path = find("shakespeare", root)
    with reading(path):
        return _whole("shakespeare", path).decode("ascii")
