"""Writes what a page loads beside Python: our scripts and styles, BokehJS, Panel, Pyodide's core, the data.

Our own scripts and stylesheets lie in static/page-<hash>/, whose name changes with them, so no cache mixes
two versions; what people's pages name (static/js/embed.js, frame.js) keeps its address and is told where the
rest is. No script ends in .mjs: many servers send that as a type that browsers refuse to run.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from app.export.artifacts import write_whole
from app.export.pack import integrity
from app.export.stage import PANEL_STATIC, Parts
from lab.places import static_of

SCRIPTS = {
    "bokeh/bokeh.min.js": "Plot",
    "bokeh/bokeh-widgets.min.js": "Slider",
    "bokeh/bokeh-tables.min.js": "DataTable",
    "panel/panel.min.js": "panel.models.layout.Column",
}
"""Drawing scripts in the order that they need each other, and a model by which each is known."""
CORE = {
    "pyodide.mjs": "pyodide.js",
    "pyodide.asm.mjs": "pyodide.asm.js",
    "pyodide.asm.wasm": "pyodide.asm.wasm",
}
"""What of Pyodide's core is served, and under which name."""
STABLE = ("embed.js", "frame.js", "notebook.js", "start.js")
"""Scripts whose address is in people's pages or in every page of the site."""
PLACEHOLDER = '"%LAB-BUILT%"'
_IMPORT = re.compile(r"""^(?:import|export)\s[^;]*?["']\./([\w-]+\.js)["']""", re.MULTILINE)


def write_assets(parts: Parts, source: Path, site: Path) -> dict[str, Any]:
    """Write all of it below ``site``/static; returns the manifest's entries."""
    static = site / "static"
    page = _write_page(static_of(source), static)
    shutil.copytree(static_of(source) / "data", static / "data")
    lock = json.loads(parts.core["pyodide-lock.json"])
    version = parts.core_version
    folder = f"pyodide/{version}/"
    for name, served in CORE.items():
        write_whole(static / folder / served, parts.core[name])
    return {
        "page": page,
        "worker": digests(static / page / "js", "worker.js"),
        "styles": {path.name: digest(path) for path in sorted((static / page / "css").iterdir())},
        "data": {path.name: {"integrity": digest(path)} for path in sorted((static / "data").iterdir())},
        "pyodide": {
            "version": version,
            "folder": folder,
            "files": {name: digest(static / folder / name) for name in CORE.values()},
            "lock": {"info": lock["info"], "packages": {}},
        },
        **_write_drawing(parts, static),
    }


def _write_page(source: Path, static: Path) -> str:
    """Our own scripts, stylesheets and icons; returns the name of their folder."""
    files = {
        path.relative_to(source).as_posix(): path.read_bytes()
        for name in ("css", "js", "icons")
        for path in sorted((source / name).rglob("*"))
        if path.is_file() and path.name not in STABLE
    }
    told = hashlib.sha256()
    for name, content in files.items():
        told.update(f"{name} {len(content)}\0".encode() + content)
    page = f"page-{told.hexdigest()[:10]}"
    for name, content in files.items():
        write_whole(static / page / name, content)
    for name in STABLE:
        write_whole(static / "js" / name, (source / "js" / name).read_bytes())
    return page


def _write_drawing(parts: Parts, static: Path) -> dict[str, Any]:
    packages = {package.artifact.name: package for package in parts.pure}
    scripts = []
    for name, model in SCRIPTS.items():
        key, _, file = name.partition("/")
        package = packages[key]
        inside = f"bokeh/server/static/js/{file}" if key == "bokeh" else f"panel/dist/{file}"
        target = f"{key}/{package.artifact.version}/{file}"
        content = package.read(inside)
        write_whole(static / target, content)
        scripts.append({"file": target, "provides": model, "integrity": integrity(content)})
    panel = packages["panel"]
    for inside in panel.files:
        if inside.startswith(PANEL_STATIC) and inside.endswith(".css"):
            target = f"panel/{panel.artifact.version}/{inside.removeprefix('panel/')}"
            write_whole(static / target, panel.read(inside))
    return {"bokeh": packages["bokeh"].artifact.version, "scripts": scripts}


def tell_embed(site: Path, manifest: dict[str, Any], heights: dict[str, Any]) -> None:
    """Write into embed.js what it has to know before it can fetch anything."""
    path = site / "static" / "js" / "embed.js"
    folder = site / "static" / manifest["page"]
    first = digests(folder / "js", "still.js")
    rest = digests(folder / "js", "element.js")
    stills = {
        room: {figure: still["integrity"] for figure, still in figures.items()}
        for room, figures in manifest.get("stills", {}).items()
    }
    built = {
        "page": manifest["page"],
        "first": first,
        "modules": {name: rest[name] for name in rest if name not in first},
        "tokens": digest(folder / "css" / "tokens.css"),
        "settings": manifest["settings"],
        "stills": stills,
        **heights,
    }
    source = path.read_text(encoding="utf-8")
    if source.count(PLACEHOLDER) != 1:
        raise RuntimeError(f"embed.js has no place for what was built: {PLACEHOLDER} stands there once")
    filled = source.replace(PLACEHOLDER, json.dumps(built, separators=(",", ":")))
    # an element follows the theme of its page, and speaks as a frame does: one file less to fetch
    frames = path.with_name("frame.js").read_text(encoding="utf-8")
    write_whole(path, f"{filled}\n{frames}".encode())


def digests(folder: Path, first: str) -> dict[str, str]:
    """A module and all that it imports, each with its digest."""
    return {name: digest(folder / name) for name in sorted(set(_imported(folder, first, set())))}


def _imported(folder: Path, name: str, seen: set[str]) -> Iterator[str]:
    if name in seen:
        return
    seen.add(name)
    yield name
    for other in _IMPORT.findall((folder / name).read_text(encoding="utf-8")):
        yield from _imported(folder, other, seen)


def digest(path: Path) -> str:
    """A file's digest, as the attribute `integrity` has it."""
    return integrity(path.read_bytes())
