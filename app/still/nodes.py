"""The HTML of a figure as a tree of nodes, each with its computed style and its lengths in pixels."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import cssselect2

from app.still import css, maths
from app.still.css import Style
from app.still.metrics import text_width

HIDDEN = ("none", "")
_UNITS = re.compile(r"(\d*\.?\d+)(px|%|cqi|em|rem|ch|vh|vw)")
_UNREADABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML cannot hold. The page shows signs in the place of these."""


class Node:
    """An element: its style, and its children when they are first asked for."""

    def __init__(self, element: Any, style: Style, container: float) -> None:
        self.element, self.style, self.container = element, style, container
        self._children: list[Node | str] | None = None
        self.measured: tuple[float, float] | None = None
        self.rows: list[float] = []
        """Heights of its rows, where they are part of a grid around it."""

    @property
    def name(self) -> str:
        """The element's name; what stands before the content of one has none."""
        return self.element.local_name if self.element is not None else ""

    @property
    def display(self) -> str:
        """How it is laid out."""
        shown = self.style.get("display", "inline")
        # what is there for screen readers alone is one pixel wide and clipped
        return "none" if "clip-path" in self.style else shown

    @property
    def children(self) -> list[Node | str]:
        """Elements and texts in it; what has no box of its own gives way to its children."""
        if self._children is None:
            self._children = list(self._found())
        return self._children

    def _found(self) -> Iterator[Node | str]:
        sheet, container = css.sheet(), self.container
        if self.element is None:
            yield from filter(None, [self.style["content"].strip("\"'")])
            return
        before = sheet.before(self.element, self.style, container)
        if before is not None:
            named = before["content"].removeprefix("attr(").rstrip(")")
            before["content"] = self.element.etree_element.get(named, before["content"])
            yield Node(None, before, container)
        if self.element.etree_element.text:
            yield self.element.etree_element.text
        for child in self.element.iter_children():
            node = Node(child, sheet.style(child, self.style, container), container)
            if node.display == "contents":
                yield from node.children
            elif node.display not in HIDDEN:
                yield node
            if child.etree_element.tail:
                yield child.etree_element.tail

    def enter(self, width: float) -> None:
        """Tell a container how wide it is: what is in it may be styled by that."""
        if self.style.get("container-type") and width != self.container:
            self.container, self._children = width, None

    def nodes(self) -> list[Node]:
        """The elements in it, in the order in which they are laid out; absolute ones are not."""
        found = [one for one in self.children if isinstance(one, Node) and not one.absolute]
        return sorted(found, key=lambda node: float(node.style.get("order", 0)))

    @property
    def absolute(self) -> bool:
        """Whether it is placed by itself, out of the flow."""
        return self.style.get("position") == "absolute"

    @property
    def inline(self) -> bool:
        """Whether it stands in a line of text."""
        return self.display.startswith("inline")

    @property
    def size(self) -> float:
        """The size of its type."""
        return float(self.style["font-size"].removesuffix("px"))

    @property
    def leading(self) -> float:
        """The height of a line of its type."""
        height = self.style["line-height"]
        return self.px("line-height") if height.endswith(("px", "%")) else float(height) * self.size

    def px(self, name: str, basis: float = 0.0, otherwise: float = 0.0) -> float:
        """A length in pixels."""
        found = self.length(name, basis)
        return otherwise if found is None else found

    def length(self, name: str, basis: float = 0.0) -> float | None:
        """A length in pixels, or None where it is not given."""
        return self.measure(self.style.get(name, "auto"), basis)

    def measure(self, value: str, basis: float) -> float | None:
        """The pixels of a value; None for one that is a word."""
        units = {
            "px": 1.0,
            "%": basis / 100,
            "cqi": self.container / 100,
            "em": self.size,
            "rem": 16.0,
            "ch": text_width("0", self.size),
            "vh": 7.0,
            "vw": self.container / 100,
        }
        plain = _UNITS.sub(lambda found: repr(float(found[1]) * units[found[2]]), value)
        try:
            return _value(ast.parse(plain.replace("calc", ""), mode="eval").body)
        except (SyntaxError, ValueError):
            return None

    def edges(self, side: str) -> float:
        """Padding and border on a side."""
        return self.px(f"padding-{side}", self.container) + self.border(side)

    def border(self, side: str) -> float:
        """Width of the border on a side."""
        if self.style.get(f"border-{side}-style", "none") == "none":
            return 0.0
        return self.px(f"border-{side}-width", otherwise=1.0)

    def margin(self, side: str) -> float:
        """The margin on a side; one that takes what is left is none."""
        return self.px(f"margin-{side}", self.container)

    @property
    def aside(self) -> float:
        """Margins left and right."""
        return self.margin("left") + self.margin("right")


_SIGNS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}


def _value(node: ast.expr) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return float(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand)
    if isinstance(node, ast.BinOp) and type(node.op) in _SIGNS:
        return float(_SIGNS[type(node.op)](_value(node.left), _value(node.right)))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("min", "max"):
        return (min if node.func.id == "min" else max)(_value(argument) for argument in node.args)
    raise ValueError("a length is made of numbers")


def readable(text: str) -> str:
    """Text as XML can hold it."""
    return _UNREADABLE.sub("�", text)


def read(markup: str, width: float) -> Node:
    """The tree of a piece of HTML that stands in a still so wide."""
    tree = ElementTree.fromstring(readable(markup))
    maths.as_text(tree)
    element = cssselect2.ElementWrapper.from_xml_root(tree)
    root = Node(element, css.sheet().style(element, css.ROOT, width), width)
    root.style.pop("container-type", None)
    return root
