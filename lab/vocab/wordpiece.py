"""WordPiece with BERT's rules for splitting text into words."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lab.notation import IntArray, check_ids
from lab.vocab.tokenizers import Piece, PrefixMatcher
from lab.vocab.vocabulary import Vocabulary

MAX_WORD = 100
"""BERT gives [UNK] to a longer word without looking at it."""

# The blocks BERT calls Chinese: unified ideographs, their extensions A to E, and the compatibility forms.
_CJK = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
_ASCII_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


class _Word(NamedTuple):
    text: str
    """Normalised characters."""
    spans: list[tuple[int, int]]
    """For each normalised character, the source characters it stands for."""


class WordPiece:
    """Lower-case, split into words, then greedy longest match inside each word.

    Accents are stripped, punctuation signs and CJK ideographs are words of their own, control characters
    are removed (see `removed`). A word the pieces cannot make becomes ``[UNK]`` as a whole.
    Nothing is added at the ends, and what a reader types is always text: ``[CLS]`` is three words.

    Parameters
    ----------
    vocabulary : Vocabulary
        Pieces inside a word begin with ``##``. Tokens in ``special`` are never matched against text.
    unknown : str
        The token for a word that cannot be made.
    special : tuple of str
        Further tokens that stand for no text.

    Raises
    ------
    ValueError
        If the vocabulary has no ``unknown`` token.

    References
    ----------
    Devlin et al., BERT (arXiv:1810.04805), section 3 and the released tokenizer's rules;
    Wu et al., Google's Neural Machine Translation System (arXiv:1609.08144), section 4.1.

    Examples
    --------
    >>> tokenizer = WordPiece(Vocabulary(["[UNK]", "cat", "##s", "."]))
    >>> [piece.token for piece in tokenizer.pieces("Cats. Dogs")]
    ['cat', '##s', '.', '[UNK]']
    """

    key: ClassVar[str] = "wordpiece"
    title: ClassVar[str] = "WordPiece"

    def __init__(
        self,
        vocabulary: Vocabulary,
        unknown: str = "[UNK]",
        special: tuple[str, ...] = ("[PAD]", "[CLS]", "[SEP]", "[MASK]"),
    ) -> None:
        self.vocabulary = vocabulary
        self.unknown = unknown
        self._unknown_id = vocabulary.id_of(unknown)
        first: dict[str, int] = {}
        inner: dict[str, int] = {}
        for i, token in enumerate(vocabulary):
            if token in (unknown, *special):
                continue
            if _is_inner(token):
                inner[token[2:]] = i
            else:
                first[token] = i
        self._first = PrefixMatcher(first)
        self._inner = PrefixMatcher(inner)

    def pieces(self, text: str) -> list[Piece]:
        """Return the pieces of a text, each with the source characters it was made from."""
        tokens, found = self.vocabulary.tokens, []
        made: dict[str, tuple[tuple[int, int], ...] | None] = {}
        for number, word in enumerate(_words(text)):
            if word.text not in made:
                made[word.text] = self._split(word.text)
            parts = made[word.text]
            if parts is None:
                start, end = word.spans[0][0], word.spans[-1][1]
                found.append(Piece(self.unknown, self._unknown_id, text[start:end], start, end, number, True))
                continue
            at = 0
            for token_id, stop in parts:
                start, end = word.spans[at][0], word.spans[stop - 1][1]
                found.append(Piece(tokens[token_id], token_id, text[start:end], start, end, number, False))
                at = stop
        return found

    def encode(self, text: str) -> IntArray:
        """Return the ids of a text, shape (T,), without [CLS] and [SEP]."""
        return np.array([piece.id for piece in self.pieces(text)], dtype=np.intp)

    def decode(self, ids: ArrayLike) -> str:
        """Return the words of a sequence of ids with single spaces; case and accents do not come back."""
        tokens = [self.vocabulary.tokens[int(i)] for i in check_ids(ids, len(self.vocabulary)).ravel()]
        joined = (t[2:] if _is_inner(t) else " " + t for t in tokens)
        return "".join(joined).removeprefix(" ")

    def removed(self, text: str) -> str:
        """Return the control and format characters that the rules remove from a text.

        Examples
        --------
        >>> WordPiece(Vocabulary(["[UNK]"])).removed("a\\x00b\\u200dc")
        '\\x00\\u200d'
        """
        return "".join(ch for ch in text if _is_removed(ch))

    def _split(self, word: str) -> tuple[tuple[int, int], ...] | None:
        """(id, end) for each piece of a word, or None if it cannot be made."""
        if len(word) > MAX_WORD:
            return None
        parts: list[tuple[int, int]] = []
        matcher, at = self._first, 0
        while at < len(word):
            match = matcher.longest(word, at)
            if match is None:
                return None
            parts.append(match)
            matcher, at = self._inner, match[1]
        return tuple(parts)


def _is_inner(token: str) -> bool:
    return token.startswith("##") and len(token) > 2


def _words(text: str) -> Iterator[_Word]:
    """The words of a text after normalisation; a sign that stands alone is a word."""
    letters: list[str] = []
    spans: list[tuple[int, int]] = []
    for i, ch in enumerate(text):
        forms = _normalise(ch)
        if forms == () and spans and spans[-1][1] == i:
            spans[-1] = spans[-1][0], i + 1  # an accent or control character belongs to the letter before it
        for form, ends_word in () if forms is None else forms:
            if ends_word and letters:
                yield _Word("".join(letters), spans)
                letters, spans = [], []
            if ends_word:
                yield _Word(form, [(i, i + 1)])
            else:
                letters.append(form)
                spans.append((i, i + 1))
        if forms is None and letters:
            yield _Word("".join(letters), spans)
            letters, spans = [], []
    if letters:
        yield _Word("".join(letters), spans)


@lru_cache(maxsize=16_384)
def _normalise(ch: str) -> tuple[tuple[str, bool], ...] | None:
    """What one character becomes: None for a space, else (character, stands alone) pairs, () if it goes.

    Working character by character keeps the way back to the source. The one rule this leaves out is the
    Greek final sigma, which the released fast tokenizer leaves out too.
    """
    if _is_removed(ch):
        return ()
    if ch.isspace():
        return None
    if _is_cjk(ord(ch)):
        return ((ch, True),)
    plain = (c for c in unicodedata.normalize("NFD", ch.lower()) if unicodedata.category(c) != "Mn")
    return tuple((c, _is_punctuation(c)) for c in plain)


def _is_removed(ch: str) -> bool:
    """BERT's clean-up. Unassigned code points stay, so the result is the same under every Unicode version."""
    return ch not in "\t\n\r" and (ch == "\ufffd" or unicodedata.category(ch) in ("Cc", "Cf"))


def _is_punctuation(ch: str) -> bool:
    """Every ASCII sign counts, also those Unicode calls symbols ($, +, <, ^, `, |, ~)."""
    return ch in _ASCII_PUNCTUATION or unicodedata.category(ch).startswith("P")


def _is_cjk(code: int) -> bool:
    return any(low <= code <= high for low, high in _CJK)
