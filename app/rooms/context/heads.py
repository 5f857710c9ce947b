"""The section `heads`: what each method does to the true score of two words in SmolLM2's first layer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from app.kit.formula import Formula, numeral, text
from app.kit.html import Markup, join, number, tag, visible
from app.kit.matrix import matrix
from app.kit.numbers import Table
from app.kit.smollm2 import smollm2_words
from app.rooms.context import filled, look, rules, scores
from app.rooms.context.methods import PLAIN, Core, method_of
from app.rooms.context.setting import Setting, Stage, stage_of
from lab.context_extension import NoExtension
from lab.data import smollm2
from lab.notation import FloatArray
from lab.positions import Rope
from lab.rope_study import find_token
from lab.smollm2 import layer0_keys, layer0_queries

TRAINED = 2048
"""Positions of SmolLM2-135M's pretraining; its files do not say how long it was trained at more."""
TIMES = (1, 2, 4)
LENGTHS = tuple(times * TRAINED for times in TIMES)


@dataclass(frozen=True, eq=False)
class Heads:
    """True scores of two words under one method, in all nine heads."""

    far: FloatArray
    """Means over blocks of neighbouring distances, (9, points)."""
    at: FloatArray
    """At once, twice and four times the trained length, (9, 3)."""


@dataclass(frozen=True, eq=False)
class HeadsView(Stage):
    """True layer-0 scores of two words, under every method that is drawn."""

    a: str
    b: str
    heads: Mapping[str, Heads]

    @property
    def head(self) -> int:
        """The head that is drawn."""
        return self.setting.head

    def at(self, key: str, times: int) -> float:
        """The drawn head's score at so many trained lengths."""
        return float(self.heads[key].at[self.head, TIMES.index(times)])


def core_of(factor: float) -> Core:
    """SmolLM2's own sizes with the factor at hand; methods take their usual parameters."""
    window = round(TRAINED * factor)
    return Core(64, smollm2().rope_base, TRAINED, window, factor, window, NoExtension())


