"""A reader's own table: which of her files is what, and the table that they give together.

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
from lab.own_table.decoding import decoded, lines_of
from lab.own_table.layout import bare_width
from lab.own_table.names import Names, numbered, read_names, unique
from lab.own_table.parts import FileInfo, Part, Reading, run
from lab.own_table.rows import MAX_ROWS
from lab.own_table.text import MAX_WIDTH, TextRows, read_text
from lab.vocab import Table, Vocabulary, Words

MAX_BYTES = 50_000_000
"""All that is read for one table; of a larger text the first so many bytes."""

ROWS = ("E", "embeddings", "vectors")
PLACES = ("P", "positions")
TOKENS = ("tokens", "words", "vocab")
"""Names by which an archive's arrays are known."""
ARRAYS = (".npy", ".npz")


class _Read(NamedTuple):
    """What the files hold, before it is checked as a whole."""

    names: Names
    """V of them, or none."""
    E: Array
    P: Array | None = None


def read_own_table(files: Mapping[str, bytes]) -> Table:
    """Read a table from the contents of one or two files.

    The forms are told apart by the names' endings. `.npy`: a matrix (V, D). `.npz`: an archive with a matrix
    called E, embeddings or vectors (or a single matrix of any name), and if there are any, position rows
    called P or positions and text called tokens, words or vocab. Any other ending is text, one row a line,
    as `read_text` describes it. Beside each may stand a list of names: text with one token a line, JSON, a
    tokenizer.json, or the projector's metadata.tsv. Rows without names are called by their numbers.

    Parameters
    ----------
    files : mapping of str to bytes
        File name to content.

    Returns
    -------
    Table
        E of shape (V, D), float32, read-only; its rows keep the order of the file. The note says what was
        taken for what, and what was left out.

    Raises
    ------
    ValueError
        If the files are too large, do not fit together, or hold something else than a table of finite
        numbers. The message names the place, the value and the way out.

    References
    ----------
    The .npy format: NumPy enhancement proposal 1.

    Examples
    --------
    >>> table = read_own_table({"two.txt": b"cat 0.9 0.7\\ndog 0.9 0.6\\n"})
    >>> table.vocabulary.tokens, table.E.shape
    (('cat', 'dog'), (2, 2))
    """
    contents = list(files.values())
    infos = [FileInfo(name, len(content)) for name, content in files.items()]
    return run(reading(infos), lambda part: contents[part.file][part.offset : part.offset + part.size])


def reading(files: Sequence[FileInfo]) -> Reading[Table]:
    """Read a table from files that are somewhere else; see `read_own_table`.

    Yields
    ------
    Part
        What is needed next; its bytes are to be sent.
    """
    if not files or not sum(file.size for file in files):
        raise ValueError("there is nothing in this file; choose a table of at least two rows")
    arrays = [i for i, file in enumerate(files) if ending(file.name) in ARRAYS]
    if len(arrays) > 1:
        named = " and ".join(files[i].name for i in arrays)
        raise ValueError(f"{named} are two tables; choose one, and a token list if it needs one")
    others = [i for i in range(len(files)) if i not in arrays]
    if len(others) > 2 - len(arrays):
        raise ValueError(f"{len(others)} text files were chosen; a table takes one, and a list of its names")
    if not arrays:
        return (yield from _reading_text(files))
    yield from ()
    listed = (yield from _whole(files, others[0])) if others else None
    content = yield from _whole(files, arrays[0])
    name = files[arrays[0]].name
    if ending(name) == ".npy":
        E = read_array(name, content)
        return _checked(name, _Read(_named(listed, E), E))
    return _checked(name, _read_archive(content, listed))


def _whole(files: Sequence[FileInfo], which: int) -> Reading[bytes]:
    size = sum(file.size for file in files)
    if size > MAX_BYTES:
        raise ValueError(
            f"{megabytes(size)} are too many: an array may come in up to {megabytes(MAX_BYTES)}; save fewer "
            "rows, or the same as .safetensors, of which only a part is read"
        )
    return (yield Part(which, 0, files[which].size))


