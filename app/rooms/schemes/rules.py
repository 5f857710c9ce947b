"""The rule of each scheme as NumPy code that stands alone, for readers who copy it."""

from __future__ import annotations

from textwrap import indent

from app.rooms.schemes.model import Compared, Scores

RULES = {
    "none": "found.append(score())",
    "raw": "found.append(score(add=pos[:, None]))",
    "sinusoidal": """wave = pos[:, None] / 10_000 ** (np.arange(0, D, 2) / D)  # (T, D / 2)
PE = np.stack([np.sin(wave), np.cos(wave)], axis=-1).reshape(T, D)
found.append(score(add=PE))""",
    "learned": """P = np.random.default_rng([seed, 3]).standard_normal((trained, D))
found.append(score(add=P[pos]))""",
    "rope": """angle = pos[:, None] / 10_000 ** (np.arange(0, d, 2) / d)  # (T, d / 2)
def turn(v):
    pairs = (v[:, 0::2] + 1j * v[:, 1::2]) * np.exp(1j * angle)
    return np.stack([pairs.real, pairs.imag], axis=-1).reshape(T, d)
found.append(score(turn=turn))""",
    "alibi": """low = 2 ** int(np.log2(H))  # the released rule for any head count
slopes = [2 ** (-8 * h / low) for h in range(1, low + 1)]
slopes += [2 ** (-4 * h / low) for h in range(1, 2 * (H - low), 2)]
distance = abs(pos[:, None] - pos)
found.append(score(bias=-slopes[head] * distance))""",
}
"""Scores at the positions ``pos``, by key. A scheme without an entry is named in a comment and left out."""

_START = """import numpy as np

words = {words}
D, H, d, seed, head, shift, trained = {sizes}
T = len(words)

def normal(stream, *shape):
    return np.random.default_rng([seed, stream]).standard_normal(shape)

{given}

def score(add=0, turn=lambda v: v, bias=0):
    q, k = turn((x + add) @ Wq), turn((x + add) @ Wk)
    return q @ k.T / np.sqrt(d) + bias

def matrices(shift):
    pos = np.arange(T) + shift
    found = []
"""


_DRAWN = {
    "x": """distinct = list(dict.fromkeys(words))
x = normal(0, len(distinct), D)[[distinct.index(word) for word in words]]  # (T, D)""",
    "W": "Wq, Wk = ((normal(stream, H, D, d) / np.sqrt(D))[head] for stream in (1, 2))  # (D, d), one head",
}
_ODD = """wave = pos[:, None] / 10_000 ** (np.arange(0, D, 2) / D)  # (T, (D + 1) / 2)
PE = np.empty((T, D))
PE[:, 0::2], PE[:, 1::2] = np.sin(wave), np.cos(wave)[:, : D // 2]
found.append(score(add=PE))"""


def _rules(view: Scores | Compared) -> dict[str, str]:
    """The rules, with what a teacher gives in them."""
    rules, own = dict(RULES), view.s.own
    if view.s.D % 2:
        rules["sinusoidal"] = _ODD
    if own and own.slopes:
        rules["alibi"] = f"slopes = {list(own.slopes)}\ndistance{RULES['alibi'].split('distance', 1)[1]}"
    if own and own.frequencies:
        _, turn = RULES["rope"].split("\n", 1)
        rules["rope"] = f"angle = pos[:, None] * np.array({list(own.frequencies)})  # (T, d / 2)\n{turn}"
    return rules


def _given(view: Scores | Compared) -> str:
    """Rows and weights, drawn or as they are given."""
    own, probe, d = view.s.own, view.probe, view.s.d
    weights = own.weights if own else {}
    columns = slice(d * (view.head - 1), d * view.head)
    lines = [f"x = np.array({probe.x.tolist()})  # (T, D)" if own and own.x is not None else _DRAWN["x"]]
    lines += [_DRAWN["W"]] if len(weights) < 2 else []
    named = {name: weight[:, columns].tolist() for name, weight in weights.items()}
    lines += [f"{name} = np.array({one})  # (D, d), one head" for name, one in named.items()]
    return "\n".join(lines)


def written(view: Scores | Compared) -> list[str]:
    """Schemes whose rule is written here and that have scores at the present shift."""
    return [key for key, found in view.matrices.items() if key in RULES and found.scores is not None]


def source(view: Scores | Compared) -> str:
    """The code up to a function ``matrices(shift)`` that returns the score matrices, (schemes, T, T)."""
    s, probe, keys = view.s, view.probe, written(view)
    sizes = ", ".join(map(str, (s.D, s.H, s.d, s.seed, view.head - 1, s.shift, probe.trained)))
    lines = [_START.format(words=ascii(list(probe.words)), sizes=sizes, given=_given(view))]
    rules = _rules(view)
    for key, scheme in probe.schemes.items():
        if key in keys:
            said = f"# {scheme.title}\n{rules[key]}\n"
        else:
            reason = view.matrices[key].error or "its rule is not written out here"
            said = f"# {scheme.title}: {reason}\n"
        lines.append(indent(said, "    "))
    return "".join([*lines, "    return np.array(found)\n\n"])
