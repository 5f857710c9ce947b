"""The start page: the path from text to gradient, a card for each room, how to cite and embed. Plain HTML."""

from __future__ import annotations

from collections.abc import Callable

from app.kit.html import Markup, join, tag
from app.path import PATH
from app.rooms import ROOMS


def home_body(link: Callable[[str], str], notice: str = "") -> Markup:
    """The content of the start page; ``link`` turns a room's key into an address."""
    steps = join(tag("li", _step(name, link)) for name in PATH)
    cards = join(tag("li", _card(at, key, link)) for at, key in enumerate(ROOMS, start=1))
    return tag(
        "div",
        tag("p", notice, class_="lab-status", role="status") if notice else "",
        tag("h1", "How text becomes vectors, how order gets in, how the gradient comes back"),
        tag(
            "p",
            "One step of a language model, under your hands. Move a control and the figure answers with the "
            "true result of a small NumPy core; behind each figure stand its numbers, formula and code.",
            class_="lab-lead",
        ),
        tag("ol", steps, class_="lab-map"),
        tag("h2", "The rooms, along the path"),
        tag("ol", cards, class_="lab-cards"),
        _how(),
        class_="lab-home",
    )


def _step(name: str, link: Callable[[str], str]) -> Markup:
    place = PATH[name]
    said = join([tag("b", name), tag("span", place.says)])
    return tag("a", said, href=place.address(link), data_room=place.room) if place.room in ROOMS else said


def _card(at: int, key: str, link: Callable[[str], str]) -> Markup:
    room = ROOMS[key]
    return tag(
        "a",
        tag("div", room.picture(), class_="lab-card-picture", aria_hidden="true"),
        tag(
            "div",
            tag("span", f"{at} · {room.place}", class_="lab-card-step"),
            tag("h3", room.title),
            tag("p", room.lead),
            class_="lab-card-text",
        ),
        href=link(key),
        data_room=key,
        class_="lab-card",
    )


def _how() -> Markup:
    element = '<embedding-lab room="build" scheme="sinusoidal"></embedding-lab>'
    frame = '<iframe loading="lazy" title="Build X" src="…/build/?embed=1"></iframe>'
    return tag(
        "div",
        tag(
            "section",
            tag("h2", "Cite a state"),
            tag(
                "p",
                "The address holds whatever differs from the start. “Copy link” in a room gives the figure "
                "as you see it; whoever opens it sees the same numbers.",
            ),
        ),
        tag(
            "section",
            tag("h2", "Embed a figure"),
            tag("p", "“Embed” in a room writes the lines for your page: an element, or a frame."),
            tag("pre", element + "\n" + frame, tabindex="0"),
        ),
        class_="lab-how",
    )
