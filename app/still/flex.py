"""Boxes beside each other or below each other, as ``display: flex`` lays them out."""

from __future__ import annotations

from app.still.css import INHERITED
from app.still.laid import Laid, Layout
from app.still.nodes import Node

SPACE = " \t\n\r\f"
"""What HTML takes for space; one that no line may end at is none."""
BEGIN = {"center": 0.5, "flex-end": 1.0, "end": 1.0}


def measure(layout: Layout, node: Node) -> tuple[float, float]:
    """The least width and the most."""
    sizes = [
        (low + one.aside, high + one.aside) for one in items(node) for low, high in [layout.measure(one)]
    ]
    if not sizes:
        return 0.0, 0.0
    gap = node.px("column-gap") * (len(sizes) - 1)
    lows, highs = zip(*sizes, strict=True)
    if upright(node):
        return max(lows), max(highs)
    return max(lows) if _wraps(node) else sum(lows) + gap, sum(highs) + gap


def row(layout: Layout, node: Node, width: float, height: float) -> Laid:
    """Beside each other, in as many lines as are needed."""
    laid = Laid(width, 0.0)
    for line in _lines(layout, node, width):
        y = laid.height + (node.px("row-gap") if laid.height else 0.0)
        laid.height = y + _set_line(layout, node, laid, line, y, height if not _wraps(node) else 0.0)
    return laid


def column(layout: Layout, node: Node, width: float, height: float) -> Laid:
    """Below each other; what is left of the height goes to those that grow, or beside all."""
    laid = Laid(width, 0.0)
    gap = node.px("row-gap")
    placed = []
    for child in items(node):
        stretch = _align(node, child) in ("stretch", "normal")
        part = layout.lay(child, layout.width_of(child, width - child.aside, stretch))
        if part.height or child.name:
            placed.append((child, part))
    reverse = node.style.get("flex-direction") == "column-reverse"
    used = sum(part.height + child.margin("top") + child.margin("bottom") for child, part in placed)
    left = height - used - gap * (len(placed) - 1)
    begin = BEGIN.get(node.style.get("justify-content", ""), 0.0)
    # what is too high runs over the edge that it does not begin at
    y = left * (1 - begin if reverse else begin) if height else 0.0
    for child, part in reversed(placed) if reverse else placed:
        y += child.margin("top")
        x = child.margin("left") + (width - child.aside - part.width) * BEGIN.get(_align(node, child), 0.0)
        laid.put(x, y, part)
        if laid.baseline is None and part.baseline is not None:
            laid.baseline = y + part.baseline
        y += part.height + child.margin("bottom") + gap
    laid.height = max(y - gap, 0.0) if placed else 0.0
    if height and begin and left < 0:
        laid.height = height
    return laid


def items(node: Node) -> list[Node]:
    """Its children as boxes; text between them is one too."""
    found: list[Node] = []
    for child in node.children:
        if isinstance(child, Node):
            if not child.absolute:
                found.append(child)
        elif child.strip(SPACE):
            content = {"content": child.strip(SPACE), "display": "block"}
            text = Node(None, {**_plain(node), **content}, node.container)
            found.append(text)
    return sorted(found, key=lambda one: float(one.style.get("order", 0)))


def _plain(node: Node) -> dict[str, str]:
    return {name: value for name, value in node.style.items() if name in INHERITED}


def upright(node: Node) -> bool:
    """Whether its boxes stand below each other."""
    return node.style.get("flex-direction", "row").startswith("column")


def _wraps(node: Node) -> bool:
    return node.style.get("flex-wrap", "nowrap") == "wrap"


def _align(node: Node, child: Node) -> str:
    return child.style.get("align-self", node.style.get("align-items", "stretch"))


