"""What is said about each view below the first: a heading and its sentence."""

from __future__ import annotations

from collections.abc import Callable

from app.kit.html import EMPTY, Markup, number, tag, visible
from app.kit.matrix import signed_number, verdict
from app.rooms.rope.compute import View
from app.rooms.rope.parts import BLOCK, FIRST
from app.rooms.rope.stage import NAMED


def section(view: View, name: str) -> Markup:
    """The heading of a view; a view that is shown alone leaves its sentence to the caption."""
    if not view.shows(name):
        return EMPTY
    if name == "pairs" and not view.several and view.shown == "all":
        return verdict(pairs(view))
    title = (
        f"Real heads: ‘{visible(view.heads.a)}’ looks back at ‘{visible(view.heads.b)}’"
        if name == "heads"
        else TITLES[name]
    )
    sentence = tag("p", SENTENCES[name](view)) if view.shown == "all" else ""
    return tag("div", tag("h2", title), sentence, class_="lab-rope-section")


def pairs(view: View) -> str:
    """What each pair adds to the score."""
    if not view.several:
        return (
            f"One angle turns one pair. {_more(view)} to see several pairs, what each adds, and what happens "
            "when two programs pair the dimensions differently."
        )
    values = [float(value) for value in view.moved.pairs]
    few = values if len(values) <= NAMED else values[:3]
    signed = (signed_number(value) for value in few[1:])
    terms = " ".join([number(few[0]), *(f"{term[0]} {term[1:]}" for term in signed)])
    more = " + …" if len(few) < len(values) else ""
    return (
        f"At distance {number(view.stored_moved[0] - view.stored_moved[1])}: {terms}{more} = "
        f"{number(view.moved.score)}. Fast pairs tell neighbours apart; slow ones hardly turn."
    )


def average(view: View) -> str:
    """What is left on average over random vectors."""
    found, ends = view.average, (view.window.start, view.window.stop - 1)
    means = [float(found.alike[0]), float(found.alike[-1])]
    if view.distance < 0:
        ends, means = (ends[1], ends[0]), means[::-1]
    only = " One pair alone keeps swinging; many of them, out of step, fall."
    if view.several or not view.rope.inv_freq.any():
        only = ""
    return (
        f"Where k is q itself, the mean score of {found.draws} draws is {number(means[0], 1)} at distance "
        f"{number(ends[0])} and {number(means[1], 1)} at {number(ends[1])}. Where k is drawn on its own it "
        f"stays near 0, with a standard error of {number(found.error, 2)}.{only}"
    )


def _more(view: View) -> str:
    return "Raise d" if view.setting.turn == "base" else "Take the angles from base and d"


def heads(view: View) -> str:
    """Whose scores the nine curves are, and how true they are."""
    found = view.heads
    place = min(max(abs(view.distance), 1), len(found.distances))
    at = found.scores[:, place - 1]
    best = int(at.argmax())
    return (
        "Scores in the first layer of SmolLM2-135M-Instruct: q · k / √64, head h with key head h // 3, base "
        "100,000. "
        f"At distance {number(place)}{_turned(view)} head {best} scores highest, "
        f"{number(float(at[best]), 1)}. Weights quantised twice are not the model's own: scores of this head "
        f"are off by a root mean square of {number(float(found.errors[best]), 2)}."
    )


def _turned(view: View) -> str:
    # the curves begin one position back: a key cannot stand after its query, nor two words at one position
    return "" if view.distance >= 1 else f", in place of {number(view.distance)},"


def layouts(view: View) -> str:
    """What a wrong pair layout does, and what mends it."""
    if not view.several:
        return f"With 1 pair both layouts are the same. {_more(view)} to compare them."
    found, place = view.curve.layouts, view.distance - view.window.start
    own, other, mended = (number(float(row[place]), 6) for row in (found.own, found.other, found.reconciled))
    name = "half" if view.rope.pairing == "interleaved" else "interleaved"
    order = found.order.tolist()
    few = f"[{', '.join(str(dimension) for dimension in order[:8])}{', …' if len(order) > 8 else ''}]"
    return (
        f"At distance {number(view.distance)} the layout in use, {view.rope.pairing}, gives {own}. The same "
        f"q and k in {name} give {other}. Both permuted by {few} they give {mended} there: neither layout is "
        "wrong, mixing them is."
    )


def storage(view: View) -> str:
    """How many positions half precision keeps, and at how many places the score is wrong."""
    found = view.storage
    return (
        f"Of the first {FIRST:,} positions bfloat16 keeps {found.survive['bfloat16']:,} apart and float16 "
        f"{found.survive['float16']:,}. At distance {number(view.distance)} the score is "
        f"{number(found.exact)} wherever both stand; with rounded positions it differs at "
        f"{found.wrong['bfloat16']:,} and {found.wrong['float16']:,} of them. Bands span {BLOCK} neighbours."
    )


TITLES = {
    "pairs": "What each pair adds",
    "average": "On average over random q and k",
    "layouts": "Which dimensions form a pair",
    "storage": "Positions in half precision",
}
SENTENCES: dict[str, Callable[[View], str]] = {
    "pairs": pairs,
    "average": average,
    "heads": heads,
    "layouts": layouts,
    "storage": storage,
}
