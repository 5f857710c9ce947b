"""The teacher's own in the room `schemes`: rows, weights, slopes, frequencies, and the sizes they fix."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.kit import given
from app.rooms.schemes.model import MOST_WORDS, WORDS
from app.rooms.schemes.model.own import Own
from lab.notation import as_floats, readonly

WIDEST, MOST_HEADS = 64, 64
WEIGHTS = ("Wq", "Wk")

_WEIGHT = given.matrix(most_rows=WIDEST, most_columns=2 * WIDEST)
PARTS: Mapping[str, given.Given] = {
    "rows": given.matrix(most_rows=MOST_WORDS, most_columns=WIDEST),
    "tokens": given.tokens(most=MOST_WORDS, different=False),
    **dict.fromkeys(WEIGHTS, _WEIGHT),
    "heads": given.whole(least=1, most=MOST_HEADS),
    "slopes": given.vector(most=MOST_HEADS, low=1e-6),
    "frequencies": given.vector(most=WIDEST, low=0),
}


def own_of(data: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """What the parts make together, by its name in the State, and what of them does not fit."""
    said: list[str] = []
    kept = dict(data)

    def leave_out(name: str, why: str, **more: Any) -> None:
        said.append(WORDS.say(f"own.{why}", of=name, **more))
        del kept[name]

    if "tokens" in kept and len(kept["tokens"]) != len(kept.get("rows", ())):
        leave_out("tokens", "tokens", tokens=len(kept["tokens"]), T=len(kept.get("rows", ())))
    sizes = _sizes(kept, leave_out)
    for name, d in (("slopes", "H"), ("frequencies", "d")):
        count = len(kept.get(name, ())) * (2 if name == "frequencies" else 1)
        if name in kept and sizes.setdefault(d, count) != count:
            leave_out(name, name, count=len(kept[name]), **sizes)
    if sizes.get("d", 2) % 2:
        said.append(WORDS.say("own.odd", **sizes))
    if not set(kept) - {"heads"}:
        return {}, tuple(said)
    x = kept.get("rows")
    words = kept.get("tokens") or tuple(f"x{at}" for at in range(1, len(x or ()) + 1))
    arrays = {name: readonly(as_floats(name, kept[name], (None, None))) for name in WEIGHTS if name in kept}
    rows = None if x is None else readonly(as_floats("rows (T, D)", x, (None, None)))
    own = Own(sizes, words, rows, arrays, kept.get("slopes", ()), kept.get("frequencies", ()))
    return {"own": own}, tuple(said)


def _sizes(kept: dict[str, Any], leave_out: Any) -> dict[str, int]:
    """D, H and d, as far as rows and weights fix them."""
    sizes = {"D": len(kept["rows"][0])} if "rows" in kept else {}
    H = kept.get("heads", len(kept.get("slopes", ())) or 1)
    for name in WEIGHTS:
        if name not in kept:
            continue
        rows, wide = len(kept[name]), len(kept[name][0])
        D, W = sizes.get("D", rows), sizes.get("H", H) * sizes.get("d", wide // H)
        if rows != D or wide != W or not W:
            leave_out(name, "weight", rows=rows, wide=wide, D=D, H=H)
        else:
            sizes |= {"D": D, "H": H, "d": W // H}
    return sizes
