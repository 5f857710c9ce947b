"""The methods and the figures as NumPy code, with the present numbers written into it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from textwrap import fill
from typing import Any

from app.rooms.context.model import LENGTHS, NEAR, Stage


def source(key: str, view: Stage) -> str:
    """What a figure shows: ``plain``, ``inv_freq``, ``ratio`` and ``m`` of the chosen method, and its end."""
    method = view.chosen
    x: Any = method.extension
    rule, more = _RULES.get(method.key), _MORE.get(method.key)
    if rule is None:
        # a method of the registry without a rule here: its frequencies are written as they are
        written = f"inv_freq = {_list(method.inv_freq.tolist())}\nm = {method.multiplier!r}\n"
    else:
        written = rule.format(x=x, **(more(x) if more else {}))
    if hasattr(x, "divisors"):
        written = f"divisors = {_list(x.divisors(view.core.d).tolist())}\n{written}"
    starts = _START.format(core=view.core, title=method.title, source=x.source, rule=written)
    return starts + _ENDS[key].format(view=view, near=NEAR, lengths=list(LENGTHS))


def _list(values: Sequence[float]) -> str:
    rows = fill(", ".join(repr(value) for value in values), 100, break_long_words=False)
    return "np.array([\n    " + rows.replace("\n", "\n    ") + "\n])"


def _yarn(x: Any) -> dict[str, str]:
    rounded = "low, high = math.floor(low), math.ceil(high)  # whole pairs\n" if x.truncate else ""
    if x.attention_factor is not None:
        return {"rounded": rounded, "m": f"{x.attention_factor!r}  # given"}
    above = 1.0 if x.mscale is None else x.mscale
    below = x.mscale_all_dim or 0.0
    rule = "0.1 * math.log(s) + 1" if above == 1 else f"0.1 * {above!r} * math.log(s) + 1"
    return {"rounded": rounded, "m": f"({rule}) / (0.1 * {below!r} * math.log(s) + 1)" if below else rule}


def _longrope(x: Any) -> dict[str, str]:
    given = x.long_factor if x.which == "long" else x.short_factor
    m = "math.sqrt(1 + math.log(s) / math.log(trained))"
    return {
        "named": f"the {x.which} list" + ("" if given else " of Phi-3: no formula gives one"),
        "m": m if x.given_multiplier is None else f"{x.given_multiplier!r}  # given",
    }


def _larger(x: Any) -> dict[str, str]:
    if x.new_base is not None:
        return {"new": f"new_base = {x.new_base!r}  # given"}
    turns = "math.log(s * trained / (2 * math.pi)) / math.log(trained / (2 * math.pi))"
    return {"new": f"s = {x.factor!r}\nnew_base = base ** ({turns})"}


_START = """import math

import numpy as np

