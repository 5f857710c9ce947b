"""Mistakes in decoding with cached keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.kit.formula import decimal
from app.kit.html import Markup
from app.rooms.mistakes.mistake import SHARED, Curve, six
from app.rooms.mistakes.model import Seen
from app.rooms.mistakes.rotation import ROTATE
from lab.context_extension import DynamicNtk
from lab.mistakes import Inputs
from lab.mistakes.caching import past_lengths

BOTH_LATE = "queries and keys both one late: invisible to scores"
BASE = 10_000.0


class Cache(Curve):
    """Cache position off by one."""

    key, uses = "cache", (*SHARED, "prompt")
    law = r"s\left((m + 1) - n\right) \neq s(m - n), \qquad s\left((m + 1) - (n + 1)\right) = s(m - n)"

    def along(self, inputs: Inputs) -> Any:
        return [inputs["prompt"] + step for step in range(inputs["steps"])]

    def facts(self, view: Seen) -> Mapping[str, Any]:
        at, key = int(view.x), view.s.prompt - 1
        return {"at": at, "key": key, "late": at + 1, "late_key": key + 1, "both": view.output(BOTH_LATE)}

    def detail(self, view: Seen) -> Markup:
        """How many tokens the cache is said to hold before each call."""
        rows = [past_lengths(view.s.prompt, 3, late).tolist() for late in (0, 1)]
        return self.both(view, rows, ("prompt", "1st", "2nd", "3rd"))

    def filled(self, view: Seen) -> str:
        at, key = int(view.x), view.s.prompt - 1
        return (
            rf"s({at + 1} - {key}) = {six(view.wrong)}, \qquad "
            rf"s({at} - {key}) = {six(view.right)} = s({at + 1} - {key + 1})"
        )

    def lines(self, s: Any) -> str:
        return f"{ROTATE}{_CACHE.format(prompt=s.prompt)}"


class Stale(Curve):
    """Dynamic NTK with stale keys."""

    key, axis, start = "stale", "k_pos", 100
    uses = (*SHARED, "cached_at")
    law = r"b(n) = b \left( s \frac{n}{L} - (s - 1) \right)^{\dim{d}/(\dim{d} - 2)}, \quad n > L"

    def facts(self, view: Seen) -> Mapping[str, Any]:
        named = ("factor", "trained", "length", "cached_at", "q_pos")
        bases = {"now": self.base(view, view.inputs["length"]), "then": self.base(view, view.s.cached_at)}
        return {**{name: view.inputs[name] for name in named}, **bases, "b": BASE, "d": len(view.inputs["q"])}

    def base(self, view: Seen, length: int) -> float:
        """The base of a text of so many tokens."""
        extension = DynamicNtk(factor=view.inputs["factor"], trained=view.inputs["trained"], length=length)
        return extension.effective_base(len(view.inputs["q"]), BASE)

    def filled(self, view: Seen) -> str:
        bases = (
            rf"b({decimal(n)}) = {six(self.base(view, n))}" for n in (view.s.cached_at, view.inputs["length"])
        )
        return r", \qquad ".join(bases)

    def lines(self, s: Any) -> str:
        return f"{ROTATE}{_STALE.format(cached_at=s.cached_at)}"


_CACHE = """prompt, steps = {prompt}, 16
last_key = rotate(k, [prompt - 1], theta)[0]
pos = prompt + np.arange(steps)
right = rotate(q, pos, theta) @ last_key
wrong = rotate(q, pos + 1, theta) @ last_key
"""
_STALE = """factor, trained, length, cached_at = 2.0, 2048, 4096, {cached_at}


def frequencies(n):
    base = 10_000.0 * (factor * n / trained - (factor - 1)) ** (8 / 6)
    return base ** (-np.arange(4) / 4)


k_pos = np.arange(0, 2049, 4)
query = rotate(q, [length - 1], frequencies(length))[0]
right = rotate(k, k_pos, frequencies(length)) @ query
wrong = rotate(k, k_pos, frequencies(cached_at)) @ query
"""
