"""Mistakes in turning queries and keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.kit.formula import Formula, decimal, power
from app.kit.html import Markup, number
from app.rooms.mistakes.mistake import DIGITS, SHARED, Curve, six
from app.rooms.mistakes.model import RIGHT, WRONG, Seen
from lab.mistakes import Inputs
from lab.notation import as_positions

BOTH_TWICE = "query and key both twice"


class Layout(Curve):
    """Pair layouts mixed."""

    key, axis, start = "layout", "distances", 5
    law = r"s(m - n) = \mathrm{Re} \sum_i q_i \, \overline{k_i} \, e^{\mathrm{i}\,(m - n)\,\theta_i}"

    def filled(self, view: Seen) -> str:
        at = number(view.x)
        return (
            rf"s_{{\text{{right}}}}({at}) = {six(view.right)}, \qquad "
            rf"s_{{\text{{wrong}}}}({at}) = {six(view.wrong)}"
        )

    def formula(self, view: Seen) -> tuple[Formula, ...]:
        pairs = Formula(
            r"\text{trained: } (2i,\; 2i + 1) \qquad \text{run: } (i,\; i + \dim{d}/2)",
            r"(0,1)\;(2,3)\;(4,5)\;(6,7) \qquad (0,4)\;(1,5)\;(2,6)\;(3,7)",
            self.say("permuted"),
        )
        return (*super().formula(view), pairs)

    def lines(self, s: Any) -> str:
        return _LAYOUT


class Twice(Curve):
    """Key rotated twice."""

    key, axis, start = "twice", "k_pos", 2
    uses = (*SHARED, "m")
    law = r"R_n R_n = R_{2n}, \qquad (R_m q) \cdot (R_{2n} k) = s(m - 2n) \neq s(m - n)"

    def inputs(self, s: Any) -> Mapping[str, Any]:
        """A query at m, a key at each position up to it."""
        return {"q_pos": as_positions([s.m] * (s.m + 1)), "k_pos": as_positions(range(s.m + 1))}

    def facts(self, view: Seen) -> Mapping[str, Any]:
        m, n = view.s.m, int(view.x)
        offsets = {"away": m - n, "off": m - 2 * n, "doubled": 2 * (m - n)}
        return {"m": m, "n": n, "both": view.output(BOTH_TWICE), **offsets}

    def filled(self, view: Seen) -> str:
        m, n = view.s.m, int(view.x)
        return (
            rf"s({m} - 2 \cdot {n}) = s({decimal(m - 2 * n)}) = {six(view.wrong)}, \qquad "
            rf"s({m} - {n}) = s({m - n}) = {six(view.right)}"
        )

    def lines(self, s: Any) -> str:
        return f"{ROTATE}{_TWICE.format(m=s.m)}"


class Partial(Curve):
    """Partial rotation over the wrong width."""

    key, axis, start = "partial", "pos", 3
    law = r"\theta_i = b^{-2i/r}, \quad r = \text{rotary\_dim}, \quad \text{not} \quad b^{-2i/\dim{d}}"

    def drawn(self, inputs: Inputs, version: str) -> Any:
        """Dimension 1: of the second pair, the first that turns too fast."""
        return self.made(inputs, version)[:, 1]

    def detail(self, view: Seen) -> Markup:
        """The whole vector at the cursor."""
        rows = [view.output(version).tolist() for version in (RIGHT, WRONG)]
        return self.both(view, rows, list(map(str, range(len(rows[0])))), digits=DIGITS, signed=True)

    def filled(self, view: Seen) -> str:
        base, widths = view.inputs["base"], (view.inputs["rotary_dim"], view.inputs["d"])
        right, wrong = (rf"{power(base, f'-2/{width}')} = {six(base ** (-2 / width))}" for width in widths)
        return rf"\theta_1 = {right}, \qquad {wrong}"

    def lines(self, s: Any) -> str:
        return _PARTIAL


_LAYOUT = """rng = np.random.default_rng(0)
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
ROTATE = """def rotate(x, pos, theta):
    half = len(theta)
    angle = np.outer(pos, theta)  # (T,), (half,) -> (T, half)
    a, b = x[..., :half], x[..., half : 2 * half]
    cos, sin = np.cos(angle), np.sin(angle)
    return np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)


rng = np.random.default_rng(0)
q, k = rng.standard_normal(8), rng.standard_normal(8)
theta = 10_000.0 ** (-np.arange(4) / 4)

"""
"""One query and one key, and how they turn in code that pairs i with i + d/2."""
_TWICE = """m = {m}
n = np.arange(m + 1)
query = rotate(q, [m], theta)[0]
once = rotate(k, n, theta)
right = once @ query
wrong = rotate(once, n, theta) @ query
"""
_PARTIAL = """x, pos = np.arange(1.0, 9.0), np.arange(65)
d, rotary_dim, base = 8, 4, 10_000.0


def dimension_1(width):
    theta = base ** (-2 * 1 / width)  # of pair 1: dimensions 1 and 1 + rotary_dim / 2
    return x[1] * np.cos(pos * theta) - x[1 + rotary_dim // 2] * np.sin(pos * theta)


right = dimension_1(rotary_dim)
wrong = dimension_1(d)
"""
