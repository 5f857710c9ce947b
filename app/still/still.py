"""A still: one figure in one state as SVG, made from the view of the live figure and without a browser."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qsl

import panel as pn

from app.kit import guard, url
from app.kit import spec as specs
from app.kit.html import EMPTY, Markup, join, tag, visible
from app.kit.panes import Pane
from app.kit.room import Room
from app.still.boxes import Boxes
from app.still.canvas import SANS, Canvas
from app.still.colours import THEMES
from app.still.nodes import read, readable
from app.still.paint import Painter
from app.still.plots import draw as draw_plot

NARROWEST, WIDEST = 320, 1600
PAGE = ("room", "figure", "embed", "hide", "theme")
"""What an address may say beside the state."""
EDGE = 8
"""Paper around the picture."""


@dataclass(frozen=True)
class Still:
    """A picture of a figure: SVG that scales, and what it says."""

    svg: str
    caption: str
    title: str
    width: int
    height: int


def draw_still(
    room: str, figure: str = "", query: str = "", *, width: int = 720, theme: str = "auto"
) -> Still:
    """Draw a figure of a room in a state.

    Parameters
    ----------
    room : str
        Its key, as in an address.
    figure : str, optional
        The figure's key; the room's first by default.
    query : str, optional
        The state as an address writes it: ``"theta=0.3&m=7"``.
    width : int
        In pixels, of the picture at its own size; it scales.
    theme : str
        ``light`` or ``dark`` writes plain colours; ``auto`` takes those of the page around it, or light ones.

    Returns
    -------
    Still

    Raises
    ------
    ValueError
        If there is no such room or figure, or a value cannot be shown as it is given.
    """
    return draw(room, figure, _read(_room(room), query), width=width, theme=theme)


def draw_spec(text: str, *, width: int = 720, theme: str = "") -> Still:
    """Draw the figure of a specification, with its data and its words.

    Parameters
    ----------
    text : str
        The specification, as JSON.
    width : int
        In pixels, of the picture at its own size.
    theme : str, optional
        As `draw_still` has it; by default what the specification says.

    Raises
    ------
    ValueError
        If anything in it is wrong: a still shows what it was asked for, or nothing.
    """
    document = specs.load(text)
    room = _room(str(document.get("room", "")))
    spec = room.read_spec(text)
    data, misfits = room.take(spec.data)
    if wrong := (*spec.problems, *misfits):
        raise ValueError(" ".join(wrong))
    values = {**room.begins(data), **data, **spec.values}
    said = {"title": spec.title or "", "caption": spec.caption or ""}
    chosen = theme or spec.options.get("theme", "auto")
    return draw(room.key, spec.options.get("figure", ""), values, width=width, theme=chosen, **said)


def draw(
    room: str,
    figure: str,
    values: Mapping[str, Any],
    *,
    width: int = 720,
    theme: str = "auto",
    title: str = "",
    caption: str = "",
) -> Still:
    """Draw a figure as `draw_still` does, of values that its room's State takes; others have their defaults.

    A title stands for the figure's own, a caption before it.

    Raises
    ------
    ValueError
        If there is no such room or figure, or the values do not fit together.
    """
    if theme not in THEMES:
        raise ValueError(f"theme={theme}: it takes {', '.join(THEMES)}")
    if not NARROWEST <= width <= WIDEST:
        raise ValueError(f"width={width}: it takes {NARROWEST} to {WIDEST} pixels")
    made, view = _viewed(room, figure, values)
    title = readable(title or made.title or _room(room).title)
    caption = readable(" ".join(filter(None, [caption, made.caption(view)])))
    parts = made.make()
    made.draw(view)
    plots: dict[str, Any] = {}
    # a figure that has nothing to draw in a state says why
    content = _markup(parts, view, plots) or tag("div", tag("p", caption), class_="lab-html")
    # no two stills of a page may refer to the same name
    told = repr((room, made.key, sorted(values.items()), width, theme))
    drawn, height = _drawn(f"s{sha256(told.encode()).hexdigest()[:8]}", content, plots, width, theme)
    svg = tag(
        "svg",
        tag("title", title),
        tag("desc", caption),
        drawn,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width} {height}",
        role="img",
        style=f"font-family:{SANS};font-variant-numeric:tabular-nums",
        **{"xml:space": "preserve"},
    )
    return Still(readable(str(svg)), caption, title, width, height)


def _room(key: str) -> type[Room]:
    from app.shell import ROOMS

    if key not in ROOMS:
        raise ValueError(f"there is no room {key!r}; the rooms are {', '.join(ROOMS)}")
    found: type[Room] = ROOMS[key]
    return found


def _viewed(key: str, figure: str, given: Mapping[str, Any]) -> tuple[Any, Any]:
    """The figure and its view, by the room's own guarded path."""
    room = _room(key)
    figures = room.keys()
    figure = figure or figures[0]
    if figure not in figures:
        raise ValueError(f"the room {key} has no figure {figure!r}; its figures are {', '.join(figures)}")
    defaults: dict[str, Any] = dict.fromkeys(url.given(room.State))
    defaults |= {name: item.default for name, item in url.settings(room.State).items()}
    asked = {**defaults, **room.for_figure(figure), **given}
    values, notices = room.normalise(asked)
    # what a page forgives, a still refuses: it would show another state than it was asked for
    if notices:
        raise ValueError(" ".join(notices))
    made = room.figure(figure)
    try:
        return made, made.viewed(values)
    except OSError as reason:
        raise ValueError(guard.sentence_of(reason)) from reason


