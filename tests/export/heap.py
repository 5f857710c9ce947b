"""What a run of training leaves behind in the browser."""

from __future__ import annotations

from typing import NamedTuple

from playwright.sync_api import Page

FINISHED = ".lab-shown .lab-train-headline .lab-good"
IN_PYTHON = """() => {
  const { pyodide } = self.lab;
  const objects = pyodide.runPython("import gc; gc.collect(); len(gc.get_objects())");
  return [pyodide._module.HEAP8.length, objects];
}"""


class Heap(NamedTuple):
    """After garbage collection: the worker's memory and the page's in bytes, and Python's objects."""

    wasm: int
    objects: int
    page: int


def heap_after_a_run(page: Page, seed: int) -> Heap:
    """Train once from a seed, to the end, and measure."""
    page.get_by_label("Seed").fill(str(seed))
    page.keyboard.press("Enter")
    page.wait_for_function(
        "seed => (new URLSearchParams(location.search).get('seed') ?? '0') === seed", arg=str(seed)
    )
    page.get_by_role("button", name="Start", exact=True).click()
    finished = page.locator(FINISHED, has_text=f"seed {seed} ")
    finished.wait_for(timeout=120_000)
    browser = page.context.new_cdp_session(page)
    browser.send("HeapProfiler.enable")
    browser.send("HeapProfiler.collectGarbage")
    used = int(browser.send("Runtime.getHeapUsage")["usedSize"])
    browser.detach()
    wasm, objects = page.workers[0].evaluate(IN_PYTHON)
    return Heap(int(wasm), int(objects), used)
