"""NumPy code of the room `order`: one layer with its scheme, and what each figure makes of it."""

from __future__ import annotations

from app.rooms.order.model import MOST_TOKENS, Documents, Layered, Orders
from app.rooms.order.own import Reading
from lab.order import word_key
from lab.positions import Scheme


def of_orders(view: Orders, result: str) -> str:
    """Code that ends with a result made of f(Px) and P f(x)."""
    seen = _SEEN[view.s.mask]
    return _layer(view, view.words) + _ORDERS.format(order=view.order.tolist(), seen=seen, result=result)


def of_documents(view: Documents) -> str:
    """Code of the weights in one head, with the share across the join and the change."""
    seen = _SEEN[view.s.mask] + (_SEPARATE if view.s.separate else "")
    pos, m, head = view.packed.pos.tolist(), view.first, view.s.head - 1
    return _layer(view, view.tokens) + _DOCUMENTS.format(pos=pos, m=m, head=head, seen=seen)


def of_mark(T: int) -> str:
    """Code of both outputs of uniform attention."""
    return _MARK.format(T=T)


def _layer(view: Layered, words: tuple[str, ...]) -> str:
    said = " ".join(word[:24] for word in words).encode("ascii", "replace").decode()
    said = "".join(sign if sign.isprintable() else "?" for sign in said)
    own = view.reading
    sizes = f"D, H, d, seed = {own.D}, {own.H}, {own.d}, {view.s.seed}"
    # the rules as they are written here are for pairs of numbers, and for H a power of two
    plain = own.D % 2 == 0 and own.H & (own.H - 1) == 0
    hooks = (_HOOKS.get(view.scheme.key) if plain else None) or _literal(view.scheme, len(words), own)
    rows = f"x = np.array({view.rows(words).tolist()})  # (T, D): {said}"
    if own.x is None:
        keys = ", ".join(str(word_key(word)) for word in words)
        rows = _DRAWN.format(said=said, keys=keys)
    return _LAYER.format(sizes=sizes, rows=rows, weights=_weights(own), **{**_NONE, **hooks})


def _weights(own: Reading) -> str:
    """The weights, those that are given as they are."""
    drawn = f"np.random.default_rng(seed).standard_normal((3, D, {own.W})) / np.sqrt(D)"
    lines = [] if len(own.weights) == 3 else [f"Wq, Wk, Wv = {drawn}"]
    return "\n".join([*lines, *(f"{name} = np.array({W.tolist()})" for name, W in own.weights.items())])


_DRAWN = """# one generator per word: {said}
keys = [{keys}]
x = np.stack([np.random.default_rng([seed, key]).standard_normal(D) for key in keys])  # (T, D)"""
_LAYER = """import numpy as np

{sizes}
{rows}
{weights}
T = len(x)
{before}

def attend(x, pos, seen):
{input}    # (T, D) -> (H, T, d)
    q, k, v = ((x @ W).reshape(len(x), H, -1).swapaxes(0, 1) for W in (Wq, Wk, Wv))
{qk}    scores = q @ k.swapaxes(1, 2) / np.sqrt(d)  # (H, T, d) -> (H, T, T)
{scores}    scores = np.where(seen, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights, (weights @ v).swapaxes(0, 1).reshape(len(x), -1)  # (H, T, d) -> (T, H * d)


"""
_SEEN = {
    True: "seen = np.tri(T, dtype=bool)  # only the past, and itself\n",
    False: "seen = np.ones((T, T), dtype=bool)\n",
}
_SEPARATE = "seen &= document[:, None] == document  # in its own document alone\n"
_ORDERS = """order = np.array({order})  # row t of Px is row order[t] of x
{seen}

def f(x):
    return attend(x, np.arange(T), seen)[1]


result = {result}
gap = np.abs(f(x[order]) - f(x)[order]).max()
"""
_DOCUMENTS = """pos, m = np.array({pos}), {m}  # the second document begins at token m, from 0
document = np.arange(T) >= m
{seen}weights, outputs = attend(x, pos, seen)
alone = attend(x[m:], np.arange(T - m), seen[m:, m:])[1]
share = weights[:, m:, :m].sum(axis=-1).mean()  # of its attention that the second gives the first
change = np.abs(outputs[m:] - alone).max()
result = weights[{head}]  # (T, T)
"""
_MARK = """import numpy as np

T = {T}
x = np.eye(T)[0]  # token 1 carries a 1
seen = np.stack([np.tri(T), np.ones((T, T))])  # causal mask, no mask
weights = seen / seen.sum(axis=-1, keepdims=True)  # queries of 0 attend to all they see alike
result = weights @ x  # (2, T)
"""

Hooks = dict[str, str]
_NONE: Hooks = dict.fromkeys(("before", "input", "qk", "scores"), "")
_HOOKS: dict[str, Hooks] = {
    "none": {},
    "raw": {"input": "    x = x + pos[:, None]\n"},
    "sinusoidal": {
        "input": """    angle = pos[:, None] / 10_000 ** (np.arange(0, D, 2) / D)  # (T, D / 2)
    x = x + np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(len(x), D)
"""
    },
    "learned": {
        "before": f"""rng = np.random.default_rng(seed).spawn(1)[0]  # not the generator of the weights
P = rng.standard_normal(({MOST_TOKENS}, D))
""",
        "input": "    x = x + P[pos]\n",
    },
    "rope": {
        "qk": """    turn = np.exp(1j * pos[:, None] / 10_000 ** (np.arange(0, d, 2) / d))  # (T, d / 2)
    q, k = ((np.ascontiguousarray(a).view(complex) * turn).view(float) for a in (q, k))
"""
    },
    "alibi": {
        "before": "slopes = 2.0 ** (-8 * np.arange(1, H + 1) / H)\n",
        "scores": "    scores = scores - slopes[:, None, None] * abs(pos[:, None] - pos)\n",
    },
}
"""How each scheme is written by hand; one that is not listed is written as the numbers it gives."""


def _literal(scheme: Scheme, positions: int, own: Reading) -> Hooks:
    listed, d, D = list(range(positions)), own.d, own.D
    if scheme.enters == "input":
        added = scheme.add_to_input([[0.0] * D] * positions, listed).tolist()
        return {"before": f"P = np.array({added})\n", "input": "    x = x + P[pos]\n"}
    if scheme.enters == "qk":
        unit = [[float(i == j) for j in range(d)] for i in range(d)]
        turns = [scheme.rotate(unit, [position] * d).tolist() for position in listed]
        turned = "    q, k = (np.einsum('htd,tde->hte', a, R[pos]) for a in (q, k))\n"
        return {"before": f"R = np.array({turns})  # (positions, d, d)\n", "qk": turned}
    if scheme.enters == "scores":
        bias = scheme.bias(listed, listed)
        written = bias if isinstance(bias, float) else bias.tolist()
        before = f"B = np.broadcast_to({written}, (H, {positions}, {positions}))\n"
        return {"before": before, "scores": "    scores = scores + B[:, pos[:, None], pos]\n"}
    return {}
