"""State and view of the room `build`: everything the figures show, computed by the lab."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import param

from app.kit import budget
from app.kit.html import number
from lab import embedding
from lab.geometry import cosine_matrix
from lab.notation import Array, IntArray, check_ids
from lab.positions import SCHEMES, Learned, NoPosition
from lab.vocab import COURSES, Piece, Table, Truncation, gpt2_table, minilm_table, truncate

EXAMPLES = {
    "running": "Twelve course tokens",
    "onehot": "One-hot × 4 × 3 table",
    "finance": "Five finance tokens",
    "own": "Own text, real table",
    "ids": "GPT-2 ids, drawn rows",
}
STEPS = ("text", "ids", "one-hot", "rows of E", "add the positions", "X")
LIMIT = 512
COURSE_PLACES = 8
CHECKED = 12
"""One-hot rows of a large vocabulary are long: the product is compared on the first dozen tokens."""
MOST_LISTED = 64
"""A table of more rows is not printed, and not every row is compared with every other."""


class State(param.Parameterized):
    """What a reader can set."""

    example = param.Selector(default="running", objects=list(EXAMPLES), label="Example")
    text = param.String(default="", label="Text")
    scheme = param.Selector(default="learned", objects=list(SCHEMES), label="Position scheme")
    swap = param.NumericTuple(default=None, length=2, allow_None=True, label="Swap two places")
    scale = param.Boolean(default=False, label="Scale rows by √D")
    step = param.Integer(default=5, bounds=(1, len(STEPS)), label="Step")


@dataclass(frozen=True, eq=False)
class Swap:
    """X with two places of the text traded."""

    places: tuple[int, int]
    """Counted from 1."""
    X: Array
    traded_rows: Array
    """X with the same two rows traded: what a swap gives when rows carry no position, (T, D)."""
    difference: float
    """Largest difference between the two."""


@dataclass(frozen=True, eq=False)
class View:
    """Exactly what is drawn; T tokens, width D, V table rows."""

    example: str
    step: int
    text: str
    table: Table
    pieces: tuple[Piece, ...]
    ids: IntArray
    dropped: int
    total: int
    removed: str
    one_hot: Array | None
    """(T, V); None where it would be wider than a page can show."""
    rows: Array
    """E[ids], scaled if asked, (T, D)."""
    scale: float
    added: Array | None
    """What the scheme adds, (T, D); None if it adds nothing to the input."""
    X: Array
    scheme: NoPosition
    lookup_equals_product: bool
    compared: int
    repeated: tuple[int, ...]
    """Places, from 1, of the first token that stands more than once."""
    mean_id: float
    """Mean of the first two different ids: another token's name, or none."""
    swap: Swap | None
    batch: tuple[int, ...]
    """Shape of X as a batch of one text, (1, T, D)."""
    row_lengths: Array
    """Length of each token row as it is added, (T,)."""
    added_lengths: Array | None
    """Length of what is added to it, (T,); None if nothing is."""
    means: Array
    """Mean of each row of X, (T,)."""
    pooled: Array
    """Mean of the rows of X, (D,)."""
    full_ids: tuple[int, ...]
    """The ids of a reduced table's tokens in the model's own vocabulary; empty where it is whole."""
    cosines: Array | None
    """Between all rows of E, (V, V); None where the table is large."""

    @property
    def listed(self) -> bool:
        """Whether the whole table is small enough to print."""
        return len(self.table.vocabulary) <= MOST_LISTED

    @property
    def alike(self) -> tuple[tuple[str, str, float], ...]:
        """The tokens whose rows are most alike and those whose rows are most opposed, with their cosines."""
        if self.cosines is None:
            return ()
        tokens = self.table.vocabulary.tokens
        pairs = [
            (tokens[a], tokens[b], float(self.cosines[a, b]))
            for a in range(len(tokens))
            for b in range(a + 1, len(tokens))
            if self.cosines[a, b] == self.cosines[a, b]
        ]
        return max(pairs, key=lambda pair: pair[2]), min(pairs, key=lambda pair: pair[2])

    @property
    def tokens(self) -> list[str]:
        """The token at each place."""
        return [piece.token for piece in self.pieces]

    @property
    def origin(self) -> int:
        """What this course calls the first position."""
        return self.table.position_origin if isinstance(self.scheme, Learned) else self.scheme.origin


def table_of(example: str) -> Table:
    """The table of an example."""
    if example == "own":
        return minilm_table()
    return gpt2_table() if example == "ids" else COURSES[example]


@lru_cache(maxsize=32)
def scheme_of(example: str, scheme: str) -> NoPosition:
    """The scheme for an example's table; a table that comes with learned positions keeps them."""
    table = table_of(example)
    kind = SCHEMES[scheme]
    if issubclass(kind, Learned) and table.P is not None:
        return kind(table.P)
    places = COURSE_PLACES if example in COURSES else LIMIT
    # no head is built in this room: RoPE and ALiBi only say that they add nothing here
    return kind.build(D=table.D, H=1, d=2, max_positions=places)


