"""Boxes in columns, as ``display: grid`` lays them out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import zip_longest

from app.still import css
from app.still.flex import BEGIN
from app.still.flex import items as items_of
from app.still.laid import Laid, Layout
from app.still.nodes import Node


@dataclass(frozen=True)
class Cell:
    """A box with the columns and rows it takes."""

    node: Node
    column: int
    row: int
    across: int = 1
    down: int = 1


def measure(layout: Layout, node: Node) -> tuple[float, float]:
    """The least width and the most."""
    sizes = [
        (low + one.aside, high + one.aside) for one in items_of(node) for low, high in [layout.measure(one)]
    ]
    if not sizes:
        return 0.0, 0.0
    if "auto-f" in node.style.get("grid-template-columns", ""):
        return max(low for low, _ in sizes), sum(high for _, high in sizes)
    count = len(_tracks(node, 0.0, len(sizes)))
    gap = node.px("column-gap") * (count - 1)
    lows = [max([low for low, _ in sizes[place::count]] or [0.0]) for place in range(count)]
    highs = [max([high for _, high in sizes[place::count]] or [0.0]) for place in range(count)]
    return sum(lows) + gap, sum(highs) + gap


def lay(layout: Layout, node: Node, width: float, height: float) -> Laid:
    """Boxes in their columns and rows."""
    items = items_of(node)
    tracks = _tracks(node, width, len(items))
    cells = _placed(items, len(tracks))
    between = node.px("row-gap")
    parts = _side_by_side(layout, node, tracks, cells, width)
    if _share_rows(cells):
        parts = [(x, layout.lay(cell.node, part.width)) for cell, (x, part) in zip(cells, parts, strict=True)]
    heights = _heights(node, cells, [part for _, part in parts], between)
    tops = [sum(heights[:place]) + between * place for place in range(len(heights))]
    laid = Laid(width, tops[-1] + heights[-1] if heights else 0.0)
    lines = _baselines(cells, [part for _, part in parts], len(heights))
    for cell, (x, part) in zip(cells, parts, strict=True):
        tall = sum(heights[cell.row : cell.row + cell.down]) + between * (cell.down - 1)
        top = cell.node.margin("top")
        align = cell.node.style.get("align-self", node.style.get("align-items", "stretch"))
        free = tall - part.height - top - cell.node.margin("bottom")
        if align in ("stretch", "normal") and cell.node.length("height") is None and free > 0:
            part = layout.lay(cell.node, part.width, part.height + free)
        y = tops[cell.row] + top + free * BEGIN.get(align, 0.0)
        if align == "baseline":
            y = tops[cell.row] + lines[cell.row] - (part.baseline or part.height)
        laid.put(x, y, part)
        if laid.baseline is None and part.baseline is not None:
            laid.baseline = y + part.baseline
    if node.style.get("align-content") == "center" and height > laid.height:
        laid.down((height - laid.height) / 2)
    return laid


def _side_by_side(
    layout: Layout, node: Node, tracks: list[str], cells: list[Cell], width: float
) -> list[tuple[float, Laid]]:
    """Boxes in their columns, each with its left edge."""
    gap = node.px("column-gap")
    columns = _widths(layout, node, tracks, cells, width)
    starts = [sum(columns[:place]) + gap * place for place in range(len(columns))]
    parts = []
    for cell in cells:
        full = sum(columns[cell.column : cell.column + cell.across]) + gap * (cell.across - 1)
        room = full - cell.node.aside
        how = cell.node.style.get("justify-self", node.style.get("justify-items", "stretch"))
        size = layout.width_of(cell.node, room, how == "stretch")
        x = starts[cell.column] + cell.node.margin("left") + (room - size) * BEGIN.get(how, 0.0)
        parts.append((x, layout.lay(cell.node, size)))
    return parts


def _share_rows(cells: list[Cell]) -> bool:
    """Give boxes beside each other that have a part in one grid the same rows; whether any has."""
    shared = False
    for cell in cells:
        beside = [one.node for one in cells if one.row == cell.row and one.node.rows]
        if cell.node.rows and len(beside) > 1:
            rows = [max(heights) for heights in zip_longest(*(one.rows for one in beside), fillvalue=0.0)]
            shared = shared or rows != cell.node.rows
            cell.node.rows = rows[: len(cell.node.rows)]
    return shared


def _baselines(cells: list[Cell], parts: list[Laid], rows: int) -> list[float]:
    lines = [0.0] * rows
    for cell, part in zip(cells, parts, strict=True):
        lines[cell.row] = max(lines[cell.row], part.baseline or part.height)
    return lines


def _tracks(node: Node, width: float, items: int, name: str = "grid-template-columns") -> list[str]:
    """The columns, one by one; as many as fit where the stylesheet leaves it open."""
    tracks: list[str] = []
    for part in css.words(node.style.get(name, "none")):
        repeated = re.fullmatch(r"repeat\(([\w-]+),\s*(.*)\)", part)
        if repeated is None:
            tracks += [] if part in ("none", "subgrid") else [part]
        elif repeated[1].isdigit():
            tracks += [repeated[2]] * int(repeated[1])
        else:
            low, _ = _limits(repeated[2])
            least, gap = node.measure(low, width) or width, node.px("column-gap")
            count = max(int((width + gap) / (least + gap)), 1)
            tracks += [repeated[2]] * (min(count, max(items, 1)) if repeated[1] == "auto-fit" else count)
    return tracks or ["minmax(0, 1fr)" if "template" in name and not tracks else "auto"]


def _limits(track: str) -> tuple[str, str]:
    """The least and the most of a track."""
    if not track.startswith("minmax("):
        return ("auto" if track.endswith("fr") else track), track
    inner, depth = track[7:-1], 0
    for place, sign in enumerate(inner):
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth == 0:
            return inner[:place].strip(), inner[place + 1 :].strip()
    return inner, inner


def _placed(items: list[Node], columns: int) -> list[Cell]:
    """Boxes where they say, the others in the next free place."""
    cells: list[Cell] = []
    taken: set[tuple[int, int]] = set()
    at = 0
    for node in items:
        start, across = _span(node.style.get("grid-column", "auto"), columns)
        row, down = _span(node.style.get("grid-row", "auto"), 6)
        if row is None:
            while start is not None and at % columns != start:
                at += 1
            while _busy(taken, at, across, columns):
                at += 1 if start is None else columns
            row, column = divmod(at, columns)
        else:
            column = start or 0
        cell = Cell(node, column, row, min(across, columns - column), down)
        taken |= {(cell.column + i, cell.row + j) for i in range(cell.across) for j in range(down)}
        cells.append(cell)
    return cells


def _busy(taken: set[tuple[int, int]], at: int, across: int, columns: int) -> bool:
    row, column = divmod(at, columns)
    return column + across > columns or any((column + step, row) in taken for step in range(across))


def _span(value: str, count: int) -> tuple[int | None, int]:
    start, _, end = (part.strip() for part in value.partition("/"))
    if start.startswith("span"):
        return None, 1
    if not start.lstrip("-").isdigit():
        return None, 1
    first = int(start) - 1
    if not end.lstrip("-").isdigit():
        return first, 1
    last = count if int(end) == -1 else int(end) - 1
    return first, max(last - first, 1)


def _widths(layout: Layout, node: Node, tracks: list[str], cells: list[Cell], width: float) -> list[float]:
    room = width - node.px("column-gap") * (len(tracks) - 1)
    sizes, floors, shares = [], [], []
    for place, track in enumerate(tracks):
        own = [layout.measure(cell.node) for cell in cells if cell.column == place and cell.across == 1]
        aside = [cell.node.aside for cell in cells if cell.column == place and cell.across == 1]
        low = max([least + more for (least, _), more in zip(own, aside, strict=True)], default=0.0)
        high = max([most + more for (_, most), more in zip(own, aside, strict=True)], default=0.0)
        least, most = _limits(track)
        fixed = node.measure(most, width)
        under = node.measure(least, width)
        shares.append(float(most[:-2]) if most.endswith("fr") else 0.0)
        floors.append(low if under is None else under)
        sizes.append(0.0 if shares[-1] else max(fixed, under or 0.0) if fixed is not None else high)
    over = sum(sizes) + sum(floor for floor, share in zip(floors, shares, strict=True) if share) - room
    if over > 0:
        free = [max(size - floor, 0.0) for size, floor in zip(sizes, floors, strict=True)]
        part = min(over / (sum(free) or 1.0), 1.0)
        sizes = [size - one * part for size, one in zip(sizes, free, strict=True)]
    left, total = room - sum(sizes), sum(shares)
    for place, share in enumerate(shares):
        if share:
            sizes[place] = max(left * share / total, floors[place])
    if not total and left > 0 and all(_limits(track)[1] == "auto" for track in tracks):
        sizes = [size + left / len(sizes) for size in sizes]
    return sizes


def _heights(node: Node, cells: list[Cell], parts: list[Laid], between: float) -> list[float]:
    rows = max((cell.row + cell.down for cell in cells), default=0)
    heights = [0.0] * rows
    outer = [
        part.height + cell.node.margin("top") + cell.node.margin("bottom")
        for cell, part in zip(cells, parts, strict=True)
    ]
    for cell, tall in zip(cells, outer, strict=True):
        if cell.down == 1:
            heights[cell.row] = max(heights[cell.row], tall)
    named = _tracks(node, 0.0, 0, "grid-template-rows") if "grid-template-rows" in node.style else []
    stretchy = [row for row in range(rows) if row < len(named) and named[row].endswith("fr")] or [rows - 1]
    for cell, tall in zip(cells, outer, strict=True):
        short = tall - sum(heights[cell.row : cell.row + cell.down]) - between * (cell.down - 1)
        if cell.down > 1 and short > 0:
            for row in stretchy:
                heights[row] += short / len(stretchy)
    if node.style.get("grid-template-rows") == "subgrid":
        # those beside it may ask for more
        heights = [max(pair) for pair in zip(heights, node.rows or heights, strict=True)]
        node.rows = heights
    return heights
