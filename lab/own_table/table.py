"""A reader's own table: an array with its tokens, or word2vec text, read from bytes and checked.

Nothing here trusts a file: pickled objects are never loaded, an archive is not unpacked beyond a bound
whatever it claims, and a header's shape must agree with the bytes that follow it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import NamedTuple

import numpy as np

from lab.notation import Array, FloatArray, readonly
from lab.own_table.arrays import megabytes, read_archive, read_array
from lab.own_table.text import MAX_ROWS, MAX_WIDTH, read_text, read_tokens
from lab.vocab import Table, Vocabulary, Words

MAX_BYTES = 50_000_000
"""All files of one table together."""

ROWS = ("E", "embeddings", "vectors")
PLACES = ("P", "positions")
TOKENS = ("tokens", "words", "vocab")
"""Names by which an archive's arrays are known."""


class _Read(NamedTuple):
    """What the files hold, before it is checked as a whole."""

    tokens: Sequence[str]
    E: Array
    P: Array | None


def read_own_table(files: Mapping[str, bytes]) -> Table:
    """Read a table from the contents of one or two files.

    Three forms are known, told apart by the names' endings. `.npy`: a matrix (V, D), with a token list
    beside it. `.npz`: an archive with a matrix called E, embeddings or vectors (or a single matrix of any
    name), and if there are any, position rows called P or positions and text called tokens, words or vocab;
    tokens may come as a list beside it instead. Any other ending: word2vec or GloVe text, one row a line,
    the token first. A token list is text with one token a line, or JSON: a list, or tokens with their ids.

    Parameters
    ----------
    files : mapping of str to bytes
        File name to content.

    Returns
    -------
    Table
        E of shape (V, D), float32, read-only; its rows keep the order of the file.

    Raises
    ------
    ValueError
        If the files are too large, do not fit together, or hold something else than a table of finite
        numbers with one token a row, no token twice. The message names the place and the way out.

    References
    ----------
    The .npy format: NumPy enhancement proposal 1. The text format: Mikolov et al. 2013, word2vec's
    ``-binary 0`` output.

    Examples
    --------
    >>> table = read_own_table({"two.txt": b"cat 0.9 0.7\\ndog 0.9 0.6\\n"})
    >>> table.vocabulary.tokens, table.E.shape
    (('cat', 'dog'), (2, 2))
    """
    size = sum(len(content) for content in files.values())
    if not files or not size:
        raise ValueError("there is nothing in this file; choose a table of at least two rows")
    if size > MAX_BYTES:
        raise ValueError(f"{megabytes(size)} are too many: a table may come in up to {megabytes(MAX_BYTES)}")
    arrays = [name for name in files if _ending(name) in (".npy", ".npz")]
    if len(arrays) > 1:
        raise ValueError(
            f"{' and '.join(arrays)} are two tables; choose one, and a token list if it needs one"
        )
    others = [name for name in files if name not in arrays]
    if len(others) > 1:
        raise ValueError(f"{len(others)} text files were chosen; a table takes one")
    if not arrays:
        return _checked(others[0], _Read(*read_text(files[others[0]]), None))
    listed = read_tokens(files[others[0]]) if others else None
    content = files[arrays[0]]
    if _ending(arrays[0]) == ".npy":
        read = _Read(listed or (), read_array(arrays[0], content), None)
    else:
        read = _read_archive(content, listed)
    return _checked(arrays[0], read)


def _read_archive(content: bytes, listed: Sequence[str] | None) -> _Read:
    arrays = read_archive(content)
    matrices = [name for name, array in arrays.items() if array.ndim == 2 and array.dtype.kind in "iuf"]
    named = [name for name in ROWS if name in arrays]
    choice = named[0] if named else matrices[0] if len(matrices) == 1 else ""
    if not choice:
        raise ValueError(
            f"the archive holds {', '.join(arrays) or 'nothing'}; call the matrix of token rows E, so that "
            "it is known"
        )
    tokens = listed
    if tokens is None:
        tokens = next((_texts(name, arrays[name]) for name in TOKENS if name in arrays), ())
    return _Read(tokens, arrays[choice], next((arrays[name] for name in PLACES if name in arrays), None))


def _texts(name: str, array: Array) -> list[str]:
    if array.dtype.kind == "U" and array.ndim == 1:
        return [str(token) for token in array]
    if array.dtype == np.uint8 and array.ndim == 1:
        return read_tokens(array.tobytes())
    raise ValueError(
        f"{name} must be a list of text, or text as bytes (uint8) with one token a line; it is an array of "
        f"{array.dtype} of shape {array.shape}"
    )


def _checked(name: str, read: _Read) -> Table:
    E = _floats("the table", read.E)
    V, D = E.shape
    if V < 2:
        raise ValueError(f"the table has {V} row; two are needed to compare")
    if not len(read.tokens):
        raise ValueError(f"{V:,} rows need {V:,} tokens; choose the token list together with the array")
    if len(read.tokens) != V:
        raise ValueError(
            f"the table has {V:,} rows, but there are {len(read.tokens):,} tokens; each row needs one"
        )
    vocabulary = Vocabulary(read.tokens)
    P = None if read.P is None else _floats("the positions", read.P)
    if P is not None and P.shape[1] != D:
        raise ValueError(f"position rows are {P.shape[1]} wide and token rows {D}; both must have one width")
    return Table(
        name=PurePath(name).name,
        vocabulary=vocabulary,
        tokenizer=Words(vocabulary),
        E=E,
        P=P,
        position_origin=0,
        note=f"Your own table, {V:,} rows of {D:,} numbers. No address carries it.",
        example=" ".join(vocabulary.tokens[:3]),
    )


def _floats(name: str, array: Array) -> FloatArray:
    if array.ndim != 2:
        raise ValueError(f"{name} must be a matrix of rows; its shape is {array.shape}")
    if array.dtype.kind not in "iuf":
        raise ValueError(f"{name} must hold real numbers; its dtype is {array.dtype}, save it as float32")
    V, D = array.shape
    if not D or D > MAX_WIDTH or V > MAX_ROWS:
        raise ValueError(
            f"{name} has shape {array.shape}; up to {MAX_ROWS:,} rows can be read, of up to {MAX_WIDTH:,} "
            "numbers"
        )
    with np.errstate(over="ignore"):
        rows = array.astype(np.float32)
    bad = ~np.isfinite(rows)
    if bad.any():
        row, column = (int(i) for i in np.argwhere(bad)[0])
        raise ValueError(
            f"{name} must be finite in float32; row {row}, column {column} (from 0) is {array[row, column]}"
        )
    return readonly(np.ascontiguousarray(rows))


def _ending(name: str) -> str:
    return PurePath(name).suffix.lower()
