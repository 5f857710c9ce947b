"""How high each room and each figure alone is in its first state, at three widths, whole and bare.

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
from app.rooms import ROOMS
from tests.chromium import launch
from tests.export.server import SiteServer
from tests.serving import served

WIDTHS = (360, 720, 1100)
ELEMENTS = (320, 390, 480, 600, 720, 760, 900, 1100)
"""Widths at which figures are measured: an element may be of any."""
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
    return {"widths": WIDTHS, "heights": heights}


ROOT = ".lab-room"
STEADY = """() => new Promise((resolve) => {
  const height = () => Math.round(document.querySelector("main").getBoundingClientRect().height);
  let last = height(), same = 0;
  const look = () => {
    const now = height();
    same = now === last ? same + 1 : 0;
    last = now;
    if (same < 12) requestAnimationFrame(look); else resolve(now);
  };
  look();
})"""


def measure_figures(page: Page, origin: str) -> dict[str, Any]:
    """Heights of figures that stand alone, as an element has them, by ``room/figure``."""
    heights: dict[str, Any] = {}
    for room, kind in ((key, kind) for key in ROOMS for kind in ROOMS[key].kinds):
        found: dict[str, list[int]] = {}
        for name, query in KINDS.items():
            page.set_viewport_size({"width": ELEMENTS[0], "height": 800})
            page.goto(f"{origin}?room={room}&figure={kind.key}&embed=1{query.replace('?', '&')}")
            page.locator(ROOT).first.wait_for()
            page.wait_for_function("document.querySelectorAll('.lab-unmade').length === 0")
            found[name] = []
            for width in ELEMENTS:
                page.set_viewport_size({"width": width, "height": 800})
                found[name].append(int(page.evaluate(STEADY)))
        heights[f"{room}/{kind.key}"] = found
        print(room, kind.key, found, flush=True)
    return heights


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
            with served() as lab:
                measured["figures"] = measure_figures(browser.new_page(), lab)
        finally:
            browser.close()
            server.close()
    HEIGHTS.write_text(_written(measured), encoding="utf-8")


def _written(measured: dict[str, Any]) -> str:
    """JSON with a line for each room and figure."""
    parts = [f' "widths": {json.dumps(measured["widths"])}', f' "elements": {json.dumps(ELEMENTS)}']
    for name in ("heights", "figures"):
        lines = ",\n".join(f"  {json.dumps(key)}: {json.dumps(both)}" for key, both in measured[name].items())
        parts.append(f' "{name}": {{\n{lines}\n }}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    main()
