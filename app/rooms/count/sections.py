"""The sections below the heart, in HTML: tying, padding, positions, a store of vectors, other models."""

from __future__ import annotations

import math
from functools import lru_cache

from app.kit.html import Markup, counted, join, number, tag
from app.kit.matrix import error, verdict
from app.kit.shares import percent, stacked
from app.rooms.count.beside import memory
from app.rooms.count.compute import View
from app.rooms.count.stage import heart, in_bytes, slices
from lab.counting import MODELS, Stack

SECTIONS = {
    "curve": ("The share against V", "A vocabulary is paid by the row, and small models pay most."),
    "tying": (
        "Tied and untied",
        "Tying lets the output layer read the token table: that saves memory, not work.",
    ),
    "padding": (
        "A padded table",
        "Tables are rounded up for speed. With V as the tokenizer's size, three widths are told apart.",
    ),
    "positions": ("How positions are stored", "Learned positions are rows too."),
    "store": (
        "Vectors of another width",
        "A store of vectors must check their width. Choose another model: its vectors no longer fit.",
    ),
    "memory": (
        "Beside the weights",
        "A long sequence takes memory that no table of parameters shows: what is kept of every token.",
    ),
    "models": ("Published models", "The token table's share, largest first."),
}
LISTED = 14
"""Published models that stand open; the others are folded."""
PLACES = 1024
"""Learned positions that a model without any is asked about."""


def head(name: str, *content: Markup) -> Markup:
    """The heading of a section, its sentence, and what stands below."""
    title, says = SECTIONS[name]
    return tag("div", tag("h2", title), tag("p", says, class_="lab-soft"), *content)


def curve(view: View) -> Markup:
    """What one more entry costs, above the curve."""
    model = view.model
    copies = "" if view.other is None or model.tied else ", and as many again in the untied output layer"
    return head(
        "curve",
        tag(
            "p",
            f"Each further entry is a row of {counted(model.D, 'number')}{copies}. The dot is the present V.",
        ),
    )


def models(view: View) -> Markup:
    """The table's share in every published model, the largest first."""
    return head("models", _models("" if view.own else view.preset))


@lru_cache(maxsize=32)
def _models(marked: str) -> Markup:
    ranked = sorted(MODELS.items(), key=lambda item: -item[1].architecture.table_share)
    rows = []
    for key, model in ranked:
        one = model.architecture
        bar = tag("span", style=f"width:{100 * one.table_share:.2f}%;background:var(--dim-V)")
        rows.append(
            tag(
                "li",
                tag("span", model.title),
                tag("span", bar, class_="lab-share"),
                tag("b", percent(one.table_share)),
                tag("span", f"{one.table_parameters:,} of {one.parameters:,}", class_="lab-soft"),
                class_="lab-marked" if key == marked else None,
            )
        )
    first, rest = rows[:LISTED], rows[LISTED:]
    folded = tag(
        "details",
        tag("summary", f"{len(rest)} more"),
        tag("ul", join(rest), class_="lab-count-models"),
        open="" if marked in [key for key, _ in ranked[LISTED:]] else None,
    )
    return join([tag("ul", join(first), class_="lab-count-models"), folded])


def tying(view: View) -> Markup:
    """Both models on one scale, and the product that either has to compute."""
    if view.other is None:
        none = verdict(
            f"There is no output layer in {view.title}: it returns vectors and no logits, so there is "
            "nothing to tie. Choose a GPT-2 or a Llama to compare."
        )
        return head("tying", none)
    pair = sorted((view.model, view.other), key=lambda model: not model.tied)
    most = float(max(model.parameters for model in pair))
    bars = [
        tag(
            "div",
            tag("b", "tied" if model.tied else "untied"),
            stacked(slices(model), label="Tied" if model.tied else "Untied", whole=most),
            tag("span", f"{model.parameters:,} parameters, {in_bytes(model.bytes(view.dtype))}"),
            tag("span", f"{model.output_flops:,} operations per token for the logits"),
        )
        for model in pair
    ]
    tied, untied = pair
    same = tied.output_flops == untied.output_flops
    said = (
        f"Tying saves {counted(untied.parameters - tied.parameters, 'parameter')}, "
        f"{in_bytes(untied.bytes(view.dtype) - tied.bytes(view.dtype))}, and "
        f"{'no work' if same else 'work too'}: each token is still compared with every row, 2 × {tied.V:,} × "
        f"{tied.D:,} = {tied.output_flops:,} multiplications and additions. The input side needs none: it "
        "picks a row."
    )
    return head("tying", tag("div", join(bars), class_="lab-count-tying"), verdict(said))


