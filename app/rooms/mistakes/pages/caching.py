"""Pages of the mistakes in decoding with cached keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.kit.formula import Formula
from app.kit.html import Markup, number
from app.kit.matrix import matrix
from app.rooms.mistakes.pages.base import DIGITS, RIGHT, WRONG, Page, Reading, Run, at_cursor, latex, plain
from app.rooms.mistakes.pages.snippets import ROTATE
from lab.context_extension import DynamicNtk
from lab.mistakes.caching import past_lengths

BOTH_LATE = "queries and keys both one late: invisible to scores"
BASE = 10_000.0


class Cache(Page):
    """Cache position off by one."""

    key = "cache"
    uses = ("prompt",)
    cursor = "position"
    slider = "Position of the decoded token"

    def inputs(self, **numbers: Any) -> Mapping[str, Any]:
        """A prompt of as many tokens."""
        return {"prompt": numbers["prompt"]}

    def reads(self, run: Run, place: int) -> Sequence[Reading]:
        """All three versions with the places they take."""
        at, key = int(run.symptom.x[place]), run.inputs["prompt"] - 1
        named = (
            ("right", RIGHT, f"query at {at}, key at {key}"),
            ("query one late", WRONG, f"query at {at + 1}, key at {key}"),
            ("both one late", BOTH_LATE, f"query at {at + 1}, key at {key + 1}: no score shows it"),
        )
        return [
            Reading(name, number(float(run.values(version)[place]), DIGITS), note, version)
            for name, version, note in named
        ]

    def detail(self, run: Run, place: int) -> Markup:
        """How many tokens the cache is said to hold before each call."""
        prompt = run.inputs["prompt"]
        rows = [past_lengths(prompt, 3, late).tolist() for late in (0, 1)]
        return matrix(
            rows,
            title="Tokens said to be in the cache",
            under="before the prompt, and before each of the first three tokens after it",
            rows=(RIGHT, WRONG),
            columns=("prompt", "1st", "2nd", "3rd"),
            marked_cells=[(1, j) for j in (1, 2, 3)],
            signed=False,
        )

    def formula(self, run: Run, place: int) -> tuple[Formula, ...]:
        """Distance alone decides, so two equal errors cancel."""
        right, wrong = at_cursor(run, place)
        at, key = int(run.symptom.x[place]), run.inputs["prompt"] - 1
        return (
            Formula(
                r"s\left((m + 1) - n\right) \neq s(m - n), \qquad "
                r"s\left((m + 1) - (n + 1)\right) = s(m - n)",
                rf"s({at + 1} - {key}) = {latex(wrong)}, \qquad s({at} - {key}) = {latex(right)} = "
                rf"s({at + 1} - {key + 1})",
                "A prompt of T tokens takes the positions 0 to T − 1: the first token after it stands at T.",
            ),
        )

    def code(self, **numbers: Any) -> str:
        """Each decoded query against the last key of the prompt."""
        return f"""{ROTATE}
prompt, steps = {numbers["prompt"]}, 16
last_key = rotate(k, [prompt - 1], theta)[0]
places = prompt + np.arange(steps)
right = rotate(q, places, theta) @ last_key
wrong = rotate(q, places + 1, theta) @ last_key
"""


class Stale(Page):
    """Dynamic NTK with stale keys."""

    key = "stale"
    uses = ("cached_at",)
    cursor = "position"
    slider = "Position of the cached key"
    start = 100

    def inputs(self, **numbers: Any) -> Mapping[str, Any]:
        """Keys that were cached at another length of the text."""
        return {"cached_at": numbers["cached_at"]}

    @staticmethod
    def _base(run: Run, length: int) -> float:
        extension = DynamicNtk(factor=run.inputs["factor"], trained=run.inputs["trained"], length=length)
        return extension.effective_base(len(run.inputs["q"]), BASE)

    def reads(self, run: Run, place: int) -> Sequence[Reading]:
        """Both scores with the base each key was turned under."""
        right, wrong = at_cursor(run, place)
        at, length = number(run.symptom.x[place]), run.inputs["length"]
        cached = run.inputs["cached_at"]
        return (
            Reading(f"right, key at {at}", number(right, DIGITS), "query and key under one base", RIGHT),
            Reading(f"stale key at {at}", number(wrong, DIGITS), "the key under the base of its time", WRONG),
            Reading(f"base at {length:,} tokens", number(self._base(run, length)), "the query’s"),
            Reading(f"base at {cached:,} tokens", number(self._base(run, cached)), "the cached key’s"),
        )

    def says(self, run: Run, place: int) -> str:
        """What the query gives the cached key, and what it should."""
        right, wrong = at_cursor(run, place)
        return (
            f"The query at {run.inputs['q_pos']:,} gives the key at {number(run.symptom.x[place])}, cached "
            f"when the text had {run.inputs['cached_at']:,} tokens, a score of {number(wrong, DIGITS)} where "
            f"{number(right, DIGITS)} is right."
        )

    def formula(self, run: Run, place: int) -> tuple[Formula, ...]:
        """The base moves with the text."""
        factor, trained = run.inputs["factor"], run.inputs["trained"]
        cached, length = run.inputs["cached_at"], run.inputs["length"]
        filled = r", \qquad ".join(rf"b({plain(n)}) = {latex(self._base(run, n))}" for n in (cached, length))
        return (
            Formula(
                r"b(n) = b \left( s \frac{n}{L} - (s - 1) \right)^{\dim{d}/(\dim{d} - 2)}, \quad n > L",
                filled,
                f"Factor s = {number(factor)}, trained length L = {number(trained)}, d = 8, b = 10,000.",
            ),
        )

    def code(self, **numbers: Any) -> str:
        """Keys under the base of their time, and under the query's."""
        return f"""{ROTATE}
factor, trained, length, cached_at = 2.0, 2048, 4096, {numbers["cached_at"]}


def frequencies(n):
    base = 10_000.0 * (factor * n / trained - (factor - 1)) ** (8 / 6)
    return base ** (-np.arange(4) / 4)


k_pos = np.arange(0, 2049, 4)
query = rotate(q, [length - 1], frequencies(length))[0]
right = rotate(k, k_pos, frequencies(length)) @ query
wrong = rotate(k, k_pos, frequencies(cached_at)) @ query
"""
