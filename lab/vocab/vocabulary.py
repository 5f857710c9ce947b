"""The list of tokens, their ids, and how a token is shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, NamedTuple, TypeVar, cast

import numpy as np

from lab.notation import check_ids

SequenceT = TypeVar("SequenceT", bound="Sequence[Any] | np.ndarray[Any, Any]")


class Vocabulary:
    """Tokens in id order, with lookup both ways.

    Parameters
    ----------
    tokens : iterable of str
        Token ``i`` gets id ``i``. A leading space is part of a token and is stored as a real space.

    Raises
    ------
    ValueError
        If there is no token, a token is empty or no text, or a token comes twice (named).

    Examples
    --------
    >>> vocabulary = Vocabulary(["the", " cat"])
    >>> len(vocabulary), vocabulary.id_of(" cat"), vocabulary.token_of(0)
    (2, 1, 'the')
    """

    def __init__(self, tokens: Iterable[str]) -> None:
        self.tokens: tuple[str, ...] = tuple(tokens)
        self._ids: dict[str, int] = {}
        if not self.tokens:
            raise ValueError("a vocabulary needs at least one token")
        for i, token in enumerate(self.tokens):
            if not isinstance(token, str) or not token:
                raise ValueError(f"token {i} must be text of at least one character; got {token!r}")
            if token in self._ids:
                raise ValueError(
                    f"token {token!r} comes twice, as ids {self._ids[token]} and {i}; tokens must be unique"
                )
            self._ids[token] = i

    def __len__(self) -> int:
        return len(self.tokens)

    def __iter__(self) -> Iterator[str]:
        return iter(self.tokens)

    def __contains__(self, token: object) -> bool:
        return token in self._ids

    def __repr__(self) -> str:
        return f"Vocabulary({list_tokens(self.tokens)})"

    def id_of(self, token: str) -> int:
        """Return the id of a token.

        Raises
        ------
        ValueError
            If there is no such token; the message lists the tokens there are.

        Examples
        --------
        >>> Vocabulary(["a", "b"]).id_of("b")
        1
        """
        if token not in self._ids:
            raise ValueError(
                f"{shorten(token)} is not in the vocabulary; its tokens are {list_tokens(self.tokens)}"
            )
        return self._ids[token]

    def token_of(self, token_id: int) -> str:
        """Return the token with an id.

        Raises
        ------
        ValueError
            If the id is not an integer of ``0 .. V - 1``.

        Examples
        --------
        >>> Vocabulary(["a", "b"]).token_of(1)
        'b'
        """
        return self.tokens[int(check_ids(token_id, len(self)))]


class Truncation(NamedTuple, Generic[SequenceT]):
    """What a length limit keeps, and how many it drops."""

    kept: SequenceT
    dropped: int

    @property
    def total(self) -> int:
        """Number of tokens before the cut."""
        return len(self.kept) + self.dropped

    @property
    def message(self) -> str:
        """A sentence for the reader; empty when nothing was dropped."""
        return f"{self.dropped} of {self.total} tokens dropped" if self.dropped else ""


def truncate(ids: SequenceT, limit: int) -> Truncation[SequenceT]:
    """Keep the first ``limit`` items of a sequence and count the rest.

    Parameters
    ----------
    ids : sequence or array of shape (T,)
        Token ids, or the pieces of a tokenizer.
    limit : int
        The most that may be kept.

    Returns
    -------
    Truncation
        Unpacks as ``kept, dropped``; ``message`` is the sentence a view must not leave out.

    Raises
    ------
    ValueError
        If the limit is negative.

    Examples
    --------
    >>> truncate(list(range(551)), 512).message
    '39 of 551 tokens dropped'
    """
    if limit < 0:
        raise ValueError(f"the limit must be 0 or more tokens; got {limit}")
    kept = cast(SequenceT, ids[:limit])
    return Truncation(kept, len(ids) - len(kept))


def show_token(token: str) -> str:
    """Return a token as it is shown: a space as ␣, and every invisible character by name.

    Examples
    --------
    >>> show_token(" cat"), show_token("a\\n"), show_token("\\u202e")
    ('␣cat', 'a␊', '⟨U+202E⟩')
    """
    return "".join(_show_character(ch) for ch in token)


def _show_character(ch: str) -> str:
    code = ord(ch)
    if ch == " ":
        return "␣"
    if code < 0x20:
        return chr(0x2400 + code)  # the block of control pictures follows the order of the controls
    if code == 0x7F:
        return "␡"
    # format signs, lone surrogates, odd spaces and separators are as invisible as controls
    return ch if ch.isprintable() else f"⟨U+{code:04X}⟩"


def list_tokens(tokens: Sequence[str], most: int = 24) -> str:
    """Return tokens for a message, the first ``most`` of a long list.

    Examples
    --------
    >>> list_tokens([" cat", "."])
    '␣cat .'
    """
    shown = " ".join(show_token(t) for t in tokens[:most])
    return shown if len(tokens) <= most else f"{shown} … ({len(tokens)} in all)"


def shorten(text: str, most: int = 40) -> str:
    """Return text quoted for a message, at most ``most`` characters of it, invisible ones by name.

    Examples
    --------
    >>> shorten("the lion"), shorten("a" * 50, most=3), shorten("a\\n")
    ('‘the lion’', '‘aaa…’', '‘a␊’')
    """
    kept = text if len(text) <= most else text[:most] + "…"
    return f"‘{''.join(ch if ch == ' ' else _show_character(ch) for ch in kept)}’"