d, base, trained, window = {core.d}, {core.base!r}, {core.trained}, {core.window}
pair = np.arange(d // 2)
plain = base ** (-2 * pair / d)  # (d / 2,), radians per position

# {title}: {source}
{rule}ratio = inv_freq / plain
"""
_SAME = "m = 1.0  # cos and sin are not multiplied\n"
_NTK = f"inv_freq = (base * scale ** (d / (d - 2))) ** (-2 * pair / d)\n{_SAME}"
_RULES = {
    "none": f"inv_freq = plain\n{_SAME}",
    "linear": f"inv_freq = plain / {{x.factor!r}}\n{_SAME}",
    "ntk": f"scale = {{x.factor!r}}\n{_NTK}",
    "dynamic": """s, length = {x.factor!r}, {x.length}  # the present length, in tokens
scale = s * max(length, trained) / trained - (s - 1)
"""
    + _NTK,
    "yarn": """s, beta_fast, beta_slow = {x.factor!r}, {x.beta_fast!r}, {x.beta_slow!r}
low, high = (
    d * math.log(trained / (2 * math.pi * turns)) / (2 * math.log(base))
    for turns in (beta_fast, beta_slow)
)
{rounded}start, end = max(low, 0), min(high, d - 1)
gamma = np.clip((pair - start) / max(end - start, 0.001), 0, 1) if high >= 0 else np.ones(d // 2)
inv_freq = (1 - gamma) * plain + gamma * plain / s
m = {m}
""",
    "llama3": """s = {x.factor!r}
low, high = {x.low_freq_factor!r}, {x.high_freq_factor!r}  # turns in training
turns = trained * plain / (2 * np.pi)
kept = np.clip((turns - low) / (high - low), 0, 1)
inv_freq = kept * plain + (1 - kept) * plain / s
"""
    + _SAME,
    "longrope": "s = {x.factor!r}\ninv_freq = plain / divisors  # {named}\nm = {m}\n",
    "base": f"{{new}}\ninv_freq = new_base ** (-2 * pair / d)\n{_SAME}",
}
_MORE: dict[str, Callable[[Any], dict[str, str]]] = {"yarn": _yarn, "longrope": _longrope, "base": _larger}

_ENDS = {
    "pairs": "result = np.concatenate([[m, m**2], inv_freq, ratio, 2 * np.pi / inv_freq])\n",
    "angles": """
arc = np.minimum(trained * plain, 2 * np.pi)  # what training covered of each circle
slack = 1e-9  # an end within rounding of a whole distance is that distance
new = np.zeros(d // 2)
for i in np.flatnonzero(arc < 2 * np.pi):
    w = inv_freq[i] % (2 * np.pi)
    turn = 2 * np.pi * np.arange(int(window * w / (2 * np.pi)) + 1)
    # in each turn the known angles come first: whole distances from start to before end
    start = np.ceil(turn / w - slack)
    end = np.maximum(np.ceil((turn + arc[i]) / w - slack), start)
    end[0] = max(end[0], 1)  # everybody knows angle 0
    known = np.minimum(end, window) - np.minimum(start, window)
    new[i] = 1 - known.sum() / window
result = np.concatenate([[new.mean()], new])
""",
    "scores": '''

def score(n):
    """k = q of length 1, energy even over the pairs; the multiplier is in q and in k."""
    return m**2 * np.cos(n * inv_freq).mean()


gain = m**2  # of the logits
apart = np.sqrt(np.mean((2 * np.sin(inv_freq / 2)) ** 2))
near = [score(n) for n in range({near})]
reach, block = {view.reach}, {view.block}  # each point is the mean of a block
middles = np.arange(block // 2, max(reach - block // 2, 1), block)
# over a block the mean of cos(n w) is that of its middle times this
left = np.sin(block * inv_freq / 2) / (block * np.sin(inv_freq / 2))
far = m**2 * (left * np.cos(np.outer(middles, inv_freq))).mean(axis=1)
result = np.concatenate([[m, gain, apart], near, far])
''',
    "heads": '''
from lab.data import smollm2

heads = smollm2()  # layer 0 of SmolLM2-135M, quantised twice


def project(word, W):
    """RMS norm of the token's row, then the matrix: -> (heads, 64)."""
    row = heads.embeddings[heads.tokens.index(word)]
    normed = row / np.sqrt(np.mean(row * row) + np.float32(heads.norm_eps)) * heads.attn_norm
    return (W @ normed).reshape(-1, heads.head_dim)


Q = project({view.a!a}, heads.Wq).astype(float)  # (9, 64)
K = np.repeat(project({view.b!a}, heads.Wk), 3, axis=0).astype(float)  # (3, 64) -> (9, 64)
q1, q2, k1, k2 = Q[:, 0::2], Q[:, 1::2], K[:, 0::2], K[:, 1::2]
angle = np.outer(inv_freq, {lengths})  # (32, 3)
result = m**2 * ((q1 * k1 + q2 * k2) @ np.cos(angle) + (q1 * k2 - q2 * k1) @ np.sin(angle)) / 8  # (9, 3)
''',
}
