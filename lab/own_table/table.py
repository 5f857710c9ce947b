"""A reader's own table: which of her files is what, and the table that they give together.

Nothing here trusts a file: pickled objects are never loaded, an archive is not unpacked beyond a bound
whatever it claims, and a header's shape must agree with the bytes that follow it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from os import PathLike
from pathlib import Path, PurePath

import numpy as np

from lab.notation import Array
from lab.own_table.arrays import megabytes, read_archive, read_array
from lab.own_table.decoding import decoded, lines_of
from lab.own_table.large import HEAD, is_binary, reading_binary, reading_first_rows
from lab.own_table.layout import bare_width
from lab.own_table.made import OwnTable, Read, checked
from lab.own_table.model import reading_again, reading_checkpoint
from lab.own_table.names import Names, read_names
from lab.own_table.parts import FileInfo, Part, Reading, run, stretch
from lab.own_table.text import TextRows, reading_text
from lab.vocab import Table

MAX_BYTES = 50_000_000
"""All that is read for one table; of a larger text the first so many bytes."""

ROWS = ("E", "embeddings", "vectors")
PLACES = ("P", "positions")
TOKENS = ("tokens", "words", "vocab")
"""Names by which an archive's arrays are known."""
ARRAYS = (".npy", ".npz")
SAFETENSORS, GGUF, BINARY, TEXT = ".safetensors", ".gguf", "binary", "text"
TEXTS = (".txt", ".vec", ".tsv", ".csv", ".json", ".vocab")
MAGIC = b"GGUF"


