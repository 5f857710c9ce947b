"""NumPy code that gives X for the present state of the room `build`."""

from __future__ import annotations

from typing import Any

from app.rooms.build.compute import View, compute
from lab.vocab.numbered import GPT2_PLACES, GPT2_SD_PLACES, GPT2_SD_TOKENS, GPT2_V, WIDTH


def code(**state: Any) -> str:
    """NumPy code whose ``result`` is X."""
    view = compute(**state)
    # a NumPy float64 would make float32 rows float64: a Python number leaves them as they are
    scale = " * E.shape[1] ** 0.5" if state["scale"] else ""
    lines = [
        "import numpy as np",
        "",
        *_table(view),
        f"ids = np.array({view.ids.tolist()})  # {_comment(view)}",
        f"X = E[ids]{scale}  # (T,) -> (T, D)",
    ]
    if view.added is None:
        lines.append(f"# {view.scheme.title}: nothing is added to the input")
    else:
        lines += [*_added(view, state["scheme"]), "X = X + P.astype(X.dtype)"]
    lines += ["batch = X[None]  # (T, D) -> (B, T, D) with B = 1", "result = X", ""]
    return "\n".join(lines)


def _table(view: View) -> list[str]:
    if view.example == "own":
        return [
            'pack = np.load("static/data/minilm_small_int8.npz")  # of the lab, its provenance beside it',
            'E = pack["tok_q"].astype(np.float32) * pack["tok_scale"].astype(np.float32)[:, None]  # (V, D)',
        ]
    if view.example == "ids":
        return [
            "rng = np.random.default_rng(0)",
            "of_positions = rng.spawn(1)[0]",
            f"E = {GPT2_SD_TOKENS} * rng.standard_normal(({GPT2_V}, {WIDTH}))  # (V, D)",
        ]
    return [f"E = np.array({_literal(view.table.E)})  # (V, D)"]


def _added(view: View, scheme: str) -> list[str]:
    if scheme == "learned" and view.example == "own":
        return ['P = pack["pos"][: len(ids)]']
    if scheme == "learned" and view.example == "ids":
        drawn = f"{GPT2_SD_PLACES} * of_positions.standard_normal(({GPT2_PLACES}, {WIDTH}))"
        return [f"P = ({drawn})[: len(ids)]"]
    return _ADDED.get(scheme) or [f"P = np.array({_literal(view.added)})"]


# what a table cannot show is written as the rule itself
_ADDED = {
    "raw": ["P = np.arange(len(ids))[:, None] * np.ones(E.shape[1])"],
    "sinusoidal": [
        "T, D = X.shape",
        "angle = np.arange(T)[:, None] * 10_000 ** (-2.0 * np.arange((D + 1) // 2) / D)  # (T, ceil(D / 2))",
        "P = np.empty((T, D))",
        "P[:, 0::2] = np.sin(angle)",
        "P[:, 1::2] = np.cos(angle)[:, : D // 2]",
    ],
}


def _literal(values: Any) -> str:
    return "[\n" + "".join(f"    {line},\n" for line in values.tolist()) + "]"


def _comment(view: View) -> str:
    words = " ".join(view.tokens[:12]).encode("ascii", "replace").decode()
    return "".join(c if c.isprintable() else "?" for c in words)


def code_answer(view: View) -> Any:
    """What ``result`` must equal."""
    return view.X
