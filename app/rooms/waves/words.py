"""What the room `waves` says beside its figures: caption, numbers, formula, code, questions."""

from __future__ import annotations

from typing import Any

from app.kit.formula import Formula, row
from app.kit.html import number, vector
from app.kit.numbers import Table
from app.kit.questions import Question
from app.rooms.waves.compute import EXACT, State, View, compute
from app.rooms.waves.source import code, code_answer
from app.rooms.waves.stage import PE, number_of, period, said

__all__ = ["DEFAULTS", "code", "code_answer", "describe", "formula", "numbers", "questions"]

NAMES = ("d", "base", "length", "variant", "position", "shift")
DEFAULTS: dict[str, Any] = {name: State.param[name].default for name in NAMES}
T2T = "get_timing_signal_1d in the code of Tensor2Tensor, Vaswani et al. 2018, arXiv:1803.07416"
"""Where the variant that no paper's formula gives comes from."""
MOST_CELLS = 8192
"""Entries of the whole table that the numbers still list; a larger one is left to the code."""


def describe(view: View) -> str:
    """The caption: what the figure shows, with its numbers."""
    p, k = view.position, view.shift
    lengths = view.scheme.wavelengths.tolist()
    ahead = PE(p + k)
    periods = (
        f"{len(lengths)} frequencies have periods of {period(lengths[0])} to {period(lengths[-1])} positions"
        if len(lengths) > 1
        else f"one pair has a period of {period(lengths[0])} positions"
    )
    where = "" if view.scheme.lone_column is None else " in the columns that form pairs"
    return (
        f"{PE(p)}, {view.D} wide with base {number(view.scheme.base)}, is {vector(view.row.tolist())}. "
        f"Its {periods}. {PE(p)} · {ahead} is {number(view.dot, 5)}; turning {PE(p)} into {ahead} leaves an "
        f"error of {said(view.error, view.rounding)}{where}."
    )


def numbers(view: View) -> list[Table]:
    """The tables behind the figures."""
    dots = zip(view.dots.tolist(), view.dots_from_zero.tolist(), strict=True)
    names = view.variant.columns
    rows = zip(
        names,
        view.row.tolist(),
        view.turned.tolist(),
        view.shifted.tolist(),
        (view.shifted - view.turned).tolist(),
        strict=True,
    )
    tables = [
        _pairs(view),
        Table(
            "A step of k as a rotation",
            ["column", "PE(p)", "PE(p) M", "PE(p + k)", "difference"],
            [list(line) for line in rows],
        ),
        Table(
            "Dot product against distance",
            ["distance", "from p", "from 0"],
            [[distance, *both] for distance, both in enumerate(dots)],
        ),
    ]
    if view.table.size <= MOST_CELLS:
        table = [[view.first + t, *line] for t, line in enumerate(view.table.tolist())]
        tables.append(Table("Rows shown", ["position", *names], table))
    return tables


def _pairs(view: View) -> Table:
    scheme = view.scheme
    sines, cosines = scheme.sine_columns.tolist(), scheme.cosine_columns.tolist()
    listed = zip(scheme.frequencies.tolist(), scheme.wavelengths.tolist(), view.angles.tolist(), strict=True)
    pairs = [
        [
            pair,
            frequency,
            wavelength,
            angle,
            float(view.row[sines[pair]]),
            float(view.row[cosines[pair]]) if pair < len(cosines) else "trimmed",
        ]
        for pair, (frequency, wavelength, angle) in enumerate(listed)
    ]
    columns = ["pair", "frequency", "wavelength", "angle at p", "sine", "cosine"]
    return Table(f"Pairs at position {number(view.position)}", columns, pairs)


def formula(view: View) -> tuple[Formula, ...]:
    """The row, the rotation, the dot product and the wavelength, each with the present numbers."""
    scheme, p, k = view.scheme, view.position, view.shift
    pair = min(1, len(scheme.cosine_columns) - 1)
    w = float(scheme.frequencies[pair])
    sine, cosine = (
        float(view.row[columns[pair]]) for columns in (scheme.sine_columns, scheme.cosine_columns)
    )
    paper = scheme.variant != "tensor2tensor"
    frequency = r"w_i = b^{-2i/\dim{D}}" if paper else r"w_i = b^{-i/\max(\lfloor \dim{D}/2 \rfloor - 1,\ 1)}"
    turn = view.matrix
    a, b = (int(columns[pair]) for columns in (scheme.sine_columns, scheme.cosine_columns))
    block = [[float(turn[i, j]) for j in (a, b)] for i in (a, b)]
    ahead = [float(view.shifted[column]) for column in (a, b)]
    return (
        Formula(
            rf"\sin(p\,w_i),\; \cos(p\,w_i) \quad\text{{for each pair }} i, \qquad {frequency}",
            rf"i = {pair}:\; \sin({p} \cdot {_latex(w)}) = {_latex(sine)},\quad "
            rf"\cos({p} \cdot {_latex(w)}) = {_latex(cosine)}",
            f"{scheme.source if paper else T2T}. Positions count from 0.",
        ),
        Formula(
            r"\left[\sin w(p+k),\ \cos w(p+k)\right] = \left[\sin wp,\ \cos wp\right]"
            r"\begin{bmatrix} \cos kw & -\sin kw \\ \sin kw & \cos kw \end{bmatrix}",
            rf"{row(vector(ahead))} = {row(vector([sine, cosine]))} {_block(block)}",
            f"Pair {pair} with k = {number(k)}. The matrix does not hold p: the addition theorem of sine and "
            "cosine.",
        ),
        _dot_formula(view),
        Formula(
            r"\lambda_i = \frac{2\pi}{w_i}",
            r",\quad ".join(
                rf"\lambda_{{{pair}}} = {_plain(period(float(scheme.wavelengths[pair])))}"
                for pair in sorted({0, view.pairs - 1})
            ),
            "The wavelengths form a geometric progression: each is longer than the one before by the same "
            "factor."
            if view.pairs > 1
            else "Positions until the hand is back where it was.",
        ),
    )


