"""Going from room to room in the built site: until the first figure is seen, and until it answers.

Run ``python -m tests.bench.walk [--site DIR] [--rounds 2]``; one JSON object a line. A reader who has one
room live opens all others from the line of rooms, and then all of them once more. The memory is Python's, the
page's after its garbage has been collected, and that of the tab's process.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from app.export.artifacts import cache_folder
from app.export.site import build
from app.rooms import NAMES
from tests.chromium import launch
from tests.export.server import SiteServer

FIRST = next(iter(NAMES))
LIVE = "#lab-root[data-room={room}][data-state=live]"
# the frame after the next has what was drawn in this one
GO = """async (room) => {
  const seen = {};
  const start = performance.now();
  const watcher = new MutationObserver(() => {
    const root = document.getElementById("lab-root");
    const { state } = root?.dataset.room === room ? root.dataset : {};
    if (!state || state in seen) return;
    seen[state] = requestAnimationFrame(() => setTimeout(() => { seen[state] = performance.now() - start; }));
  });
  const states = { attributes: true, attributeFilter: ["data-state"] };
  watcher.observe(document, { subtree: true, childList: true, ...states });
  document.querySelector(`.lab-rooms a[data-room=${room}]`).click();
  while (!(seen.live < performance.now() - start)) await new Promise((resolve) => setTimeout(resolve, 20));
  watcher.disconnect();
  // a room that comes back is live at once
  return { "first figure": seen.still ?? seen.live, live: seen.live };
}"""
HEAP = "self.lab.pyodide._module.HEAP8.length"


def say(figure: str, **values: object) -> None:
    """Print one line."""
    print(json.dumps({"bench": "walk", "figure": figure, **values}), flush=True)


def page_memory(page: Page) -> int:
    """Bytes of the page's own heap without garbage."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.enable")
    session.send("HeapProfiler.collectGarbage")
    used = int(session.send("Runtime.getHeapUsage")["usedSize"])
    session.detach()
    return used


def tab_memory() -> int:
    """Bytes of the tab's process, what it shares with others in proportion."""
    total = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes()
            # Chromium's own pages have processes too
            if b"--type=renderer" not in command or b"--top-chrome-webui" in command:
                continue
            rolled = (process / "smaps_rollup").read_text()
        except OSError:  # it has ended, or is somebody else's
            continue
        total += next(int(line.split()[1]) for line in rolled.splitlines() if line.startswith("Pss:"))
    return total * 1024


def main() -> None:
    """Walk through all rooms, twice."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--site", type=Path, help="a built site; it is built where none is given")
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work, sync_playwright() as playwright:
        site = options.site or Path(work) / "site"
        if options.site is None:
            build(site, cache_folder(), lambda line: None)
        server = SiteServer({"/lab/": site})
        browser = launch(playwright)
        page = browser.new_page()
        try:
            page.goto(f"{server.origin}/lab/{FIRST}/")
            page.wait_for_selector(LIVE.format(room=FIRST), timeout=120_000)
            for turn in range(options.rounds):
                walks = {room: page.evaluate(GO, room) for room in [*list(NAMES)[1:], FIRST]}
                visit = "first visit" if turn == 0 else f"visit {turn + 1}"
                for state in ("first figure", "live"):
                    times = {room: round(walk[state]) for room, walk in walks.items()}
                    middle = round(statistics.median(times.values()))
                    say(f"walk to {state}, {visit}", median_ms=middle, most_ms=max(times.values()), **times)
                python = page.workers[0].evaluate(HEAP)
                sizes = {"python": python, "page": page_memory(page), "tab": tab_memory()}
                say(f"memory, {visit}", **{f"{name}_mb": round(size / 1e6) for name, size in sizes.items()})
        finally:
            browser.close()
            server.close()


if __name__ == "__main__":
    main()
