"""NumPy code that gives the table shown, with its rotation and its dot product."""

from __future__ import annotations

from typing import Any

from app.rooms.waves.compute import View, compute


def code(**state: Any) -> str:
    """NumPy code whose ``result`` is the table shown."""
    view = compute(**state)
    D, variant = view.D, view.scheme.variant
    lines = [
        "import numpy as np",
        "",
        f"D, b, p, k = {D}, {view.scheme.base!r}, {view.position}, {view.shift}",
        f"pos = np.arange({view.first}, {view.first + view.T})",
        *_LAYOUT[variant],
        "",
        "",
        "def PE(pos):",
        "    angle = pos[:, None] * w  # (T,) -> (T, pairs)",
        "    rows = np.zeros((len(pos), D))",
        "    rows[:, sines] = np.sin(angle)",
        "    rows[:, cosines] = np.cos(angle[:, : len(cosines)])",
        "    return rows",
        "",
        "",
        "M = np.eye(D)  # turns each pair by its own k w",
        "M[sines, sines] = np.cos(k * w)",
        "turn, paired = (k * w)[: len(cosines)], sines[: len(cosines)]",
        "M[cosines, cosines] = np.cos(turn)",
        "M[cosines, paired], M[paired, cosines] = np.sin(turn), -np.sin(turn)",
        "error = np.abs(PE(pos + k) - PE(pos) @ M).max(axis=0)  # (T, D) -> (D,)",
        "dot = PE(np.array([p]))[0] @ PE(np.array([p + k]))[0]",
        "result = PE(pos)  # (T, D)",
        "",
    ]
    return "\n".join(lines)


_PAPER = "w = b ** (-2.0 * np.arange((D + 1) // 2) / D)  # an odd width trims the last cosine"
_LAYOUT = {
    "interleaved": [_PAPER, "sines, cosines = np.arange(0, D, 2), np.arange(1, D, 2)"],
    "concatenated": [_PAPER, "sines, cosines = np.split(np.arange(D), [(D + 1) // 2])"],
    "tensor2tensor": [
        "half = D // 2  # an odd width leaves its last column zero",
        "w = b ** (-np.arange(half) / max(half - 1, 1))",
        "sines, cosines = np.arange(half), np.arange(half, 2 * half)",
    ],
}


def code_answer(view: View) -> Any:
    """What ``result`` must equal."""
    return view.table
