"""From the text to rows of E: tokens, ids, one-hot rows, the lookup."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from app.kit import budget
from app.kit.budget import Cost
from app.kit.figure import Figure, Snapshot
from app.kit.formula import Formula, decimal, row
from app.kit.html import EMPTY, Markup, dims, join, tag, vector, visible
from app.kit.matrix import equation, verdict
from app.kit.numbers import Table
from app.rooms.build import look, source
from app.rooms.build.model import WORDS, Tokens

GPT2_IDS = (464, 3332)
"""The ids of ‘The’ and ‘ sat’ in GPT-2's vocabulary."""
SHOWN = 60
"""Ids that are written out."""


class BuildFigure(Figure):
    """What all figures of this room share: the text as chips, large matrices as pictures, and a stage."""

    words = WORDS
    view: ClassVar[type[Tokens]] = Tokens
    uses: ClassVar[tuple[str, ...]] = ("example", "table", "text")
    matrices: ClassVar[Mapping[str, str]] = {}
    """Parts of the view by name: shown as pictures where they are large, and among the numbers."""

    def cost(self, s: Snapshot) -> Cost:
        # the whole text is cut into tokens, however many are kept
        return budget.typed(s.text)

    def make(self) -> Sequence[Any]:
        self.pictures = look.Pictures(self.matrices)
        return self.tokens, self.pictures, self.stage

    def draw(self, view: Any) -> None:
        self.pictures.show(view)

    def tokens(self, view: Any) -> Markup:
        """The text as token chips, its ids and positions on them."""
        return look.tokens(view)

    def stage(self, view: Any) -> Markup:
        """What stands under the tokens."""
        raise NotImplementedError(type(self).__name__)  # pragma: no cover

    def numbers(self, view: Any) -> list[Table]:
        names, lines = ["id", "made from"], [[piece.id, piece.text] for piece in view.pieces]
        if view.full_ids:
            names = [*names, "id in MiniLM"]
            lines = [[*line, full] for line, full in zip(lines, view.full_ids, strict=True)]
        tables = [look.numbers("Tokens", view, lines, names)]
        shown = ((name, getattr(view, part)) for name, part in self.matrices.items())
        return [*tables, *(look.numbers(name, view, values) for name, values in shown if values is not None)]


class Text(BuildFigure):
    """The text, cut into tokens."""

    key = "text"

    def tokens(self, view: Tokens) -> Markup:
        return look.tokens(view, numbered=False)

    def stage(self, view: Tokens) -> Markup:
        if view.s.example == "ids":
            return verdict(self.say("given"))
        # words are counted where all of the text was kept
        counts = {"characters": len(view.text), "words": len({piece.word for piece in view.pieces})}
        said = self.say("cut" if view.dropped else "words", view, **counts)
        return verdict(f"{said} {self.say('space')}" if view.s.example == "running" else said)

    def caption(self, view: Tokens) -> str:
        return self.say("kept" if view.dropped else "caption", view)

    def formula(self, view: Tokens) -> tuple[Formula, ...]:
        sizes = rf"\dim{{T}} = {decimal(view.T)},\quad \dim{{V}} = {decimal(view.V)}"
        return (Formula(r"\text{text} \to (w_1, \ldots, w_{\dim{T}})", sizes, self.say("formula")),)

    def code(self, s: Snapshot) -> str:
        return source.of_text(Tokens(s))

    def code_answer(self, view: Tokens) -> Any:
        return view.ids


class Ids(BuildFigure):
    """The ids, and that arithmetic on them means nothing."""

    key = "ids"

    def stage(self, view: Tokens) -> Markup:
        ids = ", ".join(str(one) for one in view.ids[:SHOWN].tolist()) + (", …" if view.T > SHOWN else "")
        written = tag("p", tag("b", "ids "), tag("code", f"[{ids}]"))
        first, second = map(str, GPT2_IDS)
        gpt2 = self.say("gpt2", first=first, second=second, mean=f"{sum(GPT2_IDS) / 2:.0f}")
        return join([equation(written), verdict(f"{self.mean(view)} {gpt2}")])

    def mean(self, view: Tokens) -> str:
        """What the mean of the first two ids names."""
        if len(view.different) < 2:
            return self.say("name")
        first, second = map(str, view.different)
        other = self.say("nobody")
        if view.mean_id.is_integer():
            other = self.say("other", named=visible(view.table.vocabulary.tokens[int(view.mean_id)]))
        return self.say("mean", view, first=first, second=second, other=other)

    def caption(self, view: Tokens) -> str:
        listed = ", ".join(str(one) for one in view.ids[:8].tolist()) + (", …" if view.T > 8 else "")
        return self.say("caption" if view.T > 1 else "one", view, listed=listed)

    def formula(self, view: Tokens) -> tuple[Formula, ...]:
        filled = rf"\mathrm{{id}}_{{{view.t}}} = {view.id},\quad \dim{{V}} = {decimal(view.V)}"
        return (Formula(r"\mathrm{id}_t \in \{0, 1, \ldots, \dim{V} - 1\}", filled, self.say("formula")),)

    def code(self, s: Snapshot) -> str:
        return source.of_ids(Tokens(s))

    def code_answer(self, view: Tokens) -> Any:
        return view.mean_id


