"""The page around a room: the path across the top, the way between rooms, and the document itself.

One set of functions serves the three doors. `chrome` is plain HTML, so a page shows it before any script
runs; `room_document` makes the one Bokeh document of a room, for `panel serve`, the site and embeds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs

import panel as pn
from bokeh.document import Document
from bokeh.events import DocumentReady
from bokeh.models import CustomJS
from panel.io.state import set_curdoc

from app.home import home_body
from app.kit import door
from app.kit.hidden import UNSEEN
from app.kit.html import EMPTY, Markup, join, shorten, tag, visible
from app.kit.room import Room
from app.kit.spec import LARGEST
from app.path import PATH, Place
from app.rooms import NAMES, ROOMS

__all__ = ["PATH", "ROOMS", "chrome", "make_room", "page_html", "room_document", "room_of"]

TITLE = "Embedding Lab"
# before the first paint: the theme of the address, else the reader's own choice, else the system's
_THEME = """(function(){var r=document.documentElement,q=new URLSearchParams(location.search);
var t=q.get("theme");try{t=t||localStorage.getItem("embedding-lab-theme")}catch(e){}
if(t==="light"||t==="dark")r.dataset.theme=t;
if(["1","true","on","yes"].includes((q.get("embed")||"").toLowerCase()))r.classList.add("lab-embedded")})()"""
_NO_SCRIPT = "This room needs JavaScript, which your browser does not run on this page."
_READY = "window.EmbeddingLab?.ready?.()"

Link = Callable[[str], str]


def room_of(query: str) -> tuple[str, str]:
    """The room a query string names, or "" for home, and a notice where it names none that exists."""
    named = parse_qs(query.removeprefix("?")).get("room", [])
    if not named:
        return "", ""
    if len(named) > 1:
        return "", f"The address names {len(named)} rooms; it takes one. This is the start page."
    if named[0] not in ROOMS:
        said = visible(named[0], 40)
        return "", f"There is no room called {said}. The rooms are {', '.join(ROOMS)}."
    return named[0], ""


def make_room(key: str, query: str, widget_id: str = "page", spec: str = "") -> Room:
    """Make a room in the state of a query string and a specification; it says what they have wrong."""
    return ROOMS[key](query, widget_id, spec)


def room_on_order(key: str, query: str) -> pn.Column:
    """A place for a room whose specification the page fetches: a reader's rules of origin hold."""
    place = pn.Column(margin=0, sizing_mode="stretch_width")
    ordered = pn.widgets.TextInput(value="", visible=False, max_length=LARGEST, tags=[UNSEEN, "spec-wanted"])

    def make(event: Any) -> None:
        if len(place) == 1:
            place.append(make_room(key, query, spec=event.new).layout)

    ordered.param.watch(make, "value")
    place.append(ordered)
    return place


def room_document(
    room: str, query: str = "", *, dark: bool | None = None, widget_id: str = "page", spec: str = ""
) -> Document:
    """Make the document of one room, with exactly one root.

    Parameters
    ----------
    room : str
        A key of ``ROOMS``.
    query : str
        The State in the address, with or without its question mark.
    dark : bool, optional
        Unused by Python: figures take their colours from the page's tokens.
    widget_id : str
        The name under which the document reports changes of its address to the page.
    spec : str
        The specification, as JSON; "" asks for nothing beyond the address.
    """
    document = Document()
    with set_curdoc(document):
        made = make_room(room, query, widget_id, spec)
        made.layout.server_doc(document, location=False)
    announce(document)
    return document


def title_of(room: str) -> str:
    """The title of a room's page, or of the start page."""
    return f"{ROOMS[room].title} · {TITLE}" if room else TITLE


def announce(document: Document) -> None:
    """Tell the page when a document is on screen, so that figures take the theme's colours."""
    document.js_on_event(DocumentReady, CustomJS(code=_READY))


def chrome(room: str, link: Link) -> tuple[Markup, Markup]:
    """The page's HTML before and after its content; ``link`` turns a room's key into an address."""
    here = ROOMS[room].place if room else ""
    steps = join(_step(name, place, name == here, link) for name, place in PATH.items())
    tools = tag(
        "div",
        tag("button", "Copy link", type="button", data_tool="link"),
        tag("button", "Embed", type="button", data_tool="embed") if room else "",
        tag("button", "Dark", type="button", data_tool="theme", aria_label="Switch between light and dark"),
        class_="lab-tools",
    )
    header = tag(
        "header",
        tag("a", TITLE, href=link(""), class_="lab-brand"),
        tag("nav", tag("ol", steps, class_="lab-path"), aria_label="The path from text to gradient"),
        tools,
        class_="lab-header",
    )
    rooms = join(
        tag("a", name, href=link(key), data_room=key, aria_current="page" if key == room else None)
        for key, name in NAMES.items()
    )
    before = join(
        [
            tag("a", "Skip to the room", href="#room", class_="lab-skip"),
            header,
            tag("nav", rooms, class_="lab-rooms", aria_label="Rooms"),
        ]
    )
    footer = tag(
        "footer",
        tag("span", door.computed()),
        tag("span", door.typed_goes() if room else "MIT licence."),
        class_="lab-footer",
    )
    return before, footer + (_dialog() if room else EMPTY)


