"""Layout of the HTML of a figure: the part of CSS that the lab's own stylesheet asks for."""

from __future__ import annotations

from itertools import groupby

from app.still import flex, grid, inline, table
from app.still.laid import Laid
from app.still.nodes import Node

REPLACED = ("svg", "plot")


class Boxes:
    """Lays out nodes; pictures in them get their size and are drawn later.

    Parameters
    ----------
    heights : mapping
        The height of each plot by its name.
    """

    def __init__(self, heights: dict[str, float]) -> None:
        self._heights = heights

    def lay(self, node: Node, width: float, height: float | None = None) -> Laid:
        """A node in a box so wide, borders included, and at least so high."""
        node.enter(width)
        if self._picture(node):
            return Laid(width, self._picture_height(node, width), node)
        left, right, top, bottom = (node.edges(side) for side in ("left", "right", "top", "bottom"))
        inner = max(width - left - right, 0.0)
        fixed = node.length("height", 0.0) if "%" not in node.style.get("height", "") else None
        # least heights keep a page from jumping, which no still does
        least = max(height or 0.0, fixed or 0.0)
        content = self._content(node, inner, max(least - top - bottom, 0.0))
        most = node.length("max-height") if node.style.get("overflow") == "hidden" else None
        full = fixed if fixed is not None and node.display == "block" else content.height + top + bottom
        laid = Laid(width, min(max(full, least), most or float("inf")), node)
        if content.baseline is not None:
            laid.baseline = content.baseline + top
        laid.put(left, top, content)
        self._lay_absolute(node, laid)
        return laid

    def measure(self, node: Node) -> tuple[float, float]:
        """The least width of a node and the most that it would take, borders included."""
        if node.measured is None:
            node.measured = self._measured(node)
        return node.measured

    def width_of(self, node: Node, room: float, stretch: bool = True) -> float:
        """The width of a node that has so much room, margins taken off."""
        given = node.length("width", room)
        if given is None and self._picture(node):
            given = self._picture_width(node, room)
        if given is None:
            given = room
            # a table is as wide as its cells, wherever it stands
            if not stretch or node.display == "table":
                least, most = self.measure(node)
                given = min(max(least, room), most)
        given = max(given, node.px("min-width", room))
        return min(given, node.px("max-width", room, float("inf")))

    def _content(self, node: Node, width: float, height: float) -> Laid:
        kind = node.display.removeprefix("inline-")
        if node.style.get("overflow-x", node.style.get("overflow")) == "auto":
            return self._shrunk(node, width)
        if kind == "flex":
            return (flex.column if flex.upright(node) else flex.row)(self, node, width, height)
        if kind == "grid":
            return grid.lay(self, node, width, height)
        if kind == "table":
            return table.lay(self, node, width)
        laid = self._block(node, width, height)
        if kind == "cell" and node.style.get("vertical-align", "middle") == "middle" and laid.height < height:
            laid.down((height - laid.height) / 2)
        return laid

    def _shrunk(self, node: Node, width: float) -> Laid:
        """What a reader would scroll is shown whole: where it is too wide, smaller."""
        least = max([self.measure(child)[0] + child.aside for child in node.nodes()], default=0.0)
        laid = self._flow(node, max(width, least))
        if least <= width + 0.5:
            return laid
        scale = width / least
        whole = Laid(width, laid.height * scale)
        laid.scale = scale
        whole.put(0.0, 0.0, laid)
        return whole

    def _flow(self, node: Node, width: float) -> Laid:
        if node.display == "flex":
            return flex.row(self, node, width, 0.0)
        return grid.lay(self, node, width, 0.0) if node.display == "grid" else self._block(node, width)

    def _block(self, node: Node, width: float, height: float = 0.0) -> Laid:
        """Lines and boxes below each other; margins between boxes fall together."""
        laid = Laid(width, 0.0)
        margin = 0.0
        for single, group in groupby(node.children, key=_in_line):
            members = [one for one in group if not (isinstance(one, Node) and one.absolute)]
            if single:
                lines = inline.lay_lines(members, node, width, self.lay_inline)
                if not lines.height:
                    continue
                y, margin = laid.height + margin, 0.0
                _place(laid, 0.0, y, lines)
                continue
            for child in members:
                assert isinstance(child, Node)
                share = child.px("height", height) if "%" in child.style.get("height", "") else None
                part = self.lay(child, self.width_of(child, width - child.aside), share)
                between = max(margin, child.margin("top")) if laid.parts else 0.0
                free = width - child.aside - part.width
                pushed = free if child.style.get("margin-left") == "auto" else 0.0
                _place(laid, child.margin("left") + pushed, laid.height + between, part)
                margin = child.margin("bottom")
        # a container keeps the last margin to itself, others share it with what follows them
        laid.height += margin if "container-type" in node.style else 0.0
        return laid

    def lay_inline(self, node: Node, room: float) -> Laid:
        """A box in a line of text: as wide as it must be."""
        return self.lay(node, self.width_of(node, room, stretch=False))

    def _lay_absolute(self, node: Node, laid: Laid) -> None:
        for child in node.children:
            if isinstance(child, Node) and child.absolute:
                part = self.lay(child, self.width_of(child, laid.width, stretch=False))
                left = child.px("left", laid.width) + child.margin("left")
                laid.put(left, child.px("top", laid.height), part)

    def _measured(self, node: Node) -> tuple[float, float]:
        edges = node.edges("left") + node.edges("right")
        given = node.length("width") if "%" not in node.style.get("width", "") else None
        if self._picture(node):
            given = self._picture_width(node, 0.0) or 120.0
        if given is not None:
            return given, given
        least, most = self._inner(node)
        if node.style.get("overflow-x", node.style.get("overflow")) in ("auto", "hidden"):
            least = 0.0
        low = node.px("min-width")
        # a share of what is not known yet limits nothing
        high = node.px("max-width", 1e6, float("inf"))
        least, most = (min(max(one + edges, low), high) for one in (least, most))
        return least, max(most, least)

    def _inner(self, node: Node) -> tuple[float, float]:
        if node.style.get("container-type") == "inline-size":
            return 0.0, 0.0
        kind = node.display.removeprefix("inline-")
        if kind == "flex":
            return flex.measure(self, node)
        if kind == "grid":
            return grid.measure(self, node)
        if kind == "table":
            return table.measure(self, node)
        least = most = 0.0
        for single, group in groupby(node.children, key=_in_line):
            members = [one for one in group if not (isinstance(one, Node) and one.absolute)]
            if single:
                found = [inline.widths(inline.pieces(members, node, self.lay_inline, 1e4))]
            else:
                found = [
                    (low + child.aside, high + child.aside)
                    for child in members
                    if isinstance(child, Node)
                    for low, high in [self.measure(child)]
                ]
            least = max([least, *(low for low, _ in found)])
            most = max([most, *(high for _, high in found)])
        return least, most

    def _picture(self, node: Node) -> bool:
        return node.name in REPLACED

    def _picture_width(self, node: Node, room: float) -> float | None:
        if node.name == "plot":
            return room or None
        given = node.element.etree_element.get("width")
        return float(given) if given else (room or float(_view_box(node)[2]))

    def _picture_height(self, node: Node, width: float) -> float:
        if node.name == "plot":
            return self._heights[node.element.etree_element.get("id")]
        given = node.element.etree_element.get("height")
        if given and node.style.get("height") != "auto":
            return float(given)
        _, _, across, down = _view_box(node)
        return width * down / across


def _view_box(node: Node) -> list[float]:
    element = node.element.etree_element
    return [float(part) for part in element.get("viewBox", "0 0 300 150").replace(",", " ").split()]


def _in_line(child: Node | str) -> bool:
    return isinstance(child, str) or child.inline or child.name == "br"


def _place(laid: Laid, x: float, y: float, part: Laid) -> None:
    laid.put(x, y, part)
    laid.height = y + part.height
    if laid.baseline is None and part.baseline is not None:
        laid.baseline = y + part.baseline