class OneHot(BuildFigure):
    """One-hot rows times E."""

    key = "onehot"

    def stage(self, view: Tokens) -> Markup:
        agree = view.lookup_equals_product
        which = self.say("first" if view.compared < view.T else "all" if view.T > 1 else "single", view)
        same = verdict(self.say("agree" if agree else "differ", which=which), "good" if agree else "bad")
        if view.one_hot is None or not view.small:
            return join([verdict(self.say("large", view, zeros=view.V - 1)), same])
        columns, sizes = [str(id) for id in range(view.V)], dims(("T", view.T), ("V", view.V))
        left = look.rows(view, view.one_hot, "one-hot(ids)", sizes, columns=columns, signed=False)
        product = equation(left, "×", look.table(view), "=", look.rows(view, view.picked, "E[ids]"))
        orthogonal = verdict(self.say("orthogonal")) if len(view.different) > 1 else EMPTY
        return join([product, orthogonal, same])

    def numbers(self, view: Tokens) -> list[Table]:
        return [*super().numbers(view), look.numbers("one-hot(ids) times E", view, view.picked)]

    def formula(self, view: Tokens) -> tuple[Formula, ...]:
        return (lookup_formula(view),)

    def code(self, s: Snapshot) -> str:
        view = Tokens(s)
        return source.of_rows(view, source.ONE_HOT, view.compared)

    def code_answer(self, view: Tokens) -> Any:
        return view.picked[: view.compared]


class Lookup(BuildFigure):
    """The rows of E that the ids pick."""

    key = "lookup"
    uses = ("example", "table", "text", "scale")
    matrices: ClassVar = {"E[ids]": "rows"}

    def stage(self, view: Tokens) -> Markup:
        parts = [verdict(self.again(view))]
        if view.small:
            rows = look.picked(view)
            shown = equation(look.table(view), "→", rows) if view.listed else rows
            parts = [shown, *parts, self.alike(view)]
        if view.s.scale:
            parts.append(verdict(self.say("factor", view, root=view.D**0.5)))
        return join(parts)

    def again(self, view: Tokens) -> str:
        """Whether a token occurs twice."""
        if not view.repeated:
            return self.say("never")
        positions = " and ".join(str(position) for position in view.repeated[:4])
        return self.say("again", token=view.pieces[view.repeated[0] - 1].token, positions=positions)

    def alike(self, view: Tokens) -> Markup:
        """The rows of the table that are most alike, and most opposed."""
        if not view.alike:
            return EMPTY
        most, least = (self.say("cosine", a=a, b=b, cosine=cosine) for a, b, cosine in view.alike)
        return verdict(self.say("alike", most=most, least=least))

    def caption(self, view: Tokens) -> str:
        return self.say("scaled" if view.s.scale else "caption", view, row=view.rows[view.t - 1])

    def numbers(self, view: Tokens) -> list[Table]:
        if view.cosines is None:
            return super().numbers(view)
        names = [visible(token) for token in view.table.vocabulary]
        cosines = [[name, *line] for name, line in zip(names, view.cosines.tolist(), strict=True)]
        return [*super().numbers(view), Table("Cosines between the rows of E", ["token", *names], cosines)]

    def formula(self, view: Tokens) -> tuple[Formula, ...]:
        return (lookup_formula(view),)

    def code(self, s: Snapshot) -> str:
        view = Tokens(s)
        return source.of_rows(view, f"result = E[ids]{source.times(view)}  # (T,) -> (T, D)")

    def code_answer(self, view: Tokens) -> Any:
        return view.rows


def lookup_formula(view: Tokens) -> Formula:
    """The lookup as a product, and with the numbers of one token."""
    return Formula(
        r"x_t = E[\mathrm{id}_t] = \mathrm{onehot}(\mathrm{id}_t)\, E"
        r"\qquad E \in \mathbb{R}^{\dim{V} \times \dim{D}}",
        rf"E[{view.id}] = {row(vector(view.picked[view.t - 1], most=6))}",
        WORDS.say("lookup.formula"),
    )
