"""Which layer the room `order` reads with: one that is drawn, or a teacher's rows and weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.kit import given
from app.kit.words import Words
from lab.notation import FloatArray, as_floats, readonly
from lab.order import Layer, known_rows, word_rows

MOST_WORDS, WIDEST, MOST_HEADS = 8, 64, 8
"""Of hers: what a table of weights, and one of rows, can show with its numbers."""
WORDS = Words(__file__)
WEIGHTS = ("Wq", "Wk", "Wv")

_WEIGHT = given.matrix(most_rows=WIDEST, most_columns=WIDEST)
PARTS: Mapping[str, given.Given] = {
    "rows": given.matrix(most_rows=MOST_WORDS, most_columns=WIDEST),
    "tokens": given.tokens(most=MOST_WORDS, different=False),
    **dict.fromkeys(WEIGHTS, _WEIGHT),
    "heads": given.whole(least=1, most=MOST_HEADS),
    "name": given.text(most=60),
}


@dataclass(frozen=True, eq=False)
class Reading:
    """Rows of width D, and a layer of H heads of W = H * d columns; what is not given is drawn."""

    D: int = 16
    H: int = 8
    W: int = 16
    weights: Mapping[str, FloatArray] = field(default_factory=dict)
    """Wq, Wk and Wv, as far as they are given."""
    name: str = ""
    words: tuple[str, ...] = ()
    x: FloatArray | None = None
    """Rows of the words, (T, D)."""

    @property
    def d(self) -> int:
        """Width of a head."""
        return self.W // self.H

    def layer(self, scheme: str, max_positions: int, seed: int) -> Layer:
        """The layer under a scheme."""
        return Layer.draw(
            scheme,
            D=self.D,
            H=self.H,
            width=self.W,
            max_positions=max_positions,
            seed=seed,
            given=self.weights,
        )

    def rows(self, words: tuple[str, ...], seed: int) -> FloatArray:
        """The row of each word, (T, D); one that is none of hers has a drawn one."""
        drawn = word_rows(words, self.D, seed)
        return drawn if self.x is None else known_rows(words, self.words, self.x, drawn)


DRAWN = Reading()


def own_of(data: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """What the parts of a teacher's data make together, by its name in the State, and what does not fit."""
    if "rows" not in data:
        return {}, ((WORDS.say("own.rows"),) if data else ())
    x, said = data["rows"], []
    T, D, H = len(x), len(x[0]), data.get("heads", 1)
    words = data.get("tokens", tuple(f"x{at}" for at in range(1, T + 1)))
    if len(words) != T:
        said.append(WORDS.say("own.tokens", tokens=len(words), T=T))
        words = tuple(f"x{at}" for at in range(1, T + 1))
    weights = {name: data[name] for name in WEIGHTS if name in data}
    for name, W in list(weights.items()):
        if len(W) != D or len(W[0]) % H:
            said.append(WORDS.say("own.weight", of=name, rows=len(W), wide=len(W[0]), D=D, H=H))
            del weights[name]
    widths = {name: len(weights[name][0]) for name in ("Wq", "Wk") if name in weights}
    if len(set(widths.values())) > 1:
        said.append(WORDS.say("own.apart", q=widths["Wq"], k=widths["Wk"]))
        widths = {"Wq": widths["Wq"]}
        del weights["Wk"]
    W = next(iter(widths.values()), D)
    if W % H:
        said.append(WORDS.say("own.heads", D=D, H=H))
        H = 1
    made = {name: readonly(as_floats(name, weight, (D, None))) for name, weight in weights.items()}
    rows = readonly(as_floats("rows (T, D)", x, (T, D)))
    return {"own": Reading(D, H, W, made, data.get("name", "Rows of this page"), words, rows)}, tuple(said)
