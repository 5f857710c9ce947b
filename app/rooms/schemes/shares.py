"""How much of a token's row is its position, far from the start: part of the section `compare`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.kit.html import Markup, join, number, tag
from app.kit.matrix import verdict
from app.kit.schemes import colour_of, name
from app.kit.shares import percent
from lab.compare import Row
from lab.positions import RawIndex

if TYPE_CHECKING:
    from app.rooms.schemes.comparison import CompareView

FAR = 4000
"""The position at which the size of what is added is weighed against the token."""
APPENDED = "Raw index, appended"


def section(view: CompareView) -> Markup:
    """The length of what each scheme adds, beside that of the token rows."""
    bars = [_share(view, found) for found in view.rows if "input" in found.acts_on]
    said = (
        f"Length of what is added at position {FAR:,}, beside that of the token rows, "
        f"{number(view.appended.token, 2)}. Turns and biases leave the rows alone."
    )
    return tag(
        "section",
        tag("h2", f"What is left of the token at position {FAR:,}"),
        tag("p", said),
        tag("ul", join([*bars, _appended(view)]), class_="lab-shares"),
        verdict(_swamped(view), "warn"),
        verdict(_one_component(view)),
        class_="lab-section",
    )


def _share(view: CompareView, found: Row) -> Markup:
    share = view.shares[found.key]
    if share.error:
        return tag("li", name(found.key, found.title), tag("span", share.error, class_="lab-error"))
    said = f"{number(share.position, 1)} added: {percent(share.share)} position"
    return _bar(found.key, found.title, share.share, said)


def _appended(view: CompareView) -> Markup:
    found = view.appended
    said = f"{number(found.position, 1)} in one more component: {percent(found.share)} position"
    return _bar(RawIndex.key, APPENDED, found.share, said)


def _bar(key: str, title: str, share: float, said: str) -> Markup:
    bar = tag(
        "span",
        tag("span", style=f"width:{share:.4%};background:var(--{colour_of(key)})"),
        class_="lab-share",
        aria_hidden="true",
    )
    return tag("li", name(key, title), bar, tag("span", said, class_="lab-share-said"))


def worst(view: CompareView) -> Row | None:
    """The scheme whose position takes the largest share of the row, if any adds to it."""
    adding = [found for found in view.rows if view.shares[found.key].share > 0]
    return max(adding, key=lambda found: view.shares[found.key].share, default=None)


def _swamped(view: CompareView) -> str:
    found = worst(view)
    if found is None:
        return "No scheme here adds to the token rows."
    share, largest = view.shares[found.key], view.far[found.key].largest
    return (
        f"{found.title} adds {number(share.position / share.token, 0)} times the length of the token rows: "
        f"{percent(share.share)} of the row is position. Its scores reach {number(largest, 0)}; "
        f"at the first positions {number(view.still.matrices[found.key].largest, 1)} was the largest."
    )


def _one_component(view: CompareView) -> str:
    found, D = view.appended, view.settings.D
    return (
        f"Appended as component {D + 1} instead of added to all {D}, the index leaves the token's own "
        f"components as they are. Its weights multiply {FAR:,} all the same: scores reach "
        f"{number(found.largest, 0)}."
    )
