"""A Sphinx directive for figures, also in MyST: ``extensions = ["app.sphinx"]``.

.. code-block:: rst

    .. embedding-lab:: rope
       :figure: score
       :state: theta=.5&m=7
       :alt: The score of two rotated vectors against their distance

``embedding_lab_site`` in conf.py is the address of the built site: "https://your.site/lab/", or "/lab/" on
the same host. A state is checked when the pages are built. What is no web page has the text of ``:alt:``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar
from urllib.parse import urlencode

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

import lab
from app.kit import url
from app.kit.html import Markup, tag
from app.rooms import NAMES, ROOMS

_READ = ("figure", "hide", "theme")
_LISTS = ("controls", "lock", "open")
_WORDS = ("question", "caption")
_FILES = ("spec", "still")
_LOADS = ("touch", "visible", "click", "eager")


class embedding_lab(nodes.General, nodes.Element):
    """The place of a figure; its children are for what is no web page."""


class EmbeddingLab(SphinxDirective):
    """``.. embedding-lab:: room``, with the names of options that figures and images have."""

    required_arguments = 1
    option_spec: ClassVar[Any] = {
        "figure": directives.unchanged_required,
        "state": directives.unchanged_required,
        "hide": directives.unchanged_required,
        "theme": lambda text: directives.choice(text, url.THEMES),
        "load": lambda text: directives.choice(text, _LOADS),
        **dict.fromkeys((*_LISTS, *_WORDS, *_FILES), directives.unchanged_required),
        "title": directives.unchanged_required,
        "alt": directives.unchanged_required,
        "width": directives.length_or_percentage_or_unitless,
        "align": lambda text: directives.choice(text, ("left", "center", "right")),
        "class": directives.class_option,
        "name": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        """The node; what a figure cannot show is an error at its line."""
        room, options = self.arguments[0], self.options
        if room not in ROOMS:
            raise self.error(f"There is no room {room!r}. The rooms are {', '.join(ROOMS)}.")
        asked = {name: options[name] for name in _READ if name in options}
        query = "&".join(part for part in (urlencode(asked, safe=",:;"), options.get("state", "")) if part)
        wrong = url.parse(query, ROOMS[room].State, ROOMS[room].keys()).notices
        wrong += _problems(room, options)
        if wrong:
            said = " ".join(wrong).replace("The address says ", "The figure says ")
            raise self.error(said.replace("The specification says ", "The figure says "))
        site = self.config.embedding_lab_site
        link = f"{site.rstrip('/')}/{room}/" + (f"?{query}" if query else "")
        said = options.get("alt") or options.get("title") or f"Embedding Lab: {NAMES[room]}"
        whole = nodes.reference("", said, refuri=link) if "://" in site else nodes.inline("", said)
        made = embedding_lab("", nodes.paragraph("", "", whole), room=room, link=link, said=said, **options)
        made["classes"] = options.get("class", [])
        self.set_source_info(made)
        self.add_name(made)
        return [made]


def _problems(room: str, options: Mapping[str, str]) -> tuple[str, ...]:
    """What is wrong with the parts that no address has."""
    lists = {name: [part.strip() for part in options[name].split(",")] for name in _LISTS if name in options}
    said = {name: options[name] for name in _WORDS if name in options}
    problems: tuple[str, ...] = ROOMS[room].read_spec(json.dumps({"room": room, **lists, **said})).problems
    return problems


def visit_html(translator: Any, node: embedding_lab) -> None:
    """Write the element; what stands in it is for readers without scripts."""
    shown = {name: node.get(name) for name in ("state", "load", *_READ, *_LISTS, *_WORDS, *_FILES)}
    shown["heading"] = node.get("title")
    alone = tag("a", node["said"], href=node["link"])
    element = tag(
        "embedding-lab", alone, room=node["room"], **{name: said for name, said in shown.items() if said}
    )
    width = node.get("width", "")
    style = f"width:{width}{'px' if width.isdigit() else ''};max-width:100%" if width else None
    classes = ["embedding-lab", *(f"align-{side}" for side in [node.get("align")] if side), *node["classes"]]
    place = tag(
        "figure",
        element,
        id=(node["ids"] or [None])[0],
        class_=" ".join(classes),
        style=_placed(style, node.get("align")),
        aria_label=node.get("alt"),
    )
    translator.body.append(str(place))
    raise nodes.SkipNode


def _placed(style: str | None, side: str | None) -> str:
    # a figure of a theme floats, shrinks or is centred: this one fills its column unless it is told its width
    sides = {"left": "margin:1em auto 1em 0", "right": "margin:1em 0 1em auto", "center": "margin:1em auto"}
    placed = (
        f"display:block;float:none;break-inside:auto;text-align:left;{sides.get(side or '', 'margin:1em 0')}"
    )
    return f"{placed};{style}" if style else f"{placed};width:100%"


def _leave(translator: Any, node: embedding_lab) -> None:
    """What stands in the node has been written."""


def add_script(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Have a page that shows a figure load the element's script, and no other page."""
    if doctree is None or not list(doctree.findall(embedding_lab)):
        return
    site = app.config.embedding_lab_site
    if not site:
        raise ExtensionError(
            'Say where the built lab is: embedding_lab_site = "https://your.site/lab/" in conf.py.'
        )
    script = f"{site.rstrip('/')}/static/js/embed.js"
    # Sphinx would take an address on the same host for a file of its own
    written = str(Markup('<script src="{}"></script>').format(script))
    context["metatags"] = context.get("metatags", "") + written


def setup(app: Sphinx) -> ExtensionMetadata:
    """Add the directive."""
    app.add_config_value("embedding_lab_site", "", "html", str)
    written = (lambda translator, node: None, _leave)
    app.add_node(
        embedding_lab, html=(visit_html, _leave), latex=written, text=written, man=written, texinfo=written
    )
    app.add_directive("embedding-lab", EmbeddingLab)
    app.connect("html-page-context", add_script)
    return {"version": lab.__version__, "parallel_read_safe": True, "parallel_write_safe": True}
