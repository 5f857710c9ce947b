"""A place in a file that moves on while its header is read."""

from __future__ import annotations

import struct
from typing import Any

from lab.own_table.checkpoint import MAX_HEADER
from lab.own_table.parts import LARGEST_PART, FileInfo, Part, Reading

_LENGTH = struct.Struct("<Q")
LONGEST_NAME = 65_535


class Cursor:
    """Reads on from a place, and keeps only what was brought and not yet used."""

    def __init__(self, which: int, file: FileInfo) -> None:
        self._which, self._file = which, file
        self._buffer = b""
        self._start = self._at = 0
        self.read = 0
        """Bytes that were brought."""

    @property
    def place(self) -> int:
        """Bytes from the start of the file."""
        return self._start + self._at

    def check(self, size: int) -> None:
        """Refuse a size that goes beyond the file, or beyond what a header may have.

        Raises
        ------
        ValueError
            Naming the size and the place.
        """
        if size > self._file.size - self.place:
            raise ValueError(
                f"byte {self.place:,} of {self._file.name} announces {size:,} more bytes, but it ends at "
                f"byte {self._file.size:,}; it is damaged or was cut off: load it again"
            )
        if self.place + size > MAX_HEADER:
            raise ValueError(
                f"the header of {self._file.name} goes on to byte {self.place + size:,}; up to "
                f"{MAX_HEADER:,} can be read"
            )

    def take(self, size: int) -> Reading[bytes]:
        """The next bytes."""
        if self._at + size > len(self._buffer):
            yield from self._bring(size)
        content = self._buffer[self._at : self._at + size]
        self._at += size
        return content

    def fields(self, form: str) -> Reading[tuple[Any, ...]]:
        """The next bytes as `struct` reads them."""
        return struct.unpack(form, (yield from self.take(struct.calcsize(form))))

    def text(self) -> Reading[str]:
        """A name: its length and UTF-8."""
        (size,) = yield from self.fields("<Q")
        content = yield from self.take(size)
        return content[:LONGEST_NAME].decode("utf-8", "backslashreplace")

    def texts(self, count: int, wanted: bool) -> Reading[list[bytes] | None]:
        """Many texts in a row; those that nobody wants are passed by."""
        self.check(count * _LENGTH.size)
        found: list[bytes] = []
        for _ in range(count):
            if self._at + _LENGTH.size > len(self._buffer):
                yield from self._bring(_LENGTH.size)
            (size,) = _LENGTH.unpack_from(self._buffer, self._at)
            self._at += _LENGTH.size
            if not wanted:
                self.skip(size)
                continue
            if self._at + size > len(self._buffer):
                yield from self._bring(size)
            found.append(self._buffer[self._at : self._at + size])
            self._at += size
        return found if wanted else None

    def skip(self, size: int) -> None:
        """Pass bytes by; those that were not brought yet are not asked for."""
        if self._at + size <= len(self._buffer):
            self._at += size
            return
        self.check(size)
        self._start, self._at, self._buffer = self.place + size, 0, b""

    def _bring(self, size: int) -> Reading[None]:
        """Have at least so many bytes at hand."""
        self.check(size)
        parts, there = [self._buffer[self._at :]], len(self._buffer) - self._at
        self._start, self._at = self.place, 0
        while there < size:
            wanted = min(LARGEST_PART, self._file.size - self._start - there)
            parts.append((yield Part(self._which, self._start + there, wanted)))
            there += wanted
            self.read += wanted
        self._buffer = b"".join(parts)
