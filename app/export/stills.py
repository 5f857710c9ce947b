"""Stills of every figure in its first state: ``python -m app.export.stills FOLDER`` draws those of a source.

A process of its own draws them, since the rooms are those of the source that is built and not of the builder.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

FOLDER = "stills"


def write_stills(source: Path, site: Path) -> dict[str, dict[str, dict[str, Any]]]:
    """Write ``stills/<room>/<figure>.svg``; returns for each its file, digest and size.

    Raises
    ------
    RuntimeError
        If a figure cannot be drawn.
    """
    command = [sys.executable, "-m", "app.export.stills", str((site / FOLDER).resolve())]
    environment = {**os.environ, "PYTHONPATH": str(source.resolve())}
    done = subprocess.run(command, cwd=source, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"the stills cannot be drawn:\n{done.stderr.strip()}")
    drawn: dict[str, dict[str, dict[str, Any]]] = json.loads(done.stdout.splitlines()[-1])
    return drawn


def draw_all(folder: Path) -> dict[str, dict[str, dict[str, Any]]]:
    """Draw every figure of every room into a folder.

    Raises
    ------
    ValueError
        If one cannot be drawn: it is named.
    """
    from app.export.artifacts import write_whole
    from app.export.pack import integrity
    from app.shell import ROOMS
    from app.still import draw_still

    drawn: dict[str, dict[str, dict[str, Any]]] = {}
    for room, kind in ROOMS.items():
        drawn[room] = {}
        for figure in (one.key for one in kind.kinds):
            try:
                still = draw_still(room, figure)
            except ValueError as reason:
                raise ValueError(f"{figure} of the room {room}: {reason}") from reason
            content = still.svg.encode()
            write_whole(folder / room / f"{figure}.svg", content)
            drawn[room][figure] = {
                "file": f"{FOLDER}/{room}/{figure}.svg",
                "integrity": integrity(content),
                "width": still.width,
                "height": still.height,
            }
    return drawn


if __name__ == "__main__":
    print(json.dumps(draw_all(Path(sys.argv[1]))))
