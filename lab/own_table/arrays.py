"""Arrays from bytes that nobody vouches for: no pickles, no unbounded archives, no lying headers."""

from __future__ import annotations

import io
import math
import tokenize
import warnings
import zipfile
import zlib
from typing import Any

import numpy as np

from lab.notation import Array

MAX_UNPACKED = 200_000_000
"""Bytes of an archive's arrays as they lie in memory; a small archive can hold far more than it looks."""

_NO_HEADER = (
    ValueError,
    SyntaxError,
    TypeError,
    EOFError,
    RecursionError,
    MemoryError,
    tokenize.TokenError,
    UserWarning,
)
"""What NumPy raises, or warns of, when it reads a header that it never wrote."""


def read_array(name: str, content: bytes) -> Array:
    """Return the array in the bytes of a .npy file, without ever unpickling.

    Raises
    ------
    ValueError
        If the bytes are no .npy file, hold Python objects, or are not as many as the header says.

    Examples
    --------
    >>> file = io.BytesIO()
    >>> np.save(file, np.eye(2))
    >>> read_array("E", file.getvalue()).shape
    (2, 2)
    """
    shape, fortran, dtype, start = read_header(name, io.BytesIO(content))
    count = math.prod(shape)
    # the header is only a claim: memory is taken for what is there, never for what it says
    if min(shape, default=0) < 0 or not dtype.itemsize or count * dtype.itemsize != len(content) - start:
        raise ValueError(
            f"{name} says it holds {count:,} values of {dtype.itemsize} bytes, but {len(content) - start:,} "
            "bytes follow; the file is cut off or damaged"
        )
    flat = np.frombuffer(content, dtype, count, start)
    return flat.reshape(shape[::-1]).T if fortran else flat.reshape(shape)


def read_header(name: str, file: io.BytesIO) -> tuple[tuple[int, ...], bool, np.dtype[Any], int]:
    """Return what a .npy header says: shape, whether columns stand first, type, and where the numbers begin.

    Raises
    ------
    ValueError
        If it is none, or the array holds Python objects.

    Examples
    --------
    >>> file = io.BytesIO()
    >>> np.save(file, np.eye(2))
    >>> read_header("E", io.BytesIO(file.getvalue()))
    ((2, 2), False, dtype('float64'), 128)
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            shape, fortran, dtype = _header(file)
    except _NO_HEADER as reason:
        raise ValueError(f"{name} is no array that NumPy saved: {str(reason).splitlines()[0]}") from reason
    if dtype.hasobject:
        raise ValueError(
            f"{name} holds Python objects, and unpickling could run anything; save it as numbers, or as text "
            "of a fixed width with np.array(tokens, dtype=str)"
        )
    return shape, fortran, dtype, file.tell()


def _header(file: io.BytesIO) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    old = np.lib.format.read_magic(file) == (1, 0)
    read = np.lib.format.read_array_header_1_0 if old else np.lib.format.read_array_header_2_0
    shape, fortran, dtype = read(file)
    return shape, fortran, dtype


def read_archive(content: bytes) -> dict[str, Array]:
    """Return the arrays in the bytes of an .npz file, by name.

    What a member claims about its size is not believed.

    Raises
    ------
    ValueError
        If the bytes are no such archive, it is larger than `MAX_UNPACKED` once unpacked, or an array cannot
        be read.

    Examples
    --------
    >>> file = io.BytesIO()
    >>> np.savez_compressed(file, E=np.eye(2))
    >>> list(read_archive(file.getvalue()))
    ['E']
    """
    arrays: dict[str, Array] = {}
    left = MAX_UNPACKED
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for member in archive.infolist():
                # only these two are unpacked piece by piece; the others would fill the memory first
                if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    raise ValueError("the archive is not packed as np.savez_compressed packs")
                with archive.open(member) as file:
                    unpacked = file.read(left + 1)
                left -= len(unpacked)
                if left < 0:
                    raise ValueError(f"unpacked, this archive is larger than {megabytes(MAX_UNPACKED)}")
                name = member.filename.removesuffix(".npy")
                if name in arrays:
                    raise ValueError(f"the archive holds {name!r} twice")
                arrays[name] = read_array(name, unpacked)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as reason:
        raise ValueError(f"this is no archive that NumPy saved: {reason}") from reason
    return arrays


def megabytes(size: int) -> str:
    """A size as it is said.

    >>> megabytes(50_000_000)
    '50 MB'
    """
    return f"{size / 1e6:,.1f}".removesuffix(".0") + " MB"
