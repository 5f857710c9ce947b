"""NumPy lines that several snippets share."""

from __future__ import annotations

ROTATE = """def rotate(x, pos, theta):
    half = len(theta)
    angle = np.outer(pos, theta)  # (T,), (half,) -> (T, half)
    a, b = x[..., :half], x[..., half : 2 * half]
    cos, sin = np.cos(angle), np.sin(angle)
    return np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)


rng = np.random.default_rng(0)
q, k = rng.standard_normal(8), rng.standard_normal(8)
theta = 10_000.0 ** (-np.arange(4) / 4)
"""
"""One query and one key, and how they turn in code that pairs i with i + d/2."""

_MODEL = """D, H, d = 16, 2, 8
E = np.random.default_rng([0, 12]).standard_normal((12, D)) / np.sqrt(D)
Wq, Wk, Wv = np.random.default_rng(0).standard_normal((3, D, D)) / np.sqrt(D)
P = np.random.default_rng(0).spawn(1)[0].standard_normal((64, D))


def heads(x):
    return x.reshape(len(x), H, d).swapaxes(0, 1)  # (T, D) -> (H, T, d)

"""
_ROTATE_PAIRS = """
def rotate(x, pos):  # pairs (2i, 2i + 1) as complex numbers
    turns = np.exp(1j * np.outer(pos, 10_000.0 ** (-np.arange(4) / 4)))
    z = (x[..., 0::2] + 1j * x[..., 1::2]) * turns
    return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)

"""
_BLOCK = """
def block(ids, pos, mask):
    x = {x}
    q, k, v = heads(x @ Wq), heads(x @ Wk), heads(x @ Wv){rotate}
    scores = np.where(mask, q @ k.swapaxes(-1, -2) / np.sqrt(d), -np.inf)
    weights = np.exp(scores - np.maximum(scores.max(axis=-1, keepdims=True), -1e9))
    total = weights.sum(axis=-1, keepdims=True)
    weights = weights / np.where(total == 0, 1, total)  # padding sees nothing
    return x + (weights @ v).swapaxes(0, 1).reshape(len(x), D), weights

"""


def model_code(scheme: str) -> str:
    """NumPy lines of the lab's model of one block."""
    if scheme == "rope":
        return (
            _MODEL
            + _ROTATE_PAIRS
            + _BLOCK.format(x="E[ids]", rotate="\n    q, k = rotate(q, pos), rotate(k, pos)")
        )
    return _MODEL + _BLOCK.format(x="E[ids] + P[pos]", rotate="")
