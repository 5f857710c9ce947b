"""What the figures of the room `context` show of a state: methods, new angles, scores, real heads."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

from app.kit.budget import Cost
from app.kit.figure import Snapshot
from app.kit.html import number
from app.kit.view import View, part
from app.rooms.context.methods import OWN, PLAIN, SIZES, Core, Method, core_of, method_of, unseen_of
from app.rooms.context.reading import factor_of, model_of
from lab.context_extension import EXTENSIONS, ModelRope, NoExtension, UnseenAngles, block_mean, turns_counted
from lab.context_extension.unseen import WIDEST
from lab.data import smollm2
from lab.notation import FloatArray
from lab.positions import Rope
from lab.smollm2 import find_token, layer0_keys, layer0_queries

PRESENT = ("dynamic", "longrope")
"""Methods that depend on how many tokens are at hand."""
NEAR, REACH, POINTS = 64, 4, 200
"""Distances that are scored one by one, trained windows that are drawn at least, and points of a line."""
TRAINED = 2048
"""Positions of SmolLM2-135M's pretraining; its files do not say how long it was trained at more."""
TIMES = (1, 2, 4)
LENGTHS = tuple(times * TRAINED for times in TIMES)
TOUCHES, LISTS = 12, 8
"""Numbers that each counted turn of a pair touches, and lists as long as the turns of one pair."""


class Stage(View):
    """What every figure shows: a model, and the methods at work on its core."""

    found: ClassVar[str] = "methods"
    """The part that a figure draws."""

    def check(self) -> None:
        """Compute what can be refused.

        Raises
        ------
        ValueError
            If plain RoPE or the chosen method refuses, the window is too long, or a word has no token.
        """
        plain, found = method_of(self.core, PLAIN), method_of(self.core, self.key)
        if plain.error:
            raise ValueError(f"{plain.error[0].upper()}{plain.error[1:]}.")
        if found.error:
            raise ValueError(f"{found.title} refuses: {found.error}.")
        unseen_of(self.core, PLAIN)
        getattr(self, self.found)

    @part
    def rope(self) -> ModelRope:
        s = self.s
        return model_of(s.model, s.config, s.d, s.base, s.trained, s.layers.strip(), s.maximum)

    @part
    def core(self) -> Core:
        return core_of(self.rope, self.s)

    @property
    def own(self) -> Core:
        """The sizes of the model itself, whatever is asked for."""
        return core_of(self.rope, Snapshot(dict.fromkeys(SIZES)))

    @property
    def key(self) -> str:
        """The method that is put forward."""
        return self.rope.extension.key if self.s.method == OWN else str(self.s.method)

    @property
    def keys(self) -> list[str]:
        """Methods that are to be drawn, in the order of the registry."""
        return [key for key in EXTENSIONS if self.s.overlay == "all" or key in (PLAIN, self.key)]

    @part
    def methods(self) -> Mapping[str, Method]:
        """The methods that are drawn."""
        found = (method_of(self.core, key) for key in self.keys)
        return {method.key: method for method in found if not method.error}

    @property
    def refused(self) -> list[Method]:
        return [method for key in self.keys if (method := method_of(self.core, key)).error]

    @property
    def chosen(self) -> Method:
        return self.methods[self.key]

    @property
    def plain(self) -> Method:
        return self.methods[PLAIN]

    @property
    def pair(self) -> int:
        """The pair that is looked at, which the core may be too narrow for: then its last."""
        return min(self.s.pair, self.core.pairs - 1)

    @property
    def stretched(self) -> bool:
        """Whether the window is longer than the trained one."""
        return self.core.window > self.core.trained

    @part
    def new(self) -> UnseenAngles:
        """New angles under the chosen method."""
        return unseen_of(self.core, self.key)

    @part
    def new_plain(self) -> UnseenAngles:
        """New angles under plain RoPE."""
        return unseen_of(self.core, PLAIN)


class Pairs(Stage):
    """Ratios and wavelengths of every pair, and one pair looked at."""

    @property
    def times(self) -> str:
        """How often the pair turned in training."""
        turned = number(self.core.trained / float(self.plain.wavelengths[self.pair]), 2)
        return "once" if turned == "1" else f"{turned} times"


class Angles(Stage):
    """New angles of every pair at every distance, under every method that is drawn."""

    found = "unseen"

    @part
    def unseen(self) -> Mapping[str, UnseenAngles]:
        return {key: unseen_of(self.core, key) for key in self.methods}


def met(found: UnseenAngles) -> Any:
    """First distance at a new angle, of the pairs that meet one."""
    return found.first[found.first >= 0]


def block_of(reach: int) -> int:
    """Neighbouring distances that make a point, so that there are about as many points as can be seen.

    >>> block_of(16_384), block_of(100)
    (81, 1)
    """
    return reach // POINTS | 1


