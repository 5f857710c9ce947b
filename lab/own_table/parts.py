"""Reading a file part by part: who reads says what it needs next, and whoever has the file brings it."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import NamedTuple, TypeAlias, TypeVar

T = TypeVar("T")


class FileInfo(NamedTuple):
    """A file that is somewhere else."""

    name: str
    size: int
    """In bytes."""


class Part(NamedTuple):
    """Bytes that are needed."""

    file: int
    """Which of the files, from 0."""
    offset: int
    size: int


Reading: TypeAlias = Generator[Part, bytes, T]
"""A computation that asks for parts of files and is sent their bytes; it can wait for them between two
messages of a page, where a function would have to stop everything."""


def run(reading: Reading[T], read: Callable[[Part], bytes]) -> T:
    """Carry a reading out where each part is at hand.

    Raises
    ------
    ValueError
        Whatever the reading raises, or if a part comes with another size than it was asked for.

    Examples
    --------
    >>> def first_two() -> Reading[bytes]:
    ...     return (yield Part(0, 0, 2))
    >>> run(first_two(), lambda part: b"abc"[part.offset : part.offset + part.size])
    b'ab'
    """
    try:
        part = next(reading)
        while True:
            content = read(part)
            if len(content) != part.size:
                raise ValueError(
                    f"{part.size:,} bytes from byte {part.offset:,} were asked for and {len(content):,} "
                    "came; choose the file again"
                )
            part = reading.send(content)
    except StopIteration as end:
        result: T = end.value
        return result
