"""State and view of the room `order`: one layer reads the same tokens in two orders."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import param

from app.kit import budget
from app.kit.html import counted, visible
from lab.attention import Attention
from lab.notation import Array, IntArray
from lab.order import (
    Equivariance,
    Layer,
    check_permutation,
    equivariance,
    marked_first,
    shuffled,
    word_rows,
)
from lab.packing import attention_across, pack, packed_mask
from lab.positions import SCHEMES, Scheme
from lab.recurrent import Recurrent

SENTENCES = {"bites": "dog bites man", "good": "not good", "minus": "3 minus 5"}
ORDERS = {"reverse": "Reversed", "swap": "First two swapped", "shuffle": "Shuffled by the seed"}
D, HEADS = 16, 8
MOST_WORDS, MOST_SECOND = 8, 4
"""Together few enough tokens for a table of weights with its numbers."""
BOUNDARY = "<|endoftext|>"
"""What stands between two texts, by GPT-2's name for it."""
MOST_TOKENS = MOST_WORDS + 1 + MOST_SECOND
EXACT = 1e-12
"""Below this a difference is rounding of float64."""


class State(param.Parameterized):
    """What a reader can set."""

    sentence = param.Selector(default="bites", objects=list(SENTENCES), label="Sentence")
    text = param.String(default="", label="Or your own words")
    order = param.Selector(default="reverse", objects=list(ORDERS), label="Second order")
    permutation = param.String(default="", label="Or its positions, one by one")
    scheme = param.Selector(default="none", objects=list(SCHEMES), label="Position scheme")
    mask = param.Boolean(default=False, label="Causal mask")
    head = param.Integer(default=1, bounds=(1, HEADS), label="Head shown")
    seed = param.Integer(
        default=0,
        bounds=(0, 9999),
        label="Seed",
        doc="Draws the rows of the words, the weights, the shuffle.",
    )
    places = param.Integer(default=12, bounds=(2, 64), label="Tokens T", doc="Of the marked sequence.")
    second = param.String(default="not good", label="Second document")
    boundary = param.Boolean(default=False, label="Boundary token")
    separate = param.Boolean(default=False, label="Mask between documents")
    restart = param.Boolean(default=False, label="Positions")


@dataclass(frozen=True, eq=False)
class PackedView:
    """Two documents in one sequence of T tokens."""

    words: tuple[str, ...]
    pos: IntArray
    documents: IntArray
    weights: Array
    """Of the head shown, (T, T)."""
    across: Array
    """Share of each token's attention that goes to the other document, mean over heads, (T,)."""
    change: float
    """Largest change of an output of the second document against the same document alone."""
    first: int
    """Tokens of the first document, a boundary token among them."""
    to_boundary: float | None
    """Share of its attention that the second document gives the boundary token; None without one."""

    @property
    def across_second(self) -> float:
        """Mean share of attention that the second document gives the first."""
        return float(self.across[self.first :].mean())


@dataclass(frozen=True, eq=False)
class View:
    """Exactly what is drawn; T tokens, H heads of width d, H * d = D."""

    words: tuple[str, ...]
    permuted: tuple[str, ...]
    order: IntArray
    """Row t of the permuted input is row order[t] of the input, (T,), from 0."""
    scheme: Scheme
    causal: bool
    head: int
    before: Attention
    after: Attention
    found: Equivariance
    """f(Px), P f(x) and the largest difference, over all heads, (T, D)."""
    mean_gap: float
    """Largest change of the output averaged over the tokens."""
    recurrent_gap: float
    """The same number as ``found.gap`` for a recurrent layer that reads the tokens one by one."""
    packed: PackedView
    marked: Array
    """Output at each place of uniform causal attention over a marked first token, (places,)."""
    unmasked: Array
    """The same without a mask, (places,)."""

    @property
    def blind(self) -> bool:
        """Whether the layer does not notice the order at hand."""
        return self.found.gap < EXACT

    @property
    def moved(self) -> bool:
        """Whether the order moves anything."""
        return bool((self.order != sorted(self.order.tolist())).any())

    @property
    def mirrored(self) -> bool:
        """Whether the order is the reversed one, which keeps every distance."""
        listed: list[int] = self.order.tolist()
        return listed == list(range(len(self.words)))[::-1]

    @property
    def columns(self) -> slice:
        """The columns of the shown head in an output of width D."""
        d = D // HEADS
        return slice((self.head - 1) * d, self.head * d)


