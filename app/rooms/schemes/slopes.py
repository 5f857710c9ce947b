"""The section `slopes`: ALiBi's slopes for any number of heads, by the released code and by the paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app.kit.formula import Formula, row
from app.kit.html import Markup, counted, join, number, tag
from app.kit.matrix import verdict
from app.kit.numbers import Table
from app.kit.schemes import colour_of, legend
from app.rooms.schemes.state import MOST_HEADS, Settings
from lab.compare import SlopeTable, agreeing_head_counts, slope_table
from lab.positions import Alibi


@dataclass(frozen=True, eq=False)
class SlopesView:
    """The slopes of H heads by both rules."""

    settings: Settings
    table: SlopeTable

    @property
    def heads(self) -> list[int]:
        """The heads, counted from 1."""
        return list(range(1, self.table.H + 1))


def compute(settings: Settings) -> SlopesView:
    """Take the slopes of the present number of heads."""
    return SlopesView(settings, slope_table(settings.H))


def top(view: SlopesView) -> Markup:
    """The head of the picture."""
    said = "Each head subtracts its slope times the distance from every score; heads keep the model's order."
    return join(
        [
            tag("h2", f"Slopes of {view.table.H} heads" if view.table.H > 1 else "The slope of one head"),
            tag("p", said),
            legend([("released code", colour_of(Alibi.key)), ("the paper’s sentence", "ink-soft")]),
        ]
    )


def bottom(view: SlopesView) -> Markup:
    """What the two rules have in common, and the slopes as a table."""
    table = view.table
    heads = ("head", "released code", "paper’s sentence", "weight halves after … positions")
    body = join(
        tag(
            "tr",
            tag("th", str(h), scope="row"),
            *(tag("td", cell) for cell in _cells(view, h)),
            class_="lab-marked" if h == view.settings.head else None,
        )
        for h in view.heads
    )
    drawn = tag(
        "table",
        tag("thead", tag("tr", join(tag("th", head, scope="col") for head in heads))),
        tag("tbody", body),
    )
    kind = "good" if table.agree else "warn"
    scroll = tag("div", drawn, class_="lab-slopes", tabindex="0", role="region", aria_label="Slopes by head")
    return join([verdict(_verdict(view), kind), scroll])


def _cells(view: SlopesView, head: int) -> tuple[str, str, str]:
    table = view.table
    released, paper, half = (float(a[head - 1]) for a in (table.released, table.paper, table.half_distances))
    return number(released, 6), number(paper, 6), f"{half:.1f}"


def _verdict(view: SlopesView) -> str:
    table = view.table
    listed = ", ".join(str(H) for H in agreeing_head_counts(MOST_HEADS))
    if table.agree:
        agreement = f"They agree for {listed} heads and for no other number up to {MOST_HEADS}."
        return f"Both rules give the same slopes: {table.H} is a power of two. {agreement}"
    order = (
        "and still falls from head to head"
        if table.falling
        else "and does not fall from head to head, so it must not be sorted"
    )
    return (
        f"{table.H} is no power of two: in the same head the rules differ by a factor of up to "
        f"{number(table.largest_ratio, 2)}. The released list takes the slopes of the next lower power "
        f"of two, then every second slope of twice as many heads, {order}. Both agree for {listed} heads."
    )


def describe(view: SlopesView) -> str:
    """The caption."""
    table = view.table
    near, far = float(table.half_distances.min()), float(table.half_distances.max())
    agree = "agree" if table.agree else f"differ by a factor of up to {number(table.largest_ratio, 2)}"
    reach = (
        f"after {near:.1f} positions in the steepest head and {far:.1f} in the flattest"
        if table.H > 1
        else f"after {near:.1f} positions"
    )
    return f"ALiBi with H = {table.H}: released code and paper's sentence {agree}. A weight halves {reach}."


def numbers(view: SlopesView) -> list[Table]:
    """The tables behind the figure."""
    columns = ["head", "released code", "paper's sentence", "half distance"]
    arrays = (view.table.released, view.table.paper, view.table.half_distances)
    rows = [[head, *(float(a[head - 1]) for a in arrays)] for head in view.heads]
    return [Table(f"ALiBi's slopes for {counted(view.table.H, 'head')}", columns, rows)]


def formula(view: SlopesView) -> tuple[Formula, ...]:
    """The bias, the paper's slopes and the half distance, for the head shown."""
    table, head = view.table, view.settings.head
    released, paper = (row(number(float(a[head - 1]), 8)) for a in (table.released, table.paper))
    half = row(number(float(table.half_distances[head - 1]), 4))
    return (
        Formula(
            Alibi.formula,
            rf"a_{{{head}}} = {released}",
            f"Released code, {counted(table.H, 'head')}: {Alibi.source}.",
        ),
        Formula(
            r"a_h = 2^{-8h/\dim{H}}",
            rf"a_{{{head}}} = 2^{{-8 \cdot {head} / {table.H}}} = {paper}",
            "The paper's sentence: a geometric sequence that starts at its own ratio.",
        ),
        Formula(
            r"e^{-a_h \delta} = \frac{1}{2} \;\Rightarrow\; \delta = \frac{\ln 2}{a_h}",
            rf"\delta = \frac{{0.693}}{{{released}}} = {half}",
            "The bias is added before softmax, so it multiplies the weight.",
        ),
    )


def code(settings: Settings) -> str:
    """NumPy code whose ``result`` holds the slopes by both rules."""
    return (
        "import numpy as np\n\n"
        f"H = {settings.H}\n\n"
        "def geometric(H):  # the paper's sentence\n"
        "    return 2.0 ** (-8 * np.arange(1, H + 1) / H)\n\n"
        "low = 2 ** (H.bit_length() - 1)  # the next lower power of two\n"
        "released = np.concatenate([geometric(low), geometric(2 * low)[0::2][: H - low]])\n"
        "half_distance = np.log(2) / released\n"
        "result = np.stack([released, geometric(H), half_distance])\n"
    )


def code_answer(view: SlopesView) -> Any:
    """What ``result`` must equal."""
    return [view.table.released, view.table.paper, view.table.half_distances]
