"""Training in the browser and beside other readers, as JSON lines.

    OPENBLAS_NUM_THREADS=1 python -m tests.bench.train_browser [--site dist]

A run is 1,000 steps of RoPE with all the room does on the way: held-out losses, text, figures. Ratios are
taken between blocks or runs that take turns, so that a busy machine slows both.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
import zipfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from app.export.artifacts import cache_folder
from app.export.site import PROJECT, build
from app.rooms.train.work import Record, working
from lab.training import TrainingConfig, shakespeare_corpus, train
from tests.bench.browser import bare_folder
from tests.chromium import launch
from tests.export.heap import heap_after_a_run
from tests.export.server import SiteServer
from tests.serving import served

STEPS = 1000
LIMITS = {"seconds": 15.0, "ratio": 15.0, "control_ms": 100.0, "stop_ms": 200.0, "other_reader_ms": 200.0}
BLOCK, BLOCKS = 100, 7
RUNS = 10
STEP_PAGE = """<!doctype html><title>steps</title><link rel="icon" href="data:,"><script type="module">
const worker = new Worker("./steps.js", { type: "module" });
const answer = () => new Promise((resolve) => { worker.onmessage = ({ data }) => resolve(data); });
window.steps = (count) => { worker.postMessage(count); return answer(); };
await answer();
window.ready = true;
</script>"""
STEP_WORKER = """import { loadPyodide } from "./pyodide.mjs";
const pyodide = await loadPyodide({ indexURL: new URL("./", import.meta.url).href });
await pyodide.loadPackage(new URL("./NUMPY", import.meta.url).href);
const lab = await fetch(new URL("./lab.zip", import.meta.url));
pyodide.unpackArchive(await lab.arrayBuffer(), "zip");
pyodide.runPython(`
from lab.training import TrainingConfig, train
run = train(TrainingConfig(steps=100_000))
def advance(count):
    for _ in range(count):
        next(run)
`);
const advance = pyodide.globals.get("advance");
self.onmessage = ({ data }) => {
  const start = performance.now();
  advance(data);
  self.postMessage(performance.now() - start);
};
self.postMessage("ready");
"""
LIVE = "#lab-root[data-state=live]"
PAUSE_MS = 150
"""Between two keys: a reader's pace. Without it each key waits for the picture of the one before."""
_FIND = """const models = () => Bokeh.documents.flatMap((doc) => [...doc._all_models.values()]);
const said = (css) => models().find((model) => model.css_classes?.includes?.(css));
const heard = (model, good) => new Promise((resolve) => {
  const listen = () => {
    if (!good(model.text)) return;
    model.properties.text.change.disconnect(listen);
    resolve(performance.now());
  };
  model.properties.text.change.connect(listen);
});
const press = (name, node = document) => {
  for (const child of node.querySelectorAll("*")) {
    if (child.tagName === "BUTTON" && child.textContent.trim() === name) { child.click(); return true; }
    if (child.shadowRoot && press(name, child.shadowRoot)) return true;
  }
};
"""
TIME_CONTROLS = (
    "async ([steps, pause]) => {"
    + _FIND
    + """
  const slider = models().find((m) => m.type.endsWith("Slider") && m.title?.startsWith?.("Moment"));
  const finding = models().find((model) => model.text?.includes?.("the nearest row belongs"));
  const times = [];
  for (let step = 0; step < steps; step++) {
    const answered = heard(finding, () => true);
    const start = performance.now();
    slider.value = step % 2; // two moments that every run has soon
    times.push((await answered) - start);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  return times;
}"""
)
TIME_BUTTON = (
    "async ([name, words]) => {"
    + _FIND
    + """
  const answered = heard(said("lab-train-headline"), (text) => text.includes(words));
  const start = performance.now();
  press(name);
  return (await answered) - start;
}"""
)


TRAIN_ON = (
    "() => {"
    + _FIND
    + """
  // the longest run a reader can ask for takes seconds here: another begins when it is done
  setInterval(() => press("Start"), 200);
  // other readers paint on machines of their own
  document.body.style.display = "none";
}"""
)


def say(figure: str, **values: object) -> None:
    """Print one line."""
    print(json.dumps({"bench": "train_browser", "figure": figure, **values}), flush=True)


def step_folder(folder: Path) -> Path:
    """Write a page that trains in a bare Pyodide, without a room."""
    bare_folder(folder)
    wheel = next(folder.glob("numpy-*.whl")).name
    (folder / "steps.js").write_text(STEP_WORKER.replace("NUMPY", wheel))
    (folder / "index.html").write_text(STEP_PAGE)
    with zipfile.ZipFile(folder / "lab.zip", "w") as pack:
        for path in [*PROJECT.glob("lab/**/*.py"), PROJECT / "static/data/shakespeare.txt"]:
            pack.write(path, path.relative_to(PROJECT))
    return folder


def measure_step(browser: Browser, address: str) -> None:
    """A step in the browser against one here, in blocks that take turns."""
    page = browser.new_page()
    page.goto(address)
    page.wait_for_function("window.ready", timeout=120_000)
    run = train(TrainingConfig(steps=100_000), shakespeare_corpus())
    pairs = []
    for _ in range(BLOCKS):
        there = float(page.evaluate("steps", BLOCK)) / BLOCK
        start = time.perf_counter()
        for _ in range(BLOCK):
            next(run)
        pairs.append((there, (time.perf_counter() - start) * 1e3 / BLOCK))
    page.close()
    ratio = statistics.median(there / here for there, here in pairs)
    say(
        "training step, browser to native",
        ms=round(statistics.median(there for there, _ in pairs), 2),
        native_ms=round(statistics.median(here for _, here in pairs), 3),
        ratio=round(ratio, 1),
        limit=LIMITS["ratio"],
        within=ratio <= LIMITS["ratio"],
    )