def _dot_formula(view: View) -> Formula:
    terms = (view.shift * view.scheme.frequencies).tolist()
    shown = " + ".join(rf"\cos({_latex(term)})" for term in terms[:4])
    more = r" + \ldots" if len(terms) > 4 else ""
    if view.scheme.lone_column is None:
        filled = rf"{shown}{more} = {_latex(view.dot, 5)}"
        says = "cos is even: k and −k give the same. Only the distance is left, without its direction."
    else:
        filled = rf"PE_{{{view.position}}} \cdot PE_{{{view.position + view.shift}}} = {_latex(view.dot, 5)}"
        says = "True of whole pairs. Here the last sine has lost its cosine: the sum misses half a term."
    return Formula(r"PE_p \cdot PE_{p+k} = \sum_i \cos(k\,w_i)", filled, says)


def _block(block: list[list[float]]) -> str:
    lines = r" \\ ".join(" & ".join(_latex(value) for value in line) for line in block)
    return rf"\begin{{bmatrix}} {lines} \end{{bmatrix}}"


def _latex(value: float, digits: int = 3) -> str:
    return _plain(number(value, digits))


def _plain(text: str) -> str:
    text = text.replace("−", "-").replace(",", "{,}")
    if "e" in text:
        mantissa, exponent = text.split("e")
        text = rf"{mantissa} \cdot 10^{{{int(exponent)}}}"
    # in braces the minus is a sign; after an equals sign it would be set as a subtraction
    return f"{{{text}}}" if text.startswith("-") else text


def questions() -> tuple[Question, ...]:
    """Predict, then check."""
    far = {"position": 50}
    odd = {"d": 5, "base": 100.0}
    return (
        Question(
            "PE(7) · PE(10) is known. What is PE(50) · PE(53)?",
            (
                "Smaller: the rows are further from the start",
                "The same: only the distance counts",
                "It cannot be known without computing both rows",
            ),
            lambda: _dot(far),
            far,
        ),
        Question(
            "Pair 0 is back where it was after how many positions?",
            ("6.28, whatever base and width", "As many as the base says", "It grows with the width"),
            _period,
            {"d": 4, "length": 16},
        ),
        Question(
            "To go from PE(p) to PE(p + 3), what has to be known of p?",
            ("p itself", "Whether p is even", "Nothing: one matrix serves every p"),
            _rotation,
            {"position": 200},
        ),
        Question(
            "Which variant is no permutation of the paper's columns?",
            ("Concatenated", "tensor2tensor", "Neither: all three hold the same numbers"),
            _permutation,
            {"variant": "tensor2tensor", "d": 4, "position": 1},
        ),
        Question(
            "At an odd width the paper's layout trims the last cosine. Does the rotation still hold?",
            ("Yes, in every column", "In all columns but the last sine", "In no column"),
            lambda: _odd(odd),
            odd,
        ),
    )


def _view(values: dict[str, Any]) -> View:
    return compute(**{**DEFAULTS, **values})


def _dot(values: dict[str, Any]) -> tuple[int, str]:
    near, far = _view({}).dot, _view(values).dot
    same = abs(near - far) < EXACT
    answer = f"Both are {number(near, 5)}" if same else f"They are {number(near, 5)} and {number(far, 5)}"
    return (1 if same else 0 if far < near else 2), f"{answer}, the sum of cos(3 w) over the pairs."


def _period() -> tuple[int, str]:
    cases = [_view({"d": d, "base": base}) for d, base in ((4, 10_000.0), (4, 100.0), (64, 10_000.0))]
    first = [float(view.scheme.wavelengths[0]) for view in cases]
    second = float(cases[0].scheme.wavelengths[1])
    fixed = max(first) - min(first) < EXACT
    said = (
        f"Its frequency is b to the power of 0, so its period is 2π = {number(first[0], 2)}. At D = 4 and "
        f"base 10,000 pair 1 takes {number(second, 0)}."
    )
    return (0 if fixed else 1 if first[1] < first[0] else 2), said


def _rotation() -> tuple[int, str]:
    errors = [_view({"position": p}).error for p in (7, 200, 1000)]
    worst = max(errors)
    right = 2 if worst < EXACT else 0
    return (
        right,
        f"Around 7, 200 and 1,000 the same M is off by at most {number_of(worst)}, rounding of float64.",
    )


def _permutation() -> tuple[int, str]:
    view = _view({"d": 4, "position": 1})
    paper, other = (sorted(view.layouts[index].row.tolist()) for index in (0, 2))
    apart = max(abs(a - b) for a, b in zip(paper, other, strict=True))
    right = 0 if view.permutation_gap > EXACT else 1 if apart > EXACT else 2
    said = (
        f"At D = 4, position 1, the paper has {vector(view.layouts[0].row.tolist(), 4)}, tensor2tensor "
        f"{vector(view.layouts[2].row.tolist(), 4)}: sorted, they still differ by up to {number_of(apart)}."
    )
    return right, said


def _odd(values: dict[str, Any]) -> tuple[int, str]:
    view = _view(values)
    padded = _view({**values, "variant": "tensor2tensor"})
    right = 2 if view.error > EXACT else 1 if view.lone_error > EXACT else 0
    said = (
        f"At D = {view.D} and base {number(view.scheme.base)} the pairs are off by {number_of(view.error)}, "
        f"the lone sine by up to {number_of(view.lone_error)}. Padding with a zero, as tensor2tensor does, "
        f"keeps the rotation: {number_of(padded.error)}."
    )
    return right, said