def positions(view: View) -> Markup:
    """What learned positions cost, or would."""
    part = next(part for part in view.parts if part.key == "positions")
    D = view.model.D
    if view.model.positions == "relative":
        said = (
            f"{part.numbers} = {part.parameters:,} parameters: one bias for each bucket of distance and each "
            "head, in the encoder and in the decoder. They know distances, not positions, so no length is "
            "the last."
        )
        return head("positions", verdict(said))
    if part.parameters:
        rows, skipped = part.parameters // D, view.origin.skipped
        window = max(rows - skipped, 0)
        behind = "" if isinstance(view.model, Stack) else f", behind the padding id {skipped - 1:,}"
        numbered = (
            f" Its first token has row {skipped + 1:,}{behind}: "
            f"{counted(rows, 'row')} {'serves' if rows == 1 else 'serve'} {counted(window, 'token')}."
            if skipped
            else ""
        )
        said = (
            f"{counted(rows, 'position')} × {D:,} = {counted(part.parameters, 'parameter')}, "
            f"{percent(part.parameters / view.parameters)} of the model and "
            f"{percent(part.parameters / view.model.table_parameters)} of the token table.{numbered} They "
            f"are cheap, but they end: token {window + 1:,} has no row. Twice the window is "
            f"{'nearly ' if skipped else ''}twice the rows: {(2 * window + skipped) * D:,}."
        )
        return head("positions", verdict(said))
    rule = (
        "scores are lowered by a rule"
        if view.model.positions == "alibi"
        else "queries and keys are turned by a rule"
    )
    none = (
        f"No position is stored: {rule}, so the window costs no parameter. A "
        f"learned table would: {PLACES:,} positions × {D:,} = {PLACES * D:,} parameters."
    )
    return head("positions", verdict(none))


def widths(view: View) -> Markup:
    """Three widths that are taken for one another, and what the phantoms take from the softmax."""
    tokens, rows = view.padded
    logits = f"{rows:,}" if view.mass is not None else "none"
    phantoms = view.padded.phantoms
    boxes = (
        (f"{tokens:,}", "tokens of the tokenizer"),
        (f"{rows:,}", "rows of the embedding table"),
        (logits, "logits" if view.mass is not None else "logits: no output layer"),
        (f"{phantoms:,}", "padding row" if phantoms == 1 else "padding rows"),
    )
    shown = join(tag("div", tag("b", value), tag("i", name), class_="lab-box") for value, name in boxes)
    return join([tag("div", shown, class_="lab-count-widths"), verdict(_padding_finding(view))])


def _padding_finding(view: View) -> str:
    tokens, rows = view.padded
    phantoms = view.padded.phantoms
    if not phantoms:
        return (
            f"{tokens:,} is a multiple already: no padding row. Published sizes often are, because the table "
            "in the file has been padded; ask the tokenizer how many tokens it really knows."
        )
    extra = view.padded_model.parameters - view.parameters
    one = phantoms == 1
    cost = (
        f"{counted(phantoms, 'row')} more than tokens {'costs' if one else 'cost'} "
        f"{counted(extra, 'parameter')}. No id ever picks {'it' if one else 'them'}"
    )
    if view.mass is None:
        return f"{cost}, and without an output layer {'it does' if one else 'they do'} nothing."
    return (
        f"{cost}, but {'it' if one else 'each'} has a logit. With every real logit at {number(view.logit)} "
        f"and {'the padding row' if one else 'the padding rows'} at 0 {'it holds' if one else 'they hold'} "
        f"{number(100 * view.mass, 4)} % of the softmax{_against_rows(view.mass, phantoms, rows)}. Set "
        f"{'its logit' if one else 'their logits'} to −∞ before sampling."
    )


def _against_rows(mass: float, phantoms: int, rows: int) -> str:
    """How a share of the softmax compares with the share of the rows."""
    share = phantoms / rows
    said = f"{number(100 * share, 4)} % of the rows"
    if math.isclose(mass, share, rel_tol=1e-9):
        return f", as {'it is' if phantoms == 1 else 'they are'} {said}"
    # of a mass above a half nothing is said that way: it would be one in one
    one_in = f", one sampled token in {number(1 / mass, 1 if mass > 0.1 else 0)}" if 0 < mass <= 0.5 else ""
    if mass > share:
        return f"{one_in}, though {'it is' if phantoms == 1 else 'they are'} only {said}"
    return f"{one_in}: less than {'its' if phantoms == 1 else 'their'} {said}"


def store(view: View) -> Markup:
    """Whether a store of vectors takes those of this model."""
    if view.refusal:
        said = f"{view.refusal[0].upper()}{view.refusal[1:]}."
        return join([tag("p", tag("b", "Refused. Nothing is stored.", class_="lab-bad")), error(said)])
    whose = "the changed model" if view.changes else view.title
    return verdict(
        f"Accepted: the store keeps vectors of {counted(view.dimension, 'number')}; those of {whose} have as "
        "many.",
        "good",
    )


PANES = {
    "heart": heart,
    "curve": curve,
    "tying": tying,
    "padding": lambda view: head("padding"),
    "widths": widths,
    "positions": positions,
    "memory": memory,
    "store": store,
    "models": models,
}
"""What each pane shows."""
