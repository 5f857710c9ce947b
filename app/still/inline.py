"""Lines of text: words in their styles, broken where they reach the edge, with small boxes between them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from app.still.css import Style
from app.still.laid import Laid, Run, Words
from app.still.metrics import text_width
from app.still.nodes import Node

ASCENT = 0.36
"""From the middle of a line to its baseline, in sizes of the type: half the height of capitals."""
AIR = 3.0
"""Pixels left free beside a number in a cell that it would fill."""
KEPT = ("pre", "pre-wrap")
ANCHORS = {"center": "middle", "right": "end"}
Lay = Callable[[Node, float], Laid]


@dataclass
class Piece:
    """Part of a word, or a box in the line; ``space`` stands before it, and a line may end there."""

    run: Run | None
    node: Node
    laid: Laid | None = None
    space: float = 0.0
    breaks: bool = False
    forced: bool = False

    @property
    def width(self) -> float:
        """How much of the line it takes, without the space."""
        if self.run is not None:
            return self.run.width
        return self.laid.width + self.node.aside if self.laid else 0.0


def run(text: str, node: Node, shift: float = 0.0) -> Run:
    """Text in the style of a node, raised by so much."""
    bold, mono = is_bold(node.style), is_mono(node.style)
    return Run(text, node.style, text_width(text, node.size, bold=bold, mono=mono), shift)


def is_bold(style: Style) -> bool:
    """Whether type is heavy."""
    weight = style["font-weight"]
    return weight == "bold" or (weight.isdigit() and int(weight) >= 600)


def is_mono(style: Style) -> bool:
    """Whether all signs of a face have one width."""
    return "mono" in style["font-family"].lower()


def pieces(children: Iterable[Node | str], parent: Node, lay: Lay, room: float) -> list[Piece]:
    """Words and boxes of a line, in order."""
    found: list[Piece] = []
    for text, node, shift in _flat(children, parent):
        if text is None:
            if node.name == "br":
                found.append(Piece(run("", parent), parent, forced=True))
            else:
                spaced = bool(found) and found[-1].run is not None and found[-1].run.text == " "
                found.append(Piece(None, node, lay(node, room), breaks=bool(found) and not spaced))
        else:
            found.extend(_cut(text, node, shift))
    return _joined(found)


def _flat(
    children: Iterable[Node | str], parent: Node, shift: float = 0.0
) -> Iterator[tuple[str | None, Node, float]]:
    """Texts and boxes of a line, each with its node and how far it is raised."""
    for child in children:
        if isinstance(child, str):
            yield child, parent, shift
        elif child.display == "inline" and child.name not in ("svg", "br"):
            raised = child.px("vertical-align") if "em" in child.style.get("vertical-align", "") else 0.0
            yield from _flat(child.children, child, shift + raised)
        else:
            yield None, child, shift


def _cut(text: str, node: Node, shift: float) -> Iterator[Piece]:
    space = node.style["white-space"]
    if space in KEPT:
        for place, line in enumerate(text.split("\n")):
            if place:
                yield Piece(run("", node, shift), node, forced=True)
            yield Piece(run(line, node, shift), node)
        return
    plain = re.sub(r"[ \t\n\r\f]+", " ", text)
    for word in re.findall(r" |[^ ]+", plain):
        yield Piece(run(word, node, shift), node, breaks=word == " " and space != "nowrap")


def _joined(found: list[Piece]) -> list[Piece]:
    """Take spaces over to what follows them; those at the edges of a line are none."""
    joined: list[Piece] = []
    space, breaks, named = 0.0, False, None
    for piece in found:
        if piece.run is not None and piece.run.text == " " and piece.node.style["white-space"] not in KEPT:
            space, breaks, named = piece.run.width, breaks or piece.breaks, piece
            continue
        if named is not None and joined and not joined[-1].forced and not piece.forced:
            piece.space, piece.breaks = space, piece.breaks or breaks
        joined.append(piece)
        space, breaks, named = 0.0, False, None
    return joined


def widths(found: Sequence[Piece]) -> tuple[float, float]:
    """The width of the longest word, and that of the longest line when none is broken."""
    least = most = word = line = 0.0
    for piece in found:
        if piece.forced:
            word = line = 0.0
        word = piece.width if piece.breaks else word + piece.space + piece.width
        line += piece.space + piece.width
        single = piece.node.style.get("overflow-wrap") == "anywhere" and piece.run is not None
        least, most = max(least, piece.node.size if single else word), max(most, line)
    return least, most


def lines(found: Sequence[Piece], width: float) -> list[list[Piece]]:
    """Pieces in lines that are at most so wide, as far as words allow."""
    broken: list[list[Piece]] = [[]]
    at = 0.0
    for word in _words(found):
        size = sum(piece.width + piece.space for piece in word) - word[0].space
        before = word[0].space if broken[-1] else 0.0
        if word[0].forced or (broken[-1] and word[0].breaks and at + before + size > width + 0.5):
            broken.append([])
            at = before = 0.0
        if size > width + 0.5 and word[0].node.style.get("overflow-wrap") == "anywhere":
            at = _break_up(word, broken, width)
            continue
        at += size + before
        broken[-1].extend(word)
    return broken


def _break_up(word: Sequence[Piece], broken: list[list[Piece]], width: float) -> float:
    """Set a word that is longer than a line, broken where the line ends; returns the end of the last."""
    at = 0.0
    for piece in word:
        if at + piece.width <= width:
            broken[-1].append(piece)
            at += piece.width
            continue
        for part in _hacked(piece, width):
            if broken[-1] and at + part.width > width:
                broken.append([])
                at = 0.0
            broken[-1].append(part)
            at += part.width
    return at


def _words(found: Sequence[Piece]) -> list[list[Piece]]:
    words: list[list[Piece]] = []
    for piece in found:
        if piece.breaks or piece.forced or not words:
            words.append([piece])
        else:
            words[-1].append(piece)
    return words


def _hacked(piece: Piece, width: float) -> list[Piece]:
    text = piece.run.text if piece.run else ""
    parts, rest = [], text
    while rest:
        count = len(rest)
        while count > 1 and run(rest[:count], piece.node).width > width:
            count -= max(1, count // 8)
        parts.append(Piece(run(rest[:count], piece.node), piece.node))
        rest = rest[count:]
    return parts or [piece]


def lay_lines(children: Sequence[Node | str], parent: Node, width: float, lay: Lay) -> Laid:
    """Lines of text in a box so wide."""
    found = pieces(children, parent, lay, width)
    if parent.style.get("text-overflow") == "ellipsis" and widths(found)[1] > width:
        found = _shortened(found, width)
    elif parent.style.get("overflow") == "hidden" and (full := widths(found)[1]) > width - AIR:
        found = _smaller(found, (width - AIR) / full)
    laid = Laid(width, 0.0)
    if not any(piece.laid or (piece.run and piece.run.text) for piece in found):
        return laid
    anchor = ANCHORS.get(parent.style["text-align"], "start")
    indent = parent.px("text-indent", width)
    for line in lines(found, width):
        above, below = _extent(line, parent)
        _set_line(laid, line, laid.height + above, anchor, 0.0 if laid.height else indent)
        if laid.baseline is None:
            laid.baseline = above
        laid.height += above + below
    return laid


def _shortened(found: list[Piece], width: float) -> list[Piece]:
    kept: list[Piece] = []
    left = width - text_width("…", found[0].node.size)
    for piece in found:
        if piece.space + piece.width > left and piece.run is not None:
            text = piece.run.text
            while text and run(text, piece.node).width > left:
                text = text[:-1]
            return [*kept, Piece(run(text + "…", piece.node), piece.node, space=piece.space)]
        left -= piece.space + piece.width
        kept.append(piece)
    return kept


def _smaller(found: list[Piece], share: float) -> list[Piece]:
    """Type that fits: what a page would cut off at the edge of a cell is a digit here."""
    for piece in found:
        if piece.run is not None:
            old = piece.run
            style = {**old.style, "font-size": f"{0.1 * math.floor(10 * share * piece.node.size):.1f}px"}
            piece.run = Run(old.text, style, old.width * share, old.shift * share)
            piece.space *= share
    return found


def _extent(line: Sequence[Piece], parent: Node) -> tuple[float, float]:
    """How far a line reaches above its baseline, and below."""
    above = parent.leading / 2 + ASCENT * parent.size
    below = parent.leading - above
    for piece in line:
        if piece.laid is not None:
            top = _raised(piece)
            above, below = max(above, top), max(below, piece.laid.height - top + piece.node.margin("bottom"))
        elif piece.run is not None and piece.run.text:
            half = piece.node.leading / 2
            own = half + ASCENT * piece.node.size + piece.run.shift
            above, below = max(above, own), max(below, 2 * half - own)
    return above, below


def _raised(piece: Piece) -> float:
    """How far the top of a box in a line is above the baseline."""
    laid = piece.laid or Laid(0, 0)
    if piece.node.style.get("vertical-align") == "middle":
        return laid.height / 2 + 0.27 * piece.node.size
    by = piece.node.px("vertical-align")
    return (laid.height if laid.baseline is None else laid.baseline) + by + piece.node.margin("top")


def _set_line(laid: Laid, line: Sequence[Piece], y: float, anchor: str, indent: float) -> None:
    full = sum(piece.space * (place > 0) + piece.width for place, piece in enumerate(line))
    single = all(piece.laid is None for piece in line)
    x = {"start": indent, "middle": (laid.width - full) / 2, "end": laid.width - full}[anchor]
    held: list[Run] = []
    start = x
    for place, piece in enumerate(line):
        if place and piece.space:
            x += piece.space
            if held and piece.laid is None:
                held.append(run(" ", piece.node, piece.run.shift if piece.run else 0.0))
        if piece.laid is not None:
            _say(laid, start, y, held, "start")
            held = []
            laid.put(x + piece.node.margin("left"), y - _raised(piece), piece.laid)
            x += piece.width
        elif piece.run is not None:
            start = x if not held else start
            held.append(piece.run)
            x += piece.width
    if single:
        start = {"start": indent, "middle": laid.width / 2, "end": laid.width}[anchor]
    _say(laid, start, y, held, anchor if single else "start")


def _say(laid: Laid, x: float, y: float, runs: Sequence[Run], anchor: str) -> None:
    joined: list[Run] = []
    for one in runs:
        if joined and joined[-1].style is one.style and joined[-1].shift == one.shift:
            last = joined.pop()
            one = Run(last.text + one.text, one.style, last.width + one.width, one.shift)
        joined.append(one)
    if any(one.text for one in joined):
        laid.words.append(Words(x, y, tuple(one for one in joined if one.text), anchor))
