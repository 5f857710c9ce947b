"""The pages of the site: each room's first picture stands in its page, ready to be drawn."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from app.export.artifacts import write_whole

BODY, HEAD = "%LAB-BODY%", "%LAB-HEAD%"
"""Where inside.py left room in the pages that app.shell made."""


def write_pages(
    site: Path, rooms: Mapping[str, Mapping[str, Any]], pages: Mapping[str, str], scripts: Mapping[str, str]
) -> None:
    """Write index.html for the start page ("") and each room, and doc.json for elements in other pages."""
    for key, page in pages.items():
        room = rooms.get(key)
        static = "../static/" if key else "static/"
        filled = page.replace(HEAD, _head(static, scripts if room else {}))
        filled = filled.replace(BODY, _body(key, room) if room else "")
        write_whole(site / key / "index.html", filled.encode())
    for key, room in rooms.items():
        write_whole(site / key / "doc.json", _picture(room).encode())


def _picture(room: Mapping[str, Any]) -> str:
    return json.dumps({"doc": room["doc"], "root": room["root"]}, separators=(",", ":"))


def _head(static: str, scripts: Mapping[str, str]) -> str:
    lines = [f'<link rel="stylesheet" href="{static}css/widget.css">']
    lines += [f'<script defer src="{static}{name}"></script>' for name in scripts]
    lines += [
        f'<script type="module" src="{static}js/{name}.js"></script>' for name in ("page", "site", "frame")
    ]
    return "\n".join(lines)


def _body(key: str, room: Mapping[str, Any]) -> str:
    # inside a script element only "<" can end it
    picture = _picture(room).replace("<", "\\u003c")
    words = html.escape(room["caption"] or room["lead"])
    return (
        f'<div id="lab-root" data-room="{key}" aria-busy="true"></div>\n'
        f"<noscript><h1>{html.escape(room['title'])}</h1><p>{words}</p>"
        "<p>The figures of this page need JavaScript.</p></noscript>\n"
        f'<script type="application/json" id="lab-first">{picture}</script>'
    )
