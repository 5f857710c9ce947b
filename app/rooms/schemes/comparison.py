"""The schemes side by side: where each enters, what each costs and knows, and the size of what is added."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.kit.figure import Snapshot
from app.kit.formula import Formula, mathml, row, text
from app.kit.html import Markup, join, number, tag
from app.kit.matrix import verdict
from app.kit.numbers import Table
from app.kit.schemes import colour_of, name
from app.rooms.schemes import rules
from app.rooms.schemes.model import ACTS, FAR, Compared, change, change_latex
from app.rooms.schemes.model.compare import Answer, Row
from app.rooms.schemes.scores import ProbedFigure, soft
from lab.positions import RawIndex

STATIONS = {
    "input": ("Token rows", r"X = x + P"),
    "qk": ("Queries and keys", r"q_m = X_m W_q R_m^{\top}"),
    "scores": ("Scores", r"s_{m,n} = q_m \cdot k_n / \sqrt{\dim{d}} + B_{m,n}"),
}
"""What a hook changes: its name and its equation."""
OFTEN = {"input": "once", "qk": "in every layer", "scores": "in every layer"}
"""How often a model's forward pass calls a hook."""
KINDS = {
    "absolute": ("absolute", "absolute positions"),
    "relative": ("relative", "distances"),
    "blind": ("no position", "neither"),
}
"""What a scheme is called, and what its scores know."""
APPENDED = "Raw index, appended"


