"""NumPy code that counts what the figures show, and the lab's formulas in LaTeX and Python."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from app.rooms.count.model import Counted, shares
from lab.counting import LETTERS, MODELS, Part


def latex(text: str) -> str:
    r"""A formula of the lab as LaTeX.

    >>> latex("L·(4·D² + D)")
    'L \\cdot (4 \\cdot \\dim{D}^2 + \\dim{D})'
    """
    letters = re.sub("[VDHd]", lambda found: rf"\dim{{{found[0]}}}", text)
    return letters.replace("·", r" \cdot ").replace("²", "^2").replace("  ", " ")


def whole(value: int) -> str:
    """A whole number in LaTeX, with its thousands apart."""
    return f"{value:,}".replace(",", "{,}")


def product(*factors: int) -> str:
    r"""Whole numbers multiplied, in LaTeX.

    >>> product(2, 768)
    '2 \\cdot 768 = 1{,}536'
    """
    written = r" \cdot ".join(map(whole, factors))
    return f"{written} = {whole(math.prod(factors))}"


def python(text: str) -> str:
    """A formula of the lab as Python.

    >>> python("L·(4·D² + D)")
    'L * (4 * D**2 + D)'
    """
    return text.replace("·", " * ").replace("²", "**2").replace("−", "-")


def code(name: str, view: Any) -> str:
    """The code of a figure, from its view."""
    return "import numpy as np\n\n" + _CODE[name].format(view=view, **_MORE.get(name, _nothing)(view))


def _nothing(_: Counted) -> dict[str, str]:
    return {}


def _parts(view: Counted) -> dict[str, str]:
    listed = "\n".join(f'    "{one.name}": {python(one.formula)},' for one in view.parts)
    return {"sizes": _sizes(view.parts), "parts": listed}


def _positions(view: Counted) -> dict[str, str]:
    return {"sizes": _sizes([view.parts[0], view.stored]), "formula": python(view.stored.formula)}


def _memory(view: Counted) -> dict[str, str]:
    model, kept = view.model, view.model.cache
    sizes = _sizes([kept] if kept else [], L=model.layers, H=model.heads, D=model.D)
    return {"sizes": sizes, "kept": python(kept.formula) if kept else "0"}


def _models(_: Counted) -> dict[str, str]:
    every = [MODELS[key].architecture for key in shares()]
    return {name: str([getattr(one, name) for one in every]) for name in ("V", "D", "parameters")}


def _sizes(of: Iterable[Part], **more: int) -> str:
    # the letters that formulas name, one a line
    sizes = {**more, **dict(pair for one in of for pair in one.sizes)}
    return "".join(f"{at} = {sizes[at]:_}  # {said}\n" for at, said in LETTERS.items() if at in sizes)


_MORE: Mapping[str, Callable[[Any], dict[str, str]]] = {
    "parts": _parts,
    "positions": _positions,
    "memory": _memory,
    "models": _models,
}
_PADDED = """V, multiple = {view.model.V:_}, {view.s.multiple}
rows = -(-V // multiple) * multiple
"""
_CODE = {
    "parts": """{sizes}parts = {{
{parts}
}}
parameters = np.array(list(parts.values()), dtype=float)
total = parameters.sum()  # a tied table is in it once
result = np.array([*parameters, total, V * D / total])
""",
    "curve": """D = {view.model.D:_}  # numbers in a row of the table
a = {view.growth[0]:_}  # parameters that each entry of the vocabulary adds
R = {view.growth[1]:_}  # parameters that do not grow with V
low, high, steps = {view.ends[0]:_}, {view.ends[1]:_}, {view.steps}
V = (low + (high - low) * np.arange(steps + 1) // steps).astype(float)
result = V * D / (a * V + R)  # the share of the token table
""",
    "tying": """V, D = {view.model.V:_}, {view.model.D:_}
tied = {view.pair[0].parameters:_}  # parameters while the output layer reads the token table
untied = tied + V * D
operations = 2 * V * D  # for the logits of one token, tied or not
result = np.array([tied, untied, operations], dtype=float)
""",
    "no tying": """V, D = {view.model.V:_}, {view.model.D:_}
result = np.array([V * D])  # the token table: without an output layer there is nothing to tie
""",
    "padding": f"""{_PADDED}z = {{view.s.logit!r}}  # the logit of each real token; that of a padding row is 0
mass = (rows - V) / (V * np.exp(z) + rows - V)
result = np.array([rows, rows - V, mass])
""",
    "no logits": f"""{_PADDED}result = np.array([rows, rows - V])
""",
    "positions": """{sizes}total = {view.parameters:_}  # parameters of the model
stored = {formula}
result = np.array([stored, stored / total, stored / (V * D)])
""",
    "memory": """{sizes}length, batch = {view.s.length:_}, {view.s.batch:_}
kept = {kept}  # keys and values of one token
cache = batch * length * kept
rows = batch * length * (L + 1) * D  # of X, before each layer and after the last
scores = batch * H * length**2  # of one layer
result = np.array([cache, rows, scores], dtype=float)
""",
    "store": """store = {view.s.dimension}
vectors = np.zeros((1, {view.model.D}))  # of the model
result = np.array([store, vectors.shape[-1], vectors.shape[-1] == store], dtype=float)
""",
    "models": """V = np.array({V})
D = np.array({D})
parameters = np.array({parameters})
result = V * D / parameters
""",
}
