"""How a text writes its rows, found by what its lines agree on: the separator, the width, the token."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

NUMBER = re.compile(r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|nan|inf|infinity)", re.IGNORECASE | re.ASCII)
_COMMA = re.compile(r"[+-]?\d*,?\d+(?:e[+-]?\d+)?", re.IGNORECASE | re.ASCII)
WHOLE = re.compile(r"\d+", re.ASCII)
_BLANKS, _ANY = re.compile(r"[ \t]+"), re.compile(r"[ \t]*[ \t,;][ \t]*")
SAMPLE = 300
"""Lines that are compared, taken evenly from the whole text."""

NAMES = {
    "\t": "tabs",
    ";": "semicolons",
    ",": "commas",
    " ": "single spaces",
    "blanks": "spaces",
    "any": "spaces, tabs, commas or semicolons, mixed",
}
"""Separators in the order in which they are tried: of two that agree with all lines the stricter wins."""

_COMMAS = tuple((name, True) for name in ("\t", ";", " ", "blanks"))


@dataclass(frozen=True)
class Layout:
    """How each row of a text is written.

    Examples
    --------
    >>> Layout(" ", width=2).split("new york 0.1 0.2")
    ('new york', ['0.1', '0.2'])
    """

    separator: str
    """A key of `NAMES`."""
    width: int
    """Numbers in a row, D."""
    named: bool = True
    """Whether a token stands before the numbers."""
    comma: bool = False
    """Whether numbers are written with a decimal comma."""
    quoted: bool = False
    """Whether all tokens stand in quotation marks."""
    lead: bool = False
    """Whether a column of row numbers stands before the token."""

    def split(self, line: str) -> tuple[str, list[str]] | None:
        """The token of a row and its numbers as written; None where it has fewer parts.

        An empty token may have lost its separator with it.
        """
        if self.separator in ("blanks", "any"):
            parts = pieces(line, self.separator)
            parts = [" ".join(parts[: len(parts) - self.width]), *parts[len(parts) - self.width :]]
        else:
            parts = line.rsplit(self.separator, self.width)
        if len(parts) == self.width and is_number(parts[0], self.comma):
            parts = ["", *parts]
        if len(parts) != self.width + 1:
            return None
        token = parts[0].partition(self.separator)[2] if self.lead else parts[0]
        if self.quoted or self.separator in "\t;,":
            token = unquoted(token)
        return token, parts[1:]


def pieces(line: str, separator: str) -> list[str]:
    """The parts of a line.

    >>> pieces("a; b", ";"), pieces(" a  b ", "blanks")
    (['a', 'b'], ['a', 'b'])
    """
    if separator in ("blanks", "any"):
        return (_BLANKS if separator == "blanks" else _ANY).split(line.strip())
    parts = line.split(separator)
    return parts if separator == " " else [part.strip() for part in parts]


def is_number(text: str, comma: bool = False) -> bool:
    """Whether a part is a number as programs write it: no thousands signs, no digits of other scripts.

    >>> is_number("-.5e3"), is_number("1_000"), is_number("0,5"), is_number("0,5", comma=True)
    (True, False, False, True)
    """
    text = text.strip()
    return bool(NUMBER.fullmatch(text) or (comma and _COMMA.fullmatch(text)))


def unquoted(token: str) -> str:
    """A token without the quotation marks that a table program put around it.

    >>> unquoted('"new, york"'), unquoted('"'), unquoted('"say ""no"" here"')
    ('new, york', '"', 'say "no" here')
    """
    token_only = token.strip()
    if len(token_only) < 2 or token_only[0] != '"' or token_only[-1] != '"':
        return token
    inner = token_only[1:-1]
    # a quotation mark inside is doubled; where it is not, the marks are part of the token
    return token if '"' in inner.replace('""', "") else inner.replace('""', '"')


def find_layout(
    lines: Sequence[str], named: bool | None = None, announced: int | None = None
) -> Layout | None:
    """Return the layout that the lines of a text agree on, or None where none holds for most of them.

    A separator agrees if more than half of the lines end with the same number of numbers; of several the
    one with the most numbers wins, if what is left before them holds no number. Decimal commas are tried
    where points explain nothing, mixed separators last.

    Parameters
    ----------
    lines : sequence of str
        Without the first line, which may be a header.
    named : bool, optional
        Whether a token stands first, where that is known from elsewhere.
    announced : int, optional
        The width that a header gives.

    Raises
    ------
    ValueError
        If every part is a whole number, so that tokens and numbers cannot be told apart.

    Examples
    --------
    >>> find_layout(["cat, 0.1, 0.2", "dog, 0.3, 0.4"])
    Layout(separator=',', width=2, named=True, comma=False, quoted=False, lead=False)
    >>> find_layout(["0.1\\t0.2\\t0.3", "0.4\\t0.5\\t0.6"]).named
    False
    """
    step = max(len(lines) // SAMPLE, 1)
    sample = [line for line in lines[::step] if line.strip()]
    strict = [name for name in NAMES if name != "any"]
    for comma, separators in ((False, strict), (True, [name for name, _ in _COMMAS]), (False, ["any"])):
        tried = [_agreed(sample, separator, comma) for separator in separators]
        found = [layout for layout in tried if layout is not None]
        if found:
            best = max(found, key=lambda one: one.width + _all_numbers(sample, one.separator, comma))
            if named is None and announced in (best.width, best.width + 1):
                named = announced == best.width or not _all_numbers(sample, best.separator, comma)
            return _told(best, sample, named)
    return None


def bare_width(lines: Sequence[str]) -> int:
    """How many numbers stand in each line of a text that has nothing else; 0 if it has.

    >>> bare_width(["0.1\\t0.2", "0.3\\t0.4"]), bare_width(["cat 1", "dog 2"])
    (2, 0)
    """
    step = max(len(lines) // SAMPLE, 1)
    sample = [line for line in lines[::step] if line.strip()]
    for separator, comma in (*((name, False) for name in ("\t", ";", ",", "blanks")), *_COMMAS):
        widths = {len(pieces(_trimmed(line), separator)) for line in sample}
        if len(widths) == 1 and _all_numbers(sample, separator, comma):
            return widths.pop()
    return 0


def _agreed(sample: Sequence[str], separator: str, comma: bool) -> Layout | None:
    widths: Counter[int] = Counter()
    unclear = 0
    for line in sample:
        parts = pieces(_trimmed(line), separator)
        count = numbers_at_end(parts, comma)
        whole = count == len(parts)
        widths[count - 1 if whole else count] += 1
        before = parts[: len(parts) - count]
        unclear += not whole and any(map(_hides_number, before))
    if not widths:
        return None
    width, lines = widths.most_common(1)[0]
    if 2 * lines < len(sample) or 2 * unclear > len(sample):
        return None
    return (
        Layout(separator, width, comma=comma) if width > 0 or _all_numbers(sample, separator, comma) else None
    )


def _hides_number(part: str) -> bool:
    inner = _ANY.split(part)
    return len(inner) > 1 and any(map(is_number, inner))


def _all_numbers(sample: Sequence[str], separator: str, comma: bool) -> bool:
    return all(_is_numeric(_trimmed(line), separator, comma) for line in sample)


def _is_numeric(line: str, separator: str, comma: bool) -> bool:
    parts = pieces(line, separator)
    return numbers_at_end(parts, comma) == len(parts)


def numbers_at_end(parts: Sequence[str], comma: bool = False) -> int:
    """How many numbers end a line.

    >>> numbers_at_end(["2", "of", "3", "0.5"])
    2
    """
    count = 0
    while count < len(parts) and is_number(parts[-1 - count], comma):
        count += 1
    return count


def _trimmed(line: str) -> str:
    return line.rstrip("\r\t ")


def _told(layout: Layout, sample: Sequence[str], named: bool | None) -> Layout:
    """The layout with what only its rows together tell: whether a token stands first, and in quotes."""
    separator, comma = layout.separator, layout.comma
    if named is False or (named is None and _all_numbers(sample, separator, comma)):
        rows = [pieces(_trimmed(line), separator) for line in sample]
        if named is False or not _first_is_token(rows):
            # blanks tell nothing more than single spaces where no token is to be kept
            return Layout(separator, layout.width + 1, named=False, comma=comma)
    split = [row for line in sample if (row := layout.split(_trimmed(line)))]
    lead = _leads([token for token, _ in split], separator)
    marked = sum(unquoted(token) != token for token, _ in split)
    return Layout(separator, layout.width, comma=comma, quoted=2 * marked > len(split), lead=lead)


def _leads(tokens: Sequence[str], separator: str) -> bool:
    """Whether a column of row numbers stands before the tokens, as table programs write it.

    Raises
    ------
    ValueError
        If two columns of text stand there.
    """
    if separator not in "\t;,":
        return False
    columns = [token.partition(separator) for token in tokens]
    if 2 * sum(bool(found) and not first.startswith('"') for first, found, _ in columns) <= len(columns):
        return False
    if all(WHOLE.fullmatch(first.strip()) for first, _, _ in columns):
        return True
    first, _, second = columns[0]
    raise ValueError(
        f"two columns come before the numbers, ‘{first[:20]}’ and ‘{second[:20]}’ in the first row; keep "
        "the one with the tokens"
    )


def _first_is_token(rows: Sequence[Sequence[str]]) -> bool:
    """Whether a column of whole numbers stands before others: it names the rows."""
    first = [row[0] for row in rows]
    if not all(WHOLE.fullmatch(part.strip()) for part in first) or len(set(first)) < len(first):
        return False
    if len(rows[0]) > 1 and all(WHOLE.fullmatch(part.strip().lstrip("+-")) for row in rows for part in row):
        raise ValueError(
            f"every column holds whole numbers, so whether the first ({', '.join(first[:3])} …) names the "
            f"rows cannot be told; put a first line with the number of rows and of numbers in a row, or "
            "choose the list of names together with it"
        )
    return len(rows[0]) > 1
