"""A formula as a line of text with raised and lowered signs: a still has no engine for MathML."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

SPACED = frozenset("=+−-×·≤≥<>≈∈→⟶")
"""Operators with air on both sides."""
BETWEEN = {"mfrac": "/", "msqrt": "", "mroot": "", "mover": "", "munder": ""}


def as_text(tree: Element) -> None:
    """Put a line of text in the place of each formula of a tree."""
    for parent in list(tree.iter()):
        for place, child in enumerate(list(parent)):
            if name_of(child) == "math":
                line = Element("span", {"style": "white-space:nowrap"})
                line.extend(_parts(child))
                line.tail = child.tail
                parent[place] = line


def name_of(element: Element) -> str:
    """The name of an element, without its namespace."""
    return element.tag.rpartition("}")[2]


def _parts(element: Element) -> Iterator[Element]:
    """What a line can hold of a formula, from left to right."""
    name, children = name_of(element), list(element)
    if name in ("msub", "msup", "msubsup") and len(children) > 1:
        yield from _parts(children[0])
        kinds = ("sub", "sup") if name == "msubsup" else (name[1:],)
        for kind, child in zip(kinds, children[1:], strict=False):
            moved = Element(kind)
            moved.extend(_parts(child))
            yield moved
    elif name in BETWEEN:
        yield from [_said("√", {})] if name in ("msqrt", "mroot") else []
        for place, child in enumerate(children):
            yield from [_said(BETWEEN[name], {})] if place and BETWEEN[name] else []
            yield from _parts(child)
    elif children:
        # a dimension letter has its colour by the class of what is around it
        whole = Element("span", {"class": element.get("class", "")})
        for child in children:
            whole.extend(_parts(child))
        yield whole
    elif name not in ("mspace", "annotation"):
        text = element.text or ""
        if name == "mo" and text in SPACED:
            text = f"\u2009{text}\u2009"
        yield _said(text, {"class": found} if (found := element.get("class")) else {})


def _said(text: str, attributes: dict[str, str]) -> Element:
    found = Element("span", attributes)
    found.text = text
    return found
