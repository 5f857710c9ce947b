"""What the room `order` computes: a layer on two orders of a text, on packed documents, on a marked token."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from app.kit.given import GIVEN
from app.kit.html import visible
from app.kit.view import View, part
from app.kit.words import Words
from app.rooms.order.own import DRAWN, MOST_WORDS, Reading
from lab import packing
from lab.attention import Attention
from lab.notation import Array, FloatArray, IntArray
from lab.order import Equivariance, Layer, equivariance, marked_first, shuffled
from lab.packing import packed_mask
from lab.positions import Scheme
from lab.recurrent import Recurrent

WORDS = Words(__file__)
SENTENCES = {"bites": "dog bites man", "good": "not good", "minus": "3 minus 5"}
MOST_SECOND = 4
"""Together few enough tokens for a table of weights with its numbers."""
BOUNDARY = "<|endoftext|>"
"""What stands between two texts, by GPT-2's name for it."""
MOST_TOKENS = MOST_WORDS + 1 + MOST_SECOND
EXACT = 1e-12
"""Below this a difference is rounding of float64."""
TEXT = {"sentence": "bites", "text": "", "scheme": "none", "mask": False, "head": 1, "seed": 0, "own": None}
ORDER = {"order": "reverse", "permutation": ""}
SECOND = {"second": "not good", "boundary": False, "separate": False, "restart": False}
USUAL = {**TEXT, **ORDER, **SECOND, "places": 12}
"""The settings, by what reads them."""


def words_of(text: str, most: int, what: str) -> tuple[str, ...]:
    """The words of a text; a ValueError if there is none, or more than the picture holds."""
    words = tuple(text.split())
    if not words:
        raise ValueError(WORDS.say("refused.empty", what=what))
    if (count := len(words)) > most:
        raise ValueError(WORDS.say("refused.long", what=what, count=count, most=most, more=count - most))
    return words


def parse_order(text: str, T: int) -> list[int]:
    """An order as a reader writes it, ``3,1,2`` or ``312``, from 0; a ValueError if it is none of T rows."""
    parts = [one for one in re.split(r"[\s,;]+", text) if one]
    if len(parts) == 1 and len(parts[0]) == T:
        parts = list(parts[0])
    reason = "refused.once"
    try:
        rows = [int(one) - 1 for one in parts]
        if sorted(rows) == list(range(T)):
            return rows
    except ValueError:
        reason = "refused.order"
    example = ",".join(map(str, range(T, 0, -1)))
    way_out = WORDS.say("refused.write" if T > 1 else "refused.single", T=T, example=example)
    raise ValueError(WORDS.say(reason, typed=visible(text, 40), T=T, way_out=way_out))


def exact(values: Any) -> Any:
    """A difference or an array of them, 0 where only rounding is left."""
    return values * (abs(values) >= EXACT)


def quoted(words: tuple[str, ...]) -> str:
    """Words as a sentence quotes them."""
    return f"‘{visible(' '.join(words), 48)}’"


class Layered(View):
    """The words of a text, and one layer of H heads of width d, H * d = D."""

    tokens: Any

    def __init__(self, s: Any) -> None:
        super().__init__(s)
        _ = self.tokens  # what cannot be read is refused before anything is made of it

    @part
    def words(self) -> tuple[str, ...]:
        if self.s.sentence == GIVEN and not self.s.text:
            return self.reading.words
        return words_of(self.s.text or SENTENCES[self.s.sentence], MOST_WORDS, "The text")

    @property
    def reading(self) -> Reading:
        """What is drawn and what is given."""
        reading: Reading = self.s.own or DRAWN
        return reading

    @property
    def heads(self) -> int:
        """Their number, H."""
        return self.reading.H

    @part
    def layer(self) -> Layer:
        return self.reading.layer(self.s.scheme, MOST_TOKENS, self.s.seed)

    @property
    def scheme(self) -> Scheme:
        return self.layer.scheme

    def rows(self, words: tuple[str, ...]) -> FloatArray:
        """The row of each word, (T, D)."""
        return self.reading.rows(words, self.s.seed)

    def read(self, rows: FloatArray) -> Attention:
        """What the layer makes of one text."""
        seen = packed_mask([0] * len(rows), causal=self.s.mask, separate=False)
        return self.layer.attend(rows, mask=seen)


