"""How does text become X? Text, ids, one-hot, rows of E, positions, X: step by step, on real numbers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, partial
from typing import Any, ClassVar

import param

from app.kit import fields, picture
from app.kit.figure import Snapshot
from app.kit.formula import Formula, decimal, row
from app.kit.given import GIVEN, own_choice
from app.kit.html import EMPTY, Markup, dims, join, tag, vector
from app.kit.matrix import equation, verdict
from app.kit.numbers import Table
from app.kit.room import Room
from app.rooms.build import look, model, source
from app.rooms.build.controls import Steps, TwoPositions
from app.rooms.build.model import WORDS, Built
from app.rooms.build.own import PARTS, table_from
from app.rooms.build.quiz import QUESTIONS
from app.rooms.build.rows import BuildFigure, Ids, Lookup, OneHot, Text
from lab.embedding import drowned, lengths
from lab.positions import SCHEMES
from lab.vocab import Table as TokenTable

EXAMPLES = {
    "running": "Twelve course tokens",
    "onehot": "One-hot × 4 × 3 table",
    "finance": "Five finance tokens",
    "own": "Own text, real table",
    "ids": "GPT-2 ids, drawn rows",
}
STEPS = {
    "text": ("text",),
    "ids": ("ids",),
    "one-hot": ("onehot",),
    "rows of E": ("lookup",),
    "add the positions": ("sum",),
    "X": ("swap", "batch"),
}
"""The figures that are open at each step."""
NOTHING = {None: "sum.anywhere", "qk": "sum.qk", "scores": "sum.scores"}
"""What is said of a scheme that adds nothing to the input, by where it enters instead."""
WIDE = 512
"""Width of the first Transformer, at which a row is weighed against a position."""
_drowned = lru_cache(maxsize=1)(drowned)


class State(param.Parameterized):
    """What a reader can set."""

    example = param.Selector(default="running", objects=list(EXAMPLES), label="Example")
    text = param.String(default="", label="Text")
    scheme = param.Selector(default="learned", objects=list(SCHEMES), label="Position scheme")
    swap = param.NumericTuple(default=None, length=2, allow_None=True, label="Swap two tokens")
    scale = param.Boolean(default=False, label="Scale rows by √D")
    step = param.Integer(default=5, bounds=(1, len(STEPS)), label="Step")
    table = param.Parameter(default=None, precedence=-1, doc="The teacher's own.")


class Swappable(BuildFigure):
    """What the figures share in which two tokens can be swapped."""

    view = Built
    uses = ("example", "table", "text", "scheme", "swap", "scale")

    def tokens(self, view: Built) -> Markup:
        return look.tokens(view, marked=view.positions)


class Sum(Swappable):
    """The rows, what the scheme adds, and X."""

    key = "sum"
    matrices: ClassVar = {"E[ids]": "rows", "P": "added", "X": "X"}

    def stage(self, view: Built) -> Markup:
        nothing = (
            verdict(WORDS.say(NOTHING[view.scheme.enters], view), "warn") if view.added is None else EMPTY
        )
        shown = self.equation(view) if view.small else EMPTY
        return join([shown, nothing, on_swap(view), self.lengths(view)])

    def equation(self, view: Built) -> Markup:
        """Rows plus positions are X."""
        top = look.strongest(view)
        rows, x = look.picked(view, top), x_matrix(view)
        if view.added is None:
            return equation(rows, "=", x, shared=True)
        under = self.say("under", view, kind=view.scheme.title.lower())
        positions = [str(view.origin + position) for position in range(view.T)]
        added = look.rows(view, view.added, "P", under, rows=positions, strongest=top)
        return equation(rows, "+", added, "=", x, shared=True)

    def lengths(self, view: Built) -> Markup:
        """How long token rows are beside what is added to them, and what the root of D is for."""
        said = [WORDS.say("lookup.factor", view, root=view.D**0.5)] if view.s.scale else []
        if view.added is not None:
            rows, added = (float(lengths(of).mean()) for of in (view.rows, view.added))
            said.append(self.say("lengths" if view.T > 1 else "length", rows=rows, added=added))
            said.append(self.say("drowned", drowned=_drowned(WIDE), root=WIDE**0.5))
        elif view.s.scale:
            said.append(self.say("alone", view, wide=WIDE, root=WIDE**0.5))
        return verdict(" ".join(said)) if said else EMPTY

    def caption(self, view: Built) -> str:
        return self.say("caption", view, added=added_by(view), row=view.X[view.t - 1])

    def numbers(self, view: Built) -> list[Table]:
        added = view.rows * 0 if view.added is None else view.added
        both = [list(both) for both in zip(lengths(view.rows), lengths(added), strict=True)]
        names = ["length of the token row", "length of what is added"]
        return [*super().numbers(view), look.numbers("Lengths of the rows", view, both, names)]

    def formula(self, view: Built) -> tuple[Formula, ...]:
        return (sum_formula(view),)

    def code(self, s: Snapshot) -> str:
        return source.of_sum(Built(s), "result = X")

    def code_answer(self, view: Built) -> Any:
        return view.X


class Swap(Swappable):
    """X, X after a swap, and whether more than two rows have traded places."""

    key = "swap"
    matrices: ClassVar = {"X": "X", "X after the swap": "after", "Change of the rows": "change"}

    def stage(self, view: Built) -> Markup:
        if not view.small:
            return on_swap(view)
        shown: list[Markup | str] = [x_matrix(view)]
        if view.positions:
            labels, (first, second) = look.labels(view), _marked(view)
            labels[first], labels[second] = labels[second], labels[first]
            named: dict[str, Any] = {"rows": labels, "strongest": look.strongest(view)}
            title = self.say("after", first=view.positions[0], second=view.positions[1])
            shown.append(look.rows(view, view.after, title, marked_rows=_marked(view), **named))
            shown.append(look.rows(view, view.change, self.say("change"), self.say("from"), **named))
        return join([equation(*shown), on_swap(view)])

    def caption(self, view: Built) -> str:
        return self.say("changed" if view.positions else "caption", view, added=added_by(view))

    def formula(self, view: Built) -> tuple[Formula, ...]:
        if not view.positions:
            return (sum_formula(view),)
        plus = "" if view.added is None else " + P"
        general, most = rf"X_s = E[\mathrm{{ids}}_s]{plus}", r"\max\left| X_s - \tilde{X} \right|"
        filled = f"{most} = {decimal(view.difference)}"
        return (Formula(rf"{general}, \qquad {most}", filled, self.say("formula")),)

    def code(self, s: Snapshot) -> str:
        return source.of_swap(Built(s))

    def code_answer(self, view: Built) -> Any:
        return [view.X, view.after] if view.positions else view.X


class Batch(BuildFigure):
    """What each row of X is to the blocks, the batch axis, the mean of a row and that of all rows."""

    key, view = "batch", Built
    uses = ("example", "table", "text", "scheme", "scale")

    def make(self) -> Any:
        return (self.stage,)

    def draw(self, view: Built) -> None:
        """All of it is HTML."""

    def stage(self, view: Built) -> Markup:
        arrow = tag("span", "→", class_="lab-sign lab-small", aria_hidden="true")
        size = tag("i", dims(("T", view.T), ("D", view.D)))
        names = ("X", "after block 1", "after block 2", "… the last block")
        stream = join((tag("span", tag("b", name), size, class_="lab-box") for name in names), arrow)
        slot = self.say("normalised" if view.s.example == "own" else "slot", view)
        batch = self.say("batch", shape=self.shape(view))
        raw = view.scheme.key == "raw"
        return join(
            [
                tag("div", stream, class_="lab-stream"),
                verdict(f"{slot} {batch}"),
                verdict(self.mean(view), "warn" if raw and not view.centred else ""),
                verdict(self.say("pooled", view)),
            ]
        )

    def shape(self, view: Built) -> str:
        """Of X as a batch of one text."""
        return f"1, {view.T}, {view.D}"

    def mean(self, view: Built) -> str:
        """The mean of each row of X, which a layer norm subtracts."""
        if view.centred:
            return self.say("zero", of="E" if view.added is None else "E and P")
        run = self.say("means" if view.T > 1 else "one", low=view.means.min(), high=view.means.max())
        return f"{run} {self.say('raw' if view.scheme.key == 'raw' else 'norm')}"

    def caption(self, view: Built) -> str:
        return self.say("caption", view, shape=self.shape(view))

    def numbers(self, view: Built) -> list[Table]:
        means = look.numbers("Means of the rows of X", view, view.means[:, None], ["mean"])
        pooled = [[j, value] for j, value in enumerate(view.pooled.tolist(), start=1)]
        return [means, Table("Mean of all rows of X", ["dimension", "mean"], pooled)]

    def formula(self, view: Built) -> tuple[Formula, ...]:
        pooled = row(vector(view.pooled, most=6))
        return (
            Formula(
                r"X \in \mathbb{R}^{B \times \dim{T} \times \dim{D}}",
                rf"B \times \dim{{T}} \times \dim{{D}} = 1 \times {view.T} \times {view.D}",
            ),
            Formula(
                r"\mu_t = \frac{1}{\dim{D}} \sum_j x_{tj}, \qquad \bar{x} = \frac{1}{\dim{T}} \sum_t x_t",
                rf"\mu_{{{view.t}}} = {decimal(float(view.means[view.t - 1]))}, \quad \bar{{x}} = {pooled}",
                self.say("formula"),
            ),
        )

    def code(self, s: Snapshot) -> str:
        return source.of_sum(Built(s), source.BATCH)

    def code_answer(self, view: Built) -> Any:
        return view.pooled[None]


def sum_formula(view: Built) -> Formula:
    """X as a sum, and with the numbers of one token."""
    at, factor = view.t - 1, rf"\sqrt{{{view.D}}}\," if view.s.scale else ""
    rows, x = (row(vector(of[at], most=6)) for of in (view.rows, view.X))
    picked = rf"x_{{{view.t}}} = {factor}E[{view.id}]"
    space = r"\qquad X \in \mathbb{R}^{\dim{T} \times \dim{D}}"
    if view.added is None:
        return Formula(rf"X = E[\mathrm{{ids}}]{space}", f"{picked} = {rows}", WORDS.say("sum.source", view))
    p = row(vector(view.added[at], most=6))
    filled = rf"{picked} + P_{{{view.origin + at}}} = {rows} + {p} = {x}"
    return Formula(rf"X = E[\mathrm{{ids}}] + P{space}", filled, WORDS.say("sum.formula", view))


def x_matrix(view: Built) -> Markup:
    """X, with the rows of a swap outlined."""
    options: dict[str, Any] = {"strongest": look.strongest(view), "marked_rows": _marked(view)}
    return look.rows(view, view.X, "X", WORDS.raw("swap.begin"), **options)


def _marked(view: Built) -> list[int]:
    return [position - 1 for position in view.positions]


def added_by(view: Built) -> str:
    """What the scheme adds."""
    return WORDS.say("sum.nothing" if view.added is None else "sum.adds", view)


def on_swap(view: Built) -> Markup:
    """What the swap did to the rows."""
    if view.after is None:
        return verdict(WORDS.say("swap.invite"))
    first, second = view.positions
    equal = view.ids[first - 1] == view.ids[second - 1]
    name = "swap.itself" if first == second else "swap.equal" if equal else "swap.blind"
    if not view.difference:
        return verdict(WORDS.say(name, first=first, second=second), "warn" if name == "swap.blind" else "")
    rows = {"now": view.after[second - 1], "was": view.X[first - 1], "token": view.pieces[first - 1].token}
    return verdict(WORDS.say("swap.seen", view, first=first, second=second, **rows), "good")


def table_in(values: Mapping[str, Any]) -> TokenTable:
    """The table of a state."""
    return model.table_of(values["example"], values.get("table"))


class BuildRoom(Room):
    """Text to X, with a swap that asks whether X notices order."""

    key, place, words = "build", "text", WORDS
    State = State
    kinds = (Text, Ids, OneHot, Lookup, Sum, Swap, Batch)
    first = ("text", "swap", "scheme")
    given = PARTS
    tabs = "step"
    fields: ClassVar = {
        "example": partial(own_choice, labels=EXAMPLES, of="table"),
        "text": partial(fields.Typed, read=lambda shown: table_in(shown).example),
        "scheme": fields.choices({key: scheme.title for key, scheme in SCHEMES.items()}),
        "swap": TwoPositions,
        "step": partial(Steps, names=tuple(STEPS)),
    }
    asked = QUESTIONS

    @classmethod
    def opened(cls, values: Mapping[str, Any]) -> tuple[str, ...]:
        """The figures of the step."""
        return list(STEPS.values())[values["step"] - 1]

    @classmethod
    def take(cls, data: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
        """Her vocabulary, E and P as a table."""
        return table_from(data)

    @classmethod
    def begins(cls, data: Mapping[str, Any]) -> dict[str, Any]:
        """Her table is chosen."""
        return {"example": GIVEN} if data else {}

    @classmethod
    def normalise(cls, values: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
        """No swap of a position beyond the text."""
        T = len(model.cut(table_in(values), values["text"]).kept) if values["swap"] else 0
        far = [int(position) for position in values["swap"] or () if T and not 1 <= position <= T]
        return ({**values, "swap": None}, (model.nowhere(far[0], T),)) if far else (dict(values), ())

    @classmethod
    def picture(cls) -> Markup:
        """A small true picture for the start page: X of the running example."""
        return picture.matrix(Built(Snapshot(model.USUAL)).X)

    def build(self) -> None:
        """Make the page; the steps stand with the other controls."""
        super().build()
        steps = self._fields["step"].pane
        if steps in self.figures:
            self.figures.remove(steps)
            self.controls.append(steps)

    def effective(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The tokens of the text, too: their positions can be swapped."""
        return {**values, "T": len(model.cut(table_in(values), values["text"]).kept)}