class Comparison(ProbedFigure):
    """Where each scheme enters, a table whose cells are computed, and the size of what is added."""

    key, view = "compare", Compared

    def make(self) -> Sequence[Any]:
        return self.stations, self.table, self.left

    def stations(self, view: Compared) -> Markup:
        """The way from token rows to scores, each scheme where its hook acts."""
        drawn = [
            tag(
                "div",
                tag("h4", title),
                tag("div", mathml(equation), class_="lab-equation"),
                soft(self.say(hook)),
                tag("ul", join(tag("li", name(r.key, r.title)) for r in view.rows if hook in r.acts_on)),
                class_="lab-entry-station",
            )
            for hook, (title, equation) in STATIONS.items()
        ]
        arrow = tag("span", "→", class_="lab-entry-arrow", aria_hidden="true")
        nowhere = [name(found.key, found.title) for found in view.rows if not found.acts_on]
        return _section(
            self.say("enters"),
            tag("div", join(drawn, arrow), class_="lab-entry"),
            tag("p", "Nowhere: ", join(nowhere, " "), class_="lab-note") if nowhere else "",
        )

    def table(self, view: Compared) -> Markup:
        """What each scheme costs, and what it knows."""
        changes, trained = self.say("changes", view), self.say("trained", view)
        heads = ("Scheme", "Parameters", "Acts on", changes, trained, "Who uses it")
        sources = "; ".join(f"{use.model}: {use.source}" for found in view.rows for use in found.users)
        return _section(
            self.say("costs"),
            tag("p", self.say("cells", view)),
            table_of(heads, join(self.line(found, heads[1:]) for found in view.rows), class_="lab-compare"),
            soft(f"Sources: {sources}."),
        )

    def line(self, found: Row, heads: Sequence[str]) -> Markup:
        """One scheme in the table."""
        changed = _refused(found.moved) if found.change is None else (tag("b", change(found.change)), " ")
        largest = tag("b", number(found.beyond.largest, 2))
        beyond = ("largest score ", largest, _aside("computed, never trained"))
        used = tag("ul", join(tag("li", use.model) for use in found.users))
        cells = (
            number(found.parameters),
            ", ".join(f"{ACTS[hook]}, {OFTEN[hook]}" for hook in found.acts_on) or "nothing",
            join([*changed, _aside(self.say(found.kind))]),
            join(_refused(found.beyond) if found.beyond.scores is None else beyond),
            used if found.users else _aside("no model named here"),
        )
        named = (tag("td", cell, data_head=head) for head, cell in zip(heads, cells, strict=True))
        return tag("tr", tag("th", name(found.key, found.title), scope="row"), join(named))

    def left(self, view: Compared) -> Markup:
        """The length of what each scheme adds, beside that of the token rows."""
        bars = []
        for found in view.rows:
            share = view.shares[found.key]
            if "input" in found.acts_on and share.error:
                refusal = tag("span", share.error, class_="lab-error")
                bars.append(tag("li", name(found.key, found.title), refusal))
            elif "input" in found.acts_on:
                said = self.say("added", size=share.position, share=share.share)
                bars.append(_bar(found.key, found.title, share.share, said))
        more = view.appended
        said = self.say("component", size=more.position, share=more.share)
        return _section(
            self.say("left", far=FAR),
            tag("p", self.say("length", view, far=FAR)),
            tag("ul", join([*bars, _bar(RawIndex.key, APPENDED, more.share, said)]), class_="lab-shares"),
            verdict(self.swamped(view), "warn"),
            verdict(self.say("appended", view, next=view.s.D + 1, far=FAR)),
        )

    def swamped(self, view: Compared) -> str:
        """What the largest position leaves of the token."""
        found = view.worst
        if found is None:
            return self.say("nothing")
        share, largest = view.shares[found.key], view.far_largest(found.key)
        sizes = {"times": share.position / share.token, "share": share.share, "largest": largest}
        first = view.still.matrices[found.key].largest
        return self.say("swamped", title=found.title, first=first, **sizes)

    def caption(self, view: Compared) -> str:
        knows = []
        for kind, (_, known) in KINDS.items():
            titles = [found.title for found in view.rows if found.kind == kind]
            knows += [f"{known}: {', '.join(titles)}"] if titles else []
        refused = ", ".join(found.title for found in view.rows if found.beyond.scores is None)
        refusing = f" {self.say('refusing', titles=refused)}" if refused else ""
        return self.say("caption", view, knows="; ".join(knows), refusing=refusing)

    def numbers(self, view: Compared) -> list[Table]:
        columns = self.say("columns").split(", ")
        rows: list[list[str | float]] = [
            [
                found.title,
                found.parameters,
                " ".join(found.acts_on) or "nothing",
                found.moved.error if found.change is None else found.change,
                found.change_by_one,
                found.by_distance,
                KINDS[found.kind][0],
                found.beyond.error or found.beyond.largest,
                "; ".join(f"{use.model} ({use.source})" for use in found.users),
            ]
            for found in view.rows
        ]
        sizes: list[list[str | float]] = [
            [found.title, share.token, share.error or share.position, share.error or share.share]
            for found, share in zip(view.rows, view.shares.values(), strict=True)
        ]
        more = view.appended
        sizes.append([APPENDED, more.token, more.position, more.share])
        names = self.say("sizes").split(", ")
        compared = Table(f"Schemes compared, moved by {view.shift:,}", columns, rows)
        return [compared, Table(f"Share of the position at {FAR}", names, sizes)]

    def formula(self, view: Compared) -> tuple[Formula, ...]:
        changes = r" \\ ".join(
            rf"\Delta_{{{text(found.title)}}} = {change_latex(found.change)}"
            for found in view.rows
            if found.change is not None
        )
        shift = Formula(
            r"\Delta = \max_{m,n} \left| s_{m+c,\,n+c} - s_{m,n} \right|",
            rf"c = {view.shift}: \quad \begin{{array}}{{l}} {changes} \end{{array}}",
            self.say("shift"),
        )
        found = view.worst
        if found is None:
            return (shift,)
        share = view.shares[found.key]
        size, token = row(number(share.position, 1)), row(number(share.token, 1))
        weight = Formula(
            r"\frac{\lVert P \rVert}{\lVert P \rVert + \lVert x \rVert}",
            rf"\frac{{{size}}}{{{size} + {token}}} = {row(number(share.share, 4))}",
            self.say("weight", view, title=found.title, far=FAR),
        )
        return shift, weight

    def code(self, s: Snapshot) -> str:
        view = Compared(s)
        change = f"matrices({view.shift}) - matrices(0)"
        return rules.source(view) + f"result = abs({change}).max(axis=(1, 2))\n"

    def code_answer(self, view: Compared) -> Any:
        written = rules.written(view)
        return [found.change for found in view.rows if found.key in written]


def table_of(heads: Sequence[str], body: Markup, **attributes: str) -> Markup:
    """A table under its heads."""
    head = tag("tr", join(tag("th", name, scope="col") for name in heads))
    return tag("table", tag("thead", head), tag("tbody", body), **attributes)


def _section(title: str, *parts: Markup | str) -> Markup:
    return tag("section", tag("h3", title), *parts, class_="lab-section")


def _aside(said: str) -> Markup:
    return tag("span", said, class_="lab-soft")


def _refused(found: Answer) -> tuple[Markup, Markup]:
    return tag("b", "refused "), _aside(found.error)


def _bar(key: str, title: str, share: float, said: str) -> Markup:
    filled = tag("span", style=f"width:{share:.4%};background:var(--{colour_of(key)})")
    bar = tag("span", filled, class_="lab-share", aria_hidden="true")
    return tag("li", name(key, title), bar, tag("span", said, class_="lab-share-said"))
