"""Tables: columns as wide as their cells ask for, as far as there is room."""

from __future__ import annotations

from app.still.laid import Laid, Layout
from app.still.nodes import Node

GROUPS = ("thead", "tbody", "tfoot")
Row = tuple[Node, list[Node]]


def measure(layout: Layout, node: Node) -> tuple[float, float]:
    """The least width and the most."""
    rows = _rows(node)
    lows, highs = _sizes(layout, [row for row in rows if in_columns(row)], 0.0)
    gaps = _spacing(node) * (len(lows) + 1)
    alone = [layout.measure(row) for row, cells in rows if not in_columns((row, cells))]
    low, high = (max((one[place] for one in alone), default=0.0) for place in (0, 1))
    return max(sum(lows) + gaps, low), max(sum(highs) + gaps, high)


def lay(layout: Layout, node: Node, width: float) -> Laid:
    """The rows below each other."""
    rows, gap = _rows(node), _spacing(node)
    aligned = [row for row in rows if in_columns(row)]
    columns = _columns(layout, node, aligned, width - gap * (_count(aligned) + 1))
    laid = Laid(width, gap)
    for row, cells in rows:
        if not in_columns((row, cells)):
            part = layout.lay(row, width)
            laid.put(0.0, laid.height, part)
            laid.height += part.height
            continue
        found, at = [], 0
        for cell in cells:
            across = _across(cell)
            size = sum(columns[at : at + across]) + gap * (across - 1)
            found.append((cell, gap + sum(columns[:at]) + gap * at, layout.lay(cell, size)))
            at += across
        tall = max([row.px("height"), *(part.height for *_, part in found)])
        lines = [part.baseline for cell, _, part in found if _valign(cell) == "baseline" and part.baseline]
        line = Laid(width, tall, row)
        for cell, x, part in found:
            part = layout.lay(cell, part.width, tall) if part.height < tall else part
            line.put(x, 0.0, part)
        if lines:
            line.baseline = max(lines)
        laid.put(0.0, laid.height, line)
        laid.height += tall + gap
    return laid


def in_columns(row: Row) -> bool:
    """Whether a row keeps to the table's columns; on a narrow page some stand by themselves."""
    return row[0].display == "row"


def _valign(cell: Node) -> str:
    return cell.style.get("vertical-align", "middle")


def _rows(node: Node) -> list[Row]:
    found: list[Row] = []
    for part in node.nodes():
        rows = part.nodes() if part.name in GROUPS else [part]
        found += [(row, row.nodes()) for row in rows]
    return found


def _across(cell: Node) -> int:
    return int(cell.element.etree_element.get("colspan", 1)) if cell.element is not None else 1


def _count(rows: list[Row]) -> int:
    return max((sum(map(_across, cells)) for _, cells in rows), default=0)


def _spacing(node: Node) -> float:
    return (
        0.0 if node.style.get("border-collapse") == "collapse" else node.px("border-spacing", otherwise=2.0)
    )


def _sizes(layout: Layout, rows: list[Row], width: float) -> tuple[list[float], list[float]]:
    count = _count(rows)
    lows, highs = [0.0] * count, [0.0] * count
    for _, cells in rows:
        at = 0
        for cell in cells:
            if _across(cell) == 1:
                low, high = layout.measure(cell)
                given = cell.style.get("width", "")
                if given.endswith("%") and width:
                    high = max(low, cell.px("width", width))
                lows[at], highs[at] = max(lows[at], low), max(highs[at], high)
            at += _across(cell)
    return lows, highs


def _columns(layout: Layout, node: Node, rows: list[Row], room: float) -> list[float]:
    lows, highs = _sizes(layout, rows, room)
    if node.style.get("table-layout") == "fixed" and rows:
        given = [cell.length("width", room) for cell in rows[0][1]]
        free = room - sum(size or 0.0 for size in given)
        each = free / max(sum(size is None for size in given), 1)
        return [each if size is None else size for size in given]
    if sum(highs) <= room:
        fills = "width" in node.style
        more = (room - sum(highs)) if fills else 0.0
        total = sum(highs) or 1.0
        return [high + more * high / total for high in highs]
    slack = sum(high - low for low, high in zip(lows, highs, strict=True)) or 1.0
    share = max(room - sum(lows), 0.0) / slack
    return [low + (high - low) * share for low, high in zip(lows, highs, strict=True)]
