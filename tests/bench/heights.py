"""How high each room is in its first state, at three widths, whole and with all around the figure hidden.

Run ``python -m tests.bench.heights [--site DIR]`` after a room has changed its shape: it writes
app/export/heights.json, from which pages keep a place free until the room is there.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from app.export.artifacts import cache_folder
from app.export.site import HEIGHTS, build
from tests.chromium import launch
from tests.export.server import SiteServer

WIDTHS = (360, 720, 1100)
KINDS = {"whole": "", "bare": "?hide=controls,formula,numbers,code,questions"}
# the picture is what is measured: Python is not asked
NO_PYTHON = "window.Worker = class { postMessage() {} terminate() {} };"


def height_of(page: Page, address: str) -> int:
    """The height of a room's picture in the window as it is."""
    page.goto(address)
    page.wait_for_selector("#lab-root[data-state=waking] .lab-shown")
    # the place that is kept free for it is not what it needs
    return int(page.evaluate("document.querySelector('.lab-shown').getBoundingClientRect().height"))


def measure(page: Page, origin: str, rooms: list[str]) -> dict[str, Any]:
    """Heights of rooms in pixels, in the order of `WIDTHS`."""
    heights: dict[str, Any] = {room: {kind: [] for kind in KINDS} for room in rooms}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        for room in rooms:
            for kind, query in KINDS.items():
                heights[room][kind].append(height_of(page, f"{origin}/{room}/{query}"))
    return {"widths": list(WIDTHS), "heights": heights}


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--site", type=Path, help="a built site; it is built where none is given")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work, sync_playwright() as playwright:
        site = options.site or Path(work) / "site"
        if options.site is None:
            build(site, cache_folder(), print)
        rooms = json.loads((site / "manifest.json").read_text())["rooms"]
        server = SiteServer({"/": site})
        browser = launch(playwright)
        try:
            page = browser.new_page()
            page.add_init_script(NO_PYTHON)
            measured = measure(page, server.origin, rooms)
        finally:
            browser.close()
            server.close()
    lines = ",\n".join(
        f"  {json.dumps(room)}: {json.dumps(both)}" for room, both in measured["heights"].items()
    )
    HEIGHTS.write_text(
        f'{{\n "widths": {json.dumps(measured["widths"])},\n "heights": {{\n{lines}\n }}\n}}\n',
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
