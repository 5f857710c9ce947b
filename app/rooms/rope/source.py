"""NumPy code of the room `rope`: a head and its two vectors, and what each figure makes of them."""

from __future__ import annotations

from typing import Any

from app.rooms.rope.model.views import BLOCK, DRAWS, FIRST


def code(key: str, view: Any) -> str:
    """The code of a figure."""
    if key == "heads":
        return _CODE[view.heads.words].format(view=view, **_rows(view))
    return _CODE[key].format(view=view, s=view.s, **_head(view))


def _rows(view: Any) -> dict[str, str]:
    """What an own head is made of."""
    if view.heads.words != "own":
        return {}
    q, k = view.heads.rows(view.a, view.b)
    angles = view.heads.rope.inv_freq
    return {name: f"np.array({one.tolist()})" for name, one in (("q", q), ("k", k), ("theta", angles))} | {
        "pairs": _PAIRS[view.heads.rope.pairing].format(d=len(q), half=len(q) // 2)
    }


def _head(view: Any) -> dict[str, str]:
    s, d = view.s, view.rope.d
    powers = f"{float(s.base)!r} ** (-np.arange(0, {d}, 2) / {d})"
    listed = f"np.array({view.rope.inv_freq.tolist()})"
    return {"theta": powers if view.rule == "base" else listed} | _vectors(view)


def _vectors(view: Any) -> dict[str, str]:
    if not hasattr(view, "setting"):
        return {}
    s, d = view.s, view.rope.d
    drawn = (
        f"rng = np.random.default_rng({s.seed})\nq, k = rng.standard_normal({d}), rng.standard_normal({d})"
    )
    typed = f"q = np.array({list(view.setting.q)})\nk = np.array({list(view.setting.k)})"
    layouts = {name: pairs.format(d=d, half=d // 2) for name, pairs in _PAIRS.items()}
    own = layouts.pop(view.pairing)
    return {"vectors": drawn if view.drawn else typed, "own": own, "other": layouts.popitem()[1]}


_PAIRS = {
    "interleaved": "slice(0, {d}, 2), slice(1, {d}, 2)",
    "half": "slice(0, {half}), slice({half}, {d})",
}
_ANGLES = """import numpy as np

theta = {theta}  # (d / 2,), radians per position
"""
_TURN = (
    _ANGLES
    + '''first, second = {own}  # pairs are {view.pairing}
{vectors}


def turn(x, pos, first=first, second=second):
    """Turn each pair of x by its angle at each position: (d,), (n,) -> (n, d)."""
    angle = np.outer(pos, theta)  # (n, d / 2)
    turned = np.empty((len(pos), len(x)))
    turned[:, first] = x[first] * np.cos(angle) - x[second] * np.sin(angle)
    turned[:, second] = x[first] * np.sin(angle) + x[second] * np.cos(angle)
    return turned


'''
)
_DISTANCES = "distances = np.arange({view.window.start}, {view.window.stop})\n"
_CODE = {
    "hands": _TURN
    + """# positions of q and of k, given and moved, as {s.precision} stores them
m, n = np.transpose([{view.stored}, {view.stored_moved}])
result = (turn(q, m) * turn(k, n)).sum(axis=1)  # (2,)
""",
    "score": _TURN
    + _DISTANCES
    + """result = turn(q, distances) @ k  # k stays at 0
""",
    "pairs": _TURN
    + _DISTANCES
    + """terms = turn(q, distances) * k  # k stays at 0
pairs = terms[:, first] + terms[:, second]  # (n, d / 2)
result = pairs[:, {view.shown}].T
""",
    "layouts": _TURN
    + _DISTANCES
    + """own = turn(q, distances) @ k  # k stays at 0
other = {other}
mixed = turn(q, distances, *other) @ k
order = {view.order}
mended = turn(q[order], distances, *other) @ k[order]
result = np.stack([own, mixed, mended])  # (3, n)
""",
    "storage": _TURN
    + f'''def bfloat16(pos):
    """The upper half of a float32, rounded to the nearest; halves go to the even one."""
    bits = pos.astype(np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return rounded.astype(np.uint32).view(np.float32)


def float16(pos):
    return pos.astype(np.float16)


near, distance = np.arange({FIRST}), {{view.distance}}  # positions of the nearer of the two
ends = []
for stored in (bfloat16, float16):
    q_pos, k_pos = (stored(near + max(ahead, 0)).astype(float) for ahead in (distance, -distance))
    blocks = (turn(q, q_pos - k_pos) @ k).reshape(-1, {BLOCK})  # (blocks, {BLOCK})
    ends += [blocks.min(axis=1), blocks.max(axis=1)]
result = np.stack(ends)  # (4, blocks)
''',
    "average": _ANGLES
    + _DISTANCES
    + f"""rng = np.random.default_rng({{s.seed}}).spawn(1)[0]  # the q and k of one score come from its parent
q, k = rng.standard_normal((2, {DRAWS}, {{view.rope.d}}))
q1, q2, k1, k2 = q[:, 0::2], q[:, 1::2], k[:, 0::2], k[:, 1::2]
cos, sin = np.cos(np.outer(distances, theta)), np.sin(np.outer(distances, theta))  # (n, d / 2)
alike = cos @ (q1**2 + q2**2).mean(axis=0)  # k = q
apart = cos @ (q1 * k1 + q2 * k2).mean(axis=0) + sin @ (q1 * k2 - q2 * k1).mean(axis=0)
expected = 2 * cos.sum(axis=1)
result = np.stack([alike, apart, expected])  # (3, n)
""",
    "own": """import numpy as np

q = {q}  # of {view.a!a}
k = {k}  # of {view.b!a}
theta = {theta}  # (d / 2,), radians per position
first, second = {pairs}
q1, q2, k1, k2 = q[first], q[second], k[first], k[second]
angle = np.outer(theta, np.arange(1, 2_048))  # (d / 2, 2047)
scores = (q1 * k1 + q2 * k2) @ np.cos(angle) + (q1 * k2 - q2 * k1) @ np.sin(angle)
result = scores[None] / len(q) ** 0.5  # (1, 2047)
""",
    "heads": '''import numpy as np

from lab.data import smollm2

pack = smollm2()  # layer 0 of SmolLM2-135M, quantised twice


def project(word, W):
    """RMS norm of the token's row, then the matrix: -> (heads, 64)."""
    row = pack.embeddings[pack.tokens.index(word)]
    normed = row / np.sqrt(np.mean(row * row) + np.float32(1e-5)) * pack.attn_norm
    return (W @ normed).reshape(-1, 64)


q = project({view.a!a}, pack.Wq)  # (9, 64)
k = np.repeat(project({view.b!a}, pack.Wk), 3, axis=0)  # (3, 64) -> (9, 64)
q1, q2, k1, k2 = q[:, 0::2], q[:, 1::2], k[:, 0::2], k[:, 1::2]
angle = np.outer(100_000.0 ** (-np.arange(0, 64, 2) / 64), np.arange(1, 2_048))  # (32, 2047)
result = ((q1 * k1 + q2 * k2) @ np.cos(angle) + (q1 * k2 - q2 * k1) @ np.sin(angle)) / 8  # (9, 2047)
''',
}
