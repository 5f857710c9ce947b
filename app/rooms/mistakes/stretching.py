"""Mistakes in stretching a window."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from app.kit.formula import power
from app.kit.html import Markup, number
from app.kit.matrix import verdict
from app.rooms.mistakes.mistake import SHARED, Curve, six
from app.rooms.mistakes.model import RIGHT, WRONG, Seen
from lab.context_extension import logit_gain, unseen_angles
from lab.mistakes import Inputs
from lab.positions.rope import plain_frequencies
from lab.vocab import truncate

THROUGH_TWICE = "put through the formula twice"
CUT = "cut at the trained length, silently"
A_LITTLE_LONG = 551
"""Tokens of a text that is a little longer than 512: what is lost of it is easily overlooked."""
BINS = 64


class Yarn(Curve):
    """YaRN's factor applied twice, or squared."""

    key, axis, start = "yarn_factor", "factors", 32
    law = r"c = 0.1 \ln s + 1, \qquad (c\, R_m q) \cdot (c\, R_n k) = c^2 \, (R_m q) \cdot (R_n k)"

    def drawn(self, inputs: Inputs, version: str) -> Any:
        """What the multiplier does to every score: its square."""
        return [logit_gain(multiplier) for multiplier in self.made(inputs, version).tolist()]

    def facts(self, view: Seen) -> Mapping[str, Any]:
        c, squared, again = (float(view.output(name)) for name in (RIGHT, WRONG, THROUGH_TWICE))
        more = (
            f", {number(100 * (value / c - 1), 1)} % more" if value != c else "" for value in (squared, again)
        )
        more_squared, more_again = more
        return {
            "c": c, "squared": squared, "again": again, "gain_again": logit_gain(again),
            "more_squared": more_squared, "more_again": more_again,
        }  # fmt: skip

    def filled(self, view: Seen) -> str:
        c = float(view.output(RIGHT))
        return (
            rf"c = 0.1 \ln {number(view.x)} + 1 = {six(c)}, \quad c^2 = {six(c**2)}, "
            rf"\quad (c^2)^2 = {six(c**4)}"
        )

    def lines(self, s: Any) -> str:
        return _YARN


class Longer(Curve):
    """Longer than trained."""

    key, start = "longer", 1024
    uses = (*SHARED, "length")
    law = (
        r"\text{met: } \; n\,\theta_i \bmod 2\pi < L\,\theta_i, \qquad "
        r"\text{everything if } L\,\theta_i \geq 2\pi"
    )

    def along(self, inputs: Inputs) -> Any:
        edges = self.unseen(inputs, WRONG).edges
        return (edges[:-1] + edges[1:]) / 2

    def drawn(self, inputs: Inputs, version: str) -> Any:
        """The share of pairs in new angles, by distance."""
        return self.unseen(inputs, version).map.mean(axis=0)

    def unseen(self, inputs: Inputs, version: str) -> Any:
        """Which pairs meet new angles: stretched to the text's length, or as they are."""
        trained, length = inputs["trained"], inputs["length"]
        plain = plain_frequencies(inputs["d"], inputs["base"])[0]
        factor = length / trained if version == RIGHT else 1.0
        return unseen_angles(plain / factor, plain, trained, length, bins=BINS)

    def facts(self, view: Seen) -> Mapping[str, Any]:
        trained, length, pairs = view.inputs["trained"], view.s.length, view.inputs["d"] // 2
        slow = [i for i in range(pairs) if self.turned(view, i) < math.tau]
        return {
            "trained": trained, "length": length, "beyond": length - trained, "factor": length / trained,
            "pairs": pairs, "right_pairs": view.right * pairs, "wrong_pairs": view.wrong * pairs,
            "first": slow[0], "last": slow[-1], "slow": len(slow),
        }  # fmt: skip

    def turned(self, view: Seen, pair: int) -> float:
        """The angle that a pair reaches in training."""
        return float(view.inputs["trained"] * view.inputs["base"] ** (-2 * pair / view.inputs["d"]))

    def detail(self, view: Seen) -> Markup:
        """The other way out: a cut, reported and not."""
        mistake, longer = view.run.mistake, {**view.inputs, "length": A_LITTLE_LONG}
        silent = mistake.detector.verdict(mistake.others[CUT], longer).message
        loud = truncate(range(A_LITTLE_LONG), view.inputs["trained"]).message
        return verdict(self.say("cut", view, long=A_LITTLE_LONG, silent=silent, loud=loud))

    def filled(self, view: Seen) -> str:
        first, trained = view.facts["first"], view.inputs["trained"]
        theta = power(view.inputs["base"], f"-{2 * first}/{view.inputs['d']}")
        return rf"L\,\theta_{{{first}}} = {trained} \cdot {theta} = {six(self.turned(view, first))} < 2\pi"

    def lines(self, s: Any) -> str:
        return _LONGER.replace("LENGTH", str(s.length))


_YARN = """factors = 2.0 ** np.arange(8)
multiplier = 0.1 * np.log(factors) + 1
right = multiplier**2  # what the logits grow by: once in q, once in k
wrong = (multiplier**2) ** 2
"""
_LONGER = """d, base, trained, length = 64, 10_000.0, 512, LENGTH
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
