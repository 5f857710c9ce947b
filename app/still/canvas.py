"""The SVG of a still as it is written: shapes under words, equal neighbours under one style."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from app.kit.html import Markup, escape, tag
from app.still import colours
from app.still.colours import Ink

SANS = "DejaVu Sans,system-ui,Segoe UI,Roboto,sans-serif"
SHARED = ("font-family", "font-weight", "text-anchor")
"""What neighbours have in common even where their colours or sizes differ."""
SINGLE = ("<rect", "<path", "<text", "<circle")
MONO = "DejaVu Sans Mono,ui-monospace,Menlo,monospace"


def number(value: float, digits: int = 1) -> str:
    """A coordinate: as few signs as show it.

    >>> number(12.04), number(-0.04), number(0.25, 2)
    ('12', '0', '.25')
    """
    text = f"{value:.{digits}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    text = (
        text.replace("-0.", "-.")
        if text.startswith("-0.")
        else text.removeprefix("0")
        if text[:2] == "0."
        else text
    )
    return "0" if text in ("-0", "", "-") else text


@dataclass
class Mark:
    """An element: its style, and its name, attributes and content."""

    style: Mapping[str, str]
    markup: Markup


@dataclass
class Canvas:
    """What has been drawn so far.

    Parameters
    ----------
    theme : str
        auto, light or dark.
    name : str
        Begins the names of what is referred to, so that two stills on a page do not mix.
    """

    theme: str = "auto"
    name: str = "still"
    shapes: list[Mark] = field(default_factory=list)
    texts: list[Mark] = field(default_factory=list)
    defined: list[Markup] = field(default_factory=list)

    def ink(self, colour: str) -> Ink | None:
        """A colour in this still's theme."""
        return colours.ink(colour, self.theme)

    def fill(self, colour: str, alpha: float = 1.0) -> dict[str, str]:
        """The style of a surface."""
        return self.painted("fill", colour, alpha)

    def stroke(
        self, colour: str, width: float = 1.0, dash: Iterable[float] = (), alpha: float = 1.0
    ) -> dict[str, str]:
        """The style of a line."""
        style = self.painted("stroke", colour, alpha)
        if width != 1:
            style["stroke-width"] = number(width, 2)
        if pattern := " ".join(number(part) for part in dash):
            style["stroke-dasharray"] = pattern
        return {"fill": "none", **style}

    def painted(self, name: str, colour: str, alpha: float) -> dict[str, str]:
        """A colour as the style of a fill or a stroke."""
        found = self.ink(colour)
        if found is None:
            return {name: "none"}
        alpha *= found.alpha
        return {name: found.css} | ({f"{name}-opacity": number(alpha, 2)} if alpha < 1 else {})

    def rect(
        self, x: float, y: float, width: float, height: float, style: Mapping[str, str], r: float = 0
    ) -> None:
        """A rectangle; r rounds its corners."""
        if width <= 0 or height <= 0:
            return
        corner = {"rx": number(min(r, width / 2, height / 2))} if r else {}
        place = {"x": x, "y": y, "width": width, "height": height}
        self.shape("rect", style, **{name: number(value) for name, value in place.items()}, **corner)

    def shape(self, name: str, style: Mapping[str, str], **attributes: str) -> None:
        """An element without content."""
        self.shapes.append(Mark(style, Markup(str(tag(name, **attributes)).replace(f"></{name}>", "/>"))))

    def path(self, d: str, style: Mapping[str, str]) -> None:
        """A path."""
        self.shape("path", style, d=d)

    def markup(self, content: Markup) -> None:
        """What is drawn already."""
        self.shapes.append(Mark({}, content))

    def text(
        self,
        x: float,
        y: float,
        content: object,
        style: Mapping[str, str],
        anchor: str = "start",
        turn: str = "",
    ) -> None:
        """A line of text, held at its start, middle or end; ``turn`` is a transform of it."""
        place = {"x": number(x), "y": number(y), "transform": turn or None}
        held = {"text-anchor": anchor} if anchor != "start" else {}
        self.texts.append(Mark({**style, **held}, tag("text", content, **place)))

    def define(self, name: str, content: Markup, **attributes: str) -> str:
        """Define what others refer to; returns the reference."""
        key = f"{self.name}-{len(self.defined)}"
        self.defined.append(tag(name, content, id=key, **attributes))
        return f"url(#{key})"

    def written(self) -> Markup:
        """All of it."""
        defined = tag("defs", Markup("".join(self.defined))) if self.defined else ""
        return Markup(f"{defined}{grouped(self.shapes)}{grouped(self.texts)}")


def css_of(style: Mapping[str, str]) -> str:
    """A style as an attribute has it."""
    return ";".join(f"{name}:{value}" for name, value in style.items())


def grouped(marks: Sequence[Mark], outer: Sequence[str] = SHARED) -> Markup:
    """Neighbours of one style in one group; around it one for what more of them share."""
    parts = []
    for shared, members in groupby(marks, lambda mark: [mark.style.get(name) for name in outer]):
        found = list(members)
        common = {name: value for name, value in zip(outer, shared, strict=True) if value is not None}
        if not outer:
            parts += [_group(style, [mark.markup for mark in same]) for style, same in _runs(found)]
            continue
        inner = [Mark({n: v for n, v in mark.style.items() if n not in outer}, mark.markup) for mark in found]
        several = common and any(mark.style != inner[0].style for mark in inner)
        content = grouped(inner if several else found, ())
        parts.append(tag("g", content, style=css_of(common)) if several else content)
    return Markup("".join(parts))


def _runs(marks: Sequence[Mark]) -> Iterator[tuple[Mapping[str, str], list[Mark]]]:
    for _, same in groupby(marks, lambda mark: css_of(mark.style)):
        found = list(same)
        yield found[0].style, found


def _group(style: Mapping[str, str], members: Sequence[Markup]) -> Markup:
    content = "".join(members)
    if not style:
        return Markup(content)
    written = escape(css_of(style))
    if len(members) == 1 and members[0].startswith(SINGLE):
        name, rest = content[1:].split(" ", 1)
        return Markup(f'<{name} style="{written}" {rest}')
    return Markup(f'<g style="{written}">{content}</g>')
