"""State and view of the room `waves`: the sinusoidal table, its pairs, and what a shift does to a row."""

from __future__ import annotations

import math
from dataclasses import dataclass

import param

from lab.notation import Array, FloatArray
from lab.positions import Sinusoidal
from lab.positions.sinusoidal import LAYOUTS

VARIANTS = {
    "interleaved": "Interleaved (the paper)",
    "concatenated": "Concatenated",
    "tensor2tensor": "tensor2tensor",
}
EXACT, FAR = 1e-12, 4e-16
"""Below this a difference is rounding of float64, to which angles add with each position."""
NEAREST, FARTHEST = 511, 100_000
"""Positions that the slider reaches at first, and those that can be typed."""


class State(param.Parameterized):
    """What a reader can set."""

    d = param.Integer(default=8, bounds=(2, 512), label="Width D")
    base = param.Number(default=10_000.0, bounds=(2.0, 1_000_000.0), label="Base b")
    length = param.Integer(default=64, bounds=(8, 512), label="Positions shown T")
    variant = param.Selector(default="interleaved", objects=list(LAYOUTS), label="Variant")
    position = param.Integer(default=7, bounds=(0, FARTHEST), label="Position p")
    shift = param.Integer(default=3, bounds=(-64, 64), label="Shift k", doc="Positions from p to p + k.")


@dataclass(frozen=True, eq=False)
class Layout:
    """One variant's row at the cursor, and what it does with an odd width."""

    key: str
    scheme: Sinusoidal
    row: Array
    """PE(p), (D,)."""

    @property
    def columns(self) -> list[str]:
        """The name of each column: the sine or cosine of a pair, or a zero that pads."""
        names = ["0"] * self.scheme.D
        for pair, column in enumerate(self.scheme.sine_columns.tolist()):
            names[column] = f"sin {pair}"
        for pair, column in enumerate(self.scheme.cosine_columns.tolist()):
            names[column] = f"cos {pair}"
        return names


@dataclass(frozen=True, eq=False)
class View:
    """Exactly what is drawn; width D, T positions from `first` on."""

    scheme: Sinusoidal
    position: int
    shift: int
    first: int
    table: FloatArray
    """PE of the positions shown, (T, D)."""
    row: Array
    """PE(p), (D,)."""
    shifted: Array
    """PE(p + k), (D,)."""
    turned: Array
    """PE(p) M, (D,)."""
    matrix: FloatArray
    """M, the rotation by k, (D, D)."""
    error: float
    """Largest |PE(p + k) - PE(p) M| over the positions shown, in the columns that have a partner."""
    lone_error: float
    """The same in the column whose cosine was trimmed; 0 where there is none."""
    dots: FloatArray
    """PE(p) · PE(p + distance) for distances 0 to T - 1, (T,)."""
    dots_from_zero: FloatArray
    """PE(0) · PE(distance), (T,)."""
    dot: float
    """PE(p) · PE(p + k)."""
    length: float
    """Of PE(p)."""
    far_length: float
    """Of the row at the farthest position."""
    far_largest: float
    """Largest magnitude in the row at the farthest position."""
    layouts: tuple[Layout, ...]
    """The row at the cursor in each variant; those that do not exist at this width are left out."""
    odd: tuple[Layout, ...]
    """The same at the next odd width, or at this one."""

    @property
    def T(self) -> int:
        """Positions shown."""
        return len(self.table)

    @property
    def D(self) -> int:
        """Width of a row."""
        return self.scheme.D

    @property
    def pairs(self) -> int:
        """Frequencies, a lone sine among them."""
        return len(self.scheme.frequencies)

    @property
    def rounding(self) -> float:
        """What float64 may leave of 0 at the positions shown."""
        return EXACT + FAR * (max(self.first + self.T, self.position) + abs(self.shift))

    @property
    def variant(self) -> Layout:
        """The layout at hand."""
        return next(layout for layout in self.layouts if layout.key == self.scheme.variant)

    @property
    def angles(self) -> FloatArray:
        """Angle of each pair at the cursor, in radians, (pairs,)."""
        angles: FloatArray = self.position * self.scheme.frequencies
        return angles

    @property
    def dot_gap(self) -> float:
        """Largest difference between the dot products counted from p and those counted from 0."""
        return float(abs(self.dots - self.dots_from_zero).max())

    @property
    def permutation_gap(self) -> float:
        """Largest difference of the concatenated row to the interleaved one, columns matched by name."""
        first, second = (
            next(layout for layout in self.layouts if layout.key == key)
            for key in ("interleaved", "concatenated")
        )
        return max(
            float(abs(first.row[a] - second.row[b]).max())
            for a, b in (
                (first.scheme.sine_columns, second.scheme.sine_columns),
                (first.scheme.cosine_columns, second.scheme.cosine_columns),
            )
        )


def layouts(D: int, base: float, position: int) -> tuple[Layout, ...]:
    """The row at a position in each variant that exists at this width."""
    made = (Sinusoidal(D, base, variant=key) for key in VARIANTS)  # type: ignore[arg-type]
    return tuple(Layout(scheme.variant, scheme, scheme.table([position])[0]) for scheme in made)


def _length(row: Array) -> float:
    return math.sqrt(row @ row)


def compute(*, d: int, base: float, length: int, variant: str, position: int, shift: int) -> View:
    """Make the table around the cursor and compare its rows with turned ones.

    Raises
    ------
    ValueError
        If the lab refuses the width or the base.
    """
    scheme = Sinusoidal(d, base, variant=variant)  # type: ignore[arg-type]
    # the window follows a cursor that leaves it, and p + k where both fit: the table has no end
    last = max(position, position + shift)
    first = max(0, min(last - length + 1, position))
    shown = range(first, first + length)
    table = scheme.table(shown)
    matrix = scheme.shift_matrix(shift)
    errors = abs(scheme.table([p + shift for p in shown]) - scheme.turn(table, shift)).max(
        axis=0
    )  # (T, D) -> (D,)
    lone = scheme.lone_column
    paired = [column for column in range(d) if column != lone]
    row = table[position - first]
    ahead = scheme.table([position + shift])[0]
    start = scheme.table(range(length))
    far = scheme.table([FARTHEST])[0]
    return View(
        scheme=scheme,
        position=position,
        shift=shift,
        first=first,
        table=table,
        row=row,
        shifted=ahead,
        turned=row @ matrix,
        matrix=matrix,
        error=float(errors[paired].max()),
        lone_error=0.0 if lone is None else float(errors[lone]),
        dots=scheme.table(range(position, position + length)) @ row,  # (T, D) -> (T,)
        dots_from_zero=start @ start[0],  # (T, D) -> (T,)
        dot=float(row @ ahead),
        length=_length(row),
        far_length=_length(far),
        far_largest=float(abs(far).max()),
        layouts=layouts(d, base, position),
        odd=layouts(d | 1, base, position),
    )
