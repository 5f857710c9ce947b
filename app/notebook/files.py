"""What a notebook's page needs of the lab, read from the wheel: scripts, modules and stylesheets.

Modules go as texts in the order that they import each other. Panel's stylesheets have names in documents in
place of addresses: the page says where it keeps them.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import bokeh
import panel

from app.export.assets import SCRIPTS
from app.kit.assets import stylesheet
from lab.places import STATIC

FRAME, PAGE = "frame.js", "page"
STYLES = ("tokens.css", "widget.css", "notebook.css")
_SCRIPTS = {
    "bokeh": Path(bokeh.__file__).parent / "server/static/js",
    "panel": Path(panel.__file__).parent / "dist",
}
_DIST = Path(panel.__file__).parent / "dist"
_IMPORT = re.compile(r"""^(?:import|export)\s[^;]*?["']\./([\w-]+\.js)["']""", re.MULTILINE)
_SHEET = re.compile(
    r'"(?:[^"\\]*/)?(?:panel/[^"/\\]+/dist|static/extensions/panel|panel/dist)/([\w./-]+\.css)(?:\?[^"\\]*)?"'
)
_HERE = "export const PAGE = '', STATIC = '', SITE = '';\n"
"""In the place of place.js: through a kernel nothing has an address."""


def scripts() -> list[tuple[str, str]]:
    """The drawing scripts in their order, each with a model by which it is known; the last is our own."""
    return [*SCRIPTS.items(), (FRAME, "")]


@lru_cache
def packed(name: str) -> bytes:
    """A script, or all else that a page needs, as gzip.

    Raises
    ------
    ValueError
        If there is nothing of that name.
    """
    if name == PAGE:
        content = json.dumps(
            {
                "modules": modules("kernel.js"),
                "styles": [stylesheet(one) for one in STYLES],
                "sheets": sheets(),
            }
        ).encode()
    elif name == FRAME:
        content = (STATIC / "js" / FRAME).read_bytes()
    elif name in SCRIPTS:
        folder, _, file = name.partition("/")
        content = (_SCRIPTS[folder] / file).read_bytes()
    else:
        raise ValueError(f"a page cannot have the file {name!r}")
    return gzip.compress(content, 6)


@lru_cache
def build() -> str:
    """A name for all of it, which changes with it."""
    told = hashlib.sha256(f"{bokeh.__version__} {panel.__version__}".encode())
    for name, text in modules("kernel.js"):
        told.update(f"{name} {text}".encode())
    for name in STYLES:
        told.update(stylesheet(name).encode())
    return told.hexdigest()[:10]


@lru_cache
def modules(first: str) -> list[tuple[str, str]]:
    """A module of ours and all that it imports, as texts, each after those that it imports itself."""
    found: dict[str, str] = {}

    def walk(name: str) -> Iterator[tuple[str, str]]:
        text = _HERE if name == "place.js" else (STATIC / "js" / name).read_text(encoding="utf-8")
        for other in _IMPORT.findall(text):
            if other not in found:
                found[other] = ""
                yield from walk(other)
        yield name, text

    return list(walk(first))


@lru_cache
def sheets() -> dict[str, str]:
    """Panel's own stylesheets, by their names in documents."""
    folders = ("css", "bundled/theme")
    return {
        path.relative_to(_DIST).as_posix(): path.read_text(encoding="utf-8")
        for folder in folders
        for path in sorted((_DIST / folder).glob("*.css"))
    }


def named(text: str) -> str:
    """JSON with names in place of the addresses that Panel gives its stylesheets.

    >>> named('{"url": "https://cdn.holoviz.org/panel/1.9.4/dist/css/select.css?v=1"}')
    '{"url": "%PANEL%css/select.css"}'
    """
    return _SHEET.sub(r'"%PANEL%\1"', text)
