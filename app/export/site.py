"""Writes the site: scripts and stylesheets as they are, the packed Python, a page for each room."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from app.export.artifacts import write_whole
from app.export.pack import measure, part_by_room, stored_zip, tar, write_pack
from app.export.pages import write_pages
from app.export.stage import PANEL_STATIC, Parts, gather, lay_out
from app.export.trace import Traced, trace

HERE = Path(__file__).parent
PROJECT = HERE.parents[1]
SCRIPTS = {
    "bokeh/bokeh.min.js": "Plot",
    "bokeh/bokeh-widgets.min.js": "Slider",
    "bokeh/bokeh-tables.min.js": "DataTable",
    "panel/panel.min.js": "panel.models.layout.Column",
}
"""Drawing scripts in the order that they need each other, and a model by which each is known."""
PLACES = {"site": "lib/python3.14/site-packages", "home": "lab"}
MODULES = (".py", ".so")
CORE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm")


def build(out: Path, cache: Path, say: Callable[[str], None], source: Path = PROJECT) -> dict[str, Any]:
    """Build the site into ``out`` and return its manifest.

    Parameters
    ----------
    out : Path
        A folder that does not exist, is empty, or holds an earlier site.
    cache : Path
        Where artifacts are kept from one build to the next.
    say : callable
        Told what is being done.
    source : Path
        Holds the folders app, lab and static.

    Raises
    ------
    ArtifactError
        If a part cannot be had, or Node is missing.
    ValueError
        If ``out`` holds something that is not a site.
    RuntimeError
        If a room cannot be drawn.
    """
    if out.exists() and any(out.iterdir()) and not (out / "manifest.json").exists():
        raise ValueError(f"{out} is not empty and holds no earlier site: choose another folder")
    parts = gather(cache, say)
    with tempfile.TemporaryDirectory(prefix="embedding-lab-") as work:
        stage, site = Path(work) / "stage", Path(work) / "site"
        say("laying out the Python files")
        lay_out(parts, source, stage)
        say("drawing each room in Pyodide, and compiling what they read")
        traced = trace(parts.core, stage, source / "static" / "data", cache, Path(work))
        say("packing")
        manifest = _write_static(parts, source, site)
        manifest |= _write_packs(parts, stage, traced, site)
        manifest["rooms"] = list(traced.rooms)
        write_pages(site, traced.rooms, traced.pages, SCRIPTS)
        manifest["until_live"] = {room: _until_live(site, manifest, room) for room in traced.rooms}
        write_whole(site / "manifest.json", json.dumps(manifest, indent=1).encode())
        if out.exists():
            shutil.rmtree(out)
        shutil.move(site, out)
    return manifest


def _write_packs(parts: Parts, stage: Path, traced: Traced, site: Path) -> dict[str, Any]:
    folder = site / "static" / "python"

    def write(stem: str, content: bytes) -> dict[str, str | int]:
        return write_pack(folder, stem, content).entry()

    def unpacked(names: Iterable[str]) -> dict[str, bytes]:
        chosen = sorted(names)
        placed = ((target, traced.read(chosen, place)) for place, target in PLACES.items())
        return {f"{target}/{name}": content for target, files in placed for name, content in files.items()}

    parted = part_by_room(traced.files, traced.start, traced.uses)
    rest = _rest(stage, parted.base)
    base = unpacked(parted.base)
    base["lab/rest.txt"] = "\n".join(sorted(_modules(rest))).encode()
    packs = {
        "wasm": write("wasm", parts.core["pyodide.asm.wasm"]),
        "library": write("library", stored_zip(traced.read(traced.files, "std"))),
        "python": write("python", tar(base)),
        "rest": write("rest", tar(rest)),
    }
    shared = {key: write(f"shared-{key}", tar(unpacked(names))) for key, names in parted.shared.items()}
    rooms = {}
    for room, names in parted.rooms.items():
        own = [write(f"room-{room}", tar(unpacked(names)))] if names else []
        rooms[room] = [shared[key] for key in shared if parted.shared[key] & traced.uses[room]] + own
    return {"packs": packs, "room_packs": rooms}


def _rest(stage: Path, packed: frozenset[str]) -> dict[str, bytes]:
    # as sources: a module that a room's pack holds may be missed in another room too
    rest = {}
    for place in ("std", "site", "home"):
        for file in (stage / place).rglob("*"):
            name = file.relative_to(stage).as_posix()
            if file.suffix in MODULES and name not in packed and f"{name}c" not in packed:
                rest[name.removeprefix(f"{place}/")] = file.read_bytes()
    return rest


def _modules(files: Iterable[str]) -> set[str]:
    sources = (name.removesuffix(".py") for name in files if name.endswith(".py"))
    return {name.removesuffix("/__init__").replace("/", ".") for name in sources}


def _write_static(parts: Parts, source: Path, site: Path) -> dict[str, Any]:
    static = site / "static"
    for name in ("css", "js", "icons", "data"):
        if (source / "static" / name).is_dir():
            shutil.copytree(source / "static" / name, static / name)
    lock = json.loads(parts.core["pyodide-lock.json"])
    version = parts.core_version
    folder = f"pyodide/{version}/"
    for name in CORE:
        write_whole(static / folder / name, parts.core[name])
    packages = {package.artifact.name: package for package in parts.pure}
    for name in SCRIPTS:
        package, _, file = name.partition("/")
        inside = f"bokeh/server/static/js/{file}" if package == "bokeh" else f"panel/dist/{file}"
        write_whole(static / name, packages[package].read(inside))
    panel = packages["panel"]
    for inside in panel.files:
        if inside.startswith(PANEL_STATIC) and inside.endswith(".css"):
            target = f"panel/{panel.artifact.version}/{inside.removeprefix('panel/')}"
            write_whole(static / target, panel.read(inside))
    return {
        "pyodide": {"version": version, "folder": folder, "lock": {"info": lock["info"], "packages": {}}},
        "bokeh": packages["bokeh"].artifact.version,
        "scripts": [{"file": name, "provides": model} for name, model in SCRIPTS.items()],
    }


def _panel_styles(site: Path, room: str) -> list[Path]:
    picture = (site / room / "doc.json").read_text(encoding="utf-8")
    return [site / "static" / name for name in sorted(set(re.findall(r"%STATIC%(panel/[^\"?]+)", picture)))]


def _until_live(site: Path, manifest: dict[str, Any], room: str) -> dict[str, dict[str, int]]:
    """Bytes of everything that a first visit to a room loads until it is live, by part."""
    static = site / "static"
    core = static / manifest["pyodide"]["folder"]
    groups: dict[str, list[Path]] = {
        "page": [site / room / "index.html"],
        "drawing": [static / name for name in SCRIPTS],
        "scripts": sorted((static / "js").glob("*.js")),
        "styles": [*sorted((static / "css").glob("*.css")), *_panel_styles(site, room)],
        "pyodide": [core / "pyodide.mjs", core / "pyodide.asm.mjs"],
    }
    counted = {}
    for name, files in groups.items():
        sizes = [measure(path, site) for path in files]
        counted[name] = {"raw": sum(size.raw for size in sizes), "gzip": sum(size.gzip for size in sizes)}
    packs = {name: [manifest["packs"][name]] for name in ("wasm", "library", "python")}
    for name, needed in (packs | {"room": manifest["room_packs"][room]}).items():
        counted[name] = {kind: sum(pack[kind] for pack in needed) for kind in ("raw", "gzip")}
    counted["total"] = {kind: sum(part[kind] for part in counted.values()) for kind in ("raw", "gzip")}
    return counted
