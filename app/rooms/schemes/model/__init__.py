"""What the room `schemes` computes: scores under every scheme at once, ALiBi's slopes, real tables."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from app.kit.figure import Snapshot
from app.kit.formula import row as latex
from app.kit.html import minus, number
from app.kit.view import View, part
from app.kit.words import Words
from app.rooms.schemes.model import compare
from app.rooms.schemes.model.compare import Answer, Probe, Row, TrainedTable
from app.rooms.schemes.model.own import Own
from app.rooms.schemes.model.table import ROUNDING
from lab.notation import Array
from lab.positions import SCHEMES

WORDS = Words(str(Path(__file__).parent))  # beside this folder
EXAMPLE = "the cat climbed the roof"
MOST_WORDS = 12
SPAN = 64
"""Distances over which the same two tokens are scored."""
TRIED = (0, 1, 8, 64, 512)
"""Shifts whose curves the frame must hold, so that it stands still while the sequence moves."""
TALLEST = 12.0
"""No frame reaches further from 0: softmax gives a key whose score is 12 lower a 160,000th of the weight."""
FAR = 4000
"""The position at which the size of what is added is weighed against the token."""
ACTS = {"input": "token rows", "qk": "q and k", "scores": "scores"}
USUAL = {
    "own": None, "text": "", "shift": 16, "head": 3, "H": 8, "D": 16, "d": 8, "seed": 0,
    "table": "whisper", "place": 100,
}  # fmt: skip


def change(value: float) -> str:
    """A change in words; `number` would call rounding zero, and here its size is the point.

    >>> change(4.4e-16), change(2.43), change(0.0)
    ('4e−16', '2.43', '0')
    """
    return minus(f"{value:.0e}") if 0 < value < 1e-9 else number(value)


def change_latex(value: float) -> str:
    """The same as LaTeX, small ones as a power of ten.

    >>> change_latex(4.4e-16)
    '4 \\\\times 10^{{-16}}'
    """
    mantissa, _, exponent = change(value).partition("e")
    return rf"{latex(mantissa)} \times 10^{{{latex(exponent)}}}" if exponent else latex(mantissa)


def words_of(own: Own | None) -> tuple[str, ...]:
    """The words where none are typed."""
    return own.words if own and own.words else tuple(EXAMPLE.split())


class Still(View):
    """What does not depend on the shift: the probe, its scores at the first positions, the common scales."""

    @part
    def probe(self) -> Probe:
        s = self.s
        sizes = {"D": s.D, "H": s.H, "d": s.d}
        return compare.make_probe(s.words, **sizes, seed=s.seed, kinds=dict(s.kinds), own=s.own)

    @part
    def matrices(self) -> dict[str, Answer]:
        return self.scored(0)

    @part
    def lines(self) -> dict[str, Answer]:
        return self.along(0)

    @part
    def scale(self) -> float:
        """Where the colours end."""
        return compare.shared_scale(list(self.matrices.values()))

    @part
    def frame(self) -> tuple[float, float]:
        """Lowest and highest score that the curves' frame shows."""
        limit = compare.shared_scale(list(self.lines.values()))
        within = {key for key, line in self.lines.items() if line.largest <= limit}
        tried = [found.scores for at in TRIED for key, found in self.along(at).items() if key in within]
        low = min((float(scores.min()) for scores in tried if scores is not None), default=-1.0)
        high = max((float(scores.max()) for scores in tried if scores is not None), default=1.0)
        margin = 0.12 * max(high - low, 1.0)
        return max(low - margin, -TALLEST), min(high + margin, TALLEST)

    def scored(self, shift: int) -> dict[str, Answer]:
        """Every token against every token under each scheme, (T, T)."""
        return {key: compare.score_matrix(self.probe, key, shift, self.s.head) for key in self.probe.schemes}

    def along(self, shift: int) -> dict[str, Answer]:
        """The same two tokens at every distance, (1, SPAN + 1)."""
        keys, head = self.probe.schemes, self.s.head
        return {key: compare.score_by_distance(self.probe, key, SPAN, shift, head) for key in keys}


@lru_cache(maxsize=32)
def still(asked: tuple[tuple[str, Any], ...]) -> Still:
    """Kept while a reader only moves the sequence."""
    return Still(Snapshot(dict(asked)))


class Headed(View):
    """What is shown of one head."""

    @property
    def head(self) -> int:
        """Counted from 1; a head beyond the last stands for the last."""
        return min(int(self.s.head), int(self.s.H))


