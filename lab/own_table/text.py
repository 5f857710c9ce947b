"""Rows and token lists from text."""

from __future__ import annotations

import json

import numpy as np

from lab.notation import Array

MAX_ROWS = 300_000
MAX_WIDTH = 8192


def read_text(content: bytes) -> tuple[list[str], Array]:
    """Return the rows of word2vec or GloVe text: a token and D numbers a line, parted by spaces or tabs.

    A first line of two whole numbers, V and D, is word2vec's header and must be true.

    Raises
    ------
    ValueError
        If a line has another width than the first, or a number cannot be read; the line is named.

    Examples
    --------
    >>> tokens, E = read_text(b"2 3\\ncat 0.9 0.7 0.1\\ndog 0.9 0.6 0.3\\n")
    >>> tokens, E.shape
    (['cat', 'dog'], (2, 3))
    """
    lines = _decoded(content).split("\n")
    promised = _header(lines[0])
    tokens: list[str] = []
    rows: list[Array] = []
    width = promised[1] if promised else 0
    for number, line in enumerate(lines, start=1):
        parts = line.rstrip("\r\t ").split("\t" if "\t" in line else " ")
        if (number == 1 and promised) or parts == [""]:
            continue
        width = width or _numbers_at_end(parts)
        try:
            token, row = _row(parts, width)
        except ValueError as reason:
            raise ValueError(f"line {number}: {reason}") from reason
        tokens.append(token)
        rows.append(row)
        if len(tokens) > MAX_ROWS:
            raise ValueError(f"the text has more than {MAX_ROWS:,} rows; keep the first {MAX_ROWS:,}")
    if promised and promised[0] != len(tokens):
        raise ValueError(f"the first line promises {promised[0]:,} rows; there are {len(tokens):,}")
    if not rows:
        raise ValueError("the text holds no row; each line is a token and its numbers")
    return tokens, np.stack(rows)


def _row(parts: list[str], width: int) -> tuple[str, Array]:
    """A token and its numbers; published tables have tokens with a space inside, the numbers never."""
    token = parts[:-width] if width else parts
    if not token or not token[0] or not width:
        raise ValueError(f"a token and {width or 'its'} numbers are needed; there are {len(parts)} parts")
    if len(token) > 1 and _is_number(token[-1]):
        raise ValueError(f"{len(parts) - 1} numbers follow the token; the first row has {width}")
    with np.errstate(over="ignore"):  # what float32 cannot hold becomes infinite and is refused as such
        return " ".join(token), np.array([float(value) for value in parts[-width:]], dtype=np.float32)


def _numbers_at_end(parts: list[str]) -> int:
    """How many numbers end a line; the first part is its token even if it looks like one."""
    count = 0
    while count < len(parts) - 1 and _is_number(parts[-1 - count]):
        count += 1
    return count


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _header(line: str) -> tuple[int, int] | None:
    parts = line.split()
    if len(parts) != 2 or not all(part.isascii() and part.isdigit() for part in parts):
        return None
    rows, width = int(parts[0][:12]), int(parts[1][:12])
    if not 1 <= width <= MAX_WIDTH:
        raise ValueError(f"the first line says a row has {width:,} numbers; 1 to {MAX_WIDTH:,} can be read")
    return rows, width


def read_tokens(content: bytes) -> list[str]:
    """Return the tokens of a list: one a line, or JSON (a list, or an object from token to id).

    Raises
    ------
    ValueError
        If the JSON is neither, or its ids are not 0, 1, 2, ….

    Examples
    --------
    >>> read_tokens(b"cat\\n dog\\n"), read_tokens(b'{"dog": 1, "cat": 0}')
    (['cat', ' dog'], ['cat', 'dog'])
    """
    text = _decoded(content)
    try:
        found = json.loads(text) if text.lstrip().startswith(("{", "[")) else None
    except (ValueError, RecursionError):
        found = None  # a plain list may begin with the token [PAD], or with {
    if found is None:
        return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]
    if isinstance(found, dict):
        if sorted(v for v in found.values() if type(v) is int) != list(range(len(found))):
            raise ValueError(
                f"the token list's ids must be 0 to {len(found) - 1}, each once; give the tokens one a line, "
                "in the order of the rows"
            )
        return sorted(found, key=lambda token: int(found[token]))
    if not all(isinstance(token, str) for token in found):
        raise ValueError("the token list must hold text only, one token for each row")
    return list(found)


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as reason:
        raise ValueError(
            f"the text is not UTF-8 at byte {reason.start:,}; word2vec's binary form cannot be read, save it "
            "as text"
        ) from reason