@lru_cache(maxsize=4)
def cut(example: str, written: str) -> Truncation[list[Piece]]:
    """The tokens of a text that X has rows for, and how many were dropped."""
    return truncate(table_of(example).tokenizer.pieces(written), LIMIT)


def without_far_swap(values: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The values of the State without a swap that reaches beyond the text, and a sentence on it.

    Raises
    ------
    ValueError
        If the text is too long, or holds a word that the table lacks.
    """
    swap, text = values["swap"], values["text"]
    if swap is None:
        return dict(values), ()
    budget.check(cost(**values))
    T = len(cut(values["example"], text or table_of(values["example"]).example).kept)
    far = [int(place) for place in swap if not 1 <= place <= T]
    if not T or not far:
        return dict(values), ()
    return {**values, "swap": None}, (_no_place(far[0], T),)


def _no_place(place: int, T: int) -> str:
    there = f"places 1 to {T}" if T > 1 else "one place alone"
    return f"There is no place {number(place)} to swap: the text has {there}."


def cost(**state: Any) -> budget.Cost:
    """The whole text is cut into tokens, however many are kept."""
    return budget.typed(state["text"])


def compute(
    *, example: str, text: str, scheme: str, swap: tuple[int, int] | None, scale: bool, step: int
) -> View:
    """Take a text through the table to X.

    Raises
    ------
    ValueError
        If the text holds no token, a word the table lacks, more tokens than there are learned rows, or
        the swap names a place that is not there.
    """
    table = table_of(example)
    written = text or table.example
    kept, dropped = cut(example, written)
    if not kept:
        raise ValueError(
            "This text holds no token. Type at least one word, or empty the field for the example."
        )
    ids = check_ids([piece.id for piece in kept], len(table.vocabulary))
    maker = scheme_of(example, scheme)
    if isinstance(maker, Learned) and len(ids) > maker.trained_limit:
        raise ValueError(
            f"The text has {len(ids) + dropped:,} tokens, the learned table rows for {maker.trained_limit}. "
            "Shorten the text or take a scheme that is computed."
        )
    embed = _embedder(table, maker, scale)
    X = embed(ids)
    rows = embedding.embed(table.E, ids, scale=scale)
    small = len(table.vocabulary) <= MOST_LISTED
    compared = ids if small else ids[:CHECKED]
    added = maker.add_to_input(rows * 0, list(range(len(ids)))) if maker.enters == "input" else None
    removed = getattr(table.tokenizer, "removed", lambda _: "")(written)
    return View(
        example=example,
        step=step,
        text=written,
        table=table,
        pieces=tuple(kept),
        ids=ids,
        dropped=dropped,
        total=len(kept) + dropped,
        removed=removed,
        one_hot=embedding.one_hot(ids, len(table.vocabulary)) if small else None,
        rows=rows,
        scale=float(table.D**0.5) if scale else 1.0,
        added=added,
        X=X,
        scheme=maker,
        lookup_equals_product=bool(
            (embedding.lookup(table.E, compared) == embedding.one_hot_product(table.E, compared)).all()
        ),
        compared=len(compared),
        repeated=_repeated(ids),
        mean_id=_mean_of_two(ids),
        swap=_swap(embed, ids, X, swap),
        batch=embedding.lookup(table.E, ids[None]).shape,
        row_lengths=embedding.lengths(rows),
        added_lengths=None if added is None else embedding.lengths(added),
        means=X.mean(axis=1),  # (T, D) -> (T,)
        pooled=X.mean(axis=0),  # (T, D) -> (D,)
        full_ids=() if table.ids_in_full is None else tuple(table.ids_in_full[ids].tolist()),
        cosines=cosine_matrix(table.E) if small else None,
    )


def _embedder(table: Table, scheme: NoPosition, scale: bool) -> Any:
    def embed(ids: IntArray) -> Array:
        X: Array = embedding.embed(table.E, ids, scheme=scheme, pos=list(range(len(ids))), scale=scale)
        return X

    return embed


def _swap(embed: Any, ids: IntArray, X: Array, places: tuple[int, int] | None) -> Swap | None:
    if places is None:
        return None
    first, second = int(places[0]), int(places[1])
    for place in (first, second):
        if not 1 <= place <= len(ids):
            raise ValueError(_no_place(place, len(ids)))
    swapped = embed(embedding.swap_places(ids, first - 1, second - 1))
    traded = embedding.swap_places(X, first - 1, second - 1)
    return Swap((first, second), swapped, traded, float(abs(swapped - traded).max()))


def _repeated(ids: IntArray) -> tuple[int, ...]:
    listed = ids.tolist()
    twice = next((one for one in listed if listed.count(one) > 1), None)
    return tuple(place for place, one in enumerate(listed, start=1) if one == twice)


def _mean_of_two(ids: IntArray) -> float:
    different = list(dict.fromkeys(ids.tolist()))[:2]
    return float(sum(different)) / len(different)