class Probed(Headed):
    """One x, one Wq and one Wk under every scheme."""

    @part
    def words(self) -> tuple[str, ...]:
        """All words of the text; one without any is refused."""
        if words := tuple(self.s.text.split()):
            return words
        if self.s.text:
            raise ValueError(WORDS.raw("word"))
        return words_of(self.s.own)

    @part
    def still(self) -> Still:
        asked = {name: value for name, value in self.s if name not in ("text", "shift")}
        # the registry is part of the key: a scheme that is added must not find the answers of six
        # RoPE turns pairs: weights whose heads have an odd width leave nothing for it
        kinds = tuple((key, kind) for key, kind in SCHEMES.items() if key != "rope" or self.s.d % 2 == 0)
        asked |= {"words": self.words[:MOST_WORDS], "head": self.head - 1, "kinds": kinds}
        return still(tuple(asked.items()))

    @property
    def probe(self) -> Probe:
        return self.still.probe

    @property
    def titles(self) -> dict[str, str]:
        """Title of each scheme, by key."""
        return {key: scheme.title for key, scheme in self.probe.schemes.items()}


class Scores(Probed):
    """The scores at the first positions and at the present shift."""

    @part
    def matrices(self) -> dict[str, Answer]:
        return self.still.scored(self.s.shift)

    @part
    def lines(self) -> dict[str, Answer]:
        return self.still.along(self.s.shift)

    @part
    def change(self) -> dict[str, float | None]:
        """Largest change of a score since the first positions; None where the scheme refuses."""
        before = self.still.matrices
        return {key: compare.largest_change(before[key], found) for key, found in self.matrices.items()}

    @property
    def positions(self) -> range:
        """Where the tokens stand."""
        return range(self.s.shift, self.s.shift + self.probe.T)

    @property
    def dropped(self) -> int:
        """Words beyond the most that a matrix prints."""
        return max(len(self.words) - MOST_WORDS, 0)

    def stays(self, key: str) -> bool:
        """Whether the move changed nothing but the rounding."""
        moved, largest = self.change[key], self.still.matrices[key].largest
        return moved is not None and moved <= ROUNDING * max(largest, 1.0)

    @property
    def outside(self) -> dict[str, Array]:
        """Curves that leave the frame at the present shift."""
        low, high = self.still.frame
        shown = {key: line.scores for key, line in self.lines.items() if line.scores is not None}
        return {key: line for key, line in shown.items() if line.min() < low or line.max() > high}

    @property
    def saturated(self) -> list[str]:
        """Schemes with scores beyond the end of the colours."""
        return [key for key, found in self.matrices.items() if found.largest > self.still.scale * (1 + 1e-12)]


class Compared(Probed):
    """All schemes compared by calling them."""

    @property
    def shift(self) -> int:
        """By how much the table moves the sequence: one where the control says zero."""
        return self.s.shift or 1

    @part
    def rows(self) -> tuple[Row, ...]:
        return compare.compare(self.probe, self.shift, self.head - 1, SPAN)

    @property
    def matrices(self) -> Mapping[str, Answer]:
        """Scores at the present shift."""
        return {row.key: row.moved for row in self.rows}

    @part
    def shares(self) -> dict[str, compare.InputShare]:
        """How much of a token's row is its position, far from the start."""
        return {key: compare.input_share(self.probe, key, FAR) for key in self.probe.schemes}

    @part
    def appended(self) -> compare.Appended:
        """The raw index as one more component, at the far position."""
        return compare.appended_index(self.probe, FAR, self.head - 1)

    @property
    def worst(self) -> Row | None:
        """The scheme whose position takes the largest share of the row, if any adds to it."""
        adding = [row for row in self.rows if self.shares[row.key].share > 0]
        return max(adding, key=lambda row: self.shares[row.key].share, default=None)

    def far_largest(self, key: str) -> float:
        """Largest score of the text when it starts at the far position."""
        return compare.score_matrix(self.probe, key, FAR, self.head - 1).largest


class Slopes(Headed):
    """The slopes of H heads by the released code and by the paper's sentence."""

    @part
    def table(self) -> compare.SlopeTable:
        return compare.slope_table(self.s.H, self.s.own.slopes if self.s.own else ())

    @property
    def columns(self) -> tuple[Array, ...]:
        """The slopes that are given, if any, those of both rules, and the half distances, (H,) each."""
        given = () if self.table.given is None else (self.table.given,)
        return *given, self.table.released, self.table.paper, self.table.half_distances

    @property
    def rows(self) -> list[tuple[float, ...]]:
        """Head counted from 1, its slope as it is given and by both rules, its half distance."""
        lists = (column.tolist() for column in self.columns)
        return list(zip(range(1, self.table.H + 1), *lists, strict=True))


def last_row(table: str) -> int:
    """The last position of a real table."""
    return len(compare.trained_table(table).norms) - 1


class Trained(View):
    """One position table, measured, and the row that is looked at."""

    @part
    def table(self) -> TrainedTable:
        return compare.trained_table(self.s.table)

    @property
    def T(self) -> int:
        """Rows."""
        return len(self.table.norms)

    @property
    def place(self) -> int:
        """A place beyond the rows stands for the last."""
        return min(int(self.s.place), self.T - 1)

    @property
    def from_place(self) -> Array:
        """Cosine of the row looked at with the rows after it, (T - place,)."""
        row: Array = self.table.cosines[self.place, self.place :]
        return row
