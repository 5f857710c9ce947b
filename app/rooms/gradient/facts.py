"""The step shown of the room `gradient`, in five numbers."""

from __future__ import annotations

from app.kit.html import Markup, join, number, tag
from app.kit.shares import percent
from app.rooms.gradient.compute import WIDTH, View
from app.rooms.gradient.stage import short, why_moved

KILO, MEGA = 1e3, 1e6


def facts(view: View) -> Markup:
    """The step shown, in five numbers."""
    run = view.run
    never = run.V - view.seen
    moved = int(view.moved[view.step - 1])
    gets = "row gets" if view.touched == 1 else "rows get"
    moves = "row moves" if moved == 1 else "rows move"
    shown = (
        (
            f"{view.touched:,}",
            f"{gets} one from the input" if view.tied else f"{gets} a gradient",
            f"{number(run.expected, 0)} expected, at most {min(run.N, run.V):,}",
        ),
        (f"{moved:,}", f"{moves} under {short(view.rule.key)}", why_moved(view)),
        (
            f"{view.seen:,}",
            f"of {run.V:,} rows seen so far",
            f"{number(run.growth[view.step - 1], 0)} expected",
        ),
        (f"{never:,}", "never seen", f"{percent(never / run.V)} of the table"),
        _memory(view),
    )
    tiles = join(
        tag("div", tag("dt", says), tag("dd", tag("b", value), tag("span", under)))
        for value, says, under in shown
    )
    return tag("dl", tiles, class_="lab-grad-facts", aria_label=f"Step {view.step}")


def _memory(view: View) -> tuple[str, str, str]:
    sparse, dense, width = _size(view.bytes.sparse), _size(view.bytes.dense), f"D\u00a0=\u00a0{WIDTH}"
    if view.tied:
        return dense, "gradient, whole: the output layer fills it", f"{sparse} from the input, {width}"
    return sparse, "gradient, rows touched only", f"{dense} whole, {width}"


def _size(count: float) -> str:
    if count < MEGA:
        return f"{number(count / KILO, 1)} kB"
    return f"{number(count / MEGA, 1)} MB"
