"""Text that a model writes, and what its characters are."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from lab.notation import Array, IntArray, as_floats, check_count, check_positive
from lab.training.corpus import Corpus
from lab.transformer import Transformer

CharacterClass = Literal["vowel", "consonant", "capital", "punctuation", "other"]

CLASSES: dict[CharacterClass, str] = {
    "vowel": "small a, e, i, o, u, æ, œ, ø, with or without an accent",
    "consonant": "every other small Latin letter, y among them",
    "capital": "capital letters of any script",
    "punctuation": "marks such as , . ! ' -",
    "other": "spaces, line ends, digits, signs, small letters of other scripts",
}
"""What each class holds."""

VOWELS = frozenset("aeiouæœø")


def character_class(character: str) -> CharacterClass:
    """Return the class of one character.

    Raises
    ------
    ValueError
        If it is not exactly one character.

    Examples
    --------
    >>> [character_class(c) for c in "aéyQ,7"]
    ['vowel', 'vowel', 'consonant', 'capital', 'punctuation', 'other']
    """
    if len(character) != 1:
        raise ValueError(f"a class belongs to one character; got {character!r}")
    category = unicodedata.category(character)
    if category in ("Lu", "Lt"):
        return "capital"
    if category.startswith("P"):
        return "punctuation"
    if not unicodedata.name(character, "").startswith("LATIN SMALL LETTER"):
        return "other"
    return "vowel" if unicodedata.normalize("NFD", character)[0] in VOWELS else "consonant"


def sampling(
    model: Transformer,
    corpus: Corpus,
    rng: np.random.Generator,
    prompt: str = "",
    length: int = 200,
    temperature: float = 1.0,
) -> Iterator[str]:
    """Write one character at a time.

    The model sees the last T characters, at positions 0 .. T - 1, as in training.

    Parameters
    ----------
    model : Transformer
        Of any state of training.
    corpus : Corpus
        The text it is trained on, for its characters.
    rng : numpy.random.Generator
        Draws the characters.
    prompt : str
        Text to go on from; if empty, a line end, or else the most frequent character.
    length : int
        Characters to write.
    temperature : float
        Divides the logits; 1 draws from the model as it is.

    Yields
    ------
    str
        Each new character, without the prompt.

    Raises
    ------
    ValueError
        If the prompt has a character that the text does not have, or the length or temperature is not
        above 0.
    """
    check_positive("temperature", temperature)
    ids = _start(corpus, prompt)
    tokens = corpus.tokens
    for _ in range(check_count("length", length)):
        ids = ids[-model.config.T :]
        logits = model.logits([ids])[0, -1] / temperature
        # the largest of logits plus Gumbel noise is a draw from their softmax
        drawn = int(np.argmax(logits + rng.gumbel(size=logits.size)))
        ids = [*ids, drawn]
        yield tokens[drawn]


def sample(
    model: Transformer,
    corpus: Corpus,
    rng: np.random.Generator,
    prompt: str = "",
    length: int = 200,
    temperature: float = 1.0,
) -> str:
    """Return a text that the model writes, without the prompt; the parameters are those of ``sampling``.

    Examples
    --------
    >>> from lab.training import TrainingConfig, train
    >>> corpus = Corpus.from_text("to be, or not to be. " * 100)
    >>> run = train(TrainingConfig(T=8, steps=200), corpus)
    >>> for step in run:
    ...     pass
    >>> sample(run.model, corpus, np.random.default_rng(0), prompt="or n", length=8, temperature=0.1)
    'ot to be'
    """
    return "".join(sampling(model, corpus, rng, prompt, length, temperature))


def _start(corpus: Corpus, prompt: str) -> list[int]:
    if prompt:
        return [int(i) for i in corpus.characters.encode(prompt)]
    if "\n" in corpus.characters.vocabulary:
        return [corpus.characters.vocabulary.id_of("\n")]
    return [int(corpus.counts().argmax())]


@dataclass(frozen=True, eq=False)
class RowMovement:
    """How far the rows of a table went in training, one entry a character, all of shape (V,).

    Attributes
    ----------
    counts : numpy.ndarray
        Occurrences in the training part.
    norm_before, norm_after : numpy.ndarray
        Length of each row.
    moved : numpy.ndarray
        Length of the difference of each row.
    """

    counts: IntArray
    norm_before: Array
    norm_after: Array
    moved: Array


def row_movement(before: ArrayLike, after: ArrayLike, counts: IntArray) -> RowMovement:
    """Return the length of each row before and after, and of the way between.

    Under Adam no lasting order of rare and frequent rows was found: this is a measurement of one run.

    Parameters
    ----------
    before, after : array_like
        Shape (V, D).
    counts : numpy.ndarray of int
        Shape (V,).

    Raises
    ------
    ValueError
        If the shapes do not agree.

    Examples
    --------
    >>> row_movement([[3.0, 4.0]], [[3.0, 0.0]], np.array([7])).moved
    array([4.])
    """
    start = as_floats("rows before (V, D)", before, (len(counts), None))
    end = as_floats("rows after (V, D)", after, start.shape)
    lengths = [np.linalg.norm(rows, axis=1) for rows in (start, end, end - start)]
    return RowMovement(counts, *lengths)
