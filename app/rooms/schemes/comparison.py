"""The section `compare`: where each scheme enters, and a table whose cells are computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.kit.formula import Formula, mathml, row, text
from app.kit.html import Markup, counted, join, number, tag
from app.kit.numbers import Table
from app.kit.schemes import name
from app.rooms.schemes import rules, shares
from app.rooms.schemes.probing import SPAN, Still, still
from app.rooms.schemes.say import change, change_latex
from app.rooms.schemes.shares import FAR, worst
from app.rooms.schemes.state import Settings
from lab.compare import (
    Answer,
    Appended,
    InputShare,
    Row,
    appended_index,
    compare,
    input_share,
    score_matrix,
)

KINDS = {
    "absolute": ("absolute", "the score knows where both tokens stand"),
    "relative": ("relative", "the score knows only how far apart they are"),
    "blind": ("no position", "the score knows neither position nor distance"),
}
STATIONS = (
    ("input", "Token rows", r"X = x + P", "P: a row added to each token, once, below the first layer"),
    (
        "qk",
        "Queries and keys",
        r"q_m = X_m W_q R_m^{\top}",
        "R: a turn of each query and each key, again in every layer",
    ),
    (
        "scores",
        "Scores",
        r"s_{m,n} = q_m \cdot k_n / \sqrt{\dim{d}} + B_{m,n}",
        "B: a bias on each score, again in every layer",
    ),
)
"""What a hook changes: its place, its name, its equation, and the new term in words."""
ACTS = {"input": "token rows", "qk": "q and k", "scores": "scores"}
OFTEN = {"input": "once", "qk": "in every layer", "scores": "in every layer"}
"""How often a model's forward pass calls a hook."""


@dataclass(frozen=True, eq=False)
class CompareView:
    """The comparison of all schemes at one shift."""

    settings: Settings
    still: Still
    rows: tuple[Row, ...]
    shares: Mapping[str, InputShare]
    far: Mapping[str, Answer]
    """Scores of the text when it starts at the far position."""
    matrices: Mapping[str, Answer]
    """Scores at the present shift, by key."""
    appended: Appended
    """The raw index as one more component, at the far position."""

    @property
    def shift(self) -> int:
        """By how much the table moves the sequence: one where the control says zero."""
        return self.settings.shift or 1


def compute(settings: Settings) -> CompareView:
    """Compare all schemes by calling them."""
    base = still(settings)
    probe, head = base.probe, base.head
    rows = compare(probe, settings.shift or 1, head, SPAN)
    return CompareView(
        settings=settings,
        still=base,
        rows=rows,
        shares={key: input_share(probe, key, FAR) for key in probe.schemes},
        far={key: score_matrix(probe, key, FAR, head) for key in probe.schemes},
        matrices={row.key: row.moved for row in rows},
        appended=appended_index(probe, FAR, head),
    )


def top(view: CompareView) -> Markup:
    """The drawing, the table and the size of what is added."""
    return join([drawing(view), _table(view), shares.section(view)])


def bottom(view: CompareView) -> Markup:
    """Nothing below: this section has no figure on a canvas."""
    return join([])


def drawing(view: CompareView) -> Markup:
    """The way from token rows to scores, each scheme at the place where its hook acts."""
    arrow = tag("span", "→", class_="lab-entry-arrow", aria_hidden="true")
    nowhere = [found for found in view.rows if not found.acts_on]
    aside = tag("p", "Nowhere: ", join((name(r.key, r.title) for r in nowhere), " "), class_="lab-note")
    return tag(
        "section",
        tag("h2", "Where each enters"),
        tag("div", join((_station(view, *station) for station in STATIONS), arrow), class_="lab-entry"),
        aside if nowhere else "",
        class_="lab-section",
    )


def _station(view: CompareView, place: str, title: str, equation: str, words: str) -> Markup:
    here = [name(found.key, found.title) for found in view.rows if place in found.acts_on]
    return tag(
        "div",
        tag("h3", title),
        tag("div", mathml(equation), class_="lab-equation"),
        tag("p", words, class_="lab-note"),
        tag("ul", join(tag("li", scheme) for scheme in here)),
        class_="lab-entry-station",
    )


def _table(view: CompareView) -> Markup:
    trained = view.still.probe.trained
    heads = (
        "Scheme",
        "Parameters",
        "Acts on",
        f"Moved by {view.shift:,}, a score changes by",
        f"At position {trained:,}, trained for {trained:,}",
        "Who uses it",
    )
    body = join(_row(view, found, heads) for found in view.rows)
    said = (
        f"Each cell is found out by calling the scheme with D = {view.settings.D}, H = {view.settings.H}, "
        f"d = {view.settings.d}, head {view.settings.head}. Only the last column is looked up."
    )
    return tag(
        "section",
        tag("h2", "What each costs, and what it knows"),
        tag("p", said),
        tag(
            "table",
            tag("thead", tag("tr", join(tag("th", head, scope="col") for head in heads))),
            tag("tbody", body),
            class_="lab-compare",
        ),
        tag("p", _sources(view), class_="lab-note"),
        class_="lab-section",
    )


