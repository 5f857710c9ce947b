"""Pages of the mistakes in stretching a window."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from app.kit.formula import Formula
from app.kit.html import Markup, number
from app.kit.matrix import verdict
from app.rooms.mistakes.pages.base import DIGITS, RIGHT, WRONG, Page, Reading, Run, at_cursor, latex
from lab.context_extension import logit_gain
from lab.vocab import truncate

THROUGH_TWICE = "put through the formula twice"
CUT = "cut at the trained length, silently"
A_LITTLE_LONG = 551
"""Tokens of a text that is a little longer than 512: what is lost of it is easily overlooked."""


class Yarn(Page):
    """YaRN's factor applied twice, or squared."""

    key = "yarn_factor"
    cursor = "factor"
    slider = "Factor of the window"
    what = "gain of the logits"
    start = 32

    def reads(self, run: Run, place: int) -> Sequence[Reading]:
        """The multiplier of each version, and its square, the gain of the logits."""
        right = float(run.values(RIGHT)[place])
        named = (("right", RIGHT), ("squared", WRONG), ("through the formula twice", THROUGH_TWICE))
        made = []
        for name, version in named:
            value = float(run.values(version)[place])
            more = f", {number(100 * (value / right - 1), 1)} % more" if value != right else ""
            note = f"multiplier of cos and sin{more}; logits are multiplied by {number(logit_gain(value), 4)}"
            made.append(Reading(name, number(value, DIGITS), note, version))
        return made

    def formula(self, run: Run, place: int) -> tuple[Formula, ...]:
        """The multiplier, and what it does to a score."""
        s, right = number(run.symptom.x[place]), float(run.values(RIGHT)[place])
        return (
            Formula(
                r"c = 0.1 \ln s + 1, \qquad (c\, R_m q) \cdot (c\, R_n k) = c^2 \, (R_m q) \cdot (R_n k)",
                rf"c = 0.1 \ln {s} + 1 = {latex(right)}, \quad c^2 = {latex(right**2)}, \quad "
                rf"(c^2)^2 = {latex(right**4)}",
                "c is in q and in k. Say which one is meant: the multiplier c, or the gain of the logits c².",
            ),
        )

    def code(self, **numbers: Any) -> str:
        """The gain with the multiplier, and with its square in its place."""
        return """factors = 2.0 ** np.arange(8)
multiplier = 0.1 * np.log(factors) + 1
right = multiplier**2  # what the logits grow by: once in q, once in k
wrong = (multiplier**2) ** 2
"""


class Longer(Page):
    """Longer than trained."""

    key = "longer"
    uses = ("length",)
    cursor = "distance"
    what = "share of pairs in new angles"
    start = 1024

    def inputs(self, **numbers: Any) -> Mapping[str, Any]:
        """A text of as many tokens."""
        return {"length": numbers["length"]}

    def reads(self, run: Run, place: int) -> Sequence[Reading]:
        """The share of pairs at the cursor, as pairs."""
        pairs = run.inputs["d"] // 2
        right, wrong = at_cursor(run, place)
        at, length, trained = number(run.symptom.x[place], 0), run.inputs["length"], run.inputs["trained"]
        stretched = f"stretched by a factor of {number(length / trained, 3)}"
        return (
            Reading(f"right, near {at}", f"{number(right * pairs, 1)} of {pairs}", stretched, RIGHT),
            Reading(f"wrong, near {at}", f"{number(wrong * pairs, 1)} of {pairs}", "run on as it is", WRONG),
            Reading("beyond training", f"{length - trained:,}", f"of {length:,} positions"),
        )

    def detail(self, run: Run, place: int) -> Markup:
        """The other way out: a cut, reported and not."""
        longer = {**run.inputs, "length": A_LITTLE_LONG}
        said = run.mistake.detector.verdict(run.mistake.others[CUT], longer).message
        return verdict(
            f"Cutting the text helps only if it is reported. A text of {A_LITTLE_LONG} tokens cut at "
            f"{run.inputs['trained']} gives no error and no new angle; the test says: “{said}”. "
            "A cut that reports itself says: "
            f"“{truncate(range(A_LITTLE_LONG), run.inputs['trained']).message}”."
        )

    def formula(self, run: Run, place: int) -> tuple[Formula, ...]:
        """Which angles a pair has met, and how many pairs never turned round."""
        d, base, trained = run.inputs["d"], run.inputs["base"], run.inputs["trained"]
        slow = [i for i in range(d // 2) if trained * base ** (-2 * i / d) < math.tau]
        first = trained * base ** (-2 * slow[0] / d)
        return (
            Formula(
                r"\text{met: } \; n\,\theta_i \bmod 2\pi < L\,\theta_i, \qquad "
                r"\text{everything if } L\,\theta_i \geq 2\pi",
                rf"L\,\theta_{{{slow[0]}}} = {trained} \cdot {number(base)}^{{-{2 * slow[0]}/{d}}} = "
                rf"{latex(first)} < 2\pi",
                f"Pairs {slow[0]} to {d // 2 - 1} never turned round within {trained} positions: "
                f"{len(slow)} of {d // 2}. Interpolation divides every angle, so that none is new.",
            ),
        )

    def code(self, **numbers: Any) -> str:
        """The share of pairs in new angles, position by position, then by bins."""
        return f"""d, base, trained, length = 64, 10_000.0, 512, {numbers["length"]}
theta = base ** (-2 * np.arange(d // 2) / d)
edges = np.round(np.linspace(0, length, 65)).astype(int)


def share_of_new_angles(factor):
    angles = np.outer(np.arange(length), theta / factor) % (2 * np.pi)  # (length, pairs)
    met = trained * theta  # a pair that never completed a turn met the angles below
    new = (angles >= met * (1 - 1e-12)) & (met < 2 * np.pi)
    return np.add.reduceat(new.mean(axis=1), edges[:-1]) / np.diff(edges)


right = share_of_new_angles(length / trained)
wrong = share_of_new_angles(1.0)
"""
