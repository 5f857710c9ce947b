"""From a key on a slider to the painted answer, for every room: in the browser's Python, and served.

Run ``python -m tests.bench.sliders [--site DIR] [room ...]``; one JSON object a line. The ratio compares with
the room `build` behind the same door in the same run.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, sync_playwright

from app.export.artifacts import cache_folder
from app.export.site import build
from tests.chromium import launch
from tests.export.server import SiteServer
from tests.serving import served

STEPS, UNCOUNTED = 40, 6


class Case(NamedTuple):
    """A slider of a room in a state."""

    room: str
    slider: str
    query: str = ""
    of: str = "default"


CASES = (
    Case("build", "Step"),
    Case("order", "Head shown"),
    Case("schemes", "Shift"),
    Case("waves", "Position p"),
    Case("waves", "Position p", "d=128&length=512", "D = 128, 512 positions"),
    Case("rope", "m, position"),
    Case("rope", "m, position", "turn=base&d=128&reach=2048", "64 pairs, 2,048 distances"),
    Case("context", "Pair"),
    Case(
        "context",
        "Factor s",
        "show=angles&d=128&trained=4096&factor=32",
        "angles, d = 128, 131,072 positions",
    ),
    Case(
        "context",
        "Factor s",
        "show=scores&d=128&trained=4096&factor=32",
        "scores, d = 128, 131,072 positions",
    ),
    Case("gradient", "Step shown"),
    Case("gradient", "Step shown", "V=128000", "V = 128,000"),
    Case("geometry", "Rows in the list", "table=minilm&look=near&a=cat", "neighbours among 8,944 rows"),
    Case("train", "Moment"),
    Case("count", "Vocabulary"),
    Case("mistakes", "Distance"),
)

# the answer may come in several patches: it is complete when nothing has changed for a while
TIME_KEYS = """async ([label, steps]) => {
  const handles = [];
  const walk = (node) => {
    for (const child of node.querySelectorAll("*")) {
      if (child.classList.contains("noUi-handle") && child.checkVisibility()) handles.push(child);
      if (child.shadowRoot) walk(child.shadowRoot);
    }
  };
  walk(document);
  const handle = handles.find((one) => one.getAttribute("aria-label")?.startsWith(label));
  if (!handle) throw new Error(`no slider ${label}; there are ${handles.map((one) => one.ariaLabel)}`);
  // a figure out of sight does not answer
  handle.scrollIntoView({ block: "center" });
  await new Promise((resolve) => setTimeout(resolve, 1500));
  let painted = 0;
  const heard = ({ model }) => {
    // the slider's own value is no answer
    if (model?.type?.endsWith("Slider")) return;
    requestAnimationFrame(() => setTimeout(() => { painted = performance.now(); }));
  };
  for (const doc of Bokeh.documents) doc.on_change(heard);
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const times = [];
  for (let step = 0; step < steps; step++) {
    const key = step % 2 ? "ArrowRight" : "ArrowLeft";
    const start = performance.now();
    painted = 0;
    handle.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    await pause(40);
    while (!painted || performance.now() - painted < 120) {
      if (performance.now() - start > 5000) break;
      await pause(10);
    }
    times.push(painted ? painted - start : 5000);
  }
  for (const doc of Bokeh.documents) doc.remove_on_change(heard);
  return times;
}"""


def measure(browser: Browser, address: str, ready: str, case: Case) -> tuple[float, float]:
    """Median and 95th percentile in milliseconds."""
    page = browser.new_page(viewport={"width": 1100, "height": 860})
    page.goto(address)
    page.wait_for_selector(ready, timeout=120_000)
    page.wait_for_function("Bokeh.documents.length && window.EmbeddingLab?.started")
    page.get_by_role("slider").first.wait_for()
    times = sorted(page.evaluate(TIME_KEYS, [case.slider, STEPS])[UNCOUNTED:])
    page.close()
    return statistics.median(times), times[int(len(times) * 0.95)]


def run(door: str, browser: Browser, cases: list[Case], address: str, ready: str) -> None:
    """Print a line for each case behind one door; ``address`` has places for room and query."""
    unit = measure(browser, address.format(room="build", query=""), ready, CASES[0])[0]
    for case in cases:
        p50, p95 = measure(browser, address.format(room=case.room, query=case.query), ready, case)
        line = {"figure": "slider to picture", "door": door, "room": case.room, "state": case.of}
        line |= {"slider": case.slider, "p50_ms": round(p50, 1), "p95_ms": round(p95, 1)}
        line["ratio_to_build"] = round(p50 / unit, 2)
        print(json.dumps({"bench": "sliders", **line}), flush=True)


def chosen(names: list[str]) -> Iterator[Case]:
    """The cases of these rooms, or all."""
    return (case for case in CASES if not names or case.room in names)


def main() -> None:
    """Run both doors."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--site", type=Path, help="a built site; it is built where none is given")
    parser.add_argument("rooms", nargs="*")
    options = parser.parse_args()
    cases = list(chosen(options.rooms))
    with tempfile.TemporaryDirectory() as work, sync_playwright() as playwright:
        site = options.site or Path(work) / "site"
        if options.site is None:
            build(site, cache_folder(), lambda line: None)
        browser = launch(playwright)
        server = SiteServer({"/lab/": site})
        try:
            live = "#lab-root[data-state=live]"
            run("browser", browser, cases, server.origin + "/lab/{room}/?{query}", live)
        finally:
            server.close()
        with served() as address:
            run("served", browser, cases, address + "?room={room}&{query}", ".lab-caption p")
        browser.close()


if __name__ == "__main__":
    main()
