"""Files too large to be read whole, of which the first rows are: .npy, and word2vec's binary form."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Sequence

import numpy as np

from lab.notation import Array
from lab.own_table.arrays import megabytes, read_header
from lab.own_table.checkpoint import MAX_VALUES
from lab.own_table.made import Read
from lab.own_table.names import Names, read_names
from lab.own_table.parts import FileInfo, Reading, stretch
from lab.own_table.rows import MAX_ROWS
from lab.own_table.text import MAX_WIDTH

HEAD = 4096
"""Bytes in which a header ends."""
_BINARY = re.compile(rb"(\d{1,12}) (\d{1,6})\n")
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1f]")


def reading_first_rows(
    files: Sequence[FileInfo], which: int, names: bytes | None, limit: int
) -> Reading[Read]:
    """Read as many rows of a large .npy file as a limit of bytes allows.

    Raises
    ------
    ValueError
        If it is no matrix, or its columns stand one after the other instead of its rows.
    """
    file = files[which]
    head = yield from stretch(which, 0, min(HEAD, file.size))
    (V, D), fortran, dtype, start = _matrix(file, head)
    if fortran:
        raise ValueError(
            f"{file.name} has {megabytes(file.size)} and keeps column after column, so its first rows lie "
            "apart; save it anew with np.save(name, np.ascontiguousarray(E))"
        )
    size = D * dtype.itemsize
    count = min(V, limit // size, MAX_ROWS, MAX_VALUES // D)
    content = yield from stretch(which, start, count * size)
    rows = np.frombuffer(content, dtype).reshape(count, D)
    said = [
        f"The first {count:,} of {V:,} rows were read, {megabytes(count * size)} of {megabytes(file.size)}."
    ]
    if names is None:
        return Read(Names([], tuple(said)), rows)
    listed = read_names(names, V)
    return Read(Names(listed.tokens[:count], (*listed.said, *said)), rows)


def _matrix(file: FileInfo, head: bytes) -> tuple[tuple[int, int], bool, np.dtype[np.generic], int]:
    shape, fortran, dtype, start = read_header(file.name, io.BytesIO(head))
    if len(shape) != 2 or dtype.kind not in "iuf" or min(shape) < 1:
        raise ValueError(
            f"{file.name} holds {dtype} of shape {shape}; a table is a matrix of real numbers, (rows, "
            "numbers)"
        )
    if math.prod(shape) * dtype.itemsize != file.size - start:
        raise ValueError(
            f"{file.name} says it holds {math.prod(shape):,} values of {dtype.itemsize} bytes, but "
            f"{file.size - start:,} bytes follow; the file is cut off or damaged"
        )
    V, D = shape
    if D > MAX_WIDTH:
        raise ValueError(f"{file.name} has rows of {D:,} numbers; up to {MAX_WIDTH:,} can be read")
    return (V, D), fortran, dtype, start


def is_binary(head: bytes) -> bool:
    """Whether a file begins as word2vec's ``-binary 1`` writes it, and not as its text.

    >>> is_binary(b"2 1\\ncat \\x00\\x00\\x80?\\n"), is_binary(b"2 1\\ncat 1.0\\n")
    (True, False)
    """
    found = _BINARY.match(head)
    return bool(found and _CONTROLS.search(head, found.end()))


def reading_binary(files: Sequence[FileInfo], which: int, limit: int) -> Reading[Read]:
    """Read word2vec's binary form: after the header a token, a space and D float32 a row.

    Raises
    ------
    ValueError
        If the header announces no table, or a token has no end.

    References
    ----------
    Mikolov et al. 2013, word2vec's ``-binary 1`` output; some writers end each row with a line break.
    """
    file = files[which]
    size = min(file.size, limit)
    content = yield from stretch(which, 0, size)
    header = _BINARY.match(content)
    promised, D = (int(number) for number in header.groups()) if header else (0, 0)
    if header is None or not 1 <= D <= MAX_WIDTH:
        raise ValueError(f"{file.name} announces rows of {D:,} numbers; 1 to {MAX_WIDTH:,} can be read")
    tokens: list[str] = []
    starts: list[int] = []
    at = header.end()
    while len(tokens) < min(promised, MAX_ROWS, MAX_VALUES // D):
        end = content.find(b" ", at, at + 4096)
        if end < 0 and len(content) - at > 4096:
            raise ValueError(f"token {len(tokens):,} at byte {at:,} has no end; {file.name} is damaged")
        if end < 0 or end + 1 + 4 * D > len(content):
            break
        tokens.append(content[at:end].lstrip(b"\n").decode("utf-8", "backslashreplace"))
        starts.append(end + 1)
        at = end + 1 + 4 * D
    rows = _rows(content, starts, D)
    said = [f"word2vec’s binary form, {promised:,} rows announced."]
    if len(tokens) < promised:
        said.append(f"The first {len(tokens):,} rows were read, {megabytes(at)} of {megabytes(file.size)}.")
    return Read(Names(tokens, tuple(said)), rows)


def _rows(content: bytes, starts: Sequence[int], D: int) -> Array:
    rows = np.empty((len(starts), D), dtype=np.float32)
    for i, start in enumerate(starts):
        rows[i] = np.frombuffer(content, "<f4", D, start)
    return rows
