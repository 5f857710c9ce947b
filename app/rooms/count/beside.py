"""The section on memory beside the weights: keys and values, rows, and scores, in HTML."""

from __future__ import annotations

from app.kit.html import Markup, counted, join, number, tag
from app.kit.matrix import verdict
from app.kit.shares import percent
from app.rooms.count.compute import View
from app.rooms.count.stage import in_bytes
from lab.counting import Architecture, Latent, byte_count


def memory(view: View) -> Markup:
    """What sequences of the present length take beside the weights."""
    model, taken, dtype = view.model, view.memory, view.dtype
    weights = model.bytes(dtype)
    asked = f"{counted(taken.batch, 'sequence')} of {counted(taken.length, 'token')}"
    rows = [("weights", "", weights)]
    if model.cache is not None:
        rows.append((model.cache.name, f"per token {model.cache.numbers}", taken.bytes("cache", dtype)))
    heads = f"{counted(model.heads, 'head')} × {taken.length:,}²"
    rows += [
        (
            "rows of X, if training keeps them",
            f"per token {model.layers + 1:,} × {model.D:,}",
            taken.bytes("rows", dtype),
        ),
        ("scores of one layer, if written out", f"per sequence {heads}", taken.bytes("scores", dtype)),
    ]
    body = join(
        tag(
            "tr",
            tag("th", name, scope="row"),
            tag("td", said, class_="lab-count-formula"),
            tag("td", in_bytes(size)),
            tag("td", times(size / weights)),
        )
        for name, said, size in rows
    )
    columns = (f"{asked}, {dtype}", "counted as", "bytes", "of the weights")
    top = tag("tr", join(tag("th", name, scope="col") for name in columns))
    table = tag("table", tag("thead", top), tag("tbody", body), class_="lab-count-parts lab-count-beside")
    return join([table, verdict(_memory_finding(view))])


def _memory_finding(view: View) -> str:
    model, taken = view.model, view.memory
    if model.cache is None:
        return (
            "An encoder reads all tokens at once and keeps none, but its scores, and the work for them, grow "
            "with the square of the length."
        )
    even = model.bytes(view.dtype) / (byte_count(model.cache.parameters, view.dtype) * taken.batch)
    said = (
        f"Keys and values grow with each token and each sequence, scores with the square of the length. From "
        f"{counted(max(round(even), 1), 'token')} on they outweigh the weights"
        f"{'' if taken.batch == 1 else f', with {taken.batch:,} sequences'}."
    )
    return f"{said}{_shared_keys(model, model.cache.parameters)}{_end_of_the_table(view)}"


def _end_of_the_table(view: View) -> str:
    rows = getattr(view.model, "max_positions", None)
    if rows is None or view.memory.length <= rows - view.origin.skipped:
        return ""
    return f" But there are learned positions for {counted(rows - view.origin.skipped, 'token')} only."


def _shared_keys(model: Architecture, kept: int) -> str:
    """How much more would be kept with keys and values of every head."""
    if isinstance(model, Latent):
        whole = model.layers * model.heads * (model.nope_width + model.rope_width + model.value_width)
        more = number(whole / kept, 1)
        return f" With the keys and values of all {model.heads:,} heads they would take {more} times as much."
    K = getattr(model, "kv_heads", None) or model.heads
    if model.heads > K:
        shared = (
            f" {model.heads:,} query heads share {counted(K, 'key head')}: with a key head each they would"
        )
        return f"{shared} take {number(model.heads / K, 1)} times as much."
    return ""


def times(ratio: float) -> str:
    """A part of the weights, or how many times as much as they.

    >>> times(0.25), times(1.0), times(3.0)
    ('25 %', 'all', '3 times')
    """
    if ratio == 1:
        return "all"
    return percent(ratio) if ratio < 1 else f"{number(ratio, 2)} times"