def _read(room: type[Room], query: str) -> dict[str, Any]:
    """The values of a query; what an address says about the page is nothing to a still."""
    known = url.settings(room.State)
    values: dict[str, Any] = {}
    for name, text in parse_qsl(query.removeprefix("?"), keep_blank_values=True):
        if name in PAGE:
            continue
        if name not in known:
            raise ValueError(
                f"{name}: the room {room.key} has no setting of that name; they are {', '.join(known)}"
            )
        if name in values:
            raise ValueError(f"{name}={text}: it is given more than once")
        try:
            values[name] = url.read(known[name], text)
        except ValueError as reason:
            raise ValueError(f"{name}={visible(text, 40)}: {reason}") from reason
    return values


def _markup(parts: Sequence[Any], view: Any, plots: dict[str, Any]) -> Markup:
    """The parts of a figure as one piece of HTML; a plot is an element with a name."""
    return join(_part(part(view) if callable(part) else part, plots) for part in parts)


def _part(part: Any, plots: dict[str, Any]) -> Markup:
    if isinstance(part, Markup):
        return tag("div", part, class_="lab-html") if part else EMPTY
    part = getattr(part, "pane", part)
    if not part.visible:
        return EMPTY
    classes = " ".join(part.css_classes)
    if isinstance(part, pn.pane.Bokeh):
        name = f"plot-{len(plots)}"
        plots[name] = part.object
        return tag("plot", class_="still-plot", id=name)
    if isinstance(part, pn.layout.ListLike):
        kind = "row" if isinstance(part, pn.Row) else "column"
        return tag("div", join(_part(one, plots) for one in part), class_=f"still-{kind} {classes}")
    if isinstance(part, Pane):
        return tag("div", Markup(part.object), class_=classes)
    # what a reader would press or type into has nothing to do in a picture
    return EMPTY


def _drawn(key: str, content: Markup, plots: dict[str, Any], width: int, theme: str) -> tuple[Markup, int]:
    """The picture, and how high it is."""
    inner = width - 2 * EDGE
    root = read(str(tag("div", content, class_="still lab-picture")), inner)
    laid = Boxes({name: float(plot.height) for name, plot in plots.items()}).lay(root, inner)
    height = math.ceil(laid.height) + 2 * EDGE
    canvas = Canvas(theme, key)
    if theme != "auto":
        canvas.rect(0, 0, width, height, canvas.fill("var(--paper)"))

    def plot(canvas: Canvas, name: str, x: float, y: float, wide: float) -> None:
        draw_plot(canvas, plots[name], x, y, wide)

    Painter(canvas, plot).paint(laid, EDGE, EDGE)
    return canvas.written(), height
