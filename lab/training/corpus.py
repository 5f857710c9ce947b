"""The text a model is trained on: checked, encoded, and split."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Self

import numpy as np

from lab.data import shakespeare
from lab.notation import Array, IntArray, readonly
from lab.vocab import Characters

MIN_CHARACTERS = 2_000
MAX_BYTES = 2_000_000
MAX_CHARACTERS = 10_000
"""Different characters of a text: each has a row at both ends of the model, and a logit at every position."""
HELD_OUT = 0.1


@dataclass(frozen=True, eq=False)
class Corpus:
    """A text as character ids, its first part for training and its end held out.

    Every character of the text is a token: none is dropped or replaced.

    Attributes
    ----------
    characters : Characters
        The tokenizer; its tokens are the distinct characters in code-point order.
    train, held_out : numpy.ndarray
        Ids of the two parts.
    invisible : tuple of str
        Characters of the text that a figure cannot show as they are (line ends, tabs, controls).
    unseen : tuple of str
        Characters that stand in the held-out part alone, so that no model can learn them.

    Examples
    --------
    >>> corpus = Corpus.from_text("to be, or not to be. " * 100)
    >>> corpus.V, corpus.train.size, corpus.held_out.size
    (9, 1890, 210)
    """

    characters: Characters
    train: IntArray = field(repr=False)
    held_out: IntArray = field(repr=False)
    invisible: tuple[str, ...]
    unseen: tuple[str, ...]

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Check and encode a text.

        Parameters
        ----------
        text : str
            2,000 characters to 2,000,000 bytes in UTF-8, with 2 to 10,000 different characters.

        Raises
        ------
        ValueError
            If the text is too short, too long, no valid Unicode, one character over and over, or made of too
            many different ones.
        """
        if len(text) < MIN_CHARACTERS:
            raise ValueError(
                f"the text has {len(text):,} characters; training needs at least {MIN_CHARACTERS:,}: add more"
            )
        if len(text) > MAX_BYTES:  # no character takes less than a byte
            _refuse_size(len(text.encode("utf-8", "surrogatepass")))
        codes = _code_points(text)
        distinct, ids = np.unique(codes, return_inverse=True)
        if distinct.size < 2:
            raise ValueError(
                f"the text is {text[0]!r} over and over; training needs two different characters"
            )
        if distinct.size > MAX_CHARACTERS:
            raise ValueError(
                f"the text has {distinct.size:,} different characters; at most {MAX_CHARACTERS:,} are taken: "
                "this model has a row for each"
            )
        tokens = [chr(code) for code in distinct]
        train, held_out = _split(ids.astype(np.intp))
        learnt = np.isin(np.arange(distinct.size), train)
        return cls(
            characters=Characters.from_text(tokens),
            train=train,
            held_out=held_out,
            invisible=tuple(token for token in tokens if not _is_shown(token)),
            unseen=tuple(token for token, seen in zip(tokens, learnt, strict=True) if not seen),
        )

    @classmethod
    def from_bytes(cls, content: bytes) -> Self:
        """Check and encode the bytes of a text file in UTF-8, with or without a byte order mark.

        Raises
        ------
        ValueError
            If the file is larger than 2,000,000 bytes or not UTF-8, and as ``from_text``.

        Examples
        --------
        >>> Corpus.from_bytes(b"abc\\xff" * 1000)
        Traceback (most recent call last):
            ...
        ValueError: byte 3 of the file (0xff) is not UTF-8; save the file as UTF-8 text
        """
        if len(content) > MAX_BYTES:
            _refuse_size(len(content))
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            byte = content[error.start]
            raise ValueError(
                f"byte {error.start} of the file (0x{byte:02x}) is not UTF-8; save the file as UTF-8 text"
            ) from None
        return cls.from_text(text)

    @property
    def V(self) -> int:
        """Different characters."""
        return len(self.characters.vocabulary)

    @property
    def tokens(self) -> tuple[str, ...]:
        """The characters by id."""
        return tuple(self.characters.vocabulary.tokens)

    @property
    def split(self) -> str:
        """How the text is split, in words."""
        return (
            f"trained on the first {self.train.size:,} characters, "
            f"measured on the last {self.held_out.size:,} ({HELD_OUT:.0%}), which training never sees"
        )

    def counts(self) -> IntArray:
        """Return how often each character occurs in the training part, shape (V,)."""
        return np.bincount(self.train, minlength=self.V)

    def batch(self, rng: np.random.Generator, size: int, T: int) -> tuple[IntArray, IntArray]:
        """Draw windows of the training part: ids (size, T), and the characters that follow them (size, T)."""
        starts = rng.integers(0, self.train.size - T, size)
        windows = self.train[starts[:, None] + np.arange(T + 1)]  # (size, T + 1)
        return windows[:, :-1], windows[:, 1:]


def shakespeare_corpus() -> Corpus:
    """Return the seven plays as a corpus, made once.

    Raises
    ------
    DataMissing
        If the text is not in the data folder.

    Examples
    --------
    >>> shakespeare_corpus().V
    66
    """
    return _cached(shakespeare())


@lru_cache(maxsize=1)
def _cached(text: str) -> Corpus:
    return Corpus.from_text(text)


def _refuse_size(size: int) -> None:
    raise ValueError(f"the text has {size:,} bytes; at most {MAX_BYTES:,} are taken: shorten it")


def _code_points(text: str) -> Array:
    # one object a character, as the tokenizer makes them to show them, takes seconds for a whole book
    try:
        size = len(text.encode("utf-8"))
        encoded = text.encode("utf-32-le")
    except UnicodeEncodeError as error:
        raise ValueError(
            f"character {error.start} is half of a surrogate pair ({text[error.start]!r}), no Unicode text; "
            "copy the text again from its source"
        ) from None
    if size > MAX_BYTES:
        _refuse_size(size)
    return np.frombuffer(encoded, dtype="<u4")


def held_out_from(size: int) -> int:
    """Return the index of the first held-out character in a text of this size.

    Examples
    --------
    >>> held_out_from(2000)
    1800
    """
    return size - round(HELD_OUT * size)


def _split(ids: IntArray) -> tuple[IntArray, IntArray]:
    cut = held_out_from(ids.size)
    return readonly(ids[:cut]), readonly(ids[cut:])


def _is_shown(character: str) -> bool:
    # C*: controls, formats, unassigned; Z*: line and paragraph separators and the wider spaces
    return character == " " or unicodedata.category(character)[0] not in "CZ"