@lru_cache(maxsize=64)
def heads_of(core: Core, key: str, a: str, b: str) -> Heads:
    """Score word a as the query and word b as the key, in all heads."""
    pack = smollm2()
    rope = Rope(core.d, core.base, pairing="interleaved", extension=method_of(core, key).extension)
    queries, keys = layer0_queries(a).astype(float), layer0_keys(b).astype(float)
    k = keys[[head * pack.n_kv_heads // pack.n_heads for head in range(pack.n_heads)]]  # (3, d) -> (9, d)
    reach = LENGTHS[-1]
    damped = queries * scores.damping(rope, scores.block_of(reach))
    root = core.d**0.5
    return Heads(
        rope.total_by_distance(damped, k, scores.centres(reach)) / root,
        rope.total_by_distance(queries, k, LENGTHS) / root,
    )


def compute(setting: Setting) -> HeadsView:
    """Score the two words under every method.

    Raises
    ------
    ValueError
        If a word is not among the tokens of the pack.
    """
    core = core_of(setting.core.factor)
    fields = stage_of(setting, core)
    words = []
    for name, word in (("a", setting.a), ("b", setting.b)):
        try:
            words.append(find_token(word))
        except ValueError as reason:
            raise ValueError(f"Word {name}: {reason}") from reason
    found = {key: heads_of(core, key, words[0], words[1]) for key in fields[2]}
    return HeadsView(*fields, words[0], words[1], found)


def model(view: HeadsView) -> Markup:
    """Whose heads these are, in place of the model of the other sections."""
    core = view.core
    said = (
        f"Real heads are those of SmolLM2-135M: d {core.d}, base {number(core.base)}, {number(TRAINED)} "
        f"positions "
        f"stretched to {number(core.window)}. Methods take their usual parameters."
    )
    known = (
        "What is known of its training: the pretraining file says 2,048 positions and base 10,000, the "
        "released "
        "config.json 8,192 and base 100,000. How much training lies between, neither says."
    )
    return join([tag("p", said), tag("p", known), smollm2_words()])


def top(view: HeadsView) -> Markup:
    """Whose scores these are."""
    said = (
        f"The score of head {view.head} before the softmax, q · k / √64, at {number(LENGTHS[-1])} distances. "
        f"Each point is the mean of {scores.block_of(LENGTHS[-1])} neighbouring ones."
    )
    title = f"‘{visible(view.a)}’ looks back at ‘{visible(view.b)}’"
    return join([look.facts(view), look.head(title, said), look.legend(view)])


def bottom(view: HeadsView) -> Markup:
    """The score at once, twice and four times the trained length."""
    keys = list(view.heads)
    grid = [[view.at(key, times) for times in TIMES] for key in keys]
    table = matrix(
        grid,
        title=f"Head {view.head} at once, twice and four times {TRAINED:,} positions",
        under="the score at just this distance, no mean",
        rows=[tag("b" if key == view.setting.method else "span", view.methods[key].title) for key in keys],
        columns=[f"{length:,}" for length in LENGTHS],
    )
    note = tag(
        "p",
        "The weights were quantised twice: a simulation puts that error of a score at 0.03 to 0.09 (root "
        "mean "
        "square) and at most 0.4. No weight changes here: the figure shows what the rotation alone does.",
        class_="lab-note lab-context-note",
    )
    return join([tag("div", table, class_="lab-even"), look.refusals(view), note])


def describe(view: HeadsView) -> str:
    """The caption: the score at the three lengths, and plain RoPE's."""
    key, method = view.setting.method, view.chosen
    listed = ", ".join(number(view.at(key, times), 2) for times in TIMES)
    plain = ", ".join(number(view.at(PLAIN, times), 2) for times in TIMES)
    return (
        f"Head {view.head}, ‘{visible(view.a)}’ to ‘{visible(view.b)}’, factor {number(view.core.factor)}: "
        f"at {LENGTHS[0]:,}, {LENGTHS[1]:,} and {LENGTHS[2]:,} positions {method.title} scores {listed}; "
        f"plain RoPE {plain}."
    )


def numbers(view: HeadsView) -> list[Table]:
    """All heads under every method, and the lines of the head that is drawn."""
    rows: list[list[str | float]] = [
        [view.methods[key].title, head, *values]
        for key, found in view.heads.items()
        for head, values in enumerate(found.at.tolist())
    ]
    columns = ["method", "head", *(f"at {length:,}" for length in LENGTHS)]
    lines = zip(*(found.far[view.head].tolist() for found in view.heads.values()), strict=True)
    middles = scores.centres(LENGTHS[-1])
    titles = [view.methods[key].title for key in view.heads]
    return [
        Table(f"True scores, ‘{view.a}’ to ‘{view.b}’", columns, rows),
        Table(
            f"Head {view.head}, means of {scores.block_of(LENGTHS[-1])} distances",
            ["middle distance", *titles],
            [[n, *values] for n, values in zip(middles, lines, strict=True)],
        ),
    ]


def formula(view: HeadsView) -> tuple[Formula, ...]:
    """The score of two words at a distance."""
    a, b = text(visible(view.a)), text(visible(view.b))
    terms = ", ".join(
        rf"\quad s({numeral(length)}) = {numeral(view.at(view.setting.method, times))}"
        for times, length in zip(TIMES, LENGTHS, strict=True)
    )
    score = Formula(
        r"s(n) = \frac{(m R_n q) \cdot (m R_0 k)}{\sqrt{\dim{d}}}",
        rf"{a} \to {b}: {terms}",
        f"{view.chosen.title}, head {view.head}: q is the word that looks back, k the one n places before.",
    )
    return score, filled.gain(view), filled.method(view)


def code(setting: Setting) -> str:
    """NumPy code whose ``result`` holds the score of all nine heads at the three lengths."""
    view = compute(setting)
    return rules.source(view) + _HEADS.format(a=ascii(view.a), b=ascii(view.b), lengths=list(LENGTHS))


def code_answer(view: HeadsView) -> Any:
    """What ``result`` must equal."""
    return view.heads[view.setting.method].at


_HEADS = '''
# layer 0 of SmolLM2-135M, quantised twice; the file's provenance stands beside it
pack = np.load("static/data/smollm2_rope_pack.npz")
words = pack["vocab"].tobytes().decode().replace("Ġ", " ").split("\\n")


def rows_times_scale(name):
    scale = pack[name.removesuffix("_q") + "_scale"].astype(np.float32)
    return pack[name].astype(np.float32) * scale[:, None]


def project(word, W):
    """RMS norm of the token's row, then the matrix: -> (heads, 64)."""
    row = rows_times_scale("tok_q")[words.index(word)]
    normed = row / np.sqrt(np.mean(row * row) + np.float32(1e-5)) * pack["attn_norm"].astype(np.float32)
    return (rows_times_scale(W) @ normed).reshape(-1, 64)


Q = project({a}, "wq").astype(float)  # (9, 64)
K = np.repeat(project({b}, "wk"), 3, axis=0).astype(float)  # (3, 64) -> (9, 64)
q1, q2, k1, k2 = Q[:, 0::2], Q[:, 1::2], K[:, 0::2], K[:, 1::2]
angle = np.outer(inv_freq, {lengths})  # (32, 3)
result = m**2 * ((q1 * k1 + q2 * k2) @ np.cos(angle) + (q1 * k2 - q2 * k1) @ np.sin(angle)) / 8  # (9, 3)
'''
