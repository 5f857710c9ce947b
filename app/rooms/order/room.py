"""Can attention see who bites whom? One layer, the same words in two orders, and one number."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

import param

from app.kit import budget, controls, fields, picture
from app.kit.budget import Cost
from app.kit.figure import Figure, Snapshot
from app.kit.figures import Curves
from app.kit.formula import Formula, decimal, row
from app.kit.given import GIVEN, own_choice
from app.kit.html import Markup, dims, join, minus, number, shorten, tag, vector, visible
from app.kit.matrix import Chip, chips, equation, matrix, verdict
from app.kit.numbers import Table
from app.kit.room import Room
from app.rooms.order import model, source
from app.rooms.order.model import SENTENCES, WORDS, Documents, Marked, Orders, exact, quoted
from app.rooms.order.own import DRAWN, MOST_HEADS, PARTS, own_of
from app.rooms.order.quiz import QUESTIONS
from lab.attention import Attention
from lab.positions import SCHEMES

Texts = Sequence[str]
ORDERS = {"reverse": "Reversed", "swap": "First two swapped", "shuffle": "Shuffled by the seed"}
HEAD_LIMIT = 8
"""Characters of a word at the head of a row."""


class State(param.Parameterized):
    """What a reader can set."""

    sentence = param.Selector(default="bites", objects=list(SENTENCES), label="Sentence")
    text = param.String(default="", label="Or your own words")
    order = param.Selector(default="reverse", objects=list(ORDERS), label="Second order")
    permutation = param.String(default="", label="Or its positions, one by one")
    scheme = param.Selector(default="none", objects=list(SCHEMES), label="Position scheme")
    mask = param.Boolean(default=False, label="Causal mask")
    head = param.Integer(default=1, bounds=(1, MOST_HEADS), label="Head shown")
    seed = param.Integer(
        default=0,
        bounds=(0, 9999),
        label="Seed",
        doc="Draws the rows of the words, the weights, the shuffle.",
    )
    places = param.Integer(default=12, bounds=(2, 64), label="Tokens T", doc="Of the marked sequence.")
    second = param.String(default="not good", label="Second document")
    boundary = param.Boolean(default=False, label="Boundary token")
    separate = param.Boolean(default=False, label="Mask between documents")
    restart = param.Boolean(default=False, label="Positions")
    own = param.Parameter(default=None, precedence=-1, doc="The teacher's rows and weights.")


class OrderFigure(Figure):
    """What all figures of this room share."""

    words = WORDS

    def cost(self, s: Snapshot) -> Cost:
        # each sign of what is typed is looked at and drawn
        return budget.typed(*(value for name, value in s if name in ("text", "permutation", "second")))


class Swap(OrderFigure):
    """Both orders side by side, and the one number."""

    key, view = "swap", Orders
    uses: ClassVar = (*model.TEXT, *model.ORDER)

    def make(self) -> Sequence[Any]:
        return self.headline, self.panels, self.finding

    def headline(self, view: Orders) -> Markup:
        """The one number, large, and what it is."""
        measured = minus(f"{view.found.gap:.1e}")
        name = "heads" if not view.blind else "rounding" if view.found.gap > 0 else "exactly"
        below = tag("span", self.say(name, heads=view.heads, measured=measured))
        said = tag("span", tag("span", self.say("measures")), below)
        return tag("div", tag("b", number(view.gap), class_="lab-figure-number"), said, class_="lab-headline")

    def panels(self, view: Orders) -> Markup:
        """Tokens, attention weights and outputs in both orders."""
        was = [f"was {row + 1}" for row in view.order.tolist()]
        written = self.panel(view, "x, as written", "f(x)", view.words, [""] * view.T, view.before)
        permuted = self.panel(view, "Px, permuted", "f(Px)", view.tokens, was, view.after)
        return tag("div", written, permuted, class_="lab-panels")

    def panel(
        self, view: Orders, title: str, output: str, words: Texts, notes: Texts, attention: Attention
    ) -> Markup:
        """One of the two orders: its words, each with a note, and what the head shown makes of them."""
        T, head, labels = view.T, view.s.head, _labels(words)
        noted = enumerate(zip(words, notes, strict=True), start=1)
        tokens = [Chip(word, position=position, note=note) for position, (word, note) in noted]
        weights = matrix(
            attention.weights[head - 1],
            title=f"Attention weights, head {head}",
            under=join([dims(("T", T), ("T", T)), ", each row adds up to 1"]),
            rows=labels,
            columns=labels,
            strongest=1.0,
            signed=False,
            digits=3 if T <= 6 else 2,
        )
        outputs = matrix(
            attention.output[:, view.columns],
            title=f"{output}, head {head}",
            under=dims(("T", T), ("d", attention.output.shape[1] // view.heads)),
            rows=labels,
            strongest=float(max(abs(view.before.output).max(), abs(view.after.output).max())) or 1.0,
        )
        return tag("section", tag("h2", title), chips(tokens, f"Tokens, {title}"), weights, outputs)

    def finding(self, view: Orders) -> Markup:
        """What the number says of this layer and this order, and what it is for one that reads in order."""
        if not view.moved:
            return verdict(self.say("still"))
        names = self.reasons(view)
        kind = "warn" if view.blind else "good"
        said = verdict(" ".join(self.say(name, view) for name in names), kind)
        return join([said, verdict(self.say("recurrent", view))])

    def reasons(self, view: Orders) -> list[str]:
        """The sentences on an order that moves something."""
        enters, mask, same = view.scheme.enters, view.s.mask, view.words == view.tokens
        if view.blind and enters is None and not mask:
            return ["average", "equal" if same else "set"]
        if view.blind:
            return ["mirror" if view.mirrored and enters == "scores" and not mask else "alike"]
        of_mask = ["alone" if enters is None else "too"] if mask else []
        return [*([enters] if enters else []), *of_mask, "traded" if same else "two"]

    def caption(self, view: Orders) -> str:
        placed = self.say("positions" if view.scheme.enters else "none", view)
        masked = self.say("causal" if view.s.mask else "open")
        mean = exact(view.mean_gap)
        return self.say("caption", view, placed=placed, masked=masked, mean=mean)

    def numbers(self, view: Orders) -> list[Table]:
        rows = enumerate(zip(view.tokens, view.order.tolist(), strict=True), start=1)
        tokens = [[position, word, row + 1] for position, (word, row) in rows]
        mean = ["attention, mean over the tokens", view.mean_gap]
        gaps = [["attention", view.found.gap], mean, ["recurrent", view.recurrent_gap]]
        index, head = view.s.head - 1, f"Attention weights of head {view.s.head}"
        return [
            Table("Order", ["position", "token", "was at"], tokens),
            Table("f(Px) against P f(x)", ["layer", "largest difference"], gaps),
            _square(f"{head}, as written", view.words, view.before.weights[index]),
            _square(f"{head}, permuted", view.tokens, view.after.weights[index]),
        ]

    def formula(self, view: Orders) -> tuple[Formula, ...]:
        last = view.before.weights[view.s.head - 1, -1]
        return (
            Formula(
                r"f(PX) = P\,f(X) \quad\text{for every permutation } P \text{ of the } \dim{T} \text{ rows}",
                rf"\max \left| f(PX) - P\,f(X) \right| = {decimal(view.gap)}",
                self.say("equivariant"),
            ),
            Formula(
                r"f(X) = \operatorname{softmax}\!\left(\frac{Q K^{\top}}{\sqrt{\dim{d}}} + B + M\right) V"
                r"\qquad Q = X W_q,\; K = X W_k,\; V = X W_v",
                rf"a_{{{view.T}}} = {row(vector(last, most=12))}",
                self.say("attention", view),
            ),
        )

    def code(self, s: Snapshot) -> str:
        return source.of_orders(Orders(s), "f(x[order]) - f(x)[order]  # (T, D)")

    def code_answer(self, view: Orders) -> Any:
        return view.difference


class Rows(OrderFigure):
    """f(Px) minus P f(x), row by row, for the head shown."""

    key, view = "rows", Orders
    uses: ClassVar = (*model.TEXT, *model.ORDER)

    def make(self) -> Sequence[Any]:
        return (self.comparison,)

    def comparison(self, view: Orders) -> Markup:
        """Both and their difference, on one colour scale."""
        after, moved, difference = self.compared(view)
        top = float(max(abs(after).max(), abs(moved).max())) or 1.0
        named: dict[str, Any] = {"rows": _labels(view.tokens), "strongest": top}
        return equation(
            matrix(after, title="f(Px)", under="permute, then attend", **named),
            "−",
            matrix(moved, title="P f(x)", under="attend, then permute", **named),
            "=",
            matrix(difference, title="difference", under="on the same colour scale", **named),
            shared=True,
        )

    def caption(self, view: Orders) -> str:
        most = self.most(view)
        return self.say("caption" if most["gap"] else "same", view, **most)

    def compared(self, view: Orders) -> list[Any]:
        """f(Px), P f(x) and their difference in the head shown, (T, d)."""
        after, moved = view.found.after[:, view.columns], view.found.moved[:, view.columns]
        # rounding would print as 1.1e-16 in every cell and hide that it is nothing
        return [after, moved, exact(after - moved)]

    def most(self, view: Orders) -> dict[str, Any]:
        """The row that differs most: by how much, its word, where it stands in Px and stood in x."""
        gaps = abs(self.compared(view)[2]).max(axis=1)
        t = int(gaps.argmax())
        was = int(view.order[t]) + 1
        return {"gap": gaps[t], "at": t + 1, "was": was, "word": quoted(view.tokens[t : t + 1])}

    def numbers(self, view: Orders) -> list[Table]:
        columns = ["token", *(f"y{j}" for j in range(1, view.difference.shape[1] + 1))]
        found = (("f(Px)", view.found.after), ("P f(x)", view.found.moved), ("Difference", view.difference))
        return [Table(f"{title}, all heads", columns, _rows(view.tokens, values)) for title, values in found]

    def formula(self, view: Orders) -> tuple[Formula, ...]:
        most = self.most(view)
        after, moved, off = (row(vector(of[most["at"] - 1])) for of in self.compared(view))
        return (
            Formula(
                r"f(PX)_t - f(X)_{\pi(t)} \quad\text{where row } t \text{ of } PX"
                r" \text{ is row } \pi(t) \text{ of } X",
                rf"{after} - {moved} = {off}",
                self.say("formula", view, **most),
            ),
        )

    def code(self, s: Snapshot) -> str:
        return source.of_orders(Orders(s), "np.stack([f(x[order]), f(x)[order]])  # (2, T, D)")

    def code_answer(self, view: Orders) -> Any:
        return [view.found.after, view.found.moved]


class Packed(OrderFigure):
    """Attention weights of two documents in one sequence, the cells across the join outlined."""

    key, view = "packed", Documents
    uses: ClassVar = (*model.TEXT, *model.SECOND)

    def make(self) -> Sequence[Any]:
        return (self.weights,)

    def weights(self, view: Documents) -> Markup:
        """The weights of the head shown."""
        heads = zip(_labels(view.tokens), view.packed.pos.tolist(), strict=True)
        return matrix(
            view.weights,
            title=f"Attention weights, head {view.s.head}",
            under=self.say("under"),
            rows=[f"{word} {position}" for word, position in heads],
            columns=_labels(view.tokens, 6),
            strongest=1.0,
            signed=False,
            marked_cells=view.join,
        )

    def caption(self, view: Documents) -> str:
        change = exact(view.change)
        name = "caption" if view.across_second > 0 else "shifted" if change else "apart"
        begins = int(view.packed.pos[view.first])
        said = self.say(name, view, last=quoted(view.second), most=change, begins=begins)
        stops = view.s.boundary and view.across_second > 0
        return f"{said} {self.say('boundary', view, token=model.BOUNDARY)}" if stops else said

    def numbers(self, view: Documents) -> list[Table]:
        documents = [document + 1 for document in view.packed.documents.tolist()]
        lines = zip(view.tokens, documents, view.packed.pos.tolist(), view.across.tolist(), strict=True)
        columns = ["token", "document", "position", "attention across the join"]
        return [
            _square(f"Two documents, weights of head {view.s.head}", view.tokens, view.weights),
            Table("Two documents, tokens", columns, [list(line) for line in lines]),
        ]

    def formula(self, view: Documents) -> tuple[Formula, ...]:
        return (
            Formula(
                r"\bar{a} = \frac{1}{\dim{H}\,n} \sum_{h=1}^{\dim{H}} \sum_{t > m} \sum_{s \le m} a_{h,t,s}",
                rf"m = {view.first},\; n = {len(view.second)}:\quad"
                rf" \bar{{a}} = {decimal(view.across_second)}",
                self.say("formula"),
            ),
        )

    def code(self, s: Snapshot) -> str:
        return source.of_documents(Documents(s))

    def code_answer(self, view: Documents) -> Any:
        return view.weights


class Mark(OrderFigure):
    """What uniform attention makes of a mark on the first token."""

    key, view = "marked", Marked
    uses: ClassVar = ("places",)

    def make(self) -> Sequence[Any]:
        self.curves = Curves(
            {"causal": ("causal mask: 1/t", "accent"), "open": ("no mask: 1/T", "scheme-none")},
            points=True,
            label="Output of uniform attention at each token",
            x="token t",
            y="output",
            x_range=(0.5, 1.5),
            y_range=(0, 1.05),
            height=240,
        )
        return (self.curves,)

    def draw(self, view: Marked) -> None:
        T = view.s.places
        tokens = list(range(1, T + 1))
        self.curves.set("causal", tokens, view.causal)
        self.curves.set("open", tokens, view.unmasked)
        self.curves.set_x(0.5, T + 0.5)

    def caption(self, view: Marked) -> str:
        return self.say("caption", view, second=view.causal[1], last=view.causal[-1], flat=view.unmasked[0])

    def numbers(self, view: Marked) -> list[Table]:
        lines = enumerate(zip(view.causal.tolist(), view.unmasked.tolist(), strict=True), start=1)
        columns = ["token t", "causal mask", "no mask"]
        return [Table("A marked first token", columns, [[t, *outputs] for t, outputs in lines])]

    def formula(self, view: Marked) -> tuple[Formula, ...]:
        T = view.s.places
        return (
            Formula(
                r"y_t = \frac{1}{t} \sum_{s \le t} x_s = \frac{1}{t}"
                r"\quad\text{where } x_1 = 1,\; x_s = 0 \text{ after it}",
                rf"y_{{{T}}} = \frac{{1}}{{{T}}} = {decimal(float(view.causal[-1]))}",
                self.say("formula"),
            ),
        )

    def code(self, s: Snapshot) -> str:
        return source.of_mark(s.places)

    def code_answer(self, view: Marked) -> Any:
        return [view.causal, view.unmasked]


def _labels(words: Texts, limit: int = HEAD_LIMIT) -> list[str]:
    return [shorten(visible(word), limit) for word in words]


def _rows(words: Texts, values: Any) -> list[list[Any]]:
    return [[word, *line] for word, line in zip(words, values.tolist(), strict=True)]


def _square(title: str, words: Texts, weights: Any) -> Table:
    columns = ["query", *(f"{visible(word, 16)} {position}" for position, word in enumerate(words, 1))]
    return Table(title, columns, _rows(words, weights))


def _written(shown: Mapping[str, Any]) -> str:
    own = shown["sentence"] == GIVEN
    return (
        visible(" ".join(word.strip() for word in shown["own"].words))
        if own
        else SENTENCES[shown["sentence"]]
    )


class OrderRoom(Room):
    """Two orders of the same words through one layer."""

    key, place, words = "order", "X", WORDS
    first = ("order", "text", "scheme")
    State = State
    kinds = (Swap, Rows, Packed, Mark)
    fields: ClassVar = {
        "sentence": partial(own_choice, labels=SENTENCES, of="own"),
        "text": partial(fields.Typed, read=_written),
        "head": partial(fields.Within, last=lambda shown: (shown["own"] or DRAWN).H),
        "order": fields.choices(ORDERS),
        "permutation": lambda parameter: fields.Typed(
            parameter, lambda shown: Orders(Snapshot(shown)).written
        ),
        "scheme": fields.choices({key: scheme.title for key, scheme in SCHEMES.items()}),
        "seed": fields.of(controls.number),
        "restart": fields.of(controls.switch, off="run on", on="restart"),
    }
    asked = QUESTIONS
    always = ("marked",)
    given = PARTS

    @classmethod
    def take(cls, data: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
        """Her rows and weights as a layer."""
        return own_of(data)

    @classmethod
    def begins(cls, data: Mapping[str, Any]) -> dict[str, Any]:
        """Her rows are chosen."""
        return {"sentence": GIVEN} if data else {}

    @classmethod
    def normalise(cls, values: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
        """No head beyond the last."""
        H, head = (values.get("own") or DRAWN).H, values["head"]
        if head <= H:
            return dict(values), ()
        return {**values, "head": H}, (WORDS.say("own.head", head=head, H=H),)

    def unused(self, shown: Mapping[str, Any]) -> Collection[str]:
        """One head alone is shown without being chosen."""
        return {"head"} if (shown["own"] or DRAWN).H == 1 else set()

    @classmethod
    def picture(cls) -> Markup:
        """A small true picture for the start page: the weights of a head that sees the past only."""
        view = Orders(Snapshot({**model.USUAL, "text": "the dog that bites the man", "mask": True}))
        return picture.matrix(view.before.weights[0])

    def build(self) -> None:
        """Make the page; a choice takes the place of what was typed, before anything is computed."""
        # a whole state names what is typed in it, whether that changes or not
        self.state.param.watch(self._chosen, ["sentence", "text", "order", "permutation"], onlychanged=False)
        super().build()

    def _chosen(self, *events: Any) -> None:
        named = {event.name for event in events}
        changed = {event.name for event in events if event.new != event.old}
        # an order typed for three words fits no sentence of two
        for choice, typed in (("sentence", "text"), ("sentence", "permutation"), ("order", "permutation")):
            if choice in changed and typed not in named:
                setattr(self.state, typed, "")
