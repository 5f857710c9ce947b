"""What does the table cost? Parameters and bytes by part, published models or your own config.json."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from app.kit.bundle import Bundle, Line, Mark
from app.kit.formula import Formula
from app.kit.html import EMPTY, Markup, counted, dims, join, tag
from app.kit.numbers import Table
from app.kit.shares import percent, picture, stacked, swatch
from app.rooms.count import look, quiz
from app.rooms.count.facts import (
    MODEL,
    CountFigure,
    PaddedTable,
    StoredPositions,
    VectorStore,
    share_formula,
    table_formula,
)
from app.rooms.count.look import COLOURS, in_bytes, slices, table, times
from app.rooms.count.model import Counted, shares
from app.rooms.count.origin import WORDS
from app.rooms.count.source import latex, product, whole
from app.rooms.count.state import Controlled
from lab.counting import MODELS, Latent

DRAWN = ("bge-small", "gpt2", "llama-3.2-1b", "llama-3-8b")
LISTED = 14
"""Published models that stand open; the others are folded."""


class PartsOfModel(CountFigure):
    """The table's share as one number, the model as a bar, and the numbers of every part."""

    key = "parts"
    uses = (*MODEL, "dtype")

    def aside(self, view: Counted) -> Markup:
        return EMPTY  # the picture says it

    def shown(self, view: Counted) -> Markup:
        named, note = look.name(view)
        name = tag("div", tag("h2", named), tag("span", note), class_="lab-count-name")
        bar = stacked(slices(view.model), label=f"Parameters of {view.title} by part")
        return join([name, self.headline(view), bar, self.table(view)])

    def headline(self, view: Counted) -> Markup:
        """The share as one number, and what it is a share of."""
        model, dtype = view.model, view.s.dtype
        product = join([dims(("V", model.V), ("D", model.D)), f" = {model.table_parameters:,}"])
        weights = f"{in_bytes(view.parts[0].bytes(dtype))} of {in_bytes(model.bytes(dtype))} as {dtype}"
        said = [self.say("share", view), join([product, ", ", weights])]
        if model.idle_parameters:
            said.append(self.say("active", view, active=model.active_parameters / view.parameters))
        share = tag("b", percent(view.share), class_="lab-figure-number")
        return tag("div", share, tag("span", join(tag("span", line) for line in said)), class_="lab-headline")

    def table(self, view: Counted) -> Markup:
        """The numbers of every part."""
        dtype, total = view.s.dtype, view.parameters
        rows = []
        for one in view.parts:
            css = "lab-soft" if not one.parameters else "lab-marked" if one.key == "tokens" else ""
            name = swatch(COLOURS[one.key] if one.parameters else "transparent") + one.name
            size, share = f"{one.bytes(dtype):,}", percent(one.parameters / total)
            rows.append(
                (css, name, one.numbers if one.parameters else "", f"{one.parameters:,}", size, share)
            )
        rows.append(("", "all", "", f"{total:,}", f"{view.model.bytes(dtype):,}", percent(1)))
        return table(
            ("Part", "counted as", "parameters", f"bytes, {dtype}", "share"), rows, "lab-count-model"
        )

    def caption(self, view: Counted) -> str:
        model, stored = view.model, view.of_kind("head").parameters
        weighs = in_bytes(model.bytes(view.s.dtype))
        said = [self.say("caption", view, subject=look.subject(view), weighs=weighs)]
        said += [self.say("experts", view)] if model.idle_parameters else []
        if model.has_output:
            name = "untied" if not model.tied else "biases" if stored else "reads"
            said.append(self.say(name, stored=stored))
        return " ".join(said)

    def numbers(self, view: Counted) -> list[Table]:
        dtype, part = view.s.dtype, 100 / view.parameters
        rows: list[list[str | float]] = [
            [one.name, one.formula, one.numbers, one.parameters, one.bytes(dtype), part * one.parameters]
            for one in view.parts
        ]
        rows.append(["all", "", "", view.parameters, view.model.bytes(dtype), 100.0])
        title = f"Parts of {view.title}{', changed' if view.changes else ''}"
        names = ["part", "formula", "with numbers", "parameters", f"bytes, {dtype}", "share in %"]
        return [Table(title, names, rows)]

    def formula(self, view: Counted) -> tuple[Formula, ...]:
        stored = [one for one in view.parts if one.parameters]
        general = " + ".join(latex(one.formula) for one in stored)
        filled = " + ".join(whole(one.parameters) for one in stored)
        says = self.say("sum", names=", ".join(one.name for one in stored))
        summed = Formula(f"N = {general}", f"N = {filled} = {whole(view.parameters)}", says)
        return table_formula(view, self.say("row")), summed, share_formula(view)

    def code_answer(self, view: Counted) -> Any:
        return [*(one.parameters for one in view.parts), view.parameters, view.share]


