"""NumPy code that counts the same, and the lab's formulas in LaTeX and Python."""

from __future__ import annotations

import re
from typing import Any

from app.rooms.count.compute import View, compute
from lab.counting import LETTERS, Architecture

_DIMENSIONS = "VDHd"
_SIZES = {
    "V": "V",
    "D": "D",
    "L": "layers",
    "H": "heads",
    "K": "kv_heads",
    "d": "head_width",
    "F": "mlp_width",
    "P": "max_positions",
    "U": "token_types",
    "N": "experts",
    "X": "expert_width",
    "S": "shared_width",
    "M": "dense_layers",
    "Q": "q_rank",
    "C": "kv_rank",
    "n": "nope_width",
    "r": "rope_width",
    "v": "value_width",
    "B": "buckets",
    "G": "decoder_layers",
}


def latex(text: str) -> str:
    r"""A formula of the lab as LaTeX.

    >>> latex("L·(4·D² + D)")
    'L \\cdot (4 \\cdot \\dim{D}^2 + \\dim{D})'
    """
    letters = re.sub(f"[{_DIMENSIONS}]", lambda found: rf"\dim{{{found[0]}}}", text)
    return letters.replace("·", r" \cdot ").replace("²", "^2").replace("  ", " ")


def latex_number(value: int) -> str:
    """A whole number with its thousands apart."""
    return f"{value:,}".replace(",", "{,}")


def python(text: str) -> str:
    """A formula of the lab as Python.

    >>> python("L·(4·D² + D)")
    'L * (4 * D**2 + D)'
    """
    return text.replace("·", " * ").replace("²", "**2").replace("−", "-")


def code(**state: Any) -> str:
    """NumPy code whose ``result`` holds the parameters of each part, their sum and the table's share."""
    view = compute(**state)
    used = [letter for letter in LETTERS if any(letter in part.formula for part in view.parts)]
    lines = ["import numpy as np", ""]
    lines += [f"{letter} = {_size(view.model, letter):_}  # {LETTERS[letter]}" for letter in used]
    lines += ["parts = {"]
    lines += [f'    "{part.name}": {python(part.formula)},' for part in view.parts]
    lines += [
        "}",
        "parameters = np.array(list(parts.values()), dtype=np.int64)",
        "total = parameters.sum()  # a tied table is in it once",
        "share = V * D / total",
        f"rows = -(-V // {view.multiple}) * {view.multiple}  # padded",
    ]
    if view.mass is not None:
        lines += [f"z = {view.logit!r}", "mass = (rows - V) / (V * np.exp(z) + rows - V)"]
    extra = ", mass" if view.mass is not None else ""
    lines += [f"result = np.array([*parameters, total, share, rows{extra}])", ""]
    return "\n".join(lines)


def code_answer(view: View) -> Any:
    """What ``result`` must equal."""
    counted = [part.parameters for part in view.parts]
    mass = [view.mass] if view.mass is not None else []
    return [*counted, view.parameters, view.share, view.padded.rows, *mass]


def _size(model: Architecture, letter: str) -> int:
    if letter == "d":
        return int(getattr(model, "head_width", None) or model.D // model.heads)
    return int(getattr(model, _SIZES[letter]))
