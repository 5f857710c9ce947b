"""The NumPy code of the room `rope`, and what it must give."""

from __future__ import annotations

from typing import Any

from app.rooms.rope.compute import View, compute
from app.rooms.rope.parts import DRAWS

_TURN = '''

def turn(x, pos):
    """Turn each pair of x by pos times its angle: (d,), a number -> (d,)."""
    cos, sin = np.cos(pos * theta), np.sin(pos * theta)
    turned = np.empty(len(x))
    turned[first] = x[first] * cos - x[second] * sin
    turned[second] = x[first] * sin + x[second] * cos
    return turned

'''
_HEADS = '''
# real heads: layer 0 of SmolLM2-135M, quantised twice; the file is the lab's, its provenance beside it
with np.load("static/data/smollm2_rope_pack.npz") as file:
    pack = dict(file)
words = pack["vocab"].tobytes().decode().replace("Ġ", " ").split("\\n")


def row_times_scale(name):
    return pack[name].astype(np.float32) * pack[name.replace("_q", "") + "_scale"].astype(np.float32)[:, None]


def project(word, W):
    """RMS norm of the token's row, then the matrix: -> (heads, 64)."""
    row = row_times_scale("tok_q")[words.index(word)]
    normed = row / np.sqrt(np.mean(row * row) + np.float32(1e-5)) * pack["attn_norm"].astype(np.float32)
    return (row_times_scale(W) @ normed).reshape(-1, 64)


Q = project({a!r}, "wq")  # (9, 64)
K = np.repeat(project({b!r}, "wk"), 3, axis=0)  # (3, 64) -> (9, 64)
q1, q2, k1, k2 = Q[:, 0::2], Q[:, 1::2], K[:, 0::2], K[:, 1::2]
angle = np.outer(100_000.0 ** (-np.arange(0, 64, 2) / 64), np.arange(1, 2_048))  # (32, 2047)
real = ((q1 * k1 + q2 * k2) @ np.cos(angle) + (q1 * k2 - q2 * k1) @ np.sin(angle)) / 8  # (9, 2047)
'''


def code(**state: Any) -> str:
    """NumPy code whose ``result`` holds the score, the curve, the average, and real heads where shown."""
    view = compute(**state)
    setting = view.setting
    d = view.rope.d
    halves = {
        "interleaved": (f"slice(0, {d}, 2)", f"slice(1, {d}, 2)"),
        "half": (f"slice(0, {d // 2})", f"slice({d // 2}, {d})"),
    }
    first, second = halves[setting.pairing]
    theta = (
        f"np.array([{setting.theta!r}])  # radians per position, one pair"
        if setting.turn == "theta"
        else f"{setting.base!r} ** (-np.arange(0, {d}, 2) / {d})  # (d / 2,)"
    )
    lines = [
        "import numpy as np",
        "",
        f"theta = {theta}",
        f"first, second = {first}, {second}  # pairs are {setting.pairing}",
        _TURN.rstrip("\n"),
        "",
        "",
        *_vectors(view, state),
        *_places(view),
        "score = turn(q, m) @ turn(k, n)",
        f"distances = np.arange({view.window.start}, {view.window.stop})",
        "curve = np.array([turn(q, distance) @ turn(k, 0) for distance in distances])",
        "",
        f"# the mean score of {DRAWS} random q with themselves",
        f"rng = np.random.default_rng({state['seed']}).spawn(1)[0]  # q and k come from its parent",
        f"x = rng.standard_normal(({DRAWS}, {d}))",
        "squares = (x[:, 0::2] ** 2 + x[:, 1::2] ** 2).mean(axis=0)  # (draws, d) -> (d / 2,)",
        "average = np.cos(np.outer(distances, theta)) @ squares",
    ]
    parts = "[score], curve, average"
    # the pack is a file: who wants the score alone runs the code without it
    if view.shown == "heads":
        lines.append(
            _HEADS.replace("{a!r}", ascii(view.heads.a)).replace("{b!r}", ascii(view.heads.b)).rstrip("\n")
        )
        parts += ", real.ravel()"
    return "\n".join([*lines, f"result = np.concatenate([{parts}])", ""])


def _vectors(view: View, state: dict[str, Any]) -> list[str]:
    drawn = view.setting.turn == "base" and not (state["q"].strip() or state["k"].strip())
    if drawn:
        return [
            f"rng = np.random.default_rng({state['seed']})",
            f"q, k = rng.standard_normal({view.rope.d}), rng.standard_normal({view.rope.d})",
        ]
    return [f"q = np.array({list(view.setting.q)})", f"k = np.array({list(view.setting.k)})"]


def _places(view: View) -> list[str]:
    m, n = view.places
    stored = view.stored_moved
    if stored == (m, n):
        return [f"m, n = {m}, {n}"]
    return [f"m, n = {stored[0]}, {stored[1]}  # {m} and {n}, stored in {view.precision}"]


def code_answer(view: View) -> Any:
    """What ``result`` must equal, as one row."""
    heads = view.heads.scores.ravel().tolist() if view.shown == "heads" else []
    return [view.moved.score, *view.curve.total.tolist(), *view.average.alike.tolist(), *heads]
