"""Reading a file part by part: who reads says what it needs next, and whoever has the file brings it."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import NamedTuple, TypeAlias, TypeVar

T = TypeVar("T")
LARGEST_PART = 1_000_000
"""Bytes that are asked for at once: a message of a page holds them, and a reader can stop between two."""


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
    ahead: int = 0
    """Bytes that will be asked for next; a bar of progress counts them."""


PAUSE = Part(0, 0, 0)
"""No bytes: a long computation asks for them now and then, so that others have their turn and whoever waits
can stop it."""

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
            check_part(part, content)
            part = reading.send(content)
    except StopIteration as end:
        result: T = end.value
        return result


def check_part(part: Part, content: bytes) -> None:
    """Refuse another number of bytes than was asked for: the file has changed since it was chosen.

    Raises
    ------
    ValueError
        Naming both numbers.
    """
    if len(content) != part.size:
        raise ValueError(
            f"{part.size:,} bytes from byte {part.offset:,} were asked for and {len(content):,} came; "
            "choose the file again"
        )


def stretch(file: int, offset: int, size: int) -> Reading[bytes]:
    """Read so many bytes from one place, part by part.

    >>> run(stretch(0, 1, 2), lambda part: b"abc"[part.offset : part.offset + part.size])
    b'bc'
    """
    content = bytearray()
    while len(content) < size:
        part = min(LARGEST_PART, size - len(content))
        content += yield Part(file, offset + len(content), part, size - len(content) - part)
    return bytes(content)
