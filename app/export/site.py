"""Writes the site: scripts and stylesheets as they are, the packed Python, a page for each room."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.export.artifacts import ArtifactError, write_whole
from app.export.pack import Packed, measure, stored_zip, tar, write_pack
from app.export.pages import write_pages
from app.export.stage import PANEL_STATIC, Parts, gather, lay_out

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


@dataclass(frozen=True)
class Traced:
    """What inside.py found out."""

    rooms: dict[str, dict[str, Any]]
    pages: dict[str, str]
    used: list[str]
    compiled: Path


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
        traced = _trace(parts, stage, source / "static" / "data", cache, Path(work))
        say("packing")
        manifest = _write_static(parts, source, site)
        manifest["packs"] = {
            name: packed.entry() for name, packed in _write_packs(parts, stage, traced, site)
        }
        manifest["rooms"] = list(traced.rooms)
        write_pages(site, traced.rooms, traced.pages, SCRIPTS)
        manifest["until_live"] = _until_live(site, manifest, next(iter(traced.rooms)))
        write_whole(site / "manifest.json", json.dumps(manifest, indent=1).encode())
        if out.exists():
            shutil.rmtree(out)
        shutil.move(site, out)
    return manifest


def _trace(parts: Parts, stage: Path, data: Path, cache: Path, work: Path) -> Traced:
    node = shutil.which("node")
    if node is None:
        raise ArtifactError(
            "Node is not installed: the site's Python is compiled in it. Install Node 20 or newer"
        )
    core, out, compiled = work / "core", work / "out", cache / "compiled"
    for folder in (core, out, compiled):
        folder.mkdir(parents=True, exist_ok=True)
    for name, content in parts.core.items():
        (core / name).write_bytes(content)
    command = [node, HERE / "build.mjs", core, stage, compiled, out, data, HERE / "inside.py"]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"the rooms could not be drawn in Pyodide:\n{done.stderr.strip()}")

    def read(name: str) -> Any:
        return json.loads((out / name).read_text(encoding="utf-8"))

    return Traced(read("rooms.json"), read("pages.json"), read("used.json"), out / "compiled")


def _write_packs(parts: Parts, stage: Path, traced: Traced, site: Path) -> Iterable[tuple[str, Packed]]:
    folder = site / "static" / "python"
    used = set(traced.used)
    library, python = {}, {}
    for name in traced.used:
        place, _, path = name.partition("/")
        code = name.endswith(".py")
        content = (traced.compiled / f"{name}c" if code else stage / name).read_bytes()
        if place == "std":
            library[path + "c" * code] = content
        else:
            python[f"{PLACES[place]}/{path}{'c' * code}"] = content
    rest = {}
    for place in ("std", "site"):
        for file in (stage / place).rglob("*"):
            if file.suffix in MODULES and file.relative_to(stage).as_posix() not in used:
                rest[file.relative_to(stage / place).as_posix()] = file.read_bytes()
    python["lab/rest.txt"] = "\n".join(sorted(_modules(rest))).encode()
    yield "wasm", write_pack(folder, "wasm", parts.core["pyodide.asm.wasm"])
    yield "library", write_pack(folder, "library", stored_zip(library))
    yield "python", write_pack(folder, "python", tar(python))
    yield "rest", write_pack(folder, "rest", tar(rest))


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


def _until_live(site: Path, manifest: dict[str, Any], room: str) -> dict[str, dict[str, int]]:
    """Bytes of everything that a first visit to a room loads until it is live, by part."""
    static = site / "static"
    core = static / manifest["pyodide"]["folder"]
    groups: dict[str, list[Path]] = {
        "page": [site / room / "index.html"],
        "drawing": [static / name for name in SCRIPTS],
        "scripts": sorted((static / "js").glob("*.js")),
        "styles": sorted((static / "css").glob("*.css")),
        "pyodide": [core / "pyodide.mjs", core / "pyodide.asm.mjs"],
    }
    counted = {}
    for name, files in groups.items():
        sizes = [measure(path, site) for path in files]
        counted[name] = {"raw": sum(size.raw for size in sizes), "gzip": sum(size.gzip for size in sizes)}
    for name in ("wasm", "library", "python"):
        pack = manifest["packs"][name]
        counted[name] = {"raw": pack["raw"], "gzip": pack["gzip"]}
    counted["total"] = {kind: sum(part[kind] for part in counted.values()) for kind in ("raw", "gzip")}
    return counted
