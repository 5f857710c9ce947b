"""The header of a .safetensors file.

The format (safetensors' README, "Format"): eight bytes with the header's length N, little endian; N bytes of
JSON that begin with ``{``, from each tensor's name to its ``dtype``, ``shape`` and ``data_offsets`` [begin,
end), counted from the end of the header; then the numbers, row after row, little endian. ``__metadata__``
holds text.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from lab.own_table.checkpoint import MAX_DIMENSIONS, MAX_HEADER, Checkpoint, Tensor
from lab.own_table.parts import FileInfo, Reading, stretch
from lab.own_table.quants import KINDS
from lab.vocab.vocabulary import shorten

_SIZES = {name: KINDS[name].bytes for name in ("F64", "F32", "F16", "BF16")} | {
    "I64": 8, "U64": 8, "I32": 4, "U32": 4, "I16": 2, "U16": 2, "I8": 1, "U8": 1, "BOOL": 1,
    "F8_E4M3": 1, "F8_E5M2": 1, "F8_E8M0": 1, "C64": 8,
}  # fmt: skip


def reading_safetensors(which: int, file: FileInfo) -> Reading[Checkpoint]:
    """Read what a .safetensors file says about its tensors.

    Raises
    ------
    ValueError
        If the header is none; nothing is believed of it that its own bytes do not bear out.
    """
    if file.size < 10:
        raise ValueError(
            f"{file.name} has {file.size:,} bytes, fewer than a header; it was cut off, load it again"
        )
    size = int.from_bytes((yield from stretch(which, 0, 8)), "little")
    if not 2 <= size <= min(MAX_HEADER, file.size - 8):
        raise ValueError(
            f"{file.name} says that its header has {size:,} bytes; up to {min(MAX_HEADER, file.size - 8):,} "
            "can be read, so it is no .safetensors file or was cut off"
        )
    content = yield from stretch(which, 8, size)
    try:
        header = json.loads(content.decode("utf-8"), object_pairs_hook=_no_name_twice)
    except (ValueError, RecursionError) as reason:
        raise ValueError(
            f"the header of {file.name} is no JSON: {str(reason)[:80]}; load it again"
        ) from reason
    if not isinstance(header, dict):
        raise ValueError(f"the header of {file.name} is no list of tensors; load it again")
    header.pop("__metadata__", None)
    tensors = tuple(_tensor(name, described, 8 + size) for name, described in header.items())
    return Checkpoint(file, "safetensors", tensors, 8 + size)


def _no_name_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("it has a name twice")
    return found


def _tensor(name: str, described: Any, data: int) -> Tensor:
    said = shorten(name)
    if not isinstance(described, dict):
        raise ValueError(
            f"the header describes tensor {said} by {shorten(repr(described))}; load the file again"
        )
    kind, shape, place = (
        described.get("dtype"),
        _counts(described, "shape"),
        _counts(described, "data_offsets"),
    )
    if not isinstance(kind, str) or shape is None or place is None:
        raise ValueError(
            f"tensor {said} needs a dtype, a shape and data_offsets in the header; load the file again"
        )
    if len(shape) > MAX_DIMENSIONS or len(place) != 2 or place[0] > place[1]:
        raise ValueError(
            f"tensor {said} has {len(shape)} dimensions from byte {place[0] if place else 'none'}; the "
            "header is damaged, load the file again"
        )
    if kind in _SIZES and math.prod(shape) * _SIZES[kind] != place[1] - place[0]:
        raise ValueError(
            f"tensor {said} of shape {tuple(shape)} in {kind} cannot have {place[1] - place[0]:,} bytes; "
            "the header is damaged, load the file again"
        )
    return Tensor(name, tuple(shape), kind, data + place[0])


def _counts(described: Mapping[str, Any], key: str) -> list[int] | None:
    values = described.get(key)
    good = isinstance(values, list) and all(type(value) is int and 0 <= value < 2**63 for value in values)
    return values if good else None