class ShareAgainstV(CountFigure):
    """The table's share over the vocabularies, of this model and of others."""

    key = "curve"

    def make(self) -> Sequence[Any]:
        self.lines = Bundle(
            label="Share of the token table against the size of the vocabulary",
            colour="dim-V",
            ends="model",
            x="V, in thousands",
            y="token table, % of all parameters",
            height=300,
        )
        return (self.lines,)

    def draw(self, view: Counted) -> None:
        V = view.model.V
        if self.changed("lines", view.ends, view.shape, view.origin):
            lines = [
                Line(one.shares, one.name, strength=1.0 if one.yours else 0.35, width=3 if one.yours else 1.5)
                for one in view.curves
            ]
            self.lines.set(view.grid / 1000, lines, top=100.0, bottom=0.0)
        self.lines.set_marks([Mark(V / 1000, f"V = {V:,}", 100 * view.share)])

    def caption(self, view: Counted) -> str:
        copies = self.say("copies") if view.model.has_output and not view.model.tied else ""
        return self.say("caption", view, copies=copies)

    def numbers(self, view: Counted) -> list[Table]:
        columns = [view.grid.tolist(), *(one.shares.tolist() for one in view.curves)]
        names = ["V", *(one.name for one in view.curves)]
        title = "Share of the token table, in %, against V"
        return [Table(title, names, list(zip(*columns, strict=True)))]

    def formula(self, view: Counted) -> tuple[Formula, ...]:
        entry, rest = view.growth
        general = r"\frac{N_E}{N} = \frac{\dim{V} \, \dim{D}}{a \, \dim{V} + R}"
        return (share_formula(view, general, self.say("formula", entry=entry, rest=rest)),)

    def code_answer(self, view: Counted) -> Any:
        return next(one.shares for one in view.curves if one.yours) / 100


class TiedAndUntied(CountFigure):
    """Both models on one scale, and the product that either has to compute."""

    key = "tying"
    uses = (*MODEL, "dtype")

    def shown(self, view: Counted) -> Markup:
        """One bar for each model, to one scale."""
        most = float(max(model.parameters for model in view.pair))
        bars = (
            tag(
                "div",
                tag("b", named),
                stacked(slices(model), label=named, whole=most),
                tag("span", f"{model.parameters:,} parameters, {in_bytes(model.bytes(view.s.dtype))}"),
                tag("span", self.say("logits", operations=model.output_flops)),
            )
            for named, model in self.named(view)
        )
        return tag("div", join(bars), class_="lab-count-tying")

    def named(self, view: Counted) -> list[tuple[str, Any]]:
        """The models with their names."""
        names = ("Tied", "Untied") if len(view.pair) > 1 else ("No output layer",)
        return list(zip(names, view.pair, strict=True))

    def caption(self, view: Counted) -> str:
        if len(view.pair) == 1:
            return self.say("none", view)
        tied, untied = view.pair
        weighs = in_bytes(untied.bytes(view.s.dtype) - tied.bytes(view.s.dtype))
        return self.say("caption", view, saved=untied.parameters - tied.parameters, weighs=weighs)

    def numbers(self, view: Counted) -> list[Table]:
        rows: list[list[str | float]] = [
            [named.lower(), model.parameters, model.bytes(view.s.dtype), 100 * model.table_share,
             100 * model.vocabulary_share, model.output_flops]
            for named, model in self.named(view)
        ]  # fmt: skip
        names = [
            "output layer", "parameters", f"bytes, {view.s.dtype}", "token table in %",
            "with output layer in %", "operations for the logits, one token",
        ]  # fmt: skip
        return [Table("Tied and untied", names, rows)]

    def formula(self, view: Counted) -> tuple[Formula, ...]:
        model = view.model
        if not model.has_output:
            return (table_formula(view),)
        general = r"\text{operations} = 2\, \dim{V}\, \dim{D}"
        return (Formula(general, product(2, model.V, model.D), self.say("formula")),)

    def snippet(self, view: Counted) -> str:
        return "tying" if view.model.has_output else "no tying"

    def code_answer(self, view: Counted) -> Any:
        if len(view.pair) == 1:
            return [view.model.table_parameters]
        return [*(model.parameters for model in view.pair), view.model.output_flops]