class Orders(Layered):
    """A text x of T words and the same in another order, Px."""

    @part
    def order(self) -> IntArray:
        """Row t of Px is row order[t] of x, (T,), from 0."""
        rows = np.arange(self.T)
        if self.s.permutation.strip():
            return np.array(parse_order(self.s.permutation, self.T))
        if self.s.order == "shuffle":
            return shuffled(self.T, self.s.seed)
        return rows[::-1] if self.s.order == "reverse" else np.r_[rows[:2][::-1], rows[2:]]

    @part
    def tokens(self) -> tuple[str, ...]:
        """The words of Px."""
        return tuple(self.words[row] for row in self.order)

    @property
    def T(self) -> int:
        return len(self.words)

    @property
    def there(self) -> str:
        return quoted(self.words)

    @property
    def back(self) -> str:
        return quoted(self.tokens)

    @property
    def written(self) -> str:
        """The order as a reader writes it."""
        return ",".join(str(row + 1) for row in self.order.tolist())

    @property
    def moved(self) -> bool:
        """Whether the order moves anything."""
        return bool((self.order != np.arange(self.T)).any())

    @property
    def mirrored(self) -> bool:
        """Whether the order is the reversed one, which keeps every distance."""
        return bool((self.order[::-1] == np.arange(self.T)).all())

    @part
    def x(self) -> FloatArray:
        return self.rows(self.words)

    @part
    def before(self) -> Attention:
        return self.read(self.x)

    @part
    def after(self) -> Attention:
        return self.read(self.x[self.order])

    @part
    def found(self) -> Equivariance:
        """f(Px), P f(x) and the largest difference, over all heads, (T, D)."""
        return equivariance(lambda rows: self.read(rows).output, self.x, self.order)

    @part
    def difference(self) -> Array:
        """f(Px) − P f(x), (T, D)."""
        return self.found.after - self.found.moved

    @property
    def gap(self) -> float:
        return float(exact(self.found.gap))

    @property
    def blind(self) -> bool:
        """Whether the layer does not notice the order at hand."""
        return self.gap == 0

    @part
    def mean_gap(self) -> float:
        """Largest change of the output averaged over the tokens."""
        return float(abs(self.difference.mean(axis=0)).max())

    @part
    def recurrent_gap(self) -> float:
        """The same number as ``found.gap`` for a recurrent layer that reads the tokens one by one."""
        return equivariance(Recurrent.draw(self.reading.D, self.s.seed).read, self.x, self.order).gap

    @property
    def columns(self) -> slice:
        """The columns of the shown head in an output of all heads."""
        d = self.before.output.shape[1] // self.heads
        return slice((self.s.head - 1) * d, self.s.head * d)


class Documents(Layered):
    """Two documents in one sequence of T tokens."""

    @part
    def second(self) -> tuple[str, ...]:
        return words_of(self.s.second, MOST_SECOND, "The second document")

    @part
    def tokens(self) -> tuple[str, ...]:
        return (*self.words, *([BOUNDARY] if self.s.boundary else []), *self.second)

    @property
    def first(self) -> int:
        """Tokens of the first document, a boundary token among them."""
        return len(self.tokens) - len(self.second)

    @part
    def packed(self) -> packing.Packed:
        """Position and document of each token, both (T,)."""
        return packing.pack([self.first, len(self.second)], restart=self.s.restart)

    @part
    def attention(self) -> Attention:
        seen = packed_mask(self.packed.documents, causal=self.s.mask, separate=self.s.separate)
        return self.layer.attend(self.rows(self.tokens), pos=self.packed.pos, mask=seen)

    @property
    def weights(self) -> Array:
        """Of the head shown, (T, T)."""
        return self.attention.weights[self.s.head - 1]

    @property
    def join(self) -> set[tuple[int, int]]:
        """The cells of the weights across the join, under the causal mask without those of the future."""
        documents = self.packed.documents
        in_time = packed_mask(documents, causal=self.s.mask, separate=False)
        t, s = np.nonzero(in_time & (documents[:, None] != documents))
        return set(zip(t.tolist(), s.tolist(), strict=True))

    @part
    def across(self) -> Array:
        """Share of each token's attention that goes to the other document, mean over heads, (T,)."""
        shares = packing.attention_across(self.attention.weights, self.packed.documents)
        return shares.mean(axis=0)  # (H, T) -> (T,)

    @property
    def across_second(self) -> float:
        """Mean share of attention that the second document gives the first."""
        return float(self.across[self.first :].mean())

    @part
    def change(self) -> float:
        """Largest change of an output of the second document against the same document alone."""
        alone = self.read(self.rows(self.second)).output
        return float(abs(self.attention.output[self.first :] - alone).max())

    @property
    def to_boundary(self) -> float | None:
        """Share of its attention that the second document gives the boundary token; None without one."""
        weights = self.attention.weights[:, self.first :, self.first - 1]  # (H, T, T) -> (H, second)
        return float(weights.mean()) if self.s.boundary else None


class Marked(View):
    """Output of uniform attention at each of T tokens, the first of which carries a 1, (T,)."""

    @part
    def causal(self) -> FloatArray:
        return marked_first(self.s.places, causal=True)

    @part
    def unmasked(self) -> FloatArray:
        return marked_first(self.s.places, causal=False)
