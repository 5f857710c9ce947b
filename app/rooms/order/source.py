"""NumPy code that gives f(Px) − P f(x) for the present state."""

from __future__ import annotations

from typing import Any

from app.rooms.order.compute import HEADS, MOST_TOKENS, D, View, compute
from lab.order import word_key
from lab.positions import Scheme


def code(**state: Any) -> str:
    """NumPy code whose ``result`` is f(Px) − P f(x) over all heads, (T, D)."""
    view = compute(**state)
    hooks = _HOOKS.get(view.scheme.key) or _literal(view.scheme, len(view.words))
    keys = ", ".join(str(word_key(word)) for word in view.words)
    mask = [
        "    scores = np.where(np.tri(T, dtype=bool), scores, -np.inf)  # only the past, and itself",
    ]
    lines = [
        "import numpy as np",
        "",
        f"D, H, d, seed = {D}, {HEADS}, {D // HEADS}, {state['seed']}",
        f"# one generator a word: {_comment(view.words)}",
        f"keys = [{keys}]",
        "x = np.stack([np.random.default_rng([seed, key]).standard_normal(D) for key in keys])  # (T, D)",
        "Wq, Wk, Wv = np.random.default_rng(seed).standard_normal((3, D, D)) / np.sqrt(D)",
        f"order = np.array({view.order.tolist()})  # row t of Px is row order[t] of x",
        "T = len(x)",
        "pos = np.arange(T)",
        *hooks.get("before", []),
        "",
        "",
        "def f(x):",
        *hooks.get("input", []),
        "    # (T, D) -> (H, T, d)",
        "    q, k, v = ((x @ W).reshape(T, H, d).swapaxes(0, 1) for W in (Wq, Wk, Wv))",
        *hooks.get("qk", []),
        "    scores = q @ k.swapaxes(1, 2) / np.sqrt(d)  # (H, T, d) -> (H, T, T)",
        *hooks.get("scores", []),
        *(mask if view.causal else []),
        "    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))",
        "    weights /= weights.sum(axis=-1, keepdims=True)",
        "    return (weights @ v).swapaxes(0, 1).reshape(T, D)  # (H, T, d) -> (T, D)",
        "",
        "",
        "result = f(x[order]) - f(x)[order]",
        "gap = np.abs(result).max()",
        "",
    ]
    return "\n".join(lines)


def code_answer(view: View) -> Any:
    """What ``result`` must equal."""
    return view.found.after - view.found.moved


Hooks = dict[str, list[str]]

_HOOKS: dict[str, Hooks] = {
    "none": {},
    "raw": {"input": ["    x = x + pos[:, None]"]},
    "sinusoidal": {
        "before": [
            "angle = pos[:, None] / 10_000 ** (np.arange(0, D, 2) / D)  # (T, D / 2)",
            "P = np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(T, D)",
        ],
        "input": ["    x = x + P"],
    },
    "learned": {
        "before": [
            "rng = np.random.default_rng(seed).spawn(1)[0]  # not the generator of the weights",
            f"P = rng.standard_normal(({MOST_TOKENS}, D))",
        ],
        "input": ["    x = x + P[pos]"],
    },
    "rope": {
        "before": ["turn = np.exp(1j * pos[:, None] / 10_000 ** (np.arange(0, d, 2) / d))  # (T, d / 2)"],
        "qk": ["    q, k = ((np.ascontiguousarray(a).view(complex) * turn).view(float) for a in (q, k))"],
    },
    "alibi": {
        "before": ["slopes = 2.0 ** (-8 * np.arange(1, H + 1) / H)"],
        "scores": ["    scores = scores - slopes[:, None, None] * abs(pos[:, None] - pos)"],
    },
}
"""How each scheme is written by hand; one that is not listed is written as the numbers it gives."""


def _literal(scheme: Scheme, T: int) -> Hooks:
    places, d = list(range(T)), D // HEADS
    if scheme.enters == "input":
        added = scheme.add_to_input([[0.0] * D] * T, places).tolist()
        return {"before": [f"P = np.array({added})"], "input": ["    x = x + P"]}
    if scheme.enters == "qk":
        unit = [[float(i == j) for j in range(d)] for i in range(d)]
        turns = [scheme.rotate(unit, [place] * d).tolist() for place in places]
        lines = ["    q, k = (np.einsum('htd,tde->hte', a, R) for a in (q, k))"]
        return {"before": [f"R = np.array({turns})  # (T, d, d)"], "qk": lines}
    if scheme.enters == "scores":
        bias = scheme.bias(places, places)
        listed = bias if isinstance(bias, float) else bias.tolist()
        return {"before": [f"B = np.array({listed})  # (H, T, T)"], "scores": ["    scores = scores + B"]}
    return {}


def _comment(words: tuple[str, ...]) -> str:
    said = " ".join(word[:24] for word in words).encode("ascii", "replace").decode()
    return "".join(character if character.isprintable() else "?" for character in said)
