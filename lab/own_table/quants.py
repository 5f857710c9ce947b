"""Numbers as checkpoints store them: floats of 16 to 64 bits, and GGUF's quantised blocks.

A quantised table keeps 32 or 256 numbers in a block: few bits for each, and one or two scales (and in some
types a minimum) for all or for each 16 or 32 of them. The types and their layouts are specified by ggml
(``ggml-common.h``, the structures ``block_q4_0`` to ``block_q6_K``; ``docs/gguf.md`` numbers them).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lab.notation import Array

Decode = Callable[[Array], Array]
"""Blocks (n, bytes), uint8 -> numbers (n, values), float32."""


@dataclass(frozen=True)
class Kind:
    """A way to store numbers."""

    name: str
    """As it is said."""
    values: int
    """Numbers in a block."""
    bytes: int
    """Bytes of a block."""
    decode: Decode

    @property
    def quantised(self) -> bool:
        """Whether numbers share a scale."""
        return self.values > 1

    @property
    def bits(self) -> float:
        """Bits for each number, its share of the scales included."""
        return 8 * self.bytes / self.values


def decode(kind: str, content: bytes, width: int) -> Array:
    """Return rows of numbers from their bytes.

    Parameters
    ----------
    kind : str
        A key of `KINDS`.
    content : bytes
        Whole rows.
    width : int
        Numbers in a row, D.

    Returns
    -------
    ndarray
        Shape (rows, D), float32.

    Raises
    ------
    ValueError
        If a row is no whole number of blocks, or the bytes no whole number of rows.

    Examples
    --------
    >>> decode("BF16", bytes([0x80, 0x3F, 0x00, 0xC0]), 2).tolist()
    [[1.0, -2.0]]
    """
    size = row_bytes(kind, width)
    if not size or len(content) % size:
        raise ValueError(
            f"{len(content):,} bytes are no whole number of rows of {size:,}; the file is damaged"
        )
    blocks = np.frombuffer(content, np.uint8).reshape(-1, KINDS[kind].bytes)
    with np.errstate(invalid="ignore", over="ignore"):  # what is not finite is refused by whoever asked
        return KINDS[kind].decode(blocks).reshape(-1, width)


def row_bytes(kind: str, width: int) -> int:
    """Bytes of a row of so many numbers.

    Raises
    ------
    ValueError
        If they are no whole number of blocks.

    Examples
    --------
    >>> row_bytes("Q8_0", 64), row_bytes("F16", 3)
    (68, 6)
    """
    blocks, rest = divmod(width, KINDS[kind].values)
    if rest:
        raise ValueError(
            f"a row of {width:,} numbers is no whole number of {kind} blocks of {KINDS[kind].values}; the "
            "file is damaged"
        )
    return blocks * KINDS[kind].bytes


def _floats(dtype: str) -> Decode:
    return lambda blocks: blocks.view(dtype).astype(np.float32)


def _bfloat16(blocks: Array) -> Array:
    """The upper half of a float32."""
    wide: Array = (blocks.view("<u2").astype(np.uint32) << 16).view(np.float32)
    return wide


def _half(blocks: Array, at: int) -> Array:
    """A float16 of each block, (n, 1)."""
    half: Array = np.ascontiguousarray(blocks[:, at : at + 2]).view("<f2").astype(np.float32)
    return half


def _nibbles(blocks: Array) -> Array:
    """The low halves of 16 bytes, then the high ones, (n, 32)."""
    return np.concatenate([blocks & 15, blocks >> 4], axis=1)


def _fifth_bits(blocks: Array) -> Array:
    """32 bits, the lowest first, as 0 or 16, (n, 32)."""
    return np.unpackbits(np.ascontiguousarray(blocks), axis=1, bitorder="little") << 4


def _q4_0(blocks: Array) -> Array:
    return _half(blocks, 0) * (_nibbles(blocks[:, 2:]).astype(np.float32) - 8)


def _q4_1(blocks: Array) -> Array:
    return _half(blocks, 0) * _nibbles(blocks[:, 4:]).astype(np.float32) + _half(blocks, 2)


def _q5_0(blocks: Array) -> Array:
    five = _nibbles(blocks[:, 6:]) | _fifth_bits(blocks[:, 2:6])
    return _half(blocks, 0) * (five.astype(np.float32) - 16)


def _q5_1(blocks: Array) -> Array:
    five = _nibbles(blocks[:, 8:]) | _fifth_bits(blocks[:, 4:8])
    return _half(blocks, 0) * five.astype(np.float32) + _half(blocks, 2)


def _q8_0(blocks: Array) -> Array:
    return _half(blocks, 0) * np.ascontiguousarray(blocks[:, 2:]).view(np.int8).astype(np.float32)


def _pairs_of_bits(blocks: Array) -> Array:
    """Each 32 bytes hold 128 numbers of two bits: the lowest two of each byte first, (n, 256)."""
    halves = blocks.reshape(-1, 2, 1, 32)
    shifts = np.array([0, 2, 4, 6], dtype=np.uint8).reshape(1, 1, 4, 1)
    return ((halves >> shifts) & 3).reshape(-1, 256)


def _scaled(scale: Array, values: Array) -> Array:
    """Values (n, 256) times the scales (n, s) of the s equal parts of each block."""
    n, parts = scale.shape
    product: Array = (scale[:, :, None] * values.reshape(n, parts, -1).astype(np.float32)).reshape(n, 256)
    return product


def _less(values: Array, minimum: Array) -> Array:
    n, parts = minimum.shape
    less: Array = (values.reshape(n, parts, -1) - minimum[:, :, None]).reshape(n, 256)
    return less


def _q2_k(blocks: Array) -> Array:
    scales = blocks[:, :16]
    values = _scaled(_half(blocks, 80) * (scales & 15).astype(np.float32), _pairs_of_bits(blocks[:, 16:80]))
    return _less(values, _half(blocks, 82) * (scales >> 4).astype(np.float32))


def _q3_k(blocks: Array) -> Array:
    # bit j of the first 32 bytes belongs to the j-th 32 numbers; where it is 0, 4 is taken away
    bits = np.arange(8, dtype=np.uint8).reshape(1, 8, 1)
    high = ((blocks[:, None, :32] >> bits) & 1).reshape(-1, 256)
    values = _pairs_of_bits(blocks[:, 32:96]).astype(np.int8) - 4 * (1 - high.astype(np.int8))
    packed = blocks[:, 96:108]
    low = np.concatenate([packed[:, :8] & 15, packed[:, :8] >> 4], axis=1)  # (n, 16)
    shifts = np.array([0, 2, 4, 6], dtype=np.uint8).reshape(1, 4, 1)
    top = ((packed[:, None, 8:] >> shifts) & 3).reshape(-1, 16)
    scale = (low | top << 4).astype(np.int8) - 32
    return _scaled(_half(blocks, 108) * scale.astype(np.float32), values)


def _six_bits(packed: Array) -> tuple[Array, Array]:
    """Eight scales and eight minima of six bits each from 12 bytes, (n, 8) each."""
    first, second, third = packed[:, :4], packed[:, 4:8], packed[:, 8:]
    scale = np.concatenate([first & 63, (third & 15) | (first >> 6) << 4], axis=1)
    minimum = np.concatenate([second & 63, third >> 4 | (second >> 6) << 4], axis=1)
    return scale.astype(np.float32), minimum.astype(np.float32)


def _halves(packed: Array) -> Array:
    """Each 32 bytes hold 64 numbers of four bits: the low halves first, (n, 256)."""
    quarters = packed.reshape(-1, 4, 1, 32)
    return np.concatenate([quarters & 15, quarters >> 4], axis=2).reshape(-1, 256)


def _q4_k(blocks: Array) -> Array:
    scale, minimum = _six_bits(blocks[:, 4:16])
    values = _scaled(_half(blocks, 0) * scale, _halves(blocks[:, 16:]))
    return _less(values, _half(blocks, 2) * minimum)


def _q5_k(blocks: Array) -> Array:
    scale, minimum = _six_bits(blocks[:, 4:16])
    bits = np.arange(8, dtype=np.uint8).reshape(1, 8, 1)
    fifth = ((blocks[:, None, 16:48] >> bits) & 1).reshape(-1, 256) << 4
    values = _scaled(_half(blocks, 0) * scale, _halves(blocks[:, 48:]) | fifth)
    return _less(values, _half(blocks, 2) * minimum)


def _q6_k(blocks: Array) -> Array:
    # of each 64 bytes the low halves are 64 numbers, the high halves the next 64
    low = blocks[:, :128].reshape(-1, 2, 1, 64)
    four = np.concatenate([low & 15, low >> 4], axis=2).reshape(-1, 256)
    six = four | _pairs_of_bits(blocks[:, 128:192]) << 4
    scale = np.ascontiguousarray(blocks[:, 192:208]).view(np.int8).astype(np.float32)
    return _scaled(_half(blocks, 208) * scale, six.astype(np.int8) - 32)


KINDS = {
    "F64": Kind("float64", 1, 8, _floats("<f8")),
    "F32": Kind("float32", 1, 4, _floats("<f4")),
    "F16": Kind("float16", 1, 2, _floats("<f2")),
    "BF16": Kind("bfloat16", 1, 2, _bfloat16),
    "Q4_0": Kind("Q4_0", 32, 18, _q4_0),
    "Q4_1": Kind("Q4_1", 32, 20, _q4_1),
    "Q5_0": Kind("Q5_0", 32, 22, _q5_0),
    "Q5_1": Kind("Q5_1", 32, 24, _q5_1),
    "Q8_0": Kind("Q8_0", 32, 34, _q8_0),
    "Q2_K": Kind("Q2_K", 256, 84, _q2_k),
    "Q3_K": Kind("Q3_K", 256, 110, _q3_k),
    "Q4_K": Kind("Q4_K", 256, 144, _q4_k),
    "Q5_K": Kind("Q5_K", 256, 176, _q5_k),
    "Q6_K": Kind("Q6_K", 256, 210, _q6_k),
}
"""The types that can be read, by the names that safetensors and GGUF give them."""