def _step(name: str, place: Place, here: bool, link: Link) -> Markup:
    css = "lab-here" if here else None
    if place.room not in ROOMS:
        return tag("li", tag("span", name, class_=css))
    current = "step" if here else None
    return tag(
        "li",
        tag("a", name, href=place.address(link), data_room=place.room, class_=css, aria_current=current),
    )


_RECIPES = (
    ("element", "As an element; several of them share one Python:"),
    ("frame", "As a frame that keeps its height right:"),
    ("myst", "In MyST or Sphinx, with the lab's extension:"),
    ("notebook", "In a notebook:"),
    ("still", "As a still, drawn without a browser:"),
    ("spec", "The specification:"),
)
_SIZES = {"full": "as wide as the page", "middle": "720 pixels", "small": "480 pixels"}


def _dialog() -> Markup:
    recipes = join(
        tag(
            "section",
            tag("h3", words),
            tag("pre", "", data_recipe=kind),
            tag("button", "Copy", type="button", data_copy=""),
            tag("button", "Save", type="button", data_does="save") if kind == "spec" else EMPTY,
        )
        for kind, words in _RECIPES
    )
    sizes = join(tag("option", words, value=key) for key, words in _SIZES.items())
    choices = tag(
        "div",
        tag("fieldset", tag("legend", "What stays free"), data_part="free"),
        tag("fieldset", tag("legend", "What is left out"), data_part="hide"),
        tag("label", "Ask first ", tag("select", data_part="question")),
        data_part="choices",
        hidden="",
    )
    size = tag("label", "Width ", tag("select", sizes, data_part="size"))
    show = tag("button", "Preview", type="button", data_does="preview")
    close = tag("form", tag("button", "Close"), method="dialog")
    title = tag("h2", "Put this figure into a page", id="lab-embed-title")
    place = tag("div", data_part="preview")
    return tag(
        "dialog", title, choices, tag("p", size, " ", show), place, recipes, close,
        id="lab-embed", aria_labelledby="lab-embed-title",
    )  # fmt: skip


def head_html(static: str) -> Markup:
    """What a page's head holds of ours: stylesheets and icon. ``static`` ends in a slash."""
    sheets = join(
        Markup('<link rel="stylesheet" href="{}css/{}">').format(static, name)
        for name in ("tokens.css", "page.css")
    )
    icon = Markup('<link rel="icon" type="image/svg+xml" href="{}icons/lab.svg">').format(static)
    view = Markup('<meta name="viewport" content="width=device-width, initial-scale=1">')
    return view + sheets + icon


def page_html(
    room: str,
    *,
    static: str,
    link: Link,
    body: Markup,
    head: Markup = EMPTY,
    attributes: str = "",
    notice: str = "",
) -> str:
    """A whole page as HTML, for the built site.

    Parameters
    ----------
    room : str
        A key of ``ROOMS``, or "" for the start page, whose content is made here.
    static : str
        The address of the folder static/ as seen from the page, ending in a slash.
    link : callable
        From a room's key ("" for the start page) to its address as seen from the page.
    body : Markup
        What stands inside <main>; the start page puts it under its own content.
    head : Markup
        Added to the head: scripts and their order are the builder's.
    attributes : str
        Added to the html element.
    """
    before, after = chrome(room, link)
    title = title_of(room)
    lead = (
        ROOMS[room].lead
        if room
        else "How text becomes vectors, how order gets in, how the gradient comes back."
    )
    content = body if room else home_body(link, notice) + body
    return (
        f'<!DOCTYPE html>\n<html lang="en" class="lab-theme" data-room="{room}" {attributes}>\n<head>\n'
        f'<meta charset="utf-8">\n<title>{Markup.escape(title)}</title>\n'
        f'<meta name="description" content="{Markup.escape(shorten(lead, 160))}">\n'
        f"{head_html(static)}\n{head}\n</head>\n<body>\n{before}\n"
        f'<main id="room">{content}</main>\n{after}\n</body>\n</html>\n'
    )


def served_template(room: str, static: str, notice: str = "") -> pn.Template:
    """The template of a page of `panel serve`: the same chrome, the room's roots inside."""

    def link(key: str) -> str:
        return f"?room={key}" if key else "?"

    before, after = chrome(room, link)
    scripts = join(
        Markup('<script type="module" src="{}js/{}"></script>').format(static, name)
        for name in ("connection.js", "page.js", "frame.js")
    )
    without = tag("noscript", tag("p", _NO_SCRIPT, class_="lab-status"))
    content = Markup("{{ embed(roots.room) }}") if room else home_body(link, notice)
    # the built site has this in start.js
    theme = Markup("<script>{}</script>").format(Markup(_THEME))
    source = (
        "{% extends base %}{% block postamble %}" + head_html(static) + theme + scripts + "{% endblock %}"
        "{% block contents %}"
        + before
        + Markup('<main id="room">')
        + (without if room else EMPTY)
        + content
        + Markup("</main>")
        + after
        + "{% endblock %}"
    )
    template = pn.Template(str(source))
    template.add_variable(
        "html_attrs", f'class="lab-theme" data-room="{room}" data-frame-script="{static}js/frame.js"'
    )
    template.add_variable("app_favicon", f"{static}icons/lab.svg")
    template.add_variable("apple_icon", "")
    return template
