"""What the room `waves` computes: rows around a cursor, their rotation, dot products, and layouts."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from app.kit.figure import Snapshot
from app.kit.html import number
from app.kit.view import View, part
from app.kit.words import Words, tiny
from lab.notation import Array, FloatArray
from lab.positions import Sinusoidal
from lab.positions.sinusoidal import LAYOUTS

EXACT, FAR = 1e-12, 4e-16
"""Below this a difference is rounding of float64, to which angles add with each position."""
FARTHEST = 100_000
"""The last position that can be typed."""
USUAL = {"position": 7, "shift": 3, "d": 8, "base": 10_000.0, "variant": "interleaved", "length": 64}
FAR_OFF, ODD = {"position": 50}, {"d": 5, "base": 100.0}


def error(value: float, rounding: float = EXACT) -> str:
    """An error that is rounding, as 0 with what was measured."""
    if value == 0:
        return "exactly 0"
    return number(value) if value >= rounding else f"0 (measured {tiny(value)})"


def period(value: float) -> str:
    """A wavelength: two decimals while they matter."""
    return number(value, 2 if value < 1000 else 0)


def PE(position: int) -> str:
    """The name of a row.

    >>> PE(-3), PE(100_000)
    ('PE(−3)', 'PE(100,000)')
    """
    return f"PE({number(position)})"


def columns_of(scheme: Sinusoidal) -> list[str]:
    """The name of each column: the sine or cosine of a pair, or a zero that pads."""
    names = ["0"] * scheme.D
    for name, columns in (("sin", scheme.sine_columns), ("cos", scheme.cosine_columns)):
        for pair, column in enumerate(columns.tolist()):
            names[column] = f"{name} {pair}"
    return names


class Layout(NamedTuple):
    """One variant's row at the cursor, (D,)."""

    scheme: Sinusoidal
    row: Array


class Waves(View):
    """A scheme of width D, its row at position p and at p + k; T positions are shown from `first` on."""

    @part
    def scheme(self) -> Sinusoidal:
        return Sinusoidal(self.s.d, self.s.base, variant=self.s.variant)

    @property
    def D(self) -> int:
        return self.scheme.D

    @property
    def p(self) -> int:
        return int(self.s.position)

    @property
    def k(self) -> int:
        return int(self.s.shift)

    @property
    def T(self) -> int:
        return int(self.s.length)

    @property
    def PE(self) -> str:
        return PE(self.p)

    @property
    def PE_ahead(self) -> str:
        return PE(self.p + self.k)

    @property
    def pairs(self) -> int:
        """Frequencies, a lone sine among them."""
        return len(self.scheme.frequencies)

    @property
    def last_pair(self) -> int:
        return self.pairs - 1

    @property
    def shortest(self) -> str:
        return period(float(self.scheme.wavelengths[0]))

    @property
    def longest(self) -> str:
        return period(float(self.scheme.wavelengths[-1]))

    @property
    def wavelengths(self) -> int:
        return self.pairs

    @property
    def first(self) -> int:
        """The window follows a cursor that leaves it, and p + k where both fit: the table has no end."""
        return max(0, min(max(self.p, self.p + self.k) - self.T + 1, self.p))

    @property
    def last(self) -> int:
        return self.first + self.T - 1

    @property
    def shown(self) -> range:
        """The positions shown."""
        return range(self.first, self.first + self.T)

    @property
    def columns(self) -> list[str]:
        return columns_of(self.scheme)

    @property
    def rounding(self) -> float:
        """What float64 may leave of 0 at the positions shown."""
        return EXACT + FAR * (max(self.first + self.T, self.p) + abs(self.k))

    @part
    def table(self) -> FloatArray:
        """PE of the positions shown, (T, D)."""
        return self.scheme.table(self.shown)

    @part
    def row(self) -> Array:
        """PE(p), (D,)."""
        return self.scheme.table([self.p])[0]

    @part
    def ahead(self) -> Array:
        """PE(p + k), (D,)."""
        return self.scheme.table([self.p + self.k])[0]

    # how far a row goes from 0, however far the position is

    @property
    def length(self) -> float:
        return math.hypot(*self.row)

    @part
    def far_row(self) -> Array:
        return self.scheme.table([FARTHEST])[0]

    @property
    def far_length(self) -> float:
        return math.hypot(*self.far_row)

    @property
    def far_largest(self) -> float:
        return float(abs(self.far_row).max())

    # a step of k as a rotation

    @part
    def matrix(self) -> FloatArray:
        """M, the rotation by k, (D, D)."""
        return self.scheme.shift_matrix(self.k)

    @part
    def turned(self) -> Array:
        """PE(p) M, (D,)."""
        turned: Array = self.row @ self.matrix
        return turned

    @part
    def errors(self) -> Array:
        """Largest |PE(p + k) - PE(p) M| of each column over the positions shown, (D,)."""
        ahead = self.scheme.table([p + self.k for p in self.shown])
        errors: Array = abs(ahead - self.scheme.turn(self.table, self.k)).max(axis=0)  # (T, D) -> (D,)
        return errors

    @property
    def error(self) -> float:
        """Of the columns that have a partner."""
        lone = self.scheme.lone_column
        return float(max(value for column, value in enumerate(self.errors) if column != lone))

    @property
    def lone_error(self) -> float:
        """Of the column whose cosine was trimmed; 0 where there is none."""
        lone = self.scheme.lone_column
        return 0.0 if lone is None else float(self.errors[lone])

    # dot products against the distance

    @part
    def dots(self) -> FloatArray:
        """PE(p) · PE(p + distance) for distances 0 to T - 1, (T,)."""
        dots: FloatArray = self.scheme.table(range(self.p, self.p + self.T)) @ self.row  # (T, D) -> (T,)
        return dots

    @part
    def dots_from_zero(self) -> FloatArray:
        """PE(0) · PE(distance), (T,)."""
        start = self.scheme.table(range(self.T))
        dots: FloatArray = start @ start[0]
        return dots

    @property
    def dot(self) -> float:
        """PE(p) · PE(p + k)."""
        return float(self.row @ self.ahead)

    @property
    def gap(self) -> float:
        """Largest difference between the dot products counted from p and those counted from 0."""
        return float(abs(self.dots - self.dots_from_zero).max())

    # the row at the cursor in each variant

    @part
    def layouts(self) -> tuple[Layout, ...]:
        return self._laid_out(self.D)

    @part
    def odd(self) -> tuple[Layout, ...]:
        """The same at the next odd width, or at this one."""
        return self._laid_out(self.D | 1)

    def _laid_out(self, D: int) -> tuple[Layout, ...]:
        schemes = [Sinusoidal(D, self.s.base, variant=key) for key in LAYOUTS]  # type: ignore[arg-type]
        return tuple(Layout(scheme, scheme.table([self.p])[0]) for scheme in schemes)

    @property
    def permutation_gap(self) -> float:
        """Largest difference of the concatenated row to the interleaved one, columns matched by name."""
        first, second = self.layouts[:2]
        names = columns_of(second.scheme)
        order = [names.index(name) for name in columns_of(first.scheme)]
        return float(np.abs(first.row - second.row[order]).max())

    @part
    def both_wavelengths(self) -> tuple[FloatArray, FloatArray]:
        """The paper's and tensor2tensor's, in positions."""
        paper, other = (
            Sinusoidal(self.D, self.s.base, variant=key) for key in ("interleaved", "tensor2tensor")
        )
        return paper.wavelengths, other.wavelengths


