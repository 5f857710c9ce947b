"""Rows of numbers from lines, each checked against the layout that all lines agree on."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence

import numpy as np

from lab.notation import Array
from lab.own_table.layout import Layout, is_number, pieces
from lab.own_table.parts import PAUSE, Reading
from lab.vocab.vocabulary import shorten

MAX_ROWS = 300_000
BETWEEN_PAUSES = 4_000_000
"""Characters that are read at a stretch: a quarter of a second in a browser's worker."""
_PLAIN = re.compile(r"[0-9+\-.eE ]*")
_BEGUN = re.compile(r"[+-]?|.*e[+-]?", re.IGNORECASE)
"""What is left of a number that was cut off and is none any more."""
_JOINED = 4
"""Lines that one quoted token may go over."""


class RowReader:
    """Reads line after line."""

    def __init__(self, layout: Layout, lines: Sequence[str], start: int, whole_end: bool) -> None:
        self.layout, self.lines, self.start, self.whole_end = layout, lines, start, whole_end
        self.tokens: list[str] = []
        self._numbers = array("d")
        self._places: list[int] = []
        self.said: list[str] = []
        self.limited = False

    def reading(self, promised: int | None) -> Reading[Array]:
        """Read them all, or up to `MAX_ROWS`, (V, D)."""
        yield from self._reading_lines(promised)
        with np.errstate(over="ignore"):  # what float32 cannot hold becomes infinite and is refused as such
            rows = np.array(self._numbers, dtype=np.float64).reshape(-1, self.layout.width).astype(np.float32)
        for i, place in np.argwhere(~np.isfinite(rows))[:1].tolist():
            number = self._places[i]
            split = self.layout.split(self.lines[number - 1].rstrip("\r\t "))
            value = split[1][place] if split and self.layout.named else str(rows[i, place])
            raise ValueError(
                f"line {number:,}: number {place + 1} is {shorten(value.strip())}, which is not finite in "
                "float32; correct the value or remove the line"
            )
        return rows

    def _reading_lines(self, promised: int | None) -> Reading[None]:
        last = 0 if self.whole_end else len(self.lines)
        taken = 0
        for number, line in self._logical():
            taken += len(line)
            if taken > BETWEEN_PAUSES:
                taken = 0
                yield PAUSE
            if len(self._places) == MAX_ROWS:
                self.limited = True
                more = len(self.lines) - self.start
                self.said.append(f"The first {MAX_ROWS:,} of {more:,} rows were taken; more cannot be held.")
                return
            if number == last and self._places and (why := self._cut(line, promised)):
                self.said.append(f"Line {number:,}, the last, {why} and was left out.")
                return
            try:
                token = self._take(line)
            except ValueError as reason:
                raise ValueError(f"line {number:,}: {reason}") from reason
            if number == last and promised is not None:
                self.said.append("The last line has no end, so its last number may be cut off.")
            self.tokens.append(token)
            self._places.append(number)

    def _cut(self, line: str, promised: int | None) -> str:
        """What is wrong with a last line that has no end, if anything is."""
        parts = pieces(line, self.layout.separator)
        if len(parts) < self.layout.width + self.layout.named or _BEGUN.fullmatch(parts[-1]):
            return "is cut off"
        # a number that lost its last digits is still a number
        return "may be cut off" if promised is not None and len(self._places) + 1 < promised else ""

    def _logical(self) -> Iterator[tuple[int, str]]:
        """Lines with a row in them; a quoted token may hold a line break."""
        lines, at = self.lines, self.start
        while at < len(lines):
            number, line = at + 1, lines[at]
            at += 1
            if line.startswith('"') and self.layout.separator in "\t;," and not self._fits(line):
                for more in range(1, _JOINED):
                    joined = "\n".join(lines[at - 1 : at + more])
                    if self._fits(joined) and joined.count('"') % 2 == 0:
                        line, at = joined, at + more
                        break
            if line.strip("\r\t ") or self._fits(line):
                yield number, line.rstrip("\r\t ")

    def _fits(self, line: str) -> bool:
        split = self.layout.split(line.rstrip("\r\t "))
        return split is not None and all(is_number(part, self.layout.comma) for part in split[1])

    def _take(self, line: str) -> str:
        """The token of a row, whose numbers are kept."""
        layout = self.layout
        if layout.named:
            split = layout.split(line)
            token, parts = split if split else ("", [])
        else:
            token, parts = "", pieces(line, layout.separator)
        if len(parts) != layout.width or (layout.named and _ends_in_number(token, layout)):
            raise ValueError(self._wrong_count(line))
        # Python reads more as a number than programs write, such as 1_000
        if not _PLAIN.fullmatch("".join(parts)):
            _check(parts, layout.comma)
            parts = [part.replace(",", ".") for part in parts]
        try:
            values = list(map(float, parts))
        except ValueError:
            _check(parts, layout.comma)
            raise
        self._numbers.fromlist(values)
        return token

    def _wrong_count(self, line: str) -> str:
        parts, D = pieces(line, self.layout.separator), self.layout.width
        numbers = len(parts) - self.layout.named
        bad = [part for part in parts[self.layout.named :] if not is_number(part, self.layout.comma)]
        if bad and numbers >= D:
            return _no_number(bad[-1])
        return (
            f"it has {numbers} number{'s' * (numbers != 1)}, the other rows have "
            f"{D}; complete {shorten(line)} or remove it"
        )


def _ends_in_number(token: str, layout: Layout) -> bool:
    """Whether one number too many stands in the line: published tokens have spaces inside, numbers never."""
    inside = " " if layout.separator in (" ", "blanks", "any") else layout.separator
    last = token.rpartition(inside)[2] if inside in token else ""
    return is_number(last, layout.comma)


def _check(parts: Sequence[str], comma: bool) -> None:
    for part in parts:
        if not is_number(part, comma):
            raise ValueError(_no_number(part))


def _no_number(part: str) -> str:
    if not part.strip():
        return "a number is missing between two separators; add it or remove the line"
    return f"{shorten(part.strip())} is no number; write it with a decimal point, or remove the line"
