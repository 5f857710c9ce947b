"""Runs inside Pyodide, in Node, when the site is built: the only Python that reads this file is the site's.

`draw` opens every room once, and so learns three things: each room's first picture, which files the lab
reads, and that the rooms work at all on this Python. It compiles those files. `follow` then opens one
room on what was compiled, and tells which of it that room needs.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import json
import marshal
import os
import re
import sys
from pathlib import Path
from typing import Any

STAGE, CACHE, OUT, DATA = Path("/stage"), Path("/cache"), Path("/out"), Path("/data")
PLACES = {
    "site": "/lib/python3.14/site-packages",
    "home": "/lab",
    "std": "/lib/python314.zip",
}
"""Where each folder of the stage is in the browser."""
DOCUMENTED = "site/numpy/"
"""Its documentation stays: numpy.ma edits it when it is imported."""
ZIP = PLACES["std"] + "/"
WATCHED = (str(STAGE), str(DATA))
UNCHECKED = 0b01
"""The flag of a compiled file that is taken as it is: by hash, and the hash is not looked at."""
ALWAYS = ("pyodide/", "_pyodide/")
"""Parts of the standard library's archive that only a browser asks for."""
TAGS = re.compile(r"<[^>]+>")


def draw() -> None:
    """Draw all rooms, and lay what they read below /out/packed, compiled."""
    opened = _enter()
    rooms = _draw_rooms()
    (OUT / "rooms.json").write_text(json.dumps(rooms))
    (OUT / "pages.json").write_text(json.dumps({key: _page(key) for key in ("", *rooms)}))
    for name in sorted(_used(opened)):
        _lay(name)


def follow(room: str) -> None:
    """Write which files the lab needs to start, and which more to open this room."""
    opened = _enter()
    first = _used(opened)
    _open_room(room)
    _check_data(room, opened)
    _see_all(room)
    uses = {"start": sorted(first), "room": sorted(_used(opened) - first)}
    (OUT / f"uses-{room}.json").write_text(json.dumps(uses))


def _check_data(room: str, opened: set[str]) -> None:
    runtime = importlib.import_module("app.export.runtime")
    read = {
        os.path.relpath(path, DATA) for path in opened if path.startswith(str(DATA)) and os.path.isfile(path)
    }
    unsaid = sorted(read - set(runtime.needs(room)))
    if unsaid:
        # it would be fetched all the same, but with Python standing still and no progress shown
        raise RuntimeError(
            f"the room {room} reads {', '.join(unsaid)} when it opens: name that in its `data`"
        )


def _enter() -> set[str]:
    opened = _watch_opened()
    sys.dont_write_bytecode = True
    sys.path[:0] = [str(STAGE / "home"), str(STAGE / "site")]
    start = importlib.import_module("app.export.start")
    # the page puts its own address in the place of this word
    runtime = start.start("%STATIC%panel/", _no_fetch)
    runtime.use_data(str(DATA), _no_fetch)
    return opened


def _watch_opened() -> set[str]:
    opened: set[str] = set()

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str) and arguments[0].startswith(WATCHED):
            opened.add(arguments[0])

    sys.addaudithook(watch)
    stat = os.stat

    def watched_stat(path: Any, *arguments: Any, **options: Any) -> os.stat_result:
        found = stat(path, *arguments, **options)
        # some files are only asked for: Panel refuses a stylesheet that is not there
        watch("open", (os.fspath(path) if not isinstance(path, int) else path,))
        return found

    os.stat = watched_stat
    return opened


def _draw_rooms() -> dict[str, dict[str, Any]]:
    from bokeh.util import serialization

    from app import shell
    from app.kit import url

    count = 0

    def numbered() -> str:
        # the same pages from the same sources, and no id twice on a page that shows several rooms
        nonlocal count
        count += 1
        return f"{key}-{count}"

    serialization.make_globally_unique_id = numbered
    rooms = {}
    for key, room in shell.ROOMS.items():
        count = 0
        described, caption = _open_room(key)
        _see_all(key)
        _forget_places(described)
        settings = {name: url.as_text(item.default) for name, item in url.settings(room.State).items()}
        rooms[key] = {
            "title": room.title,
            "lead": room.lead,
            "caption": caption,
            "picture": str(room.picture()),
            "settings": settings,
            **described,
        }
    return rooms