def _sources(view: CompareView) -> str:
    listed = [f"{use.model}: {use.source}" for found in view.rows for use in found.users]
    return f"Sources: {'; '.join(listed)}."


def _row(view: CompareView, found: Row, heads: Sequence[str]) -> Markup:
    acts = ", ".join(f"{ACTS[place]}, {OFTEN[place]}" for place in found.acts_on) or "nothing"
    cells = (number(found.parameters), acts, _change(found), _beyond(found), _users(found))
    head = tag("th", name(found.key, found.title), scope="row")
    return tag(
        "tr", head, join(tag("td", cell, data_head=h) for h, cell in zip(heads[1:], cells, strict=True))
    )


def _change(found: Row) -> Markup:
    kind, means = KINDS[found.kind]
    knows = tag("span", f"{kind}: {means}", class_="lab-soft")
    if found.change is None:
        return join([tag("b", "refused "), tag("span", found.moved.error, class_="lab-soft"), knows])
    return join([tag("b", change(found.change)), " ", knows])


def _beyond(found: Row) -> Markup:
    if found.beyond.scores is None:
        return join([tag("b", "refused "), tag("span", found.beyond.error, class_="lab-soft")])
    largest = tag("b", number(found.beyond.largest, 2))
    return join(["largest score ", largest, tag("span", "computed, never trained", class_="lab-soft")])


def _users(found: Row) -> Markup:
    if not found.users:
        return tag("span", "no model named here", class_="lab-soft")
    return tag("ul", join(tag("li", use.model) for use in found.users))


def describe(view: CompareView) -> str:
    """The caption."""
    said = []
    for kind, knows in (("absolute", "absolute positions"), ("relative", "distances"), ("blind", "neither")):
        titles = [found.title for found in view.rows if found.kind == kind]
        said += [f"{knows}: {', '.join(titles)}"] if titles else []
    refused = [found.title for found in view.rows if found.beyond.scores is None]
    tail = f" Beyond its trained length {', '.join(refused)} refuses; the others go on." if refused else ""
    return f"The whole sequence moved by {view.shift:,}. What the scores know: {'; '.join(said)}.{tail}"


def numbers(view: CompareView) -> list[Table]:
    """The tables behind the figure."""
    columns = ["scheme", "parameters", "acts on", "change by the shift", "change by 1", "change by distance"]
    columns += ["knows", "beyond the trained length", "used by"]
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
    sizes.append([shares.APPENDED, more.token, more.position, more.share])
    share_columns = ["scheme", "length of the token rows", "length added", "share of position"]
    return [
        Table(f"Schemes compared, moved by {view.shift:,}", columns, rows),
        Table(f"Share of the position at {FAR}", share_columns, sizes),
    ]


def formula(view: CompareView) -> tuple[Formula, ...]:
    """The change under a shift and the share of the position, with the present numbers."""
    changes = r" \\ ".join(
        rf"\Delta_{{{text(found.title)}}} = {change_latex(found.change)}"
        for found in view.rows
        if found.change is not None
    )
    shift = Formula(
        r"\Delta = \max_{m,n} \left| s_{m+c,\,n+c} - s_{m,n} \right|",
        rf"c = {view.shift}: \quad \begin{{array}}{{l}} {changes} \end{{array}}",
        "A score that no shift changes knows m − n at most: with RoPE and ALiBi it depends on that, without "
        "positions on nothing.",
    )
    found = worst(view)
    if found is None:
        return (shift,)
    share = view.shares[found.key]
    sizes = row(number(share.position, 1)), row(number(share.token, 1))
    weight = Formula(
        r"\frac{\lVert P \rVert}{\lVert P \rVert + \lVert x \rVert}",
        rf"\frac{{{sizes[0]}}}{{{sizes[0]} + {sizes[1]}}} = {row(number(share.share, 4))}",
        f"{found.title} at position {FAR:,}: lengths over {counted(view.still.probe.T, 'row')}.",
    )
    return shift, weight


def code(settings: Settings) -> str:
    """NumPy code whose ``result`` holds the largest change of each scheme."""
    view = compute(settings)
    change = f"matrices({view.shift}) - matrices(0)"
    return rules.source(view) + f"result = abs({change}).max(axis=(1, 2))\n"


def code_answer(view: CompareView) -> Any:
    """What ``result`` must equal."""
    written = rules.written(view)
    return [found.change for found in view.rows if found.key in written]