def read_own_table(files: Mapping[str, bytes]) -> Table:
    """Read a table from the contents of one or two files.

    The forms are told apart by the names' endings. `.safetensors` and `.gguf`: a model's checkpoint, of which
    the header, the token table and the names are read, whatever its size. `.npy`: a matrix (V, D). `.npz`: an
    archive with a matrix called E, embeddings or vectors (or a single matrix of any name), and if there are
    any, position rows called P or positions and text called tokens, words or vocab. Any other ending is
    word2vec's binary form, or text, one row a line, as `read_text` describes it. Beside each may stand a list
    of names: text with one token a line, JSON, a tokenizer.json, or the projector's metadata.tsv. Rows
    without names are called by their numbers.

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
    return run(reading(infos), lambda part: contents[part.file][part.offset : part.offset + part.size]).table


def open_table(*paths: str | PathLike[str], tensor: str = "", first: int = 0) -> Table:
    """Read a table from files on the disk, of a large one only the parts that are needed.

    Parameters
    ----------
    *paths : path-like
        The table, and a list of its names if it needs one.
    tensor : str, optional
        Of a checkpoint another table than the likeliest.
    first : int
        Of a checkpoint the row to begin with.

    Raises
    ------
    ValueError
        As `read_own_table`, or if other rows are asked for of a file that is no checkpoint.
    OSError
        If a file is not there.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile(suffix=".txt") as file:
    ...     _ = file.write(b"cat 0.9 0.7\\ndog 0.9 0.6\\n")
    ...     _ = file.seek(0)
    ...     open_table(file.name).vocabulary.tokens
    ('cat', 'dog')
    """
    with ExitStack() as stack:
        opened = [stack.enter_context(open(path, "rb")) for path in paths]

        def read(part: Part) -> bytes:
            opened[part.file].seek(part.offset)
            return opened[part.file].read(part.size)

        infos = [FileInfo(str(path), Path(path).stat().st_size) for path in paths]
        found = run(reading(infos), read)
        if not tensor and not first:
            return found.table
        if found.source is None:
            raise ValueError(f"{infos[0].name} is no checkpoint: leave tensor and first out")
        return run(reading_again(found.source, tensor or found.source.tensor, first), read).table


def reading(files: Sequence[FileInfo]) -> Reading[OwnTable]:
    """Read a table from files that are somewhere else; see `read_own_table`.

    Yields
    ------
    Part
        What is needed next, at most `LARGEST_PART` bytes; they are to be sent.
    """
    if not files or not sum(file.size for file in files):
        raise ValueError("there is nothing in this file; choose a table of at least two rows")
    forms: list[str] = []
    for i in range(len(files)):
        forms.append((yield from _form(files, i)))
    tables = [i for i, form in enumerate(forms) if form != TEXT]
    others = [i for i, form in enumerate(forms) if form == TEXT]
    if len(tables) > 1:
        named = " and ".join(files[i].name for i in tables[:3])
        raise ValueError(
            f"{named} are {len(tables)} tables; choose one, and a list of its names if it needs one"
        )
    if len(others) > 2 - len(tables):
        raise ValueError(f"{len(others)} text files were chosen; a table takes one, and a list of its names")
    if not tables:
        return OwnTable((yield from _reading_text(files)))
    which, listed = tables[0], others[0] if others else None
    if forms[which] in (SAFETENSORS, GGUF):
        gguf = forms[which] == GGUF
        return (yield from reading_checkpoint(files, which, gguf, listed, MAX_BYTES))
    if forms[which] == BINARY:
        return OwnTable(checked(files[which].name, (yield from reading_binary(files, which, MAX_BYTES))))
    return OwnTable((yield from _reading_arrays(files, which, listed)))


def _form(files: Sequence[FileInfo], which: int) -> Reading[str]:
    """What kind of file it is: by its name, or where that says nothing by its first bytes."""
    file = files[which]
    known = ending(file.name)
    if known in (*ARRAYS, SAFETENSORS, GGUF):
        return known
    if known in TEXTS or file.size < len(MAGIC):
        return TEXT
    head = yield from stretch(which, 0, min(HEAD, file.size))
    # blobs of local model servers have no ending
    return GGUF if head.startswith(MAGIC) else BINARY if is_binary(head) else TEXT


def _reading_arrays(files: Sequence[FileInfo], which: int, listed: int | None) -> Reading[Table]:
    name, size = files[which].name, sum(file.size for file in files)
    beside = 0 if listed is None else files[listed].size
    if beside > MAX_BYTES // 2 or (size > MAX_BYTES and ending(name) == ".npz"):
        raise ValueError(
            f"{megabytes(size)} are too many: an archive and a list may have up to {megabytes(MAX_BYTES)}; "
            "save the table as .npy or .safetensors, of which the first rows are read"
        )
    names = None if listed is None else (yield from stretch(listed, 0, beside))
    if size > MAX_BYTES:
        return checked(name, (yield from reading_first_rows(files, which, names, MAX_BYTES - beside - HEAD)))
    content = yield from stretch(which, 0, files[which].size)
    if ending(name) == ".npy":
        E = read_array(name, content)
        return checked(name, Read(_named(names, E), E))
    return checked(name, _read_archive(content, names))


def _reading_text(files: Sequence[FileInfo]) -> Reading[Table]:
    """A text with its rows, and perhaps a list of their names in another file."""
    contents, cuts = [b""] * len(files), [""] * len(files)
    left = MAX_BYTES
    # the smaller one is read whole: half a list of names is none
    for done, i in enumerate(sorted(range(len(files)), key=lambda i: files[i].size)):
        file = files[i]
        size = min(file.size, left // (len(files) - done))
        left -= size
        contents[i] = yield from stretch(i, 0, size)
        if size < file.size:
            cuts[i] = f"the first {megabytes(size)} of {megabytes(file.size)}"
        _check_text(file.name, contents[i])
    if len(files) == 1:
        read = yield from reading_text(contents[0], cut=cuts[0])
        return checked(files[0].name, _of_text(read, None))
    table, names = _which(files, contents)
    read = yield from reading_text(contents[table], named=False, cut=cuts[table])
    return checked(files[table].name, _of_text(read, contents[names]))


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


def _of_text(read: TextRows, listed: bytes | None) -> Read:
    if listed is None:
        return Read(Names(read.tokens, read.said), read.rows)
    names = read_names(listed, len(read.rows))
    return Read(Names(names.tokens, (*read.said, *names.said)), read.rows)


def _check_text(name: str, content: bytes) -> None:
    for magic, form in ((b"PK\x03\x04", "a PyTorch file or another archive"), (b"\x80\x02", "a pickle")):
        if content.startswith(magic):
            raise ValueError(
                f"{name} is {form}, and unpickling could run anything; save its table as .safetensors, or "
                "with np.save"
            )


def _named(listed: bytes | None, E: Array) -> Names:
    return Names([]) if listed is None or E.ndim != 2 else read_names(listed, len(E))


def _read_archive(content: bytes, listed: bytes | None) -> Read:
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
    return Read(names, E, next((arrays[name] for name in PLACES if name in arrays), None))


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


def ending(name: str) -> str:
    """The ending by which a file is known."""
    return PurePath(name).suffix.lower()
