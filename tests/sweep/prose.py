"""What no sentence, label or cell on a page may hold, whatever the state."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from html.parser import HTMLParser
from typing import NamedTuple

from app.kit.html import visible


class Fault(NamedTuple):
    """A kind of fault, and the words around it."""

    kind: str
    around: str


_THINGS = (
    "token position row word pair head step place document sequence parameter layer dimension byte number "
    "vector column id value question hand table model seed entry component neighbour period radian "
    "character text way example method weight score distance batch gradient query key angle window bit "
    "multiple expert group file node cell part million billion thousand second millisecond line letter "
    "pixel control setting frequency sentence"
)
THINGS = _THINGS.split()
BETWEEN = (
    "of the a an to and in from is has was on at by as or than with for times that which per are into while "
    "both where when all each no not if so then but its their this these those can must it they moves turns"
)
_not_between = rf"(?!(?:{'|'.join(BETWEEN.split())})\b)"
_COUNTED = (
    "row column position layer step place head pair id rank token document seed part figure number dimension "
    "distance length shift exponent"
)
_one = r"(?<![\d.,−+^×=/*·-])(?<![\d.,] )" + "".join(f"(?<!{one} )" for one in _COUNTED.split()) + r"\b1"
_many = r"(?<![\d.,])(?<!× )\b(?:0|[2-9]|[1-9]\d+)"
_things = "|".join(sorted({*THINGS, *(f"{one[:-1]}ie" for one in THINGS if one.endswith("y"))}))
_plain = "|".join(THINGS)

PATTERNS: dict[str, re.Pattern[str]] = {
    kind: re.compile(pattern)
    for kind, pattern in {
        "not a number": r"(?<![\w‘])(?:nan|NaN)\b",
        "None": r"(?<=[^.!?\s] )None\b|[=(\[]None\b|^None[^\s\w]",
        "infinity as Python writes it": r"(?<![\w‘])[-−]?inf\b",
        "a truth value": r"(?<=[^.!?:\s] )(?:True|False)\b|[=(\[](?:True|False)\b|^(?:True|False)$",
        "Python's own words": r"\bnp\.(?:float|int|str|bool|nan|array)|\barray\(|<class|Traceback|NoneType",
        "an exponent as Python writes it": r"\d[eE][+-]?\d",
        "a hyphen for a minus": r"(?<![\w…)\]’'\"/-])-\d",
        "minus nothing": r"−0(?:\.0*)?(?![\d.…])",
        "spaces in a row": r"\S  +\S",
        "a space before a stop": r"\w [.,;!?](?![\w.…,)]| [^A-Z])",
        "stops in a row": r"(?<!\.)\.\.(?!\.)|[,;][.,;:]|:[.,;]|[,;:] [.,;](?![\w,.)])|[?!]\.\B|(?<! )\.,",
        "nothing between brackets": r"\(\s*\)|‘\s*’|“\s*”",
        "a lost character": "\N{REPLACEMENT CHARACTER}",
        "digits in a row": r"(?<![\w.,/#])\d{5,}(?![\w,])",
        "more decimals than anybody reads": r"\d\.\d{10,}",
        "a wrong ordinal": r"\b\d*(?<!1)[123]th\b|\b\d*1[123](?:st|nd|rd)\b",
        "one with a plural": rf"{_one} (?:{_not_between}[a-z]+ ){{0,2}}(?:{_things})s\b(?! of)",
        "one with a verb of many": rf"{_one} [a-z]+ (?:are|have|were|do|stand|take|come)\b",
        "many with a singular": rf"{_many} (?:{_plain})(?=[.;)]|$| is\b| has\b)",
    }.items()
}
WHOLE = re.compile(r"(?<![\d.,])(100|0) ?(?:%|per cent)")
QUOTED = re.compile(r"‘[^’]*’?")


@lru_cache(maxsize=20_000)
def faults(text: str, own: tuple[str, ...] = ()) -> tuple[Fault, ...]:
    """What is wrong with a text; ``own`` are the reader's words, which may say what they like.

    >>> [fault.kind for fault in faults("There are 1 tokens, -3 in all..")]
    ['a hyphen for a minus', 'stops in a row', 'one with a plural']
    """
    masked = mask(text, own)
    return tuple(
        Fault(kind, _around(masked, found))
        for kind, pattern in PATTERNS.items()
        for found in pattern.finditer(masked)
    )


def wholes(text: str, own: Iterable[str] = ()) -> Iterator[tuple[float, str]]:
    """Each share that a text calls all or nothing, with the words around it.

    >>> list(wholes("It is 100 % of 5"))
    [(1.0, 'It is 100 % of 5')]
    """
    masked = mask(text, own)
    for found in WHOLE.finditer(masked):
        yield float(found[1]) / 100, _around(masked, found)


def mask(text: str, own: Iterable[str] = ()) -> str:
    """The text with a reader's own words taken out of it: what is quoted, and what was typed."""
    masked = QUOTED.sub("‘…’", text)
    for part in _parts(tuple(own)):
        masked = part.sub("…", masked)
    return masked


@lru_cache(maxsize=100)
def _parts(own: tuple[str, ...]) -> list[re.Pattern[str]]:
    # the longest first; a plain word alone is no reader's but anybody's
    texts = [text for typed in own for text in (typed, visible(typed))]
    parts = {part for text in texts for part in (text, *text.split(), *re.split(r"[\s,;\[\]()]+", text))}
    told = sorted((part for part in parts if len(part) > 1 and not part.isalpha()), key=len, reverse=True)
    # ".5" was typed, and 0.524 is a number of ours
    return [re.compile(rf"{_edge(part[0], '<')}{re.escape(part)}{_edge(part[-1], '')}") for part in told]


def _edge(sign: str, behind: str) -> str:
    return rf"(?{behind}![\d.])" if sign.isdigit() or sign == "." else ""


def _around(text: str, found: re.Match[str]) -> str:
    return text[max(found.start() - 24, 0) : found.end() + 16].strip()


_BLOCKS = (
    "p div td th li ul ol h1 h2 h3 h4 section tr table thead tbody text title desc figcaption option button "
    "label dt dd summary caption svg g br hr details"
)
BLOCKS = frozenset(_BLOCKS.split())
SKIPPED = frozenset({"style", "script", "pre", "code", "math"})
EDGE = "\x1f"
SAID = ("aria-label", "title", "alt", "placeholder")


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.open = ""
        self.skipping = 0

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.texts += [value for name, value in attributes if name in SAID and value]
        if tag in SKIPPED:
            self.skipping += 1
        self.part(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in SKIPPED:
            self.skipping -= 1
        self.part(tag)

    def part(self, tag: str) -> None:
        """A block ends a text; parts of one line that touch each other are kept apart by their looks."""
        if tag in BLOCKS:
            self.flush()
        elif self.open[-1:].isalnum():
            self.open += EDGE

    def handle_data(self, data: str) -> None:
        if self.skipping:
            return
        if not data[:1].isalnum():
            self.open = self.open.rstrip(EDGE)
        self.open += data

    def flush(self) -> None:
        if said := " ".join(self.open.rstrip(EDGE).replace(EDGE, " | ").split()):
            self.texts.append(said)
        self.open = ""


def texts_of(markup: str) -> list[str]:
    """What a piece of HTML says, block by block, with the names that only screen readers hear.

    >>> texts_of('<p>Two <b>words</b></p><div title="tip"><style>p{}</style>3</div>')
    ['Two words', 'tip', '3']
    """
    reader = _Reader()
    reader.feed(markup)
    reader.close()
    reader.flush()
    return reader.texts
