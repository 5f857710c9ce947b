"""The pages of the site: each room's first picture stands in its page, ready to be drawn."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from app.export.artifacts import write_whole
from app.export.assets import digests
from app.export.pack import integrity

BODY, HEAD, PAGE, BUILD = "%LAB-BODY%", "%LAB-HEAD%", "%LAB-PAGE%", "%LAB-BUILD%"
"""Where inside.py left room in the pages that app.shell made."""


def write_pictures(site: Path, rooms: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, str]]:
    """Write each room's first picture for elements in other pages; returns where, and the digests."""
    pictures = {}
    for key, room in rooms.items():
        content = _picture(room).encode()
        write_whole(site / key / "doc.json", content)
        digest = integrity(content)
        pictures[key] = {"file": f"{key}/doc.json?{_short(digest)}", "integrity": digest}
    return pictures


def write_pages(
    site: Path,
    rooms: Mapping[str, Mapping[str, Any]],
    pages: Mapping[str, str],
    manifest: Mapping[str, Any],
    heights: Mapping[str, Any],
) -> None:
    """Write index.html for the start page ("") and each room."""
    modules = digests(site / "static" / manifest["page"] / "js", "site.js")
    for key, page in pages.items():
        room = rooms.get(key)
        static = "../static/" if key else "static/"
        filled = page.replace(HEAD, _head(static, manifest, modules, drawing=room is not None))
        filled = filled.replace(BODY, _body(key, room, heights) if room else "")
        filled = filled.replace(PAGE, manifest["page"]).replace(BUILD, manifest["build"])
        write_whole(site / key / "index.html", filled.encode())


def _short(digest: str) -> str:
    return "".join(letter for letter in digest[7:] if letter.isalnum())[:10]


def _picture(room: Mapping[str, Any]) -> str:
    return json.dumps({"doc": room["doc"], "root": room["root"]}, separators=(",", ":"))


def _head(static: str, manifest: Mapping[str, Any], modules: Mapping[str, str], *, drawing: bool) -> str:
    page = f"{static}{manifest['page']}"

    def whole(digest: str) -> str:
        # a frame in a sandbox has no origin: without CORS nothing can be compared there
        return f'integrity="{digest}" crossorigin="anonymous"'

    # first, and not deferred: it sets the theme before anything is painted, and sees what does not come
    lines = [f'<script src="{static}js/start.js"></script>']
    lines += [f'<link rel="stylesheet" href="{page}/css/widget.css">']
    lines += [
        f'<link rel="modulepreload" href="{page}/js/{name}" {whole(digest)}>'
        for name, digest in modules.items()
    ]
    for script in manifest["scripts"] if drawing else ():
        lines.append(f'<script defer src="{static}{script["file"]}" {whole(script["integrity"])}></script>')
    lines += [
        f'<script type="module" src="{page}/js/site.js" {whole(modules["site.js"])}></script>',
        f'<script defer src="{static}js/frame.js"></script>',
    ]
    return "\n".join(lines)


def _body(key: str, room: Mapping[str, Any], heights: Mapping[str, Any]) -> str:
    # inside a script element only "<" can end it
    picture = _picture(room).replace("<", "\\u003c")
    words = html.escape(room["caption"] or room["lead"])
    return (
        f'<div id="lab-root" data-room="{key}" aria-busy="true" style="{_reserved(key, heights)}"></div>\n'
        f"<noscript><h1>{html.escape(room['title'])}</h1>"
        f'<figure><div class="lab-card-picture">{room["picture"]}</div>'
        f"<figcaption>{words}</figcaption></figure>"
        "<p>The controls of this page need JavaScript.</p></noscript>\n"
        f'<script type="application/json" id="lab-first">{picture}</script>'
    )


def _reserved(key: str, heights: Mapping[str, Any]) -> str:
    """The room's heights as variables of the stylesheet, which chooses by the width of the window."""
    measured = heights["heights"].get(key)
    if not measured:
        return ""
    names = ("narrow", "middle", "wide")
    kinds = {"whole": "--lab-", "bare": "--lab-bare-"}
    return ";".join(
        f"{prefix}{name}:{height}px"
        for kind, prefix in kinds.items()
        for name, height in zip(names, measured[kind], strict=True)
    )
