"""A vocabulary of GPT-2's size, spoken to in ids: what a model is given once the tokenizer is done."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from lab.notation import IntArray, check_ids, readonly
from lab.vocab.course import Table
from lab.vocab.tokenizers import Piece
from lab.vocab.vocabulary import Vocabulary, shorten

GPT2_V, GPT2_PLACES = 50_257, 1_024
GPT2_NAMES = {464: "The", 3332: " sat", 3797: " cat"}
"""Ids of three tokens in the vocabulary of Radford et al. 2019, as its released encoder gives them."""
GPT2_SD_TOKENS, GPT2_SD_PLACES = 0.02, 0.01
"""Standard deviations of wte and wpe at the start, in ``model`` of the released code (src/model.py)."""
WIDTH = 4
"""Narrow, so that a row can be printed; GPT-2 small is 768 wide."""


class Ids:
    """Read a text that is ids already: whole numbers with commas or spaces between them.

    A word whose token has a name is read too: the first word as it is, a later one with a space before it.

    Examples
    --------
    >>> tokenizer = gpt2_table().tokenizer
    >>> tokenizer.encode("[464, 3797, 3332]"), tokenizer.encode("The cat sat")
    (array([ 464, 3797, 3332]), array([ 464, 3797, 3332]))
    """

    key: ClassVar[str] = "ids"
    title: ClassVar[str] = "Ids as they are"

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary

    def pieces(self, text: str) -> list[Piece]:
        """Return one piece for each id of a text, in order.

        Raises
        ------
        ValueError
            If a part is no id of the vocabulary, nor the name of a token.
        """
        found = []
        for number, match in enumerate(re.finditer(r"[^\s,;\[\]()]+", text)):
            part, start, end = match.group(), match.start(), match.end()
            token_id = self._id(part, first=number == 0)
            found.append(Piece(self.vocabulary.tokens[token_id], token_id, part, start, end, number, False))
        return found

    def encode(self, text: str) -> IntArray:
        """Return the ids of a text, shape (T,)."""
        return np.array([piece.id for piece in self.pieces(text)], dtype=np.intp)

    def decode(self, ids: ArrayLike) -> str:
        """Return the ids as a text."""
        return ", ".join(str(i) for i in check_ids(ids, len(self.vocabulary)).ravel().tolist())

    def _id(self, part: str, *, first: bool) -> int:
        V = len(self.vocabulary)
        name = part if first else f" {part}"
        if name in self.vocabulary:
            return self.vocabulary.id_of(name)
        # a number of thousands of digits is not worth reading
        if part.isascii() and part.isdecimal() and len(part) <= len(str(V)) and int(part) < V:
            return int(part)
        known = ", ".join(str(i) for i in (464, 3797, 3332))
        raise ValueError(
            f"{shorten(part)} is no id of this vocabulary. Write whole numbers from 0 to {V - 1:,} without "
            f"thousands signs, such as {known}: ‘The cat sat’ in GPT-2."
        )


@lru_cache(maxsize=1)
def gpt2_table() -> Table:
    """Return a table of GPT-2's 50,257 rows and 1,024 positions as training begins: drawn, not trained.

    Both come from seed 0, E from its generator and P from a spawned one. The width is 4.

    Examples
    --------
    >>> table = gpt2_table()
    >>> table.E.shape, table.vocabulary.token_of(3797), round(float(table.E.std()), 3)
    ((50257, 4), ' cat', 0.02)
    """
    vocabulary = Vocabulary(GPT2_NAMES.get(i, f"#{i}") for i in range(GPT2_V))
    rng = np.random.default_rng(0)
    (of_places,) = rng.spawn(1)
    return Table(
        name="GPT-2's ids, drawn rows",
        vocabulary=vocabulary,
        tokenizer=Ids(vocabulary),
        E=readonly(GPT2_SD_TOKENS * rng.standard_normal((GPT2_V, WIDTH))),
        P=readonly(GPT2_SD_PLACES * of_places.standard_normal((GPT2_PLACES, WIDTH))),
        position_origin=0,
        note=(
            f"GPT-2's {GPT2_V:,} ids and {GPT2_PLACES:,} positions before any training: rows drawn with "
            f"standard deviation {GPT2_SD_TOKENS}, positions with {GPT2_SD_PLACES}, as its code does. "
            f"Its smallest model is 768 wide; here D = {WIDTH}."
        ),
        example="464, 3797, 3332",
    )
