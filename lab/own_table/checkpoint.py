"""A model's checkpoint: of all its tensors the one with the token rows, and of that as many rows as fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from lab.notation import Array, readonly
from lab.own_table.arrays import megabytes
from lab.own_table.parts import LARGEST_PART, FileInfo, Part, Reading
from lab.own_table.quants import KINDS, decode, row_bytes
from lab.own_table.rows import MAX_ROWS
from lab.vocab.vocabulary import shorten

MAX_HEADER = 32_000_000
"""Bytes of a header; the largest published ones, with a vocabulary of 262,144 tokens, have 12 million."""
MAX_VALUES = 25_000_000
"""Numbers that are taken: 100 MB in float32."""
MAX_DIMENSIONS = 8
WIDEST = 32_768
MOST_TABLES = 24

TABLES = (
    "token_embd.weight",
    "embed_tokens.weight",
    "wte.weight",
    "word_embeddings.weight",
    "tok_embeddings.weight",
    "shared.weight",
    "embed_in.weight",
    "token_embedding.weight",
    "wte.embedding.weight",
    "lm_head.weight",
    "embed_out.weight",
    "output.weight",
)
"""How models name their token table, and last the one that turns vectors back into tokens."""


@dataclass(frozen=True)
class Tensor:
    """One array of a checkpoint, as its header describes it."""

    name: str
    shape: tuple[int, ...]
    """As NumPy writes it: rows first."""
    kind: str
    """A key of `KINDS`, or a type that cannot be read."""
    offset: int
    """Bytes from the start of the file."""

    @property
    def is_table(self) -> bool:
        """Whether it is a matrix of numbers that can be read."""
        return len(self.shape) == 2 and self.kind in KINDS


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """What a header says."""

    file: FileInfo
    form: str
    """``"safetensors"`` or ``"GGUF"``."""
    tensors: tuple[Tensor, ...]
    header: int
    """Bytes that were read for it."""
    names: Mapping[int, str] = field(default_factory=dict)
    """Its own list of tokens by their ids, if it has one."""
    said: tuple[str, ...] = ()

    def tables(self) -> tuple[Tensor, ...]:
        """The tensors that can be a token table, the likeliest first, at most `MOST_TABLES`.

        Raises
        ------
        ValueError
            If there is none; the message says what there is instead.

        Examples
        --------
        >>> wte = Tensor("transformer.wte.weight", (50257, 768), "F32", 0)
        >>> head = Tensor("lm_head.weight", (50257, 768), "F32", 154389504)
        >>> made = Checkpoint(FileInfo("model.safetensors", 308779008), "safetensors", (head, wte), 0)
        >>> [tensor.name for tensor in made.tables()]
        ['transformer.wte.weight', 'lm_head.weight']
        """
        known = [tensor for name in TABLES for tensor in self.tensors if _is_called(tensor, name)]
        known = list(dict.fromkeys(known))
        if found := [tensor for tensor in known if tensor.is_table]:
            return tuple(found[:MOST_TABLES])
        if known:
            raise ValueError(_unreadable(known[0]))
        matrices = [tensor for tensor in self.tensors if tensor.is_table]
        embeds = [tensor for tensor in matrices if "emb" in tensor.name.lower()]
        if found := embeds or (matrices if len(matrices) == 1 else []):
            return tuple(sorted(found, key=lambda tensor: -tensor.shape[0])[:MOST_TABLES])
        raise ValueError(self._none())

    def _none(self) -> str:
        some = ", ".join(shorten(tensor.name) for tensor in self.tensors[:4])
        return (
            f"{self.file.name} has {len(self.tensors):,} tensors ({some or 'none'} …), but no token table "
            "such as model.embed_tokens.weight; of a checkpoint in several files it is mostly in the first, "
            "and model.safetensors.index.json says in which"
        )


@dataclass(frozen=True, eq=False)
class Source:
    """A checkpoint that was opened, and what was taken of it."""

    which: int
    """Its place among the files."""
    checkpoint: Checkpoint
    names: Mapping[int, str]
    """Tokens by their ids, from its own list or from another file."""
    names_said: tuple[str, ...]
    limit: int
    """Bytes of rows that may be read at once."""
    tensor: str
    first: int
    count: int


def _is_called(tensor: Tensor, name: str) -> bool:
    return tensor.name == name or tensor.name.endswith("." + name)


def _unreadable(tensor: Tensor) -> str:
    if len(tensor.shape) != 2:
        return f"{tensor.name} has shape {tensor.shape}; a token table has two dimensions, rows and numbers"
    return (
        f"{tensor.name} is stored as {tensor.kind}, which cannot be read; choose a file of the same model "
        f"with one of {', '.join(KINDS)}"
    )


@dataclass(frozen=True, eq=False)
class Taken:
    """Rows of one tensor."""

    tensor: Tensor
    first: int
    rows: Array
    """Shape (rows, D), float32."""
    said: tuple[str, ...]


def reading_rows(
    which: int, checkpoint: Checkpoint, tensor: Tensor, first: int = 0, limit: int = 50_000_000
) -> Reading[Taken]:
    """Read rows of a tensor from the first asked one on, as many as the limits allow.

    Parameters
    ----------
    which : int
        The checkpoint's place among the files.
    checkpoint : Checkpoint
        Its header, as read.
    tensor : Tensor
        One of ``checkpoint.tables()``.
    first : int
        Row to begin with, from 0.
    limit : int
        Bytes.

    Raises
    ------
    ValueError
        If the tensor has no such row, is too wide, lies beyond the end of the file, or holds a number that is
        not finite.
    """
    V, D = tensor.shape
    if not 0 < D <= WIDEST or V < 2:
        raise ValueError(
            f"{tensor.name} has shape {tensor.shape}; a table of 2 rows or more, up to {WIDEST:,} wide, can "
            "be read"
        )
    if not 0 <= first <= V - 2:
        raise ValueError(
            f"row {first:,} is no row to begin with; {tensor.name} has {V:,}: choose 0 to {V - 2:,}"
        )
    size = row_bytes(tensor.kind, D)
    start = tensor.offset + first * size
    there = min(V - first, max(checkpoint.file.size - start, 0) // size)
    count = min(there, limit // size, MAX_VALUES // D, MAX_ROWS)
    if count < 2:
        raise ValueError(_too_short(checkpoint, tensor, start, there))
    rows = np.empty((count, D), dtype=np.float32)
    step = max(LARGEST_PART // size, 1)
    for at in range(0, count, step):
        some = min(step, count - at)
        content = yield Part(which, start + at * size, some * size, (count - at - some) * size)
        rows[at : at + some] = decode(tensor.kind, content, D)
        _check_finite(tensor, rows[at : at + some], first + at)
    return Taken(tensor, first, readonly(rows), tuple(_about(checkpoint, tensor, first, count, there)))


def _too_short(checkpoint: Checkpoint, tensor: Tensor, start: int, there: int) -> str:
    if there < 2:
        return (
            f"{tensor.name} begins at byte {start:,}, but {checkpoint.file.name} ends at byte "
            f"{checkpoint.file.size:,}: it was cut off; load it again"
        )
    return (
        f"two rows of {tensor.name} are more than can be read beside its names; choose it without "
        "tokenizer.json"
    )


def _check_finite(tensor: Tensor, rows: Array, first: int) -> None:
    bad = np.argwhere(~np.isfinite(rows))
    if len(bad):
        row, column = (int(i) for i in bad[0])
        raise ValueError(
            f"{tensor.name}, row {first + row:,}, column {column:,} (from 0) is {rows[row, column]}; the "
            "file is damaged, load it again"
        )


def _about(checkpoint: Checkpoint, tensor: Tensor, first: int, count: int, there: int) -> Sequence[str]:
    V, D = tensor.shape
    kind = KINDS[tensor.kind]
    tensors = f"{len(checkpoint.tensors):,} tensor{'s' * (len(checkpoint.tensors) != 1)}"
    said = [f"A {checkpoint.form} file with {tensors}; the rows are {tensor.name}, stored as {kind.name}."]
    if kind.quantised:
        said.append(
            f"They were quantised, {kind.bits:.3g} bits per number in blocks of {kind.values}, so the "
            "numbers here are rounded ones."
        )
    if first + there < V:
        said.append(f"The file is cut off: {first + there:,} of {V:,} rows are in it.")
    if count < V:
        said.append(
            f"Rows {first:,} to {first + count - 1:,} of {V:,} were read, "
            f"{megabytes(count * row_bytes(tensor.kind, D))} of {megabytes(checkpoint.file.size)}."
        )
    return said
