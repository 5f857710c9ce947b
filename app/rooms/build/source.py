"""NumPy code of the room `build`: the text as ids, their rows, X, and X after a swap."""

from __future__ import annotations

from typing import Any

from app.kit.given import GIVEN
from app.rooms.build.model import LIMIT, Built, Tokens
from lab.vocab.numbered import GPT2_PLACES, GPT2_SD_PLACES, GPT2_SD_TOKENS, GPT2_V, WIDTH


def of_text(view: Tokens) -> str:
    """Code that cuts the text as the lab does."""
    if view.s.example == GIVEN:
        listed = "".join(f"    {token!a},\n" for token in view.table.vocabulary)
        return _MATCH.format(tokens=listed, text=ascii(view.text), limit=LIMIT)
    name, table = _FROM_LAB.get(view.s.example) or ("COURSES", f'COURSES["{view.s.example}"]')
    return _CUT.format(name=name, table=table, text=ascii(view.text), limit=LIMIT)


def of_ids(view: Tokens) -> str:
    """Code of the mean of two ids."""
    return f"import numpy as np\n\n{_ids(view)}{_MEAN}"


def of_rows(view: Tokens, ends: str, first: int | None = None) -> str:
    """Code with the table E and the ids, or the first few of them, and what a figure makes of these."""
    return f"import numpy as np\n{_table(view)}{_ids(view, first)}{ends}\n"


def of_sum(view: Built, ends: str) -> str:
    """Code of X, and what a figure makes of it."""
    made = f"X = E[ids]{times(view)}  # (T,) -> (T, D)\n"
    if view.added is None:
        return of_rows(view, f"{made}# {view.scheme.title}: nothing is added to the input\n{ends}")
    return of_rows(view, f"{made}{_positions(view)}X = X + P.astype(X.dtype)\n{ends}")


def of_swap(view: Built) -> str:
    """Code of X before the swap and after it."""
    if not view.positions:
        return of_sum(view, "result = X")
    first, second = (position - 1 for position in view.positions)
    plus = "" if view.added is None else " + P.astype(X.dtype)"
    return of_sum(view, _SWAP.format(first=first, second=second, times=times(view), plus=plus))


def times(view: Tokens) -> str:
    """The factor of the rows, if they have one."""
    # a NumPy float64 would make float32 rows float64: a Python number leaves them as they are
    return " * E.shape[1] ** 0.5" if view.s.scale else ""


def _table(view: Tokens) -> str:
    if view.s.example == GIVEN and not view.listed:
        return _picked(view)
    return _TABLES.get(view.s.example) or f"\nE = np.array({_literal(view.table.E)})  # (V, D)\n"


def _picked(view: Tokens) -> str:
    """A large table without the rows that the text leaves alone."""
    picked = sorted(set(view.ids.tolist()))
    rows = _literal(view.table.E[picked])
    zeros = f"E = np.zeros(({view.V}, {view.D}))  # (V, D); rows that no id picks are left out"
    return f"\n{zeros}\nE[{picked}] = {rows}\n"


def _ids(view: Tokens, first: int | None = None) -> str:
    words = " ".join(piece.token for piece in view.pieces[:12]).encode("ascii", "replace").decode()
    said = "".join(sign if sign.isprintable() else "?" for sign in words)
    return f"ids = np.array({view.ids[:first].tolist()})  # {said}\n"


def _positions(view: Built) -> str:
    scheme = view.scheme.key
    own = _LEARNED.get(view.s.example) if scheme == "learned" else None
    # what a table cannot show is written as the rule itself
    return own or _RULES.get(scheme) or f"P = np.array({_literal(view.added)})\n"


def _literal(values: Any) -> str:
    return "[\n" + "".join(f"    {line},\n" for line in values.tolist()) + "]"


_FROM_LAB = {"own": ("minilm_table", "minilm_table()"), "ids": ("gpt2_table", "gpt2_table()")}
_CUT = """import numpy as np
from lab.vocab import {name}

table = {table}
pieces = table.tokenizer.pieces({text})[:{limit}]
tokens = [piece.token for piece in pieces]
result = np.array([piece.id for piece in pieces])  # (T,)
"""
_MATCH = """import numpy as np

vocabulary = [
{tokens}]
text = {text}
longest_first = sorted(vocabulary, key=len, reverse=True)
ids, at = [], 0
while at < len(text):
    token = next((one for one in longest_first if text.startswith(one, at)), "")
    if token:
        ids.append(vocabulary.index(token))
    at += len(token) or 1  # a space that begins no token stands between two
result = np.array(ids[:{limit}])  # (T,)
"""
_MEAN = """different = list(dict.fromkeys(ids.tolist()))[:2]
result = np.mean(different)  # the name of another token, or of none
"""
_TABLES = {
    "own": """from lab.vocab import minilm_table

table = minilm_table()
E = table.E  # (V, D)
""",
    "ids": f"""
rng = np.random.default_rng(0)
of_positions = rng.spawn(1)[0]
E = {GPT2_SD_TOKENS} * rng.standard_normal(({GPT2_V}, {WIDTH}))  # (V, D)
""",
}
_LEARNED = {
    "own": "P = table.P[: len(ids)]\n",
    "ids": f"P = ({GPT2_SD_PLACES} * of_positions.standard_normal(({GPT2_PLACES}, {WIDTH})))[: len(ids)]\n",
}
_RULES = {
    "raw": "P = np.arange(len(ids))[:, None] * np.ones(E.shape[1])\n",
    "sinusoidal": """T, D = X.shape
angle = np.arange(T)[:, None] * 10_000 ** (-2.0 * np.arange((D + 1) // 2) / D)  # (T, ceil(D / 2))
P = np.empty((T, D))
P[:, 0::2] = np.sin(angle)
P[:, 1::2] = np.cos(angle)[:, : D // 2]
""",
}
_SWAP = """swapped = ids.copy()
swapped[[{first}, {second}]] = ids[[{second}, {first}]]
after = E[swapped]{times}{plus}
result = np.stack([X, after])  # (2, T, D)"""
ONE_HOT = """one_hot = (ids[:, None] == np.arange(len(E))).astype(E.dtype)  # (T, V)
result = one_hot @ E  # (T, V) (V, D) -> (T, D)"""
BATCH = """batch = X[None]  # (T, D) -> (B, T, D) with B = 1
means = batch.mean(axis=2)  # what a LayerNorm subtracts, (B, T)
result = batch.mean(axis=1)  # one vector per text, (B, D)"""
