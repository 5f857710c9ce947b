"""The section `scores`: the score against distance, how far apart neighbours are, multiplier and gain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from app.kit.formula import Formula, numeral
from app.kit.html import Markup, counted, join, number, tag
from app.kit.numbers import Table
from app.kit.shares import percent
from app.rooms.context import filled, look, rules
from app.rooms.context.methods import Core, method_of
from app.rooms.context.setting import Setting, Stage, stage_of
from lab.context_extension import block_mean
from lab.notation import FloatArray
from lab.positions import Rope

NEAR = 64
"""Distances that are drawn one by one."""
REACH = 4
"""Trained windows that are drawn at least."""
POINTS = 200


@dataclass(frozen=True, eq=False)
class Line:
    """The score at the nearest distances, and its mean over blocks of neighbouring ones."""

    near: FloatArray
    far: FloatArray


@dataclass(frozen=True, eq=False)
class ScoresView(Stage):
    """Score against distance under every method that is drawn."""

    lines: Mapping[str, Line]

    @property
    def reach(self) -> int:
        """Distances that are drawn."""
        return reach_of(self.core)

    @property
    def block(self) -> int:
        """Neighbouring distances that make a point, an odd number."""
        return block_of(self.reach)

    @property
    def middles(self) -> list[int]:
        """The middle distance of each block."""
        return centres(self.reach)


def reach_of(core: Core) -> int:
    """Four trained windows, or the stretched one where it is longer."""
    return max(REACH * core.trained, core.window)


def block_of(reach: int) -> int:
    """How many distances a point stands for, so that there are about as many points as can be seen.

    >>> block_of(16_384), block_of(100)
    (81, 1)
    """
    return reach // POINTS | 1


def centres(reach: int) -> list[int]:
    """The middle of each block of neighbouring distances."""
    block = block_of(reach)
    return list(range(block // 2, max(reach - block // 2, 1), block))


def damping(rope: Rope, block: int) -> list[float]:
    """What a mean over a block leaves of each pair, once for each of its two dimensions."""
    return [value for value in block_mean(rope.inv_freq, block).tolist() for _ in range(2)]


@lru_cache(maxsize=64)
def line_of(core: Core, key: str) -> Line:
    """The score of k = q, a vector of length 1 whose energy is even over the pairs."""
    rope = Rope(core.d, core.base, extension=method_of(core, key).extension)
    q, k = [1.0, 0.0] * core.pairs, [1.0 / core.pairs, 0.0] * core.pairs
    reach = reach_of(core)
    damped = [one * left for one, left in zip(q, damping(rope, block_of(reach)), strict=True)]
    return Line(rope.total_by_distance(q, k, range(NEAR)), rope.total_by_distance(damped, k, centres(reach)))


def compute(setting: Setting) -> ScoresView:
    """Score every method against distance."""
    fields = stage_of(setting, setting.core)
    return ScoresView(*fields, {key: line_of(setting.core, key) for key in fields[2]})


def top(view: ScoresView) -> Markup:
    """The facts, and what is drawn."""
    return join([look.facts(view), look.legend(view)])


def near_head(view: ScoresView) -> Markup:
    """The head of the nearest distances."""
    said = (
        "k = q, a vector of length 1 with its energy even over the pairs. The steeper it falls at 1 and 2, "
        "the better a head tells neighbours apart. Where it starts above 1, cos and sin are multiplied."
    )
    return look.head(f"The nearest {NEAR} distances", said)


def far_head(view: ScoresView) -> Markup:
    """The head of all distances."""
    windows = number(view.reach / view.core.trained, 1)
    mean = f"Each point is the mean of {number(view.block)} neighbouring distances." if view.block > 1 else ""
    return look.head(
        f"Out to {windows} trained windows", f"The same score, {counted(view.reach, 'distance')}. {mean}"
    )


def bottom(view: ScoresView) -> Markup:
    """Neighbours, multiplier and gain of every method."""
    rows: dict[str, Any] = {}
    for key, method in view.methods.items():
        share = method.neighbours / (view.plain.neighbours or 1.0)
        rows[key] = [
            look.bar(share, number(method.neighbours)),
            percent(share),
            number(float(method.inv_freq[0])),
            f"× {number(method.multiplier, 4)}",
            f"× {number(method.gain, 4)}",
        ]
    columns = ("neighbours apart", "of plain RoPE", "pair 0, rad per step", "cos, sin: m", "logits: m²")
    note = tag(
        "p",
        "Neighbours apart: how far that vector moves from one position to the next. The multiplier m acts on "
        "cos and sin, and so on q and on k; a score holds both, so logits grow by its square, m².",
        class_="lab-note lab-context-note",
    )
    parts = [
        look.head("How far apart neighbours still are, and what is multiplied", ""),
        look.table(view, columns, rows, "Neighbours, multiplier and gain by method"),
        look.refusals(view),
        note,
    ]
    return join(parts)


def describe(view: ScoresView) -> str:
    """The caption: neighbours, multiplier and gain."""
    method, plain = view.chosen, view.plain
    line = view.lines[method.key].near
    return (
        f"Under {method.title} a position moves a vector by {number(method.neighbours)} from the one before, "
        f"under plain RoPE by {number(plain.neighbours)}. It multiplies cos and sin by "
        f"{number(method.multiplier, 4)}, and so every logit by its square, {number(method.gain, 4)}: k = q "
        f"scores {number(float(line[0]))} at distance 0 and {number(float(line[1]))} at 1."
    )


def numbers(view: ScoresView) -> list[Table]:
    """The table of methods, and the lines."""
    rows: list[list[str | float]] = [
        [method.title, method.neighbours, method.multiplier, method.gain] for method in view.methods.values()
    ]
    titles = [view.methods[key].title for key in view.lines]
    near = zip(*(line.near.tolist() for line in view.lines.values()), strict=True)
    far = zip(*(line.far.tolist() for line in view.lines.values()), strict=True)
    return [
        Table(
            "Neighbours, multiplier, gain",
            ["method", "neighbours apart", "multiplier m of cos and sin", "logit gain m²"],
            rows,
        ),
        Table("Score of k = q", ["distance", *titles], [[n, *values] for n, values in enumerate(near)]),
        Table(
            f"Score of k = q, means of {counted(view.block, 'distance')}",
            ["middle distance", *titles],
            [[n, *values] for n, values in zip(view.middles, far, strict=True)],
        ),
    ]


def formula(view: ScoresView) -> tuple[Formula, ...]:
    """The score, the distance of neighbours, and the gain."""
    method, line = view.chosen, view.lines[view.setting.method]
    score = Formula(
        r"s(n) = \frac{m^2}{\dim{d}/2} \sum_{i=0}^{\dim{d}/2-1} \cos(n \theta_i')",
        rf"s(0) = {numeral(float(line.near[0]))}, \quad s(1) = {numeral(float(line.near[1]))}",
        "k = q of length 1, energy even over the pairs.",
    )
    apart = Formula(
        r"\sqrt{\frac{1}{\dim{d}/2} \sum_{i=0}^{\dim{d}/2-1} \left( 2 \sin \frac{\theta_i'}{2} \right)^2}",
        rf"\text{{{method.title}: }} {numeral(method.neighbours)}, \quad "
        rf"\text{{plain RoPE: }} {numeral(view.plain.neighbours)}",
        "How far a unit vector moves from one position to the next, without the multiplier.",
    )
    return filled.gain(view), score, apart, filled.method(view)


def code(setting: Setting) -> str:
    """NumPy code whose ``result`` holds multiplier, gain, neighbours and both lines."""
    view = compute(setting)
    return rules.source(view) + (
        "\n\ndef score(n):\n"
        '    """k = q of length 1, energy even over the pairs; the multiplier is in q and in k."""\n'
        "    return m**2 * np.cos(n * inv_freq).mean()\n"
        "\n\n"
        "gain = m**2  # of the logits\n"
        "apart = np.sqrt(np.mean((2 * np.sin(inv_freq / 2)) ** 2))\n"
        f"near = [score(n) for n in range({NEAR})]\n"
        f"reach, block = {view.reach}, {view.block}  # each point is the mean of a block\n"
        "middles = np.arange(block // 2, max(reach - block // 2, 1), block)\n"
        "# over a block the mean of cos(n w) is that of its middle times this\n"
        "left = np.sin(block * inv_freq / 2) / (block * np.sin(inv_freq / 2))\n"
        "far = m**2 * (left * np.cos(np.outer(middles, inv_freq))).mean(axis=1)\n"
        "result = np.concatenate([[m, gain, apart], near, far])\n"
    )


def code_answer(view: ScoresView) -> Any:
    """What ``result`` must equal."""
    method, line = view.chosen, view.lines[view.setting.method]
    return [method.multiplier, method.gain, method.neighbours, *line.near.tolist(), *line.far.tolist()]
