"""Checkpoints for tests: headers written by hand, and files of five gigabytes that take no disk."""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path
from typing import Any

import numpy as np

GIGABYTES = 5_000_000_000
WORDS = [" cat", " dog", " car", *(f" word{i}" for i in range(3000))]
"""The tokens of a sparse file, in GPT-2's spelling once they are written."""
WIDTH = 64


def safetensors(header: Any, data: bytes = b"") -> bytes:
    """The file of a header, given as JSON or as bytes."""
    written = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(written).to_bytes(8, "little") + written + data


def described(shape: list[Any], dtype: str = "F32", begin: Any = 0, end: Any = None) -> dict[str, Any]:
    """A tensor as the header of safetensors describes it, of four bytes a number unless ``end`` is given."""
    end = begin + int(np.prod(shape)) * 4 if end is None else end
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def text(value: str | bytes) -> bytes:
    """A text as GGUF writes it."""
    content = value.encode() if isinstance(value, str) else value
    return struct.pack("<Q", len(content)) + content


def texts(values: list[str]) -> bytes:
    """The value of a GGUF setting that is a list of texts."""
    return struct.pack("<IIQ", 9, 8, len(values)) + b"".join(map(text, values))


def gguf(
    settings: dict[str, bytes] | None = None,
    tensors: list[tuple[str, tuple[int, ...], int, int]] | None = None,
    version: int = 3,
    counts: tuple[int, int] | None = None,
) -> bytes:
    """A header, tensors as (name, dimensions with the width first, type, offset), filled up to 32 bytes."""
    settings, tensors = settings or {}, tensors or []
    head = struct.pack("<4sIQQ", b"GGUF", version, *(counts or (len(tensors), len(settings))))
    head += b"".join(text(key) + value for key, value in settings.items())
    for name, shape, kind, offset in tensors:
        head += text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, offset)
    return head + bytes(-len(head) % 32)


def sparse_table() -> np.ndarray:
    """Whole numbers (3003, 64) from -127 to 127; between the first two rows the cosine is 60 / 100."""
    table = np.random.default_rng(0).integers(-127, 128, (len(WORDS), WIDTH))
    table[:3] = 0
    table[0, 0], table[1, :2], table[2, 2] = 100, (60, 80), 100
    return table


def write_sparse(folder: Path, form: str) -> list[Path]:
    """Write a checkpoint of 5 GB whose token table lies behind 4 GB of nothing, and its tokenizer.

    Parameters
    ----------
    folder : Path
        Where to.
    form : str
        ``"safetensors"``, in float16, or ``"gguf"``, in Q8_0 with its own list of tokens.
    """
    table, begin = sparse_table(), 4_000_000_000
    V, D = table.shape
    spelt = [word.replace(" ", "Ġ") for word in WORDS]
    path = folder / f"model.{form}"
    more = []
    if form == "safetensors":
        header = {
            "model.layers.0.weight": described([1_000_000_000]),
            "model.embed_tokens.weight": described([V, D], "F16", begin, begin + 2 * V * D),
        }
        head, rows = safetensors(header), table.astype("<f2").tobytes()
        tokenizer = {
            "model": {"type": "BPE", "vocab": {token: i for i, token in enumerate(spelt)}},
            "decoder": {"type": "ByteLevel"},
        }
        more = [folder / "tokenizer.json"]
        more[0].write_text(json.dumps(tokenizer), encoding="utf-8")
    else:
        settings = {
            "tokenizer.ggml.model": struct.pack("<I", 8) + text("gpt2"),
            "tokenizer.ggml.tokens": texts(spelt),
            "tokenizer.ggml.merges": texts([f"a {i}" for i in range(100_000)]),
        }
        head = gguf(settings, [("blk.0.weight", (10**9,), 0, 0), ("token_embd.weight", (D, V), 8, begin)])
        blocks = np.zeros((V * D // 32, 34), dtype=np.uint8)
        blocks[:, :2] = np.frombuffer(np.float16(0.5).tobytes(), np.uint8)
        blocks[:, 2:] = table.astype(np.int8).view(np.uint8).reshape(-1, 32)
        rows = blocks.tobytes()
    with path.open("wb") as file:
        file.write(head)
        os.truncate(file.fileno(), GIGABYTES)
        file.seek(len(head) + begin)
        file.write(rows)
    return [path, *more]
