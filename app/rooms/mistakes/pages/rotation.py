"""Pages of the mistakes in turning queries and keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.kit.formula import Formula
from app.kit.html import Markup, number
from app.kit.matrix import matrix
from app.rooms.mistakes.pages.base import (
    DIGITS,
    RIGHT,
    WRONG,
    Page,
    Reading,
    Run,
    at_cursor,
    latex,
)
from app.rooms.mistakes.pages.snippets import ROTATE
from lab.notation import as_positions

BOTH_TWICE = "query and key both twice"


class Layout(Page):
    """Pair layouts mixed."""

    key = "layout"
    cursor = "distance"
    start = 5

    def formula(self, run: Run, place: int) -> tuple[Formula, ...]:
        """The score as a sum over pairs, and which dimensions form one."""
        right, wrong = at_cursor(run, place)
        at = number(float(run.symptom.x[place]))
        return (
            Formula(
                r"s(m - n) = \mathrm{Re} \sum_i q_i \, \overline{k_i} \, e^{\mathrm{i}\,(m - n)\,\theta_i}",
                rf"s_{{\text{{right}}}}({at}) = {latex(right)}, \qquad "
                rf"s_{{\text{{wrong}}}}({at}) = {latex(wrong)}",
                "Each pair of dimensions is one complex number. The sum is the same in every layout, if the "
                "pairs are.",
            ),
            Formula(
                r"\text{trained: } (2i,\; 2i + 1) \qquad \text{run: } (i,\; i + \dim{d}/2)",
                r"(0,1)\;(2,3)\;(4,5)\;(6,7) \qquad (0,4)\;(1,5)\;(2,6)\;(3,7)",
                "Rows of Wq and Wk permuted by 0, 2, 4, 6, 1, 3, 5, 7 make the second out of the first.",
            ),
        )

    def code(self, **numbers: Any) -> str:
        """Both scores in code that pairs i with i + d/2."""
        return """rng = np.random.default_rng(0)
q, k = rng.standard_normal(8), rng.standard_normal(8)  # trained with pairs (2i, 2i + 1)
distances = np.arange(33)
theta = 10_000.0 ** (-np.arange(4) / 4)


def scores(q, k):  # code that pairs i with i + d/2
    turns = np.exp(1j * np.outer(distances, theta))  # (33, 4)
    return (turns * (q[:4] + 1j * q[4:]) * (k[:4] - 1j * k[4:])).sum(axis=1).real


order = [0, 2, 4, 6, 1, 3, 5, 7]
right = scores(q[order], k[order])
wrong = scores(q, k)
"""


class Twice(Page):
    """Key rotated twice."""

    key = "twice"
    uses = ("m",)
    cursor = "key at"
    slider = "Position n of the key"
    start = 2

    def inputs(self, **numbers: Any) -> Mapping[str, Any]:
        """A query at m, a key at each place up to it."""
        m = numbers["m"]
        return {"q_pos": as_positions([m] * (m + 1)), "k_pos": as_positions(range(m + 1))}

    def _offsets(self, run: Run, place: int) -> tuple[int, int, int]:
        m, n = int(run.inputs["q_pos"][0]), int(run.inputs["k_pos"][place])
        return m - n, m - 2 * n, 2 * m - 2 * n

    def reads(self, run: Run, place: int) -> Sequence[Reading]:
        """All three versions with the offset each stands for."""
        named = (("rotated once", RIGHT), ("key twice", WRONG), ("both twice", BOTH_TWICE))
        offsets = self._offsets(run, place)
        return [
            Reading(
                name,
                number(float(run.values(version)[place]), DIGITS),
                f"the score of offset {number(o)}",
                version,
            )
            for (name, version), o in zip(named, offsets, strict=True)
        ]

    def says(self, run: Run, place: int) -> str:
        """Which offset the wrong score belongs to."""
        right, wrong = at_cursor(run, place)
        away, off, _ = self._offsets(run, place)
        return (
            f"The query at {run.inputs['q_pos'][0]} and the key at {run.inputs['k_pos'][place]} are {away} "
            f"apart and score {number(right, DIGITS)}; rotated twice, the key gives {number(wrong, DIGITS)}, "
            f"the score of offset {number(off)}."
        )

    def formula(self, run: Run, place: int) -> tuple[Formula, ...]:
        """Two turns are one turn of twice the angle."""
        right, wrong = at_cursor(run, place)
        m, n = int(run.inputs["q_pos"][0]), int(run.inputs["k_pos"][place])
        away, off, _ = self._offsets(run, place)
        return (
            Formula(
                r"R_n R_n = R_{2n}, \qquad (R_m q) \cdot (R_{2n} k) = s(m - 2n) \neq s(m - n)",
                rf"s({m} - 2 \cdot {n}) = s({latex(off)}) = {latex(wrong)}, \qquad "
                rf"s({m} - {n}) = s({away}) = {latex(right)}",
                "Move the text by one and the offset m − 2n changes by one: the score depends on where the "
                "text stands.",
            ),
        )

    def code(self, **numbers: Any) -> str:
        """The query once, the key once and twice."""
        return f"""{ROTATE}
m = {numbers["m"]}
n = np.arange(m + 1)
query = rotate(q, [m], theta)[0]
once = rotate(k, n, theta)
right = once @ query
wrong = rotate(once, n, theta) @ query
"""


class Partial(Page):
    """Partial rotation over the wrong width."""

    key = "partial"
    cursor = "position"
    what = "value of dimension 1"
    start = 3

    def detail(self, run: Run, place: int) -> Markup:
        """The whole vector at the cursor, both versions."""
        rows = [run.values(version)[place].tolist() for version in (RIGHT, WRONG)]
        differ = [(1, j) for j in range(len(rows[0])) if abs(rows[0][j] - rows[1][j]) > 1e-5]
        return matrix(
            rows,
            title=f"All dimensions at position {number(run.symptom.x[place])}",
            under="of x = 1 … 8; outlined where the wrong version differs by more than 0.00001",
            rows=(RIGHT, WRONG),
            columns=[str(j) for j in range(len(rows[0]))],
            marked_cells=differ,
            digits=DIGITS,
        )

    def formula(self, run: Run, place: int) -> tuple[Formula, ...]:
        """The frequency of a pair, over the width that turns."""
        base, r, d = (number(run.inputs[name]) for name in ("base", "rotary_dim", "d"))
        right, wrong = (run.inputs["base"] ** (-2.0 / run.inputs[name]) for name in ("rotary_dim", "d"))
        return (
            Formula(
                r"\theta_i = b^{-2i/r}, \quad r = \text{rotary\_dim}, \quad \text{not} \quad b^{-2i/\dim{d}}",
                rf"\theta_1 = {base}^{{-2/{r}}} = {latex(right)}, \qquad "
                rf"{base}^{{-2/{d}}} = {latex(wrong)}",
                "For pair 0 both exponents are 0, so a test of the first pair sees nothing.",
            ),
        )

    def code(self, **numbers: Any) -> str:
        """Dimension 1 with both exponents."""
        return """x, pos = np.arange(1.0, 9.0), np.arange(65)
d, rotary_dim, base = 8, 4, 10_000.0


def dimension_1(width):
    theta = base ** (-2 * 1 / width)  # of pair 1: dimensions 1 and 1 + rotary_dim / 2
    return x[1] * np.cos(pos * theta) - x[1 + rotary_dim // 2] * np.sin(pos * theta)


right = dimension_1(rotary_dim)
wrong = dimension_1(d)
"""
