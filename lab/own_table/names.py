"""Names for the rows of a table: token lists, lists with counts or ids, the projector's metadata."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from lab.own_table.decoding import decoded, lines_of
from lab.own_table.layout import unquoted
from lab.own_table.text import LABELS
from lab.own_table.tokenizer import Tokens, read_tokenizer
from lab.vocab.vocabulary import shorten

_COUNTED = re.compile(r"(.*?)[ \t]*[ \t,;][ \t]*(-?\d+(?:\.\d+)?)", re.DOTALL | re.ASCII)
_NUMBERED = re.compile(r"(\d+)[ \t]*[ \t,;:][ \t]*(.+)", re.DOTALL | re.ASCII)


class Names(NamedTuple):
    """One name for each row."""

    tokens: list[str]
    said: tuple[str, ...] = ()
    """Sentences on what was taken for what, and what was left out."""


def read_tokens(content: bytes) -> list[str]:
    """Return the tokens of a list as they stand: one a line, or JSON.

    JSON may be a list, an object from token to id, or a whole tokenizer.json.

    Raises
    ------
    ValueError
        If the JSON is none of these, or its ids are not 0, 1, 2, ….

    Examples
    --------
    >>> read_tokens(b"cat\\n dog\\n"), read_tokens(b'{"dog": 1, "cat": 0}')
    (['cat', ' dog'], ['cat', 'dog'])
    """
    listed = _listed(content)
    if isinstance(listed, Tokens):
        every = {**listed.vocab, **listed.added}
        return [every.get(i, "") for i in range(max(every, default=-1) + 1)]
    return listed if isinstance(listed, list) else lines_of(listed)


def read_names(content: bytes, V: int) -> Names:
    """Return a name for each of V rows from a list, with what else stands in it left out.

    Beside plain lists it reads lists with a count, a score or an id in each line, and tables with several
    columns, as the embedding projector's metadata.tsv.

    Raises
    ------
    ValueError
        If there are not as many names as rows.

    Examples
    --------
    >>> read_names(b"cat 50\\ndog 40\\n", 2).tokens
    ['cat', 'dog']
    >>> read_names(b"word\\tcount\\ncat\\t50\\ndog\\t40\\n", 2).tokens
    ['cat', 'dog']
    """
    listed = _listed(content)
    if isinstance(listed, Tokens):
        return _by_id(listed, V)
    if isinstance(listed, list):
        return _matched(listed, V, [])
    lines = lines_of(listed)
    while len(lines) > V and not lines[-1].strip():
        lines.pop()
    said: list[str] = []
    if len(lines) == V + 1 and _is_header(lines):
        said.append("Line 1 of the list names its columns.")
        head, lines = lines[0], lines[1:]
    else:
        head = ""
    if columns := _columns(lines):
        return _matched(_column(head, columns, said), V, said)
    if len(lines) == V:
        lines = _without_numbers(lines, said)
    return _matched(lines, V, said)


def names_of_ids(content: bytes, V: int) -> Names:
    """Return a name for each of V ids; a list may be shorter, for models fill their tables up.

    Raises
    ------
    ValueError
        If it is longer.

    Examples
    --------
    >>> names_of_ids(b"cat\\ndog\\n", 3).tokens
    ['cat', 'dog', '']
    """
    listed = _listed(content)
    if isinstance(listed, Tokens):
        return _by_id(listed, V)
    there = len(listed) if isinstance(listed, list) else len(lines_of(listed))
    names = read_names(content, min(there, V))
    return Names([*names.tokens, *[""] * (V - there)], names.said)


def unique(tokens: Iterable[str], first: int = 0) -> Names:
    """Names of which none is empty or comes twice: such a row is called by its number, from ``first`` on.

    >>> unique(["cat", "", "cat"]).tokens
    ['cat', '#1', 'cat#2']
    """
    names: list[str] = []
    seen: set[str] = set()
    empty, twice = [], []
    for i, token in enumerate(tokens, first):
        name = token
        if not token:
            empty.append(i)
        elif token in seen:
            twice.append(i)
        while not name or name in seen:
            name += f"#{i}"
        seen.add(name)
        names.append(name)
    said = []
    if empty:
        rows = "1 row has" if len(empty) == 1 else f"{len(empty):,} rows have"
        said.append(f"{rows} no token; such a row is named by its number, as {names[empty[0] - first]}.")
    if twice:
        rows = "1 token repeats" if len(twice) == 1 else f"{len(twice):,} tokens repeat"
        said.append(f"{rows} an earlier one and got the row's number, as {shorten(names[twice[0] - first])}.")
    return Names(names, tuple(said))


def numbered(V: int, first: int = 0) -> list[str]:
    """What rows without tokens are called.

    >>> numbered(2)
    ['#0', '#1']
    """
    return [f"#{i}" for i in range(first, first + V)]


def _listed(content: bytes) -> str | list[str] | Tokens:
    """Lines of text as one string, the list of a JSON, or its tokens by their ids."""
    text, _ = decoded(content)
    try:
        found = json.loads(text) if text.lstrip().startswith(("{", "[")) else None
    except (ValueError, RecursionError):
        found = None  # a plain list may begin with the token [PAD], or with {
    if found is None:
        return text
    if isinstance(found, dict):
        return read_tokenizer(found) if "model" in found else _ordered(found)
    if all(isinstance(item, list) and item and isinstance(item[0], str) for item in found):
        return [item[0] for item in found]
    if not all(isinstance(token, str) for token in found):
        wrong = next(token for token in found if not isinstance(token, str))
        raise ValueError(
            f"the token list holds {shorten(repr(wrong))}; it must hold text only, a token for each row"
        )
    return list(found)


def _ordered(found: Mapping[str, Any]) -> list[str]:
    if all(isinstance(token, str) for token in found.values()) and all(key.isdecimal() for key in found):
        found = {token: int(key) for key, token in found.items()}
    if sorted(v for v in found.values() if type(v) is int) != list(range(len(found))):
        raise ValueError(
            f"the token list's ids must be 0 to {len(found) - 1}, each once; give the tokens one a line, in "
            "the order of the rows"
        )
    return sorted(found, key=lambda token: int(found[token]))


def _by_id(tokens: Tokens, V: int) -> Names:
    """The tokens of a tokenizer.json; a table may have more rows than it, to fill up a round number."""
    last = max(tokens.vocab, default=0)
    if last >= V:
        raise ValueError(
            f"tokenizer.json has token {shorten(tokens.vocab[last])} with id {last:,}, but the table has "
            f"{V:,} rows; choose the one that belongs to this model"
        )
    beyond = sum(i >= V for i in tokens.added)
    said = (f"{beyond:,} added tokens have no row.",) if beyond else ()
    every = {**tokens.vocab, **tokens.added}
    return Names([every.get(i, "") for i in range(V)], said)


def _is_header(lines: Sequence[str]) -> bool:
    parts = [unquoted(part).strip().lower() for part in re.split(r"[\t,;]", lines[0])]
    return (len(parts) > 1 and "\t" in lines[0]) or any(part in LABELS - {""} for part in parts)


def _columns(lines: Sequence[str]) -> list[list[str]]:
    """The columns of a list with tabs, if each line has as many; else none."""
    parts = [line.split("\t") for line in lines]
    if not lines or len(parts[0]) < 2 or any(len(row) != len(parts[0]) for row in parts):
        return []
    return [list(column) for column in zip(*parts, strict=True)]


def _column(head: str, columns: Sequence[list[str]], said: list[str]) -> list[str]:
    """The column with the names: what the header calls a word, else the first that is not all numbers."""
    heads = [part.strip() for part in head.split("\t")]
    called = [i for i, name in enumerate(heads) if name.lower() in LABELS - {"", "index", "id"}]
    worded = [i for i, column in enumerate(columns) if not all(_is_count(part) for part in column)]
    chosen = (called or worded or [0])[0]
    name = f"‘{heads[chosen]}’" if head and heads[chosen] else f"{chosen + 1}"
    said.append(f"Of the list's {len(columns)} columns, column {name} names the rows.")
    return columns[chosen]


def _is_count(text: str) -> bool:
    return bool(re.fullmatch(r"\s*-?\d+(?:\.\d+)?(?:e-?\d+)?\s*", text, re.ASCII | re.IGNORECASE))


def _without_numbers(lines: list[str], said: list[str]) -> list[str]:
    """A list whose every line has a number before or behind the token: an id, a count, a score."""
    V = len(lines)
    behind = [match.groups() if (match := _COUNTED.fullmatch(line)) else None for line in lines]
    before = [match.groups() if (match := _NUMBERED.fullmatch(line)) else None for line in lines]
    if all(before) and [int(pair[0]) for pair in before if pair] in (list(range(V)), list(range(1, V + 1))):
        said.append("The list numbers its lines; the numbers were left out.")
        return [pair[1] for pair in before if pair]
    pairs = [pair for pair in behind if pair]
    if len(pairs) < V or len({token for token, _ in pairs}) < V or V < 2:
        return lines
    tokens, numbers = [token for token, _ in pairs], [number for _, number in pairs]
    if sorted(numbers) == sorted(str(i) for i in range(V)):
        said.append("The number behind each token of the list is its row.")
        return [token for _, token in sorted(zip(map(int, numbers), tokens, strict=True))]
    said.append(f"The number behind each token of the list, {numbers[0]} in line 1, was left out.")
    return tokens


def _matched(tokens: list[str], V: int, said: Sequence[str]) -> Names:
    if len(tokens) != V:
        head = f"; if {shorten(tokens[0])} only names the column, remove it" if len(tokens) == V + 1 else ""
        raise ValueError(
            f"the table has {V:,} rows, but there are {len(tokens):,} tokens; each row needs one, so choose "
            f"the list that belongs to it{head}"
        )
    return Names(tokens, tuple(said))
