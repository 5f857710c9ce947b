"""The page's own stylesheet, applied to the HTML of a figure: what a browser would call computed styles.

room.css is the one home of how the lab looks; a still reads it too. What it asks of a browser's layout is
small and known, see `boxes`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import cssselect2
import tinycss2

from app.kit.assets import stylesheet
from app.still import colours

Style = dict[str, str]
SIDES = ("top", "right", "bottom", "left")
INHERITED = (
    "color",
    "font-family",
    "font-size",
    "font-style",
    "font-weight",
    "line-height",
    "overflow-wrap",
    "text-align",
    "text-indent",
    "white-space",
)
ROOT: Style = {
    "color": "var(--ink)",
    "font-family": "var(--font)",
    "font-size": "15.5px",
    "font-style": "normal",
    "font-weight": "400",
    "line-height": "1.5",
    "text-align": "left",
    "white-space": "normal",
}
_STYLES = ("solid", "dashed", "dotted")
_VARIABLE = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,\s*((?:[^()]|\([^()]*\))*))?\)")


@dataclass(frozen=True)
class Rule:
    """The declarations of one selector, and between which widths of their container they hold."""

    declared: tuple[tuple[str, str, bool], ...]
    least: float = 0.0
    most: float = float("inf")


@dataclass
class Sheet:
    """Rules by selector."""

    matcher: cssselect2.Matcher = field(default_factory=cssselect2.Matcher)

    def add(self, text: str) -> Sheet:
        """Take in a stylesheet; what stands in a medium that a still is not is left out."""
        # a still has no shadow roots: what is said of a host is said of the element
        plain = re.sub(r":host\(([^()]*(?:\([^()]*\))?[^()]*)\)", r":is(\1)", text).replace(
            ":host ", ".still "
        )
        self._add(tinycss2.parse_stylesheet(plain, skip_comments=True, skip_whitespace=True))
        return self

    def _add(self, nodes: list[Any], least: float = 0.0, most: float = float("inf")) -> None:
        for node in nodes:
            if node.type == "at-rule" and node.lower_at_keyword == "container":
                asked = tinycss2.serialize(node.prelude)
                low, high = (re.search(rf"{end}-width: *([\d.]+)px", asked) for end in ("min", "max"))
                inner = tinycss2.parse_rule_list(node.content, skip_comments=True, skip_whitespace=True)
                self._add(inner, float(low[1]) if low else 0.0, float(high[1]) if high else most)
            elif node.type == "qualified-rule":
                items = tinycss2.parse_blocks_contents(node.content, skip_comments=True, skip_whitespace=True)
                declared = tuple(
                    (item.name, tinycss2.serialize(item.value).strip(), item.important)
                    for item in items
                    if item.type == "declaration"
                )
                # of what a reader does, such as to hover, a selector may ask what no still can answer
                with suppress(cssselect2.SelectorError):
                    for selector in cssselect2.compile_selector_list(node.prelude):
                        self.matcher.add_selector(selector, Rule(declared, least, most))

    def style(self, element: Any, parent: Mapping[str, str], container: float) -> Style:
        """The computed style of an element whose container is so wide."""
        return self._computed(element, parent, container, None, element.etree_element.get("style", ""))

    def before(self, element: Any, parent: Mapping[str, str], container: float) -> Style | None:
        """That of what stands before its content, if anything does."""
        style = self._computed(element, parent, container, "before", "")
        return style if "content" in style else None

    def _computed(
        self, element: Any, parent: Mapping[str, str], container: float, pseudo: str | None, own: str
    ) -> Style:
        style: Style = {
            name: value for name, value in parent.items() if name in INHERITED or name[:2] == "--"
        }
        late: Style = {}
        for *_, at, rule in self.matcher.match(element):
            if at == pseudo and rule.least <= container <= rule.most:
                for name, value, important in rule.declared:
                    (late if important else style).update(_longhands(name, value))
        for declared in filter(None, own.split(";")):
            name, _, value = declared.partition(":")
            style.update(_longhands(name.strip(), value.strip()))
        style.update(late)
        return _inserted(style, parent)


@lru_cache
def sheet() -> Sheet:
    """The stylesheet of all rooms."""
    return (
        Sheet()
        .add(Path(__file__).with_name("base.css").read_text(encoding="utf-8"))
        .add(stylesheet("room.css"))
    )


def words(value: str) -> list[str]:
    """A value cut at its outer spaces.

    >>> words("repeat(2, minmax(0, 1fr)) auto")
    ['repeat(2, minmax(0, 1fr))', 'auto']
    """
    parts, depth = [""], 0
    for sign in value:
        depth += (sign == "(") - (sign == ")")
        if sign.isspace() and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [part for part in parts if part]


def _inserted(style: Style, parent: Mapping[str, str]) -> Style:
    known = colours.lengths()

    def insert(found: re.Match[str]) -> str:
        name, otherwise = found.group(1), found.group(2)
        if name in style:
            return style[name]
        # a token that is a colour stays: it is written into the still by its name
        return known.get(
            name, otherwise if otherwise and name[2:] not in colours.tokens() else found.group(0)
        )

    for name, value in style.items():
        for _ in range(4):
            replaced = _VARIABLE.sub(insert, value)
            if replaced == value:
                break
            value = replaced
        style[name] = parent.get(name, "") if value == "inherit" else value
    if "em" in style["font-size"] or "%" in style["font-size"]:
        size = float(re.sub(r"[^\d.]", "", style["font-size"]))
        share = size / 100 if "%" in style["font-size"] else size
        style["font-size"] = f"{share * float(parent['font-size'].removesuffix('px')):g}px"
    return style


def _longhands(name: str, value: str) -> Iterator[tuple[str, str]]:
    parts = words(value)
    if name in ("margin", "padding"):
        # as many as are given: the others are those across from them
        four = [
            parts[min(place, len(parts) - 1) if place < len(parts) else place % 2 * (len(parts) > 1)]
            for place in range(4)
        ]
        yield from ((f"{name}-{side}", one) for side, one in zip(SIDES, four, strict=True))
    elif name == "border" or (name.startswith("border-") and name[7:] in SIDES):
        yield from _border(parts, SIDES if name == "border" else (name[7:],))
    elif name in ("border-color", "border-style", "border-width"):
        yield from ((f"border-{side}-{name[7:]}", value) for side in SIDES)
    elif name == "gap":
        yield from (("row-gap", parts[0]), ("column-gap", parts[-1]))
    elif name == "flex":
        grow, shrink, basis = (
            [*parts, "1", "0px"][:3] if parts[0] not in ("none", "auto") else ("0", "0", "auto")
        )
        yield from (("flex-grow", grow), ("flex-shrink", shrink), ("flex-basis", basis))
    elif name == "flex-flow":
        yield from (("flex-direction", parts[0]), ("flex-wrap", parts[-1] if len(parts) > 1 else "nowrap"))
    elif name == "background" and "gradient" not in value:
        yield "background-color", value
    elif name == "place-content":
        yield from (("align-content", parts[0]), ("justify-content", parts[-1]))
    elif name == "grid-template":
        rows, _, columns = value.partition("/")
        yield from (("grid-template-rows", rows.strip()), ("grid-template-columns", columns.strip()))
    elif name == "grid-area":
        row, column, row_end, *_ = [*(part.strip() for part in value.split("/")), "auto", "auto", "auto"]
        yield from (("grid-row", f"{row} / {row_end}"), ("grid-column", column))
    else:
        yield name, value


def _border(parts: list[str], sides: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for side in sides:
        yield f"border-{side}-style", next((part for part in parts if part in _STYLES), "none")
        yield f"border-{side}-width", next((part for part in parts if part[0].isdigit()), "3px")
        if colour := [part for part in parts if part not in _STYLES and not part[0].isdigit()]:
            yield f"border-{side}-color", colour[0]
        else:
            yield f"border-{side}-color", "currentcolor"
