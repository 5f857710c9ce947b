"""Tokenizers behind one interface: text to pieces, pieces to ids, ids back to text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from lab.notation import IntArray, check_ids
from lab.vocab.vocabulary import Vocabulary, list_tokens, shorten, show_token


class Piece(NamedTuple):
    """One token together with the characters it was made from."""

    token: str
    """The vocabulary's token, such as ``" cat"``, ``"##s"`` or ``"[UNK]"``."""
    id: int
    text: str
    """The characters of the source, ``source[start:end]``."""
    start: int
    end: int
    word: int
    """Number of the source word; a word that needed several pieces has several with the same number."""
    unknown: bool
    """True where no piece of the vocabulary could make the word."""


class Tokenizer(Protocol):
    """What every tokenizer offers."""

    key: ClassVar[str]
    title: ClassVar[str]
    vocabulary: Vocabulary

    def pieces(self, text: str) -> list[Piece]:
        """Return the pieces of a text, in order."""
        ...

    def encode(self, text: str) -> IntArray:
        """Return the ids of a text, shape (T,)."""
        ...

    def decode(self, ids: ArrayLike) -> str:
        """Return the text that a sequence of ids spells."""
        ...


class PrefixMatcher:
    """Longest token at a place of a text, in time proportional to that token's length.

    Every beginning of every token is remembered, so the search grows a match character by character and
    stops where no token can go on. Trying the longest candidate first would cost the length of the
    longest token at each place, a hundred times more for a long word that no piece can make.
    """

    def __init__(self, tokens: Mapping[str, int]) -> None:
        self._ids = dict(tokens)
        self._prefixes = {token[:n] for token in tokens for n in range(1, len(token) + 1)}

    def longest(self, text: str, start: int) -> tuple[int, int] | None:
        """Return (id, end) of the longest token that begins at ``start``, or None."""
        found: tuple[int, int] | None = None
        for end in range(start + 1, len(text) + 1):
            candidate = text[start:end]
            if candidate not in self._prefixes:
                break
            if candidate in self._ids:
                found = self._ids[candidate], end
        return found


class _Joined:
    """What the tokenizers whose tokens spell the text share: ids from pieces, text from tokens."""

    joint: ClassVar[str] = ""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary

    def pieces(self, text: str) -> list[Piece]:
        raise NotImplementedError

    def encode(self, text: str) -> IntArray:
        """Return the ids of a text, shape (T,)."""
        return np.array([piece.id for piece in self.pieces(text)], dtype=np.intp)

    def decode(self, ids: ArrayLike) -> str:
        """Return the text that a sequence of ids spells."""
        checked = check_ids(ids, len(self.vocabulary))
        return self.joint.join(self.vocabulary.tokens[int(i)] for i in checked.ravel())


class GreedyLongestMatch(_Joined):
    """At each place take the longest token that fits: the course's tokenizer.

    A word inside a text carries its leading space in the token, so plain text is spelt exactly and
    ``decode(encode(text)) == text``.

    Examples
    --------
    >>> tokenizer = GreedyLongestMatch(Vocabulary(["the", " cat", " climb", "ed"]))
    >>> tokenizer.encode("the cat climbed")
    array([0, 1, 2, 3])
    """

    key: ClassVar[str] = "greedy"
    title: ClassVar[str] = "Greedy longest match"
    skips_spaces: ClassVar[bool] = False
    """Whether a space that begins no token only stands between two."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        super().__init__(vocabulary)
        self._matcher = PrefixMatcher({token: i for i, token in enumerate(vocabulary)})

    def pieces(self, text: str) -> list[Piece]:
        """Return the pieces of a text, in order.

        Raises
        ------
        ValueError
            If a place of the text fits no token; the message names the word and lists the tokens.
        """
        found: list[Piece] = []
        at, word = 0, 0
        while at < len(text):
            match = self._matcher.longest(text, at)
            word += int(text[at].isspace() and bool(found))
            if match is not None:
                token_id, end = match
                token = self.vocabulary.tokens[token_id]
                found.append(Piece(token, token_id, text[at:end], at, end, word, False))
                at = end
            elif self.skips_spaces and text[at].isspace():
                at += 1
            else:
                raise ValueError(self._outside(text, at))
        return found

    def _outside(self, text: str, at: int) -> str:
        tokens = list_tokens(self.vocabulary.tokens)
        name = _word_around(text, at)
        if not name:
            return f"‘{show_token(text[at])}’ at character {at} fits no token; the tokens are {tokens}"
        hint = "; it is there only with a space before it" if " " + name in self.vocabulary else ""
        return f"the word {shorten(name)} is outside this table{hint}; the tokens are {tokens}"


def _word_around(text: str, at: int) -> str:
    """The word that the character at ``at`` stands in, or the word that a space there leads to."""
    if text[at].isspace() and text[at] != " ":
        return ""  # a line break or tab is refused itself, and no word
    start = end = at + int(text[at] == " ")
    while start > 0 and not text[start - 1].isspace():
        start -= 1
    while end < len(text) and not text[end].isspace():
        end += 1
    return text[start:end]


class Words(_Joined):
    """One token for each word between spaces: enough for the two small example tables.

    Examples
    --------
    >>> Words(Vocabulary(["spend", "save", "invest"])).encode("save invest")
    array([1, 2])
    """

    key: ClassVar[str] = "words"
    title: ClassVar[str] = "Whole words"
    joint: ClassVar[str] = " "

    def pieces(self, text: str) -> list[Piece]:
        """Return the pieces of a text, in order.

        Raises
        ------
        ValueError
            If a word is no token; the message names the word and lists the tokens there are.
        """
        return list(self._each(text))

    def _each(self, text: str) -> Iterator[Piece]:
        for number, match in enumerate(re.finditer(r"\S+", text)):
            word = match.group()
            if word not in self.vocabulary:
                raise ValueError(
                    f"the word {shorten(word)} is outside this table; "
                    f"the tokens are {list_tokens(self.vocabulary.tokens)}"
                )
            yield Piece(word, self.vocabulary.id_of(word), word, match.start(), match.end(), number, False)


class Characters(_Joined):
    """One token for each character.

    Examples
    --------
    >>> tokenizer = Characters.from_text("to be")
    >>> tokenizer.vocabulary.tokens, tokenizer.encode("bet")
    ((' ', 'b', 'e', 'o', 't'), array([1, 2, 4]))
    """

    key: ClassVar[str] = "characters"
    title: ClassVar[str] = "Characters"

    def __init__(self, vocabulary: Vocabulary) -> None:
        super().__init__(vocabulary)
        long = [token for token in vocabulary if len(token) != 1]
        if long:
            raise ValueError(
                f"a character tokenizer takes tokens of one character; {shorten(long[0])} is longer"
            )

    @classmethod
    def from_text(cls, text: Iterable[str]) -> Characters:
        """Return a tokenizer over the distinct characters of a text, in code-point order.

        Raises
        ------
        ValueError
            If the text is empty.
        """
        return cls(Vocabulary(sorted(set(text))))

    def pieces(self, text: str) -> list[Piece]:
        """Return the pieces of a text, in order.

        Raises
        ------
        ValueError
            If a character is not among the tokens.
        """
        found: list[Piece] = []
        word = 0
        for at, ch in enumerate(text):
            if ch not in self.vocabulary:
                raise ValueError(
                    f"the character ‘{show_token(ch)}’ (number {at}) is outside this table; "
                    f"the tokens are {list_tokens(self.vocabulary.tokens, most=100)}"
                )
            word += int(ch.isspace())
            found.append(Piece(ch, self.vocabulary.id_of(ch), ch, at, at + 1, word, False))
        return found
