"""A lesson figure in somebody's page: what it costs before a touch, and how fast it answers its page.

Run ``python -m tests.bench.lesson [--site DIR]``; one JSON object a line.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from app.export.artifacts import cache_folder
from app.export.site import build
from tests.chromium import launch
from tests.export.server import SiteServer

FIGURES = ("hands", "score", "pairs")
PAGE = """<!doctype html><meta charset=utf-8><title>A chapter</title><link rel=icon href=data:,>
<script src="/lab/static/js/embed.js"></script><body style="max-width: 760px">
<p style="height: 80vh">Words.</p>
{}<p style="height: 200vh">More words.</p>"""
WATCH = """window.longest = 0;
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
}).observe({ type: "longtask", buffered: true });"""
SCROLL = """async () => {
  for (let at = 0; at < document.body.scrollHeight; at += 120) {
    scrollTo(0, at);
    await new Promise(requestAnimationFrame);
  }
  return longest;
}"""
WAKE = """async (figures) => {
  const start = performance.now();
  const live = (id) => document.getElementById(id).wake().then(() => performance.now() - start);
  const first = await live(figures[0]);
  const rest = [];
  for (const id of figures.slice(1)) {
    const before = performance.now() - start;
    rest.push((await live(id)) - before);
  }
  return [first, ...rest];
}"""
SIX = """async (id) => {
  const figure = document.getElementById(id);
  const start = performance.now();
  await Promise.all([4, 5, 6, 7, 8, 9].map((n) => figure.set({ n })));
  const together = performance.now() - start;
  for (const n of [4, 5, 6, 7, 8, 9]) await figure.set({ n });
  return [together, performance.now() - start - together];
}"""


def say(figure: str, **values: object) -> None:
    """Print one line."""
    print(json.dumps({"bench": "lesson", "figure": figure, **values}), flush=True)


def measure(page: Page, address: str) -> None:
    """Open the chapter, scroll through it, wake its figures one after another, and ask them."""
    answers = []
    page.on("response", lambda answer: answers.append(answer))
    page.add_init_script(WATCH)
    page.goto(address)
    for figure in FIGURES:
        page.wait_for_selector(f"#{figure}[data-state=still]")
    page.wait_for_load_state("networkidle")
    ours = {answer.url: len(gzip.compress(answer.body())) for answer in answers if "/lab/" in answer.url}
    stills = [size for url, size in ours.items() if url.endswith(".svg")]
    one = sum(ours.values()) - sum(stills) + max(stills)
    say("before a touch, one figure", requests=len(ours) - len(stills) + 1, gzip_kb=round(one / 1000, 1))
    say("before a touch, longest task", ms=round(page.evaluate(SCROLL), 1))
    first, second, third = page.evaluate(WAKE, list(FIGURES))
    say(
        "three figures, one Python",
        first_ms=round(first), second_ms=round(second), third_ms=round(third), ratio=round(second / first, 3),
    )  # fmt: skip
    together, one_by_one = page.evaluate(SIX, "score")
    say("six changes", together_ms=round(together, 1), one_by_one_ms=round(one_by_one, 1))


def main() -> None:
    """Build a site if none is given, and measure."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--site", type=Path, help="a built site; it is built where none is given")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work, sync_playwright() as playwright:
        site = options.site or Path(work) / "site"
        if options.site is None:
            build(site, cache_folder(), print)
        host = Path(work) / "host"
        host.mkdir()
        elements = "".join(
            f'<embedding-lab id="{key}" room="rope" figure="{key}"></embedding-lab>' for key in FIGURES
        )
        (host / "page.html").write_text(PAGE.format(elements))
        server = SiteServer({"/lab/": site, "/": host})
        browser = launch(playwright)
        try:
            measure(browser.new_page(), f"{server.origin}/page.html")
        finally:
            browser.close()
            server.close()


if __name__ == "__main__":
    main()