def _reading_text(files: Sequence[FileInfo]) -> Reading[Table]:
    """A text with its rows, and perhaps a list of their names in another file."""
    contents, cuts = [], []
    for i, file in enumerate(files):
        size = min(file.size, MAX_BYTES // len(files))
        contents.append((yield Part(i, 0, size)))
        cuts.append("" if size == file.size else f"the first {megabytes(size)} of {megabytes(file.size)}")
        _check_text(file.name, contents[i])
    if len(files) == 1:
        read = read_text(contents[0], cut=cuts[0])
        return _checked(files[0].name, _of_text(read, None))
    table, names = _which(files, contents)
    read = read_text(contents[table], named=False, cut=cuts[table])
    return _checked(files[table].name, _of_text(read, contents[names]))


def _which(files: Sequence[FileInfo], contents: Sequence[bytes]) -> tuple[int, int]:
    """Of two texts the one with rows of numbers, and the one with their names."""
    widths = [bare_width(lines_of(decoded(content)[0])[1:]) for content in contents]
    if not any(widths):
        raise ValueError(
            f"{files[0].name} and {files[1].name} are two texts with words in them; choose a table that has "
            "its tokens in it alone, or a list of names with rows of numbers"
        )
    table = 0 if widths[0] >= widths[1] else 1
    return table, 1 - table


def _of_text(read: TextRows, listed: bytes | None) -> _Read:
    if listed is None:
        return _Read(Names(read.tokens, read.said), read.rows)
    names = read_names(listed, len(read.rows))
    return _Read(Names(names.tokens, (*read.said, *names.said)), read.rows)


def _check_text(name: str, content: bytes) -> None:
    for magic, form in ((b"PK\x03\x04", "a PyTorch file or another archive"), (b"\x80\x02", "a pickle")):
        if content.startswith(magic):
            raise ValueError(
                f"{name} is {form}, and unpickling could run anything; save its table as .safetensors, or "
                "with np.save"
            )


def _named(listed: bytes | None, E: Array) -> Names:
    return Names([]) if listed is None or E.ndim != 2 else read_names(listed, len(E))


def _read_archive(content: bytes, listed: bytes | None) -> _Read:
    arrays = read_archive(content)
    matrices = [name for name, array in arrays.items() if array.ndim == 2 and array.dtype.kind in "iuf"]
    named = [name for name in ROWS if name in arrays]
    choice = named[0] if named else matrices[0] if len(matrices) == 1 else ""
    if not choice:
        raise ValueError(
            f"the archive holds {', '.join(arrays) or 'nothing'}; call the matrix of token rows E, so that "
            "it is known"
        )
    E = arrays[choice]
    names = _named(listed, E)
    if listed is None and E.ndim == 2:
        names = next((_texts(name, arrays[name], len(E)) for name in TOKENS if name in arrays), names)
    return _Read(names, E, next((arrays[name] for name in PLACES if name in arrays), None))


def _texts(name: str, array: Array, V: int) -> Names:
    if array.dtype.kind == "U" and array.ndim == 1 and len(array) == V:
        return Names([str(token) for token in array])
    if array.dtype.kind == "U" and array.ndim == 1:
        raise ValueError(
            f"the table has {V:,} rows, but {name} has {len(array):,} tokens; each row needs one"
        )
    if array.dtype == np.uint8 and array.ndim == 1:
        return read_names(array.tobytes(), V)
    raise ValueError(
        f"{name} must be a list of text, or text as bytes (uint8) with one token a line; it is an array of "
        f"{array.dtype} of shape {array.shape}"
    )


def _checked(name: str, read: _Read) -> Table:
    said = list(read.names.said)
    E, tokens = read.E, read.names.tokens
    if E.ndim == 2 and len(E) > MAX_ROWS:
        said.append(f"The first {MAX_ROWS:,} of {len(E):,} rows were taken; more cannot be held.")
        E, tokens = E[:MAX_ROWS], tokens[:MAX_ROWS]
    E = finite("the table", E)
    V, D = E.shape
    if V < 2:
        raise ValueError(f"the table has {V} row; two are needed to compare")
    P = None if read.P is None else finite("the positions", read.P)
    if P is not None and P.shape[1] != D:
        raise ValueError(f"position rows are {P.shape[1]} wide and token rows {D}; both must have one width")
    if tokens:
        names = unique(tokens)
        said += names.said
    else:
        names = Names(numbered(V))
        said.append("No names came with it, so rows are called by their numbers; choose a list along.")
    return own_table(name, names.tokens, E, P, said)


def own_table(
    name: str, tokens: Sequence[str], E: FloatArray, P: FloatArray | None, said: Sequence[str]
) -> Table:
    """A table of a reader's, with what was said about its files."""
    V, D = E.shape
    vocabulary = Vocabulary(tokens)
    head = f"{V:,} rows of {D:,} number{'s' * (D != 1)}."
    return Table(
        name=PurePath(name).name,
        vocabulary=vocabulary,
        tokenizer=Words(vocabulary),
        E=E,
        P=P,
        position_origin=0,
        note=" ".join([head, *said]),
        example=" ".join(vocabulary.tokens[:3]),
    )


def finite(name: str, array: Array) -> FloatArray:
    """Rows as float32, checked.

    Raises
    ------
    ValueError
        If they are no matrix of finite numbers, or too many.
    """
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
            f"{name} must be finite in float32; row {row}, column {column} (from 0) is {array[row, column]}: "
            "correct it or leave the row out"
        )
    return readonly(np.ascontiguousarray(rows))


def ending(name: str) -> str:
    """The ending by which a file is known."""
    return PurePath(name).suffix.lower()