def _forget_places(node: Any) -> None:
    # Panel tags a callback with a place in memory, which no two builds have in common
    for child in node.values() if isinstance(node, dict) else node:
        if isinstance(child, dict | list):
            _forget_places(child)
    if isinstance(node, dict) and node.get("name") == "CustomJS":
        node["attributes"].pop("tags", None)


def _open_room(key: str) -> tuple[dict[str, Any], str]:
    from app.export import runtime

    described = json.loads(runtime.open_widget("first", key, "", None, _send))
    caption = _caption(runtime._widgets["first"].document)
    runtime.connect_widget("first")
    runtime.patch_widget("first", _no_change())
    return described, caption


def _see_all(key: str) -> None:
    """Bring every figure of the room that is open into sight: what they need is part of the room too."""
    from app import shell
    from app.export import runtime
    from app.kit.room import SIGHT

    with runtime._at_work("first") as widget:
        for model in widget.document.models:
            if SIGHT in model.tags:
                change = {"kind": "ModelChanged", "model": {"id": model.id}, "attr": "value"}
                seen = ",".join(shell.ROOMS[key].keys())
                widget.document.apply_json_patch({"events": [{**change, "new": seen}]}, setter=runtime.SETTER)
    runtime.close_widget("first")


def _page(key: str) -> str:
    from app import shell
    from app.kit.html import Markup

    up = "../" if key else ""
    page: str = shell.page_html(
        key,
        # the page's folder and the build are known when all is written
        static=f"{up}static/%LAB-PAGE%/",
        link=lambda room: f"{up}{room}/" if room else up or "./",
        body=Markup("%LAB-BODY%"),
        head=Markup("%LAB-HEAD%"),
        attributes=f'data-build="%LAB-BUILD%" data-embed-script="{up}static/js/embed.js"',
    )
    return page


def _send(widget: str, patch: str, buffers: Any) -> None:
    """Nobody listens."""


def _no_fetch(name: str) -> Any:
    raise FileNotFoundError(f"static/data/{name} is not among the files that a room says it needs")


def _no_change() -> Any:
    import pyodide.code

    return pyodide.code.run_js("({events: []})")


def _caption(document: Any) -> str:
    import html

    for model in document.models:
        if "lab-caption" in getattr(model, "css_classes", ()):
            # a pane's text is HTML that Panel has escaped once more
            return " ".join(TAGS.sub(" ", html.unescape(model.text)).split())
    return ""


def _used(opened: set[str]) -> set[str]:
    files = {path for path in opened if path.startswith(str(STAGE)) and os.path.isfile(path)}
    for module in list(sys.modules.values()):
        path = getattr(module, "__file__", None) or ""
        if path.startswith(ZIP):
            files.add(str(STAGE / "std" / path.removeprefix(ZIP)))
        elif path.startswith(str(STAGE)):
            files.add(path)
    files |= {str(path) for name in ALWAYS for path in (STAGE / "std" / name).rglob("*.py")}
    return {os.path.relpath(path, STAGE) for path in files}


def _lay(name: str) -> None:
    content = (STAGE / name).read_bytes()
    if name.endswith(".py"):
        content, name = _cached(name, content), f"{name}c"
    target = OUT / "packed" / name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)


def _cached(name: str, source: bytes) -> bytes:
    key = hashlib.sha256(f"{sys.version} {name}\0".encode() + source).hexdigest()
    kept = CACHE / key[:2] / f"{key}.pyc"
    if not kept.exists():
        place, _, path = name.partition("/")
        compiled = _compiled(source, f"{PLACES[place]}/{path}", strip=not name.startswith(DOCUMENTED))
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(compiled)
    return kept.read_bytes()


def _compiled(source: bytes, name: str, *, strip: bool) -> bytes:
    tree = ast.parse(source, name)
    if strip:
        _strip_docstrings(tree)
    code = compile(tree, name, "exec", dont_inherit=True, optimize=0)
    header = importlib.util.MAGIC_NUMBER + UNCHECKED.to_bytes(4, "little")
    return header + importlib.util.source_hash(source) + marshal.dumps(code)


def _strip_docstrings(tree: ast.AST) -> None:
    # nobody reads the packages' documentation here, and it is a third of their bytes
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if ast.get_docstring(node, clean=False) is not None:
            first = node.body.pop(0)
            if not node.body:
                node.body.append(ast.copy_location(ast.Pass(), first))
