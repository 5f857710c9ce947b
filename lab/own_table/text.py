"""Rows from text: word2vec, GloVe and fastText, comma-separated values, the projector's vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lab.notation import Array
from lab.own_table.decoding import decoded, lines_of
from lab.own_table.layout import NAMES, WHOLE, Layout, find_layout, is_number, pieces, unquoted
from lab.own_table.parts import Reading, run
from lab.own_table.rows import RowReader
from lab.vocab.vocabulary import shorten

MAX_WIDTH = 8192
LABELS = {"", "token", "tokens", "word", "words", "label", "name", "text", "term", "vocab", "index", "id"}
"""How a column of tokens is called."""


class TextRows(NamedTuple):
    """What a text holds."""

    tokens: list[str]
    """V of them as they are written, or none where the text has only numbers."""
    rows: Array
    """Shape (V, D), float32."""
    said: tuple[str, ...]
    """Sentences on what was taken for what, and what was left out."""


def read_text(content: bytes, *, named: bool | None = None, cut: str = "") -> TextRows:
    """Return the rows of a text, a token and D numbers a line, however it parts them.

    The separator is what all lines agree on: tabs, semicolons, commas, one or several spaces, or a mixture.
    A first line of two whole numbers is word2vec's header, one of words names the columns. Where every part
    of every line is a number there are no tokens, as in the projector's vectors.

    Parameters
    ----------
    content : bytes
        UTF-8, or UTF-16 with its mark.
    named : bool, optional
        Whether a token stands first, where that is known from elsewhere.
    cut : str, optional
        Which part of the file this is, if it is not the whole; its last line is then left out.

    Raises
    ------
    ValueError
        If a line is no row like the others; the line and the value are named.

    References
    ----------
    Mikolov et al. 2013, word2vec's ``-binary 0`` output; Pennington et al. 2014, GloVe's vectors (the same
    without a header); RFC 4180 for quotation marks.

    Examples
    --------
    >>> tokens, E, said = read_text(b"2 3\\ncat 0.9 0.7 0.1\\ndog 0.9 0.6 0.3\\n")
    >>> tokens, E.shape, said
    (['cat', 'dog'], (2, 3), ())
    """
    return run(reading_text(content, named=named, cut=cut), lambda pause: b"")


def reading_text(content: bytes, *, named: bool | None = None, cut: str = "") -> Reading[TextRows]:
    """Read the rows of a text as `read_text` does, with pauses in which others have their turn.

    Raises
    ------
    ValueError
        If a line is no row like the others.
    """
    text, said = decoded(content, cut=bool(cut))
    lines = lines_of(text)
    if cut:
        said.append(f"Only {cut} was read.")
    first = _announced_width(lines[0])
    headed = first is not None or not is_number(pieces(lines[0], "any")[-1])
    if first is not None and len(lines) == 1:
        raise ValueError("the text holds no row, only a header; each line is a token and its numbers")
    layout = find_layout((headed and lines[1:]) or lines, named, first)
    if layout is None:
        raise ValueError(_no_layout(lines))
    start, promised = _head(lines, layout, said)
    if not 1 <= layout.width <= MAX_WIDTH:
        raise ValueError(f"a row has {layout.width:,} numbers; 1 to {MAX_WIDTH:,} can be read")
    read = RowReader(layout, lines, start, whole_end=bool(cut) or text.endswith("\n"))
    rows = yield from read.reading(promised)
    said += read.said
    if not len(rows):
        raise ValueError("the text holds no row; each line is a token and its numbers")
    said += _on_count(None if read.limited else promised, len(rows))
    said += _on_layout(layout)
    return TextRows(read.tokens if layout.named else [], rows, tuple(said))


def _announced_width(line: str) -> int | None:
    parts = line.split()
    whole = len(parts) == 2 and all(WHOLE.fullmatch(part) for part in parts)
    return int(parts[1][:12]) if whole else None


def _head(lines: Sequence[str], layout: Layout, said: list[str]) -> tuple[int, int | None]:
    """What the first line is: (lines to skip, rows that it announces)."""
    width = _announced_width(lines[0])
    # where rows have two parts themselves, only a count that is true makes a header
    alike = layout.width + layout.named == 2
    if alike and width is not None and int(lines[0].split()[0][:12]) != len(lines) - 1:
        return 0, None
    if width == layout.width:
        return 1, int(lines[0].split()[0][:12])
    if width is not None and not alike and len(lines) > 1:
        raise ValueError(
            f"line 1 announces rows of {width:,} numbers, but they have {layout.width:,}; correct it or "
            "leave it out"
        )
    heads = pieces(lines[0].rstrip("\r\t "), layout.separator)
    columns = heads[layout.named + layout.lead :]
    counted = [str(i) for i in range(layout.width)]
    named = len(columns) == layout.width and not any(is_number(part, layout.comma) for part in columns)
    known = layout.named and unquoted(heads[0]).strip().lower() in LABELS
    if (named and (layout.width > 1 or known)) or (columns == counted and known):
        said.append("Line 1 names the columns and is no row.")
        return 1, None
    return 0, None


def _no_layout(lines: Sequence[str]) -> str:
    number, line = next(((n, text) for n, text in enumerate(lines, 1) if text.strip()), (1, ""))
    parts = pieces(line.strip(), "blanks")
    return (
        f"line {number:,} ends with {shorten(parts[-1])}, and no separator gives most lines the same "
        "number of numbers; each line must be a token and D numbers, separated by tabs, commas, semicolons "
        "or spaces"
    )


def _on_count(promised: int | None, count: int) -> list[str]:
    if promised is None or promised == count:
        return []
    if promised > count:
        return [f"{count:,} of {promised:,} announced rows are there."]
    return [f"Line 1 announces {promised:,} rows; {count:,} are there, and all were read."]


def _on_layout(layout: Layout) -> list[str]:
    said = []
    if layout.separator not in (" ", "\t"):
        said.append(f"Columns are separated by {NAMES[layout.separator]}.")
    if layout.comma:
        said.append("Numbers have decimal commas.")
    if layout.lead:
        said.append("The first column numbers the rows and was left out.")
    return said