def words_of(text: str, most: int, what: str) -> tuple[str, ...]:
    """The words of a text, split at white space.

    Raises
    ------
    ValueError
        If there is none, or more than the picture holds.
    """
    words = tuple(text.split())
    if not words:
        raise ValueError(f"{what} holds no word. Type at least one, or choose another.")
    if len(words) > most:
        raise ValueError(
            f"{what} has {len(words):,} words; this picture takes at most {most}. Leave out "
            f"{len(words) - most:,}."
        )
    return words


def parse_order(text: str, T: int) -> list[int]:
    """An order as a reader writes it, ``3,1,2`` or ``312``, counted from 0.

    Raises
    ------
    ValueError
        If it does not name each place once.
    """
    parts = [part for part in re.split(r"[\s,;]+", text) if part]
    if len(parts) == 1 and len(parts[0]) == T:
        parts = list(parts[0])
    example = ",".join(str(place) for place in range(T, 0, -1))
    each = f"each of 1 to {T} once, such as {example}" if T > 1 else "1, its only one"
    way_out = f"Write {each}, or empty the field."
    try:
        places = [int(part) - 1 for part in parts]
    except ValueError:
        raise ValueError(
            f"‘{visible(text, 40)}’ is no order of {counted(T, 'position')}. {way_out}"
        ) from None
    if sorted(places) != list(range(T)):
        raise ValueError(
            f"‘{visible(text, 40)}’ does not name each of {counted(T, 'position')} once. {way_out}"
        )
    return places


def _order(order: str, permutation: str, T: int, seed: int) -> list[int]:
    if permutation.strip():
        return parse_order(permutation, T)
    places = list(range(T))
    if order == "reverse":
        return places[::-1]
    if order == "swap":
        return [*places[:2][::-1], *places[2:]]
    return [int(place) for place in shuffled(T, seed)]


def cost(**state: Any) -> budget.Cost:
    """What is typed, each sign of which is looked at and drawn."""
    return budget.typed(state["text"], state["permutation"], state["second"])


def compute(
    *,
    sentence: str,
    text: str,
    order: str,
    permutation: str,
    scheme: str,
    mask: bool,
    head: int,
    seed: int,
    places: int,
    second: str,
    boundary: bool,
    separate: bool,
    restart: bool,
) -> View:
    """Read the words in both orders, and pack them with a second text.

    Raises
    ------
    ValueError
        If a text holds no word or too many, or the order is none.
    """
    words = words_of(text or SENTENCES[sentence], MOST_WORDS, "The text")
    following = words_of(second, MOST_SECOND, "The second document")
    layer = Layer.draw(scheme, D=D, H=HEADS, max_positions=MOST_TOKENS, seed=seed)
    x = word_rows(words, D, seed)
    seen = packed_mask([0] * len(words), causal=mask, separate=False)

    def read(rows: Array) -> Attention:
        return layer.attend(rows, mask=seen)

    chosen = check_permutation(_order(order, permutation, len(words), seed), len(words))
    found = equivariance(lambda rows: read(rows).output, x, chosen)
    before = read(x)
    return View(
        words=words,
        permuted=tuple(words[place] for place in chosen.tolist()),
        order=chosen,
        scheme=layer.scheme,
        causal=mask,
        head=head,
        before=before,
        after=read(x[chosen]),
        found=found,
        mean_gap=float(abs(found.after.mean(axis=0) - found.moved.mean(axis=0)).max()),
        recurrent_gap=equivariance(Recurrent.draw(D, seed).read, x, chosen).gap,
        packed=_pack(
            layer, (*words, BOUNDARY) if boundary else words, following, seed, head, mask, separate, restart
        ),
        marked=marked_first(places, causal=True),
        unmasked=marked_first(places, causal=False),
    )


def _pack(
    layer: Layer,
    first: tuple[str, ...],
    second: tuple[str, ...],
    seed: int,
    head: int,
    causal: bool,
    separate: bool,
    restart: bool,
) -> PackedView:
    pos, documents = pack([len(first), len(second)], restart=restart)
    mask = packed_mask(documents, causal=causal, separate=separate)
    together = layer.attend(word_rows(first + second, D, seed), pos=pos, mask=mask)
    alone = layer.attend(
        word_rows(second, D, seed), mask=packed_mask([0] * len(second), causal=causal, separate=False)
    )
    return PackedView(
        words=first + second,
        pos=pos,
        documents=documents,
        weights=together.weights[head - 1],
        across=attention_across(together.weights, documents).mean(axis=0),  # (H, T) -> (T,)
        change=float(abs(together.output[len(first) :] - alone.output).max()),
        first=len(first),
        to_boundary=(
            float(together.weights[:, len(first) :, len(first) - 1].mean())  # (H, T, T) -> ()
            if first[-1] == BOUNDARY
            else None
        ),
    )