def _lines(layout: Layout, node: Node, width: float) -> list[list[tuple[Node, float]]]:
    """Items with the widths that they would like to have, line by line."""
    gap = node.px("column-gap")
    lines: list[list[tuple[Node, float]]] = [[]]
    used = 0.0
    for child in items(node):
        size = _base(layout, child, width)
        needed = size + child.aside + (gap if lines[-1] else 0.0)
        if _wraps(node) and lines[-1] and used + needed > width + 0.5:
            lines.append([])
            used, needed = 0.0, size + child.aside
        lines[-1].append((child, size))
        used += needed
    return [line for line in lines if line]


def _base(layout: Layout, child: Node, width: float) -> float:
    basis = child.style.get("flex-basis", "auto")
    given = child.measure(basis, width)
    if given is None:
        given = layout.width_of(child, layout.measure(child)[1] if "width" not in child.style else width)
    given = max(given, child.px("min-width", width), 0.0)
    return min(given, child.px("max-width", width, float("inf")))


def _set_line(
    layout: Layout, node: Node, laid: Laid, line: list[tuple[Node, float]], y: float, height: float
) -> float:
    gap = node.px("column-gap")
    room = laid.width - gap * (len(line) - 1) - sum(child.aside for child, _ in line)
    sizes = _resolved(layout, line, room)
    parts = [layout.lay(child, size) for (child, _), size in zip(line, sizes, strict=True)]
    given = node.length("height") is not None and height
    tall = (
        height
        if given
        else max([height, *(_outer(child, part) for (child, _), part in zip(line, parts, strict=True))])
    )
    tops = max(
        [part.baseline or part.height for (child, _), part in zip(line, parts, strict=True) if part.height]
        or [0]
    )
    left = room - sum(sizes)
    justify = node.style.get("justify-content", "")
    x = max(left, 0.0) * BEGIN.get(justify, 0.0)
    between = left / (len(line) - 1) if justify == "space-between" and len(line) > 1 and left > 0 else 0.0
    for (child, _), size, part in zip(line, sizes, parts, strict=True):
        x += child.margin("left")
        align = _align(node, child)
        if align in ("stretch", "normal") and child.length("height") is None:
            high = tall - child.margin("top") - child.margin("bottom")
            part = layout.lay(child, size, high) if given or part.height < high else part
        top = (tall - _outer(child, part)) * BEGIN.get(align, 0.0)
        if align == "baseline":
            top = tops - (part.baseline or part.height)
        laid.put(x, y + top + child.margin("top"), part)
        if laid.baseline is None and part.baseline is not None:
            laid.baseline = y + top + part.baseline
        x += size + child.margin("right") + gap + between
    return tall


def _outer(child: Node, part: Laid) -> float:
    return part.height + child.margin("top") + child.margin("bottom")


def _resolved(layout: Layout, line: list[tuple[Node, float]], room: float) -> list[float]:
    """Widths that fill the line: those that grow take what is left, those that shrink give."""
    sizes = [size for _, size in line]
    left = room - sum(sizes)
    if left >= 0:
        grows = [float(child.style.get("flex-grow", 0)) for child, _ in line]
        total = sum(grows)
        tops = [child.px("max-width", room, float("inf")) for child, _ in line]
        shares = [left * grow / max(total, 1.0) for grow in grows]
        return [min(size + share, top) for size, share, top in zip(sizes, shares, tops, strict=True)]
    floors = [_floor(layout, child, size) for child, size in line]
    for _ in range(len(line)):
        over = sum(sizes) - room
        free = [size - floor for size, floor in zip(sizes, floors, strict=True)]
        if over <= 0.01 or sum(free) <= 0:
            break
        weight = sum(size for size, one in zip(sizes, free, strict=True) if one > 0)
        sizes = [
            max(size - over * size / weight, floor) if one > 0 else size
            for size, floor, one in zip(sizes, floors, free, strict=True)
        ]
    return sizes


def _floor(layout: Layout, child: Node, size: float) -> float:
    if float(child.style.get("flex-shrink", 1)) == 0:
        return size
    least = child.length("min-width")
    return min(least if least is not None else layout.measure(child)[0], size)