# the answers of the questions: the right option, and the sentence with its numbers


def _of(**values: Any) -> Waves:
    return Waves(Snapshot({**USUAL, **values}))


def dot(words: Words) -> tuple[int, str]:
    near, far = _of().dot, _of(**FAR_OFF).dot
    same = abs(near - far) < EXACT
    return (1 if same else 0 if far < near else 2), words.say(
        f"ask dot.{'both' if same else 'apart'}", near=near, far=far
    )


def period_of_0(words: Words) -> tuple[int, str]:
    cases = [_of(d=d, base=base).both_wavelengths[0] for d, base in ((4, 1e4), (4, 100.0), (64, 1e4))]
    first = [float(lengths[0]) for lengths in cases]
    right = 0 if max(first) - min(first) < EXACT else 1 if first[1] < first[0] else 2
    return right, words.say("ask period.answer", first=first[0], second=cases[0][1])


def rotation(words: Words) -> tuple[int, str]:
    worst = max(_of(position=p).error for p in (7, 200, 1000))
    return (2 if worst < EXACT else 0), words.say("ask rotation.answer", worst=worst)


def permutation(words: Words) -> tuple[int, str]:
    view = _of(d=4, position=1)
    paper, other = view.layouts[0].row, view.layouts[2].row
    apart = float(np.abs(np.sort(paper) - np.sort(other)).max())
    right = 0 if view.permutation_gap > EXACT else 1 if apart > EXACT else 2
    return right, words.say("ask permutation.answer", paper=paper, other=other, apart=apart)


def odd(words: Words) -> tuple[int, str]:
    view, padded = _of(**ODD), _of(**ODD, variant="tensor2tensor")
    right = 2 if view.error > EXACT else 1 if view.lone_error > EXACT else 0
    return right, words.say("ask odd.answer", error=view.error, lone=view.lone_error, padded=padded.error)
