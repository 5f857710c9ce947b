"""Writes the site: scripts and stylesheets as they are, the packed Python, a page for each room."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from app import schema
from app.export.artifacts import write_whole
from app.export.assets import digests, tell_embed, write_assets
from app.export.pack import integrity, measure, part_by_room, stored_zip, tar, write_pack
from app.export.pages import write_pages, write_pictures
from app.export.stage import Parts, gather, lay_out
from app.export.stills import write_stills
from app.export.trace import Traced, trace
from lab.places import static_of

HERE = Path(__file__).parent
PROJECT = HERE.parents[1]
PLACES = {"site": "lib/python3.14/site-packages", "home": "lab"}
MODULES = (".py", ".so")
HEIGHTS = HERE / "heights.json"
"""Heights of the rooms in their first state; ``python -m tests.bench.heights`` measures them."""


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
        traced = trace(parts.core, stage, static_of(source) / "data", cache, Path(work))
        say("packing")
        manifest = write_assets(parts, source, site)
        manifest |= _write_packs(parts, stage, traced, site)
        manifest["rooms"] = list(traced.rooms)
        manifest["settings"] = {room: drawn["settings"] for room, drawn in traced.rooms.items()}
        heights = json.loads(HEIGHTS.read_text(encoding="utf-8"))
        manifest["pictures"] = write_pictures(site, traced.rooms)
        say("drawing a still of each figure")
        manifest["stills"] = write_stills(source, site)
        manifest["build"] = integrity(json.dumps([manifest, traced.pages], sort_keys=True).encode())[7:17]
        write_pages(site, traced.rooms, traced.pages, manifest, heights)
        tell_embed(site, manifest, heights)
        write_whole(site / schema.NAME, json.dumps(schema.schema()).encode())
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


def _panel_styles(site: Path, room: str) -> list[Path]:
    picture = (site / room / "doc.json").read_text(encoding="utf-8")
    return [site / "static" / name for name in sorted(set(re.findall(r"%STATIC%(panel/[^\"?]+)", picture)))]


def _until_live(site: Path, manifest: dict[str, Any], room: str) -> dict[str, dict[str, int]]:
    """Bytes of everything that a first visit to a room loads until it is live, by part."""
    static = site / "static"
    core, page = static / manifest["pyodide"]["folder"], static / manifest["page"]
    modules = {*digests(page / "js", "site.js"), *manifest["worker"]}
    groups: dict[str, list[Path]] = {
        "page": [site / room / "index.html"],
        "drawing": [static / script["file"] for script in manifest["scripts"]],
        "scripts": [*(page / "js" / name for name in sorted(modules)), *sorted((static / "js").glob("*.js"))],
        "styles": [*sorted((page / "css").glob("*.css")), *_panel_styles(site, room)],
        "pyodide": [core / "pyodide.js", core / "pyodide.asm.js"],
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