class BesideTheWeights(CountFigure):
    """What sequences take beside the weights: keys and values, rows, and scores."""

    key = "memory"
    uses = (*MODEL, "dtype", "length", "batch")

    def shown(self, view: Counted) -> Markup:
        """Each with the weights to compare with."""
        rows = [
            ("", name, said, in_bytes(size), times(size / view.weights))
            for name, said, _, size in self.rows(view)
        ]
        asked = f"{self.say('asked', view.s)}, {view.s.dtype}"
        return table((asked, "counted as", "bytes", "of the weights"), rows, "lab-count-beside")

    def rows(self, view: Counted) -> list[tuple[str, str, int, int]]:
        """What is kept, how it is counted, how many numbers it has, and their bytes."""
        model, memory, dtype = view.model, view.memory, view.s.dtype
        kept, length = model.cache, f"{view.s.length:,}²"
        named = {
            "rows": (self.say("x"), f"per token {model.layers + 1:,} × {model.D:,}"),
            "scores": (self.say("written"), f"per sequence {counted(model.heads, 'head')} × {length}"),
        }
        if kept is not None:
            named = {"cache": (kept.name, f"per token {kept.numbers}"), **named}
        found = [(*said, getattr(memory, name), memory.bytes(name, dtype)) for name, said in named.items()]
        return [("weights", "", view.parameters, view.weights), *found]

    def caption(self, view: Counted) -> str:
        if view.model.cache is None:
            return self.say("encoder", view)
        keys, shared = counted(view.key_heads, "key head"), ""
        if isinstance(view.model, Latent):
            shared = f" {self.say('latent', view)}"
        elif view.model.heads > view.key_heads:
            shared = f" {self.say('shared', view, keys=keys)}"
        batch, length = view.s.batch, view.s.length
        return self.say(
            "caption",
            view,
            sequences=self.say("with", batch=batch) if batch > 1 else "",
            shared=shared,
            end=f" {self.say('end', view)}"
            if view.last_position is not None and length > view.last_position
            else "",
        )

    def numbers(self, view: Counted) -> list[Table]:
        names = ["what", "counted as", "numbers", f"bytes, {view.s.dtype}"]
        return [Table(f"Memory, {self.say('asked', view.s)}", names, self.rows(view))]

    def formula(self, view: Counted) -> tuple[Formula, ...]:
        model, kept, n, batch = view.model, view.model.cache, view.s.length, view.s.batch
        rows, scores = product(batch, n, model.layers + 1, model.D), product(batch, model.heads, n, n)
        made = [
            Formula(r"\text{batch} \cdot n \cdot (L + 1) \cdot \dim{D}", rows, self.say("rows")),
            Formula(r"\text{batch} \cdot \dim{H} \cdot n^2", scores, self.say("scores")),
        ]
        if kept is not None:
            general = rf"\text{{batch}} \cdot n \cdot {latex(kept.formula)}"
            filled = product(batch, n, kept.parameters)
            made.insert(0, Formula(general, filled, self.say("kept", kept=kept.name)))
        return tuple(made)

    def code_answer(self, view: Counted) -> Any:
        return [view.memory.cache, view.memory.rows, view.memory.scores]


class PublishedModels(CountFigure):
    """The table's share in every published model, and where the one that is counted stands."""

    key = "models"

    def shown(self, view: Counted) -> Markup:
        return _models("" if view.own else view.s.preset)

    def caption(self, view: Counted) -> str:
        (most, largest), *_, (least, smallest) = shares().items()
        ends = {"most": MODELS[most].title, "least": MODELS[least].title}
        said = self.say("caption", count=len(MODELS), largest=largest, smallest=smallest, **ends)
        stands = "would" if view.changes or view.own else "stands"
        return f"{said} {self.say(stands, view, subject=look.subject(view))}"

    def numbers(self, view: Counted) -> list[Table]:
        rows: list[list[str | float]] = [
            [model.title, one.V, one.D, one.table_parameters, model.published, one.active_parameters,
             100 * one.table_share, model.source]
            for model, one in ((model, model.architecture) for model in MODELS.values())
        ]  # fmt: skip
        columns = ["model", "V", "D", "token table", "all", "active per token", "share in %", "source"]
        return [Table("Published models", columns, rows)]

    def formula(self, view: Counted) -> tuple[Formula, ...]:
        return (share_formula(view),)

    def code_answer(self, view: Counted) -> Any:
        return list(shares().values())


@lru_cache(maxsize=64)
def _models(marked: str) -> Markup:
    rows = []
    for key, share in shares().items():
        model = MODELS[key]
        bar = tag("span", style=f"width:{100 * share:.2f}%;background:var(--dim-V)")
        numbers = f"{model.architecture.table_parameters:,} of {model.published:,}"
        rows.append(
            tag(
                "li",
                tag("span", model.title),
                tag("span", bar, class_="lab-share"),
                tag("b", percent(share)),
                tag("span", numbers, class_="lab-soft"),
                class_="lab-marked" if key == marked else None,
            )
        )
    first, rest = rows[:LISTED], rows[LISTED:]
    folded = tag(
        "details",
        tag("summary", f"{len(rest)} more"),
        tag("ul", join(rest), class_="lab-count-models"),
        open="" if marked in list(shares())[LISTED:] else None,
    )
    return join([tag("ul", join(first), class_="lab-count-models"), folded])


class CountRoom(Controlled):
    """Parameters of a model part by part, with its token table in front."""

    key, place, words = "count", "E", WORDS
    first = ("preset", "V", "d")
    kinds = (
        PartsOfModel,
        ShareAgainstV,
        TiedAndUntied,
        PaddedTable,
        StoredPositions,
        BesideTheWeights,
        VectorStore,
        PublishedModels,
    )
    asked = quiz.QUESTIONS

    @classmethod
    def picture(cls) -> Markup:
        """A small true picture for the start page: four models cut into their parts."""
        return picture([slices(MODELS[key].architecture) for key in DRAWN])
