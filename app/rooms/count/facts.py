"""What all figures of the room `count` share, and those that show a few numbers and no more."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

from app.kit.figure import Figure, Snapshot
from app.kit.formula import Formula, numeral
from app.kit.html import Markup, join, number, tag
from app.kit.numbers import Table
from app.rooms.count import look, source
from app.rooms.count.model import Counted
from app.rooms.count.origin import WORDS
from app.rooms.count.source import latex, product, whole
from lab.counting import Stack

MODEL = ("preset", "V", "d", "layers", "max_positions", "tied", "config")
"""The settings that say which model is counted."""


class CountFigure(Figure):
    """What all figures of this room share."""

    words, view = WORDS, Counted
    uses: ClassVar[tuple[str, ...]] = MODEL

    def compute(self, s: Snapshot) -> Counted:
        view = self.view(s)
        _ = view.parts  # a model that is none is refused before anything is drawn
        return view

    def make(self) -> Sequence[Any]:
        return (self.shown,)

    def shown(self, view: Counted) -> Markup:
        """The picture, in HTML."""
        raise NotImplementedError(type(self).__name__)  # pragma: no cover

    def aside(self, view: Counted) -> Markup:
        """Which model is counted."""
        named, note = look.name(view)
        return tag("p", tag("b", named), ", ", note, ".")

    def code(self, s: Snapshot) -> str:
        view = self.view(s)
        return source.code(self.snippet(view), view)

    def snippet(self, view: Counted) -> str:
        """Which code counts the same."""
        return self.key


class Facts(CountFigure):
    """A figure of a few numbers that are easily taken for one another."""

    def shown(self, view: Counted) -> Markup:
        """Each number over what it is."""
        boxes = join(_box(name, fact) for name, fact in self.facts(view).items())
        return tag("div", boxes, class_="lab-count-boxes")

    def facts(self, view: Counted) -> dict[str, str | float]:
        """The numbers by what they are."""
        raise NotImplementedError(type(self).__name__)  # pragma: no cover

    def numbers(self, view: Counted) -> list[Table]:
        return [Table(self.title, ["what", "number"], list(self.facts(view).items()))]


def _box(name: str, fact: str | float) -> Markup:
    said = fact if isinstance(fact, str) else number(fact)
    if name.startswith("% "):
        # beside its number the sign is read with it
        said, name = f"{said} %", name.removeprefix("% ")
    return tag("div", tag("b", said), tag("i", name), class_="lab-box")


def table_formula(view: Counted, says: str = "") -> Formula:
    """The numbers of the token table."""
    filled = f"N_E = {product(view.model.V, view.model.D)}"
    return Formula(r"N_E = \dim{V} \cdot \dim{D}", filled, says)


def share_formula(view: Counted, general: str = "N_E / N", says: str = "") -> Formula:
    """Its share of all parameters."""
    table, total = whole(view.model.table_parameters), whole(view.parameters)
    return Formula(general, f"{table} / {total} = {numeral(view.share)}", says)


class PaddedTable(Facts):
    """Three widths that are taken for one another, and what padding rows take from the softmax."""

    key = "padding"
    uses = (*MODEL, "multiple", "logit")

    def facts(self, view: Counted) -> dict[str, str | float]:
        tokens, rows = view.padded
        found: dict[str, str | float] = {
            "tokens of the tokenizer": tokens,
            "rows of the embedding table": rows,
            "logits": "no output layer" if view.mass is None else rows,
            "rows for padding": view.padded.phantoms,
            "parameters for padding": view.extra,
        }
        return found if view.mass is None else {**found, "% of the softmax on padding": 100 * view.mass}

    def caption(self, view: Counted) -> str:
        if not view.padded.phantoms:
            return self.say("full", view)
        but = self.say("mute") if view.mass is None else self.softmax(view, view.mass)
        return self.say("caption", view, rows=view.padded.phantoms, but=but)

    def softmax(self, view: Counted, mass: float) -> str:
        """What the padding rows take, against their share of the rows."""
        of_rows, one_in = view.padded.phantoms / view.padded.rows, ""
        # of a mass above a half nothing is said that way: it would be one in one
        if 0 < mass <= 0.5:
            one_in = self.say("one_in", tokens=number(1 / mass, 1 if mass > 0.1 else 0))
        name = "even" if math.isclose(mass, of_rows, rel_tol=1e-9) else "more" if mass > of_rows else "less"
        against = self.say(name, one_in=one_in, of_rows=100 * of_rows)
        return self.say("loud", view, percent=100 * mass, against=against)

    def formula(self, view: Counted) -> tuple[Formula, ...]:
        (tokens, rows), padding, multiple = view.padded, view.padded.phantoms, whole(view.s.multiple)
        inner = rf"\left\lceil {whole(tokens)} / {multiple} \right\rceil"
        filled = rf"R = {multiple} \cdot {inner} = {whole(rows)}"
        if view.mass is not None:
            below = rf"{whole(tokens)} \cdot e^{{{numeral(view.s.logit)}}} + {whole(padding)}"
            filled += rf",\quad p = \frac{{{whole(padding)}}}{{{below}}} = {numeral(view.mass)}"
        general = (
            r"R = m \left\lceil \frac{\dim{V}}{m} \right\rceil, \qquad "
            r"p_{\text{padding}} = \frac{R - \dim{V}}{\dim{V}\, e^{z} + R - \dim{V}}"
        )
        return (Formula(general, filled, self.say("formula")),)

    def snippet(self, view: Counted) -> str:
        return "no logits" if view.mass is None else "padding"

    def code_answer(self, view: Counted) -> Any:
        mass = [] if view.mass is None else [view.mass]
        return [view.padded.rows, view.padded.phantoms, *mass]


class StoredPositions(Facts):
    """What learned positions cost, or would."""

    key = "positions"

    def facts(self, view: Counted) -> dict[str, str | float]:
        stored = view.stored.parameters
        return {
            "rows for positions": view.position_rows,
            "tokens that have a row": view.window if view.position_rows else "no token needs one",
            "parameters for positions": stored,
            "% of the model": 100 * stored / view.parameters,
            "% of the token table": 100 * stored / view.model.table_parameters,
        }

    def caption(self, view: Counted) -> str:
        D, stored = int(view.model.D), view.stored.parameters
        if not view.position_rows:
            if stored:
                return self.say("relative", view)
            how = WORDS.raw(f"scheme {view.model.positions}.how")
            return self.say("rule", view, how=how, learned=view.asked * D)
        skipped, first = view.origin.skipped, ""
        if skipped:
            # a decoder counts past rows that it never uses, an encoder from behind its padding id
            behind = "" if isinstance(view.model, Stack) else self.say("behind", id=skipped - 1)
            first = f" {self.say('first', view, row=skipped + 1, behind=behind)}"
        return self.say(
            "caption",
            view,
            of_model=stored / view.parameters,
            of_table=stored / view.model.table_parameters,
            first=first,
            next=view.window + 1,
            nearly="nearly " if skipped else "",
            doubled=(2 * view.window + skipped) * D,
        )

    def formula(self, view: Counted) -> tuple[Formula, ...]:
        stored = view.stored
        if not stored.parameters:
            filled = product(view.asked, view.model.D)
            return (Formula(r"N_P = P \cdot \dim{D}", filled, self.say("would", view)),)
        filled = product(*(int(size.replace(",", "")) for size in stored.numbers.split("·")))
        return (Formula(f"N_P = {latex(stored.formula)}", f"N_P = {filled}"),)

    def code_answer(self, view: Counted) -> Any:
        stored = view.stored.parameters
        return [stored, stored / view.parameters, stored / view.model.table_parameters]


class VectorStore(Facts):
    """Whether a store takes vectors of this model."""

    key = "store"
    uses = (*MODEL, "dimension")

    def facts(self, view: Counted) -> dict[str, str | float]:
        said = "refused" if view.refusal else "accepted"
        return {
            "dimension of the store": view.s.dimension,
            "width of the vectors": view.model.D,
            "vectors": said,
        }

    def caption(self, view: Counted) -> str:
        if view.refusal:
            return self.say("refused", view)
        return self.say("accepted", view, whose=self.say("whose") if view.changes else view.title)

    def formula(self, view: Counted) -> tuple[Formula, ...]:
        sign = r"\ne" if view.refusal else "="
        filled = rf"{numeral(view.s.dimension)} {sign} {whole(view.model.D)}"
        return (Formula(r"d_{\text{store}} = \dim{D}", filled, self.say("formula")),)

    def code_answer(self, view: Counted) -> Any:
        return [view.s.dimension, view.model.D, not view.refusal]
