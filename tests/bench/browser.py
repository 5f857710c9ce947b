"""What a reader waits for, in Chromium: the bytes, the first picture, the live room, the answer to a slider.

Run ``python -m tests.bench.browser [--site DIR] [--rounds 3]``; one JSON object a line. Seconds are those of
this machine. The ratios compare with bare Pyodide and ``import numpy`` on the same server in the same round.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, Playwright, sync_playwright

from app.export.artifacts import cache_folder
from app.export.site import build
from app.export.stage import gather
from tests.chromium import launch
from tests.export.server import SiteServer

ROOM = "build"
STEPS = 60
BARE_PAGE = """<!doctype html><title>bare</title><link rel="icon" href="data:,"><script type="module">
const worker = new Worker("./bare.js", { type: "module" });
worker.onmessage = () => { window.times = { live: performance.now() }; };
</script>"""
BARE_WORKER = """import { loadPyodide } from "./pyodide.mjs";
const pyodide = await loadPyodide({ indexURL: new URL("./", import.meta.url).href });
await pyodide.loadPackage(new URL("./NUMPY", import.meta.url).href);
pyodide.runPython("import numpy");
self.postMessage("live");
"""
WATCH_STATE = """window.times = {};
new MutationObserver(() => {
  const state = document.getElementById("lab-root")?.dataset.state;
  if (state && !(state in times)) requestAnimationFrame(() => { times[state] ??= performance.now(); });
}).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-state"] });
"""
# from the key to the frame after the one that draws what Python answered
TIME_KEYS = """async (steps) => {
  const models = Bokeh.documents.flatMap((doc) => [...doc._all_models.values()]);
  const label = models.find((model) => model.text?.includes?.("Step 5 of"));
  const find = (node) => {
    for (const child of node.querySelectorAll("*")) {
      if (child.classList.contains("noUi-handle")) return child;
      const found = child.shadowRoot && find(child.shadowRoot);
      if (found) return found;
    }
  };
  const handle = find(document);
  const times = [];
  for (let step = 0; step < steps; step++) {
    const key = step % 2 ? "ArrowLeft" : "ArrowRight";
    const answered = new Promise((resolve) => {
      const heard = () => {
        label.properties.text.change.disconnect(heard);
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
      };
      label.properties.text.change.connect(heard);
    });
    const start = performance.now();
    handle.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    times.push((await answered) - start);
  }
  return times;
}"""


def say(figure: str, **values: object) -> None:
    """Print one line."""
    print(json.dumps({"bench": "browser", "figure": figure, **values}), flush=True)


def bare_folder(folder: Path) -> Path:
    """Write a page that loads Pyodide and NumPy as they come, and nothing else."""
    parts = gather(cache_folder(), lambda line: None)
    for name, content in parts.core.items():
        (folder / name).write_bytes(content)
    wheel = json.loads(parts.core["pyodide-lock.json"])["packages"]["numpy"]["file_name"]
    (folder / wheel).write_bytes(parts.numpy)
    (folder / "bare.js").write_text(BARE_WORKER.replace("NUMPY", wheel))
    (folder / "index.html").write_text(BARE_PAGE)
    return folder


def visit(context: Any, address: str) -> dict[str, float]:
    """Milliseconds from the start of the navigation to each state of the page."""
    page: Page = context.new_page()
    page.add_init_script(WATCH_STATE)
    page.goto(address)
    page.wait_for_function("window.times?.live || window.times?.failed", timeout=120_000)
    times: dict[str, float] = page.evaluate("window.times")
    # a reader stays for a while, and the browser keeps compiled code for the next visit meanwhile
    page.wait_for_timeout(2_000)
    page.close()
    if "live" not in times:
        raise RuntimeError(f"{address} did not become live")
    return times


def measure_start(playwright: Playwright, origin: str, rounds: int) -> None:
    """Cold and warm starts, bare and ours by turns."""
    seen: dict[str, list[dict[str, float]]] = {}
    for _ in range(rounds):
        for name, address in (("bare", f"{origin}/bare/"), ("lab", f"{origin}/lab/{ROOM}/")):
            with tempfile.TemporaryDirectory() as profile:
                context = launch(playwright, profile)
                for visited in ("cold", "second", "warm"):
                    seen.setdefault(f"{name} {visited}", []).append(visit(context, address))
                context.close()
    for visited in ("cold", "warm"):
        bare = [times["live"] for times in seen[f"bare {visited}"]]
        lab = [times["live"] for times in seen[f"lab {visited}"]]
        still = [times["still"] for times in seen[f"lab {visited}"]]
        pairs = list(zip(lab, bare, strict=True))
        say(
            f"time to live, {visited}",
            ms=round(statistics.median(lab)),
            bare_ms=round(statistics.median(bare)),
            ratio=round(statistics.median(a / b for a, b in pairs), 2),
        )
        first = statistics.median(still)
        ratio = statistics.median(a / b for a, b in zip(still, bare, strict=True))
        say(f"time to first picture, {visited}", ms=round(first), ratio=round(ratio, 2))


def measure_slider(playwright: Playwright, origin: str) -> None:
    """From a key on a slider to the painted answer."""
    browser = launch(playwright)
    page = browser.new_page()
    page.goto(f"{origin}/lab/{ROOM}/")
    page.wait_for_selector("#lab-root[data-state=live]", timeout=120_000)
    times = sorted(page.evaluate(TIME_KEYS, STEPS)[5:])
    say(
        "slider to picture, browser",
        p50_ms=round(statistics.median(times), 1),
        p95_ms=round(times[int(len(times) * 0.95)], 1),
        n=len(times),
    )
    browser.close()


def main() -> None:
    """Run all of it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--site", type=Path, help="a built site; it is built where none is given")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    quiet: Callable[[str], None] = lambda line: None  # noqa: E731
    with tempfile.TemporaryDirectory() as work, sync_playwright() as playwright:
        site = options.site or Path(work) / "site"
        if options.site is None:
            build(site, cache_folder(), quiet)
        manifest = json.loads((site / "manifest.json").read_text())
        for part, size in manifest["until_live"][ROOM].items():
            say("bytes until live", part=part, **size)
        bare = Path(work) / "bare"
        bare.mkdir()
        server = SiteServer({"/lab/": site, "/bare/": bare_folder(bare)})
        try:
            measure_start(playwright, server.origin, options.rounds)
            measure_slider(playwright, server.origin)
        finally:
            server.close()


if __name__ == "__main__":
    main()
