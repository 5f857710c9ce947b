"""What the room `count` says beside its figures: caption, numbers, formula."""

from __future__ import annotations

from app.kit.formula import Formula, numeral
from app.kit.html import counted
from app.kit.numbers import Table
from app.kit.shares import percent
from app.rooms.count.compute import View
from app.rooms.count.questions import DEFAULTS, questions
from app.rooms.count.source import code, code_answer, latex, latex_number
from app.rooms.count.stage import in_bytes
from lab.counting import MODELS

__all__ = ["DEFAULTS", "code", "code_answer", "describe", "formula", "numbers", "questions"]


def describe(view: View) -> str:
    """The caption: what the figure shows, with its numbers."""
    model = view.model
    named = "The model of your config.json" if view.own else view.title
    subject = f"A model changed from {view.title}" if view.changes else named
    head = next(part for part in view.parts if part.key == "head")
    said = (
        f"{subject} has {view.parameters:,} parameters, {in_bytes(model.bytes(view.dtype))} as {view.dtype}. "
        f"Its token table, {model.V:,} × {model.D:,} = {model.table_parameters:,}, is {percent(view.share)} "
        "of them"
    )
    if model.idle_parameters:
        said += f", and {model.active_parameters:,} of all take part in the pass of one token"
    if not model.has_output:
        return f"{said}."
    if model.tied:
        own = f"only {counted(head.parameters, 'bias', 'biases')}" if head.parameters else "nothing"
        return f"{said}; the output layer reads it too and stores {own}."
    return f"{said}; its untied output layer takes {head.parameters:,} more."


def numbers(view: View) -> list[Table]:
    """The tables behind the figures."""
    model, dtype = view.model, view.dtype
    parts: list[list[str | float]] = [
        [
            part.name,
            part.formula,
            part.numbers,
            part.parameters,
            part.bytes(dtype),
            100 * part.parameters / view.parameters,
        ]
        for part in view.parts
    ]
    parts.append(["all", "", "", view.parameters, model.bytes(dtype), 100.0])
    curves = [
        [thousands * 1000, *shares]
        for thousands, *shares in zip(
            view.grid.tolist(), *(curve.shares.tolist() for curve in view.curves), strict=True
        )
    ]
    tables = [
        Table(
            f"Parts of {view.title}{', changed' if view.changes else ''}",
            ["part", "formula", "with numbers", "parameters", f"bytes, {dtype}", "share in %"],
            parts,
        ),
        Table(
            "Share of the token table, in %, against V",
            ["V", *(curve.name for curve in view.curves)],
            curves,
        ),
        _published(),
    ]
    if view.other is not None:
        tables.append(_tying(view))
    tokens, rows = view.padded
    padding: list[list[str | float]] = [
        ["tokens", tokens],
        ["rows", rows],
        ["padding rows", view.padded.phantoms],
    ]
    if view.mass is not None:
        padding += [["logits", rows], ["share of the softmax on padding rows", view.mass]]
    return [*tables, _memory(view), Table("Padded vocabulary", ["what", "number"], padding)]


def _published() -> Table:
    rows: list[list[str | float]] = [
        [
            model.title,
            model.architecture.V,
            model.architecture.D,
            model.architecture.table_parameters,
            model.published,
            model.architecture.active_parameters,
            100 * model.architecture.table_share,
            model.source,
        ]
        for model in MODELS.values()
    ]
    columns = ["model", "V", "D", "token table", "all", "active per token", "share in %", "source"]
    return Table("Published models", columns, rows)


def _memory(view: View) -> Table:
    model, memory, dtype = view.model, view.memory, view.dtype
    rows: list[list[str | float]] = [["weights", model.parameters, model.bytes(dtype)]]
    for name, said in (
        ("cache", "keys and values"),
        ("rows", "rows of X"),
        ("scores", "scores of one layer"),
    ):
        rows.append([said, getattr(memory, name), memory.bytes(name, dtype)])
    title = f"Memory, {counted(memory.batch, 'sequence')} of {counted(memory.length, 'token')}"
    return Table(title, ["what", "numbers", f"bytes, {dtype}"], rows)


def _tying(view: View) -> Table:
    pair = [view.model, view.other or view.model]
    rows: list[list[str | float]] = [
        [
            "tied" if model.tied else "untied",
            model.parameters,
            model.bytes(view.dtype),
            100 * model.table_share,
            100 * model.vocabulary_share,
            model.output_flops,
        ]
        for model in pair
    ]
    columns = [
        "output layer",
        "parameters",
        f"bytes, {view.dtype}",
        "token table in %",
        "with output layer in %",
        "operations for the logits, one token",
    ]
    return Table("Tied and untied", columns, rows)


def formula(view: View) -> tuple[Formula, ...]:
    """The table, the whole, the share, the output product and the padding, with the present numbers."""
    model = view.model
    counted = [part for part in view.parts if part.parameters]
    table, total = latex_number(model.table_parameters), latex_number(view.parameters)
    made = [
        Formula(
            r"N_E = \dim{V} \cdot \dim{D}",
            rf"N_E = {latex_number(model.V)} \cdot {latex_number(model.D)} = {table}",
            "One row of the table for each entry of the vocabulary.",
        ),
        Formula(
            "N = " + " + ".join(latex(part.formula) for part in counted),
            "N = " + " + ".join(latex_number(part.parameters) for part in counted) + f" = {total}",
            f"In this order: {', '.join(part.name for part in counted)}. A tied table counts once.",
        ),
        Formula(r"N_E / N", rf"{table} / {total} = {numeral(view.share)}"),
    ]
    if model.has_output:
        made.append(
            Formula(
                r"\text{operations} = 2\, \dim{V}\, \dim{D}",
                rf"2 \cdot {latex_number(model.V)} \cdot {latex_number(model.D)} = "
                rf"{latex_number(model.output_flops)}",
                "The logits of one token: a multiplication and an addition for each number of the output "
                "matrix, tied or not.",
            )
        )
    return (*made, *_memory_formula(view), _padding_formula(view))


def _memory_formula(view: View) -> tuple[Formula, ...]:
    kept, memory = view.model.cache, view.memory
    if kept is None:
        return ()
    return (
        Formula(
            rf"\text{{batch}} \cdot n \cdot {latex(kept.formula)}",
            rf"{latex_number(memory.batch)} \cdot {latex_number(memory.length)} \cdot "
            rf"{latex_number(kept.parameters)} = {latex_number(memory.cache)}",
            f"Numbers kept beside the weights for n tokens: {kept.name}.",
        ),
    )


def _padding_formula(view: View) -> Formula:
    tokens, rows = view.padded
    phantoms, multiple = view.padded.phantoms, view.multiple
    filled = (
        rf"R = {latex_number(multiple)} \cdot \left\lceil {latex_number(tokens)} / {latex_number(multiple)} "
        r"\right\rceil = " + latex_number(rows)
    )
    if view.mass is not None:
        z = rf"e^{{{numeral(view.logit)}}}"
        below = rf"{latex_number(tokens)} \cdot {z} + {latex_number(phantoms)}"
        filled += rf",\quad p = \frac{{{latex_number(phantoms)}}}{{{below}}} = {numeral(view.mass)}"
    return Formula(
        r"R = m \left\lceil \frac{\dim{V}}{m} \right\rceil, \qquad "
        r"p_{\text{padding}} = \frac{R - \dim{V}}{\dim{V}\, e^{z} + R - \dim{V}}",
        filled,
        "Rows padded to a multiple m, and the share of the softmax on rows without a token, where real "
        "logits are z and those of padding rows 0.",
    )