def centres(reach: int) -> list[int]:
    """The middle of each block of neighbouring distances."""
    block = block_of(reach)
    return list(range(block // 2, max(reach - block // 2, 1), block))


def _damping(rope: Rope, block: int) -> list[float]:
    # what a mean over a block leaves of each pair, once for each of its two dimensions
    return [value for value in block_mean(rope.inv_freq, block).tolist() for _ in range(2)]


class Line(NamedTuple):
    """The score at the nearest distances, and its mean over blocks of neighbouring ones."""

    near: FloatArray
    far: FloatArray


def reach_of(core: Core) -> int:
    """Four trained windows, or the stretched one where it is longer."""
    return max(REACH * core.trained, core.window)


@lru_cache(maxsize=64)
def line_of(core: Core, key: str) -> Line:
    """The score of k = q, a vector of length 1 whose energy is even over the pairs."""
    rope = Rope(core.d, core.base, extension=method_of(core, key).extension)
    q, k = [1.0, 0.0] * core.pairs, [1.0 / core.pairs, 0.0] * core.pairs
    reach = reach_of(core)
    damped = [one * left for one, left in zip(q, _damping(rope, block_of(reach)), strict=True)]
    return Line(rope.total_by_distance(q, k, range(NEAR)), rope.total_by_distance(damped, k, centres(reach)))


class Scores(Stage):
    """Score against distance under every method that is drawn."""

    found = "lines"

    @part
    def lines(self) -> Mapping[str, Line]:
        return {key: line_of(self.core, key) for key in self.methods}

    @property
    def line(self) -> Line:
        """That of the chosen method."""
        return self.lines[self.key]

    @property
    def reach(self) -> int:
        return reach_of(self.core)

    @property
    def block(self) -> int:
        return block_of(self.reach)

    @property
    def middles(self) -> list[int]:
        return centres(self.reach)


class TrueScores(NamedTuple):
    """True scores of two words under one method, in all nine heads."""

    far: FloatArray
    """Means over blocks of neighbouring distances, (9, points)."""
    at: FloatArray
    """At once, twice and four times the trained length, (9, 3)."""


@lru_cache(maxsize=64)
def heads_of(core: Core, key: str, a: str, b: str) -> TrueScores:
    """Score word a as the query and word b as the key, in all heads."""
    pack = smollm2()
    rope = Rope(core.d, core.base, pairing="interleaved", extension=method_of(core, key).extension)
    queries, keys = layer0_queries(a).astype(float), layer0_keys(b).astype(float)
    k = keys[[head * pack.n_kv_heads // pack.n_heads for head in range(pack.n_heads)]]  # (3, d) -> (9, d)
    reach, root = LENGTHS[-1], core.d**0.5
    damped = queries * _damping(rope, block_of(reach))
    return TrueScores(
        rope.total_by_distance(damped, k, centres(reach)) / root,
        rope.total_by_distance(queries, k, LENGTHS) / root,
    )


class Heads(Stage):
    """True scores of two words in SmolLM2's first layer, under every method that is drawn."""

    found = "heads"

    @part
    def core(self) -> Core:
        """SmolLM2's own sizes with the factor at hand; methods take their usual parameters."""
        factor = factor_of(self.rope) if self.s.factor is None else float(self.s.factor)
        window = round(TRAINED * factor)
        return Core(64, smollm2().rope_base, TRAINED, window, factor, window, NoExtension())

    @part
    def a(self) -> str:
        return self._token("a")

    @part
    def b(self) -> str:
        return self._token("b")

    def _token(self, name: str) -> str:
        try:
            return find_token(getattr(self.s, name))
        except ValueError as reason:
            raise ValueError(f"Word {name}: {reason}") from reason

    @part
    def heads(self) -> Mapping[str, TrueScores]:
        return {key: heads_of(self.core, key, self.a, self.b) for key in self.methods}

    @property
    def head(self) -> int:
        return int(self.s.head)

    def at(self, key: str, times: int) -> float:
        """The drawn head's score at so many trained lengths."""
        return float(self.heads[key].at[self.head, TIMES.index(times)])


def cost(view: Stage) -> Cost:
    """Turns of slow pairs in the window, over all methods whose new angles are counted.

    A picture of scores takes as much whatever the window is: a point for each of 200 blocks of distance.
    """
    core = view.core
    if max(core.trained, core.window) > WIDEST:
        return Cost()  # which the lab refuses by itself, in words of its own
    turns = [_turns(core, key) for key in (view.keys if isinstance(view, Angles) else {PLAIN, view.key})]
    return Cost(
        operations=TOUCHES * sum(total for total, _ in turns),
        bytes=8 * LISTS * max(most for _, most in turns),
        lower="the factor or the head width d, or draw one method and plain",
    )


def _turns(core: Core, key: str) -> tuple[float, float]:
    # all turns that a method's new angles take to count, and the most of one pair
    method = method_of(core, key)
    if method.error:
        return 0.0, 0.0
    turns = turns_counted(method.inv_freq, method_of(core, PLAIN).inv_freq, core.trained, core.window)
    return float(turns.sum()), float(turns.max())