def native_seconds() -> float:
    """The same run without a page."""
    config = TrainingConfig(steps=STEPS, snapshot_every=STEPS // 10)
    start = time.perf_counter()
    record = Record(config, own_text=False)
    for _ in working(record, shakespeare_corpus):
        if record.measuring:
            break
    return time.perf_counter() - start


def measure_run(page: Page) -> None:
    """Time from the click on Start until the steps are done."""
    before = native_seconds()
    # the sentence changes when the finished model has been measured; the steps are done before
    start = time.perf_counter()
    page.get_by_role("button", name="Start", exact=True).click()  # which scrolls to the losses
    done = page.locator(".lab-shown .lab-train-progress", has_text="measuring the finished model")
    done.wait_for(timeout=180_000)
    seconds = time.perf_counter() - start
    page.locator(".lab-shown .lab-train-headline .lab-good").wait_for(timeout=60_000)
    whole = time.perf_counter() - start
    native = (before + native_seconds()) / 2
    say(
        f"{STEPS} steps, browser",
        seconds=round(seconds, 1),
        with_final_measuring=round(whole, 1),
        limit=LIMITS["seconds"],
        within=seconds <= LIMITS["seconds"],
    )
    say("a run with its figures, browser to native without them", ratio=round(seconds / native, 1))


def spread(figure: str, times: list[float], limit: float) -> None:
    """Print the middle and the slow end of some times."""
    ordered = sorted(times)
    middle, slow = statistics.median(ordered), ordered[int(len(ordered) * 0.95)]
    say(
        figure,
        p50_ms=round(middle, 1),
        p95_ms=round(slow, 1),
        limit=limit,
        within=slow <= limit,
        n=len(ordered),
    )


def show_rows(page: Page) -> None:
    """Scroll to the figure that is timed: what is out of sight does not answer."""
    page.locator(".lab-figure-rows").last.scroll_into_view_if_needed()
    page.locator(".lab-figure-rows .lab-caption p", has_text="the nearest row belongs").wait_for()


def measure_browser(browser: Browser, origin: str) -> None:
    """A run, and what a reader feels of it."""
    page = browser.new_page()
    page.goto(f"{origin}/train/")
    page.wait_for_selector(LIVE, timeout=120_000)
    show_rows(page)
    spread(
        "control, browser, nothing trains", page.evaluate(TIME_CONTROLS, [40, PAUSE_MS]), LIMITS["control_ms"]
    )
    measure_run(page)
    page.goto(f"{origin}/train/?steps=5000")
    page.wait_for_selector(LIVE, timeout=120_000)
    show_rows(page)
    page.evaluate(TIME_BUTTON, ["Start", "training"])
    times = page.evaluate(TIME_CONTROLS, [40, PAUSE_MS])
    spread("control, browser, while it trains", times, LIMITS["control_ms"])
    stop = page.evaluate(TIME_BUTTON, ["Stop", "stopped"])
    say("stop, browser", ms=round(stop, 1), limit=LIMITS["stop_ms"], within=stop <= LIMITS["stop_ms"])
    page.goto(f"{origin}/train/?steps=100")
    page.wait_for_selector(LIVE, timeout=120_000)
    measure_heap(page)
    page.close()


def measure_heap(page: Page) -> None:
    """What ten runs in a row leave behind; the two before them fill caches."""
    heaps = [heap_after_a_run(page, seed) for seed in range(RUNS + 2)][1:]
    say(
        f"heap after {RUNS} runs, browser",
        python_mb=round(heaps[-1].wasm / 1e6, 1),
        python_grown_mb=round((heaps[-1].wasm - heaps[0].wasm) / 1e6, 2),
        objects_a_run=round((heaps[-1].objects - heaps[0].objects) / RUNS, 1),
        page_mb=round(heaps[-1].page / 1e6, 1),
        page_grown_mb=round((heaps[-1].page - heaps[0].page) / 1e6, 2),
    )


def measure_server(browser: Browser) -> None:
    """The controls of one reader while others train on the same server."""
    with served(EMBEDDING_LAB_RUNS="2") as address:
        pages = [browser.new_context().new_page() for _ in range(3)]
        for page in pages:
            page.goto(f"{address}?room=train&steps=5000&layers=2")
            page.locator(".lab-caption p").first.wait_for()
        reader, *others = pages
        show_rows(reader)
        limit = LIMITS["other_reader_ms"]
        spread("control, served, nobody trains", reader.evaluate(TIME_CONTROLS, [30, PAUSE_MS]), limit)
        for count, page in enumerate(others, start=1):
            page.evaluate(TRAIN_ON)
            times = reader.evaluate(TIME_CONTROLS, [30, PAUSE_MS])
            spread(f"control, served, {count} train", times, limit)
        for page in others:
            page.close()
        reader.evaluate(TIME_BUTTON, ["Start", "training"])
        stop = reader.evaluate(TIME_BUTTON, ["Stop", "stopped"])
        say("stop, served", ms=round(stop, 1), limit=LIMITS["stop_ms"], within=stop <= LIMITS["stop_ms"])


def main() -> None:
    """Run all of it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--site", type=Path, help="a built site; it is built where none is given")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work, sync_playwright() as playwright:
        site = options.site or Path(work) / "site"
        if options.site is None:
            build(site, cache_folder(), lambda line: None)
        steps = Path(work) / "steps"
        steps.mkdir()
        server = SiteServer({"/": site, "/steps/": step_folder(steps)})
        browser = launch(playwright)
        try:
            measure_step(browser, f"{server.origin}/steps/")
            measure_browser(browser, server.origin)
            measure_server(browser)
        finally:
            browser.close()
            server.close()


if __name__ == "__main__":
    main()
