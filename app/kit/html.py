"""HTML that cannot be broken into: everything a reader typed is escaped, controls are made visible.

`Markup` is a string known to be safe; formatting into it escapes whatever is not. Panes of the kit take
`Markup` only, so a forgotten escape is a TypeError in the first test and not a hole.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Sequence

from markupsafe import Markup, escape

__all__ = [
    "EMPTY",
    "Markup",
    "dims",
    "escape",
    "join",
    "minus",
    "number",
    "shorten",
    "tag",
    "vector",
    "visible",
]

EMPTY = Markup("")
DIMENSIONS = ("T", "D", "V", "H", "d")


def tag(name: str, *content: object, **attributes: object) -> Markup:
    """An element with escaped content; ``class_`` and ``data_x`` become ``class`` and ``data-x``.

    >>> tag("b", "<i>", class_="x")
    Markup('<b class="x">&lt;i&gt;</b>')
    """
    # plain strings of escaped parts: formatting Markup does the same, several times as slowly in the browser
    written = "".join(
        [
            f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"'
            for key, value in attributes.items()
            if value is not None
        ]
    )
    return Markup(f"<{name}{written}>{''.join([_safe(part) for part in content])}</{name}>")


def heading(title: str, level: int, embedded: bool = False) -> Markup:
    """A title; in a page of somebody else's it is no heading of hers.

    >>> heading("X", 2), heading("X", 2, True)
    (Markup('<h2>X</h2>'), Markup('<p class="lab-h2">X</p>'))
    """
    return tag("p", title, class_=f"lab-h{level}") if embedded else tag(f"h{level}", title)


def join(parts: Iterable[object], between: str = "") -> Markup:
    """Escape each part and join them."""
    return Markup(str(escape(between)).join([_safe(part) for part in parts]))


def _safe(part: object) -> str:
    return part if type(part) is Markup else escape(part)


def visible(text: str, limit: int | None = None) -> str:
    """Text as a reader should see it: spaces at the edge and control characters get a sign.

    >>> visible(" cat"), visible("a\\tb\\x00")
    ('␣cat', 'a␉b␀')
    """
    signs = "".join(_sign(character) for character in text)
    stripped = signs.strip(" ")
    left = len(signs) - len(signs.lstrip(" "))
    right = len(signs) - left - len(stripped)
    shown = "␣" * left + stripped + "␣" * right
    return shown if limit is None else shorten(shown, limit)


def _sign(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    # format characters can turn a line round or hide; lone surrogates cannot be encoded at all
    if unicodedata.category(character) in {"Cc", "Cf", "Cs"}:
        return f"⟨{code:04X}⟩"
    return character


def shorten(text: str, limit: int) -> str:
    """At most ``limit`` characters, the last an ellipsis where something was left out."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def minus(text: str) -> str:
    """The sign of the field: U+2212 in place of the hyphen."""
    return text.replace("-", "−")


_LARGE, _DIGITS = 1e4, 8


def number(value: float, digits: int = 3) -> str:
    """A number as it is printed everywhere: at most ``digits`` decimals, no trailing zeros.

    A large number has fewer decimals, for eight digits are all that a reader can use.

    >>> number(-0.5), number(1.0), number(0.8414709848), number(-1e-17), number(124439808)
    ('−0.5', '1', '0.841', '0', '124,439,808')
    >>> number(12345.6789), number(15396059.773)
    ('12,345.679', '15,396,060')
    """
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value != 0 and (abs(value) < 10.0**-digits / 2):
        if abs(value) < 1e-15:
            return "0"
        return minus(f"{value:.1e}")
    if abs(value) >= _LARGE:
        digits = max(0, min(digits, _DIGITS - len(str(int(abs(value))))))
    text = f"{value:,.{digits}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return minus("0" if text == "-0" else text)


def counted(count: int, one: str, many: str = "") -> str:
    """A number of things.

    >>> counted(1, "token"), counted(1024, "token"), counted(2, "frequency", "frequencies")
    ('1 token', '1,024 tokens', '2 frequencies')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def vector(values: Sequence[float], digits: int = 3, most: int = 8) -> str:
    """A row of numbers in brackets, its middle left out when it is long."""
    shown = [number(float(value), digits) for value in values[:most]]
    if len(values) > most:
        shown.append(f"… ({len(values)} in all)")
    return f"[{', '.join(shown)}]"


def dims(*pairs: tuple[str, int]) -> Markup:
    """``T × D = 5 × 4`` with each letter in its colour.

    >>> dims(("T", 5), ("D", 4)).striptags()
    'T × D = 5 × 4'
    """
    letters = join((tag("b", letter, class_=f"dim-{letter}") for letter, _ in pairs), " × ")
    return letters + " = " + join((f"{size:,}" for _, size in pairs), " × ")
