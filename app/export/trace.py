"""Runs the lab in Pyodide, in Node, to learn what the site has to hold (inside.py says how)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from app.export.artifacts import ArtifactError
from app.export.pack import stored_zip

HERE = Path(__file__).parent
OLDEST_NODE = 20


@dataclass(frozen=True)
class Traced:
    """What a build has to hold.

    Attributes
    ----------
    rooms : dict
        For each room its title, lead and caption, and its document as BokehJS reads it.
    pages : dict
        For each room and the start page ("") its page, with room left for content.
    packed : Path
        The files that the lab reads, compiled, below site, home and std.
    start : set of str
        Those that it needs before any room is opened.
    uses : dict
        Those that each room needs beside.
    """

    rooms: dict[str, dict[str, Any]]
    pages: dict[str, str]
    packed: Path
    start: frozenset[str]
    uses: dict[str, frozenset[str]]

    @cached_property
    def files(self) -> frozenset[str]:
        """All of the packed files."""
        return frozenset(_files_below(self.packed))

    def read(self, names: Iterable[str], place: str) -> dict[str, bytes]:
        """Those of the named files that lie in one place, by their path there."""
        mine = (name.removeprefix(f"{place}/") for name in names if name.startswith(f"{place}/"))
        return {name: (self.packed / place / name).read_bytes() for name in mine}


def trace(core: Mapping[str, bytes], stage: Path, data: Path, cache: Path, work: Path) -> Traced:
    """Draw every room, compile what they read, and find out which room needs what.

    Raises
    ------
    ArtifactError
        If Node is missing or too old.
    RuntimeError
        If a room cannot be drawn.
    """
    node = _node()
    folders = {"core": work / "core", "out": work / "out", "compiled": cache / "compiled"}
    for folder in folders.values():
        folder.mkdir(parents=True, exist_ok=True)
    for name, content in core.items():
        (folders["core"] / name).write_bytes(content)
    out, packed = folders["out"], folders["out"] / "packed"
    mounts = [f"/out={out}", f"/data={data}", f"/cache={folders['compiled']}"]

    def run(library: Path, *call: str) -> None:
        core = str(folders["core"])
        _run([node, str(HERE / "build.mjs"), core, str(library), str(HERE / "inside.py"), *call, *mounts])

    run(folders["core"] / "python_stdlib.zip", "draw", "", f"/stage={stage}")
    library = work / "library.zip"
    std = packed / "std"
    library.write_bytes(stored_zip({name: (std / name).read_bytes() for name in _files_below(std)}))

    def read(name: str) -> Any:
        return json.loads((out / name).read_text(encoding="utf-8"))

    def follow(room: str) -> tuple[frozenset[str], frozenset[str]]:
        run(library, "follow", room, f"/stage={packed}")
        uses = read(f"uses-{room}.json")
        return frozenset(uses["start"]), frozenset(uses["room"])

    rooms = read("rooms.json")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        followed = dict(zip(rooms, pool.map(follow, rooms), strict=True))
    start = frozenset[str]().union(*(first for first, _ in followed.values()))
    uses = {room: more for room, (_, more) in followed.items()}
    return Traced(rooms, read("pages.json"), packed, start, uses)


def _files_below(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def _node() -> str:
    node = shutil.which("node")
    if node is None:
        raise ArtifactError(
            f"Node is not installed, and the site's Python is compiled in it: install {_WANTED}"
        )
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    if int(said.removeprefix("v").partition(".")[0]) < OLDEST_NODE:
        raise ArtifactError(f"Node {said.strip()} is too old: install {_WANTED}")
    return node


_WANTED = f"Node {OLDEST_NODE} or newer"


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"the lab does not run in Pyodide:\n{done.stderr.strip()}")
