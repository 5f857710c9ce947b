"""The header of a GGUF file, with its own list of tokens.

The format (ggml's ``docs/gguf.md``), all little endian: ``GGUF``; the version, 4 bytes; the number of tensors
and of settings, 8 bytes each; the settings, each a key, the type of its value in 4 bytes and the value; the
tensors, each a name, its number of dimensions in 4 bytes, the dimensions in 8 bytes each with the width
first, its type in 4 bytes and its offset in 8; then, at the next multiple of ``general.alignment``, the
numbers. A text is its length in 8 bytes and UTF-8; an array is the type of its items in 4 bytes, their number
in 8, and the items.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

from lab.own_table.checkpoint import MAX_DIMENSIONS, Checkpoint, Tensor
from lab.own_table.cursor import Cursor
from lab.own_table.parts import FileInfo, Reading
from lab.own_table.tokenizer import BYTE_LEVEL, METASPACE, PLAIN, readable
from lab.vocab.vocabulary import shorten

MAX_COUNT = 100_000
"""Tensors, and settings; the largest published files have some thousands."""
TEXT, ARRAY = 8, 9
_SCALARS = {
    0: "<B",
    1: "<b",
    2: "<H",
    3: "<h",
    4: "<I",
    5: "<i",
    6: "<f",
    7: "<?",
    10: "<Q",
    11: "<q",
    12: "<d",
}
_KINDS = {
    0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 6: "Q5_0", 7: "Q5_1", 8: "Q8_0", 9: "Q8_1",
    10: "Q2_K", 11: "Q3_K", 12: "Q4_K", 13: "Q5_K", 14: "Q6_K", 15: "Q8_K",
    16: "IQ2_XXS", 17: "IQ2_XS", 18: "IQ3_XXS", 19: "IQ1_S", 20: "IQ4_NL", 21: "IQ3_S", 22: "IQ2_S",
    23: "IQ4_XS", 24: "I8", 25: "I16", 26: "I32", 27: "I64", 28: "F64", 29: "IQ1_M", 30: "BF16",
    34: "TQ1_0", 35: "TQ2_0", 39: "MXFP4",
}  # fmt: skip
_WANTED = ("general.alignment", "tokenizer.ggml.model", "tokenizer.ggml.tokens", "tokenizer.ggml.token_type")
_NORMAL, _CONTROL, _USER = 1, 3, 4


def reading_gguf(which: int, file: FileInfo) -> Reading[Checkpoint]:
    """Read what a GGUF file says about its tensors, and the names of its tokens.

    Raises
    ------
    ValueError
        If the header is none, or counts or lengths go beyond it: they are checked before anything is taken.
    """
    cursor = Cursor(which, file)
    magic, version, tensors, settings = yield from cursor.fields("<4sIQQ")
    if magic != b"GGUF" or version not in (2, 3):
        known = "a GGUF file of version 2 or 3, little endian"
        raise ValueError(f"{file.name} begins with {magic!r} and version {version:,}; it is not {known}")
    if tensors > MAX_COUNT or settings > MAX_COUNT:
        raise ValueError(
            f"{file.name} announces {tensors:,} tensors and {settings:,} settings; up to {MAX_COUNT:,} can "
            "be read, so it is damaged"
        )
    found: dict[str, Any] = {}
    for _ in range(settings):
        key = yield from cursor.text()
        (kind,) = yield from cursor.fields("<I")
        value = yield from _value(cursor, kind, key in _WANTED, key)
        if key in _WANTED:
            found[key] = value
    alignment = found.get("general.alignment", 32)
    if type(alignment) is not int or not 1 <= alignment <= 1 << 20:
        raise ValueError(f"{file.name} has general.alignment {alignment!r:.20}; 1 to 1,048,576 is possible")
    described = []
    for _ in range(tensors):
        described.append((yield from _described(cursor)))
    data = -(-cursor.place // alignment) * alignment
    made = tuple(Tensor(name, shape, kind, data + offset) for name, shape, kind, offset in described)
    return Checkpoint(file, "GGUF", made, cursor.read, _names(found))


def _described(cursor: Cursor) -> Reading[tuple[str, tuple[int, ...], str, int]]:
    name = yield from cursor.text()
    (dimensions,) = yield from cursor.fields("<I")
    if dimensions > MAX_DIMENSIONS:
        raise ValueError(f"tensor {shorten(name)} has {dimensions:,} dimensions; the header is damaged")
    shape = yield from cursor.fields(f"<{dimensions}Q")
    kind, offset = yield from cursor.fields("<IQ")
    return name, tuple(shape[::-1]), _KINDS.get(kind, f"type {kind}"), offset


def _value(cursor: Cursor, kind: int, wanted: bool, key: str, depth: int = 3) -> Reading[Any]:
    if kind in _SCALARS:
        (value,) = yield from cursor.fields(_SCALARS[kind])
        return value
    if kind == TEXT:
        return (yield from cursor.text())
    if kind != ARRAY or not depth:
        raise ValueError(
            f"the value of {shorten(key)} has type {kind:,}, which GGUF does not know; the header is damaged"
        )
    inner, count = yield from cursor.fields("<IQ")
    if inner == TEXT:
        return (yield from cursor.texts(count, wanted))
    if inner in _SCALARS:
        size = struct.calcsize(_SCALARS[inner])
        if not wanted:
            return cursor.skip(count * size)
        return struct.unpack(f"<{count}{_SCALARS[inner][1]}", (yield from cursor.take(count * size)))
    cursor.check(count * 12)
    for _ in range(count):
        yield from _value(cursor, inner, False, key, depth - 1)
    return None


def _names(found: Mapping[str, Any]) -> dict[int, str]:
    """Its tokens by their ids, readable."""
    tokens, types = found.get("tokenizer.ggml.tokens"), found.get("tokenizer.ggml.token_type")
    if not isinstance(tokens, list):
        return {}
    model = found.get("tokenizer.ggml.model")
    spelling = {"gpt2": BYTE_LEVEL, "bert": "bert", "rwkv": PLAIN}.get(str(model), METASPACE)
    kinds = types if isinstance(types, tuple) and len(types) == len(tokens) else (_NORMAL,) * len(tokens)
    return {
        i: _name(token.decode("utf-8", "backslashreplace"), kind, spelling)
        for i, (token, kind) in enumerate(zip(tokens, kinds, strict=True))
    }


def _name(token: str, kind: int, spelling: str) -> str:
    if kind == _CONTROL or (kind == _USER and spelling == BYTE_LEVEL):
        return token
    if spelling != "bert":
        return readable(token, spelling)
    # GGUF marks the beginning of a word, WordPiece what follows in it
    if token.startswith("▁"):
        return token[1:]
    return token if token.startswith("[") and token.endswith("]") else f"##{token}"
