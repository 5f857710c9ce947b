"""Damaged parts, a silent Python, a network that ends, a site that is built anew, and long walks."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.bench.heights import NO_PYTHON
from tests.export.server import SiteServer
from tests.export.visits import CAPTION, LIVE, Open, go_live, slider

pytestmark = [pytest.mark.export, pytest.mark.browser]

LONG = 120_000


@pytest.fixture
def manifest(site: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((site / "manifest.json").read_text())
    return read


# --- damaged parts


@pytest.mark.parametrize("length", [0, 1, 55, 56, 63, 64, 119, 120, 4096, 100_003])
def test_the_digest_without_the_browsers_own(
    open_page: Open, server: SiteServer, manifest: dict[str, Any], length: int
) -> None:
    """The lengths at which a block of SHA-256 fills; Python's hashlib is the oracle."""
    page = open_page().page
    page.goto(f"{server.origin}/click.html")
    told = page.evaluate(
        """async ([address, length]) => {
          const { digestNow } = await import(address);
          return digestNow(Uint8Array.from({ length }, (_, at) => (at * 31 + 7) & 255));
        }""",
        [f"/some/where/static/{manifest['page']}/js/sha256.js", length],
    )
    content = bytes((at * 31 + 7) & 255 for at in range(length))
    assert told == "sha256-" + base64.b64encode(hashlib.sha256(content).digest()).decode()


PARTS = ("*.wasm", "*.pack", "*.npz", "*/pyodide.asm.js", "*/bokeh.min.js", "*/boot.js")


def test_parts_that_come_damaged_once_are_fetched_again(open_page: Open, server: SiteServer) -> None:
    watched = open_page()
    page = watched.page
    with ExitStack() as stack:
        for pattern in PARTS:
            stack.enter_context(server.spoiling(pattern, times=1))
        page.goto(f"{server.origin}/some/where/rope/")
        page.wait_for_selector(LIVE, timeout=LONG)
    assert server.count("*/smollm2_rope_pack.npz") == 2
    assert server.count("*/python-*.pack") == 2
    # a digest that is not the right one is said in the console
    watched.complaints.clear()


def test_a_part_that_stays_damaged_is_named_and_never_used(open_page: Open, server: SiteServer) -> None:
    watched = open_page()
    page = watched.page
    with server.spoiling("*/smollm2_rope_pack.npz"):
        page.goto(f"{server.origin}/some/where/rope/")
        page.wait_for_selector("#lab-root[data-state=failed]", timeout=LONG)
        expect(page.locator("#lab-root .lab-failure")).to_contain_text("smollm2_rope_pack.npz")
        assert server.count("*/smollm2_rope_pack.npz") == 2
    watched.complaints.clear()
    page.get_by_role("button", name="Retry").click()
    page.wait_for_selector(LIVE, timeout=LONG)


# --- a Python that does not answer


def test_a_worker_that_has_ended_is_noticed_and_started_again(open_page: Open, server: SiteServer) -> None:
    page = open_page().page
    page.clock.install()
    page.goto(f"{server.origin}/some/where/build/?step=3")
    page.wait_for_selector(LIVE, timeout=LONG)
    page.workers[0].evaluate("self.close()")
    slider(page).press("Home")
    line = page.locator("#lab-root .lab-silent")
    expect(line).to_have_count(0)
    page.clock.fast_forward(21_000)
    expect(line).to_contain_text("20 s")
    line.get_by_role("button").click()
    page.wait_for_selector("#lab-root[data-state=waking]")
    page.wait_for_selector(LIVE, timeout=LONG)
    expect(page.locator(CAPTION)).to_contain_text("Step 3")
    slider(page).press("Home")
    expect(page.locator(CAPTION)).to_contain_text("Step 1")


BUSY = "setTimeout(() => { const end = Date.now() + 6000; while (Date.now() < end); })"


def test_a_long_computation_may_end(open_page: Open, server: SiteServer) -> None:
    page = open_page().page
    page.clock.install()
    page.goto(f"{server.origin}/some/where/build/")
    page.wait_for_selector(LIVE, timeout=LONG)
    page.workers[0].evaluate(BUSY)
    slider(page).press("Home")
    page.clock.fast_forward(21_000)
    line = page.locator("#lab-root .lab-silent")
    expect(line).to_be_visible()
    expect(page.locator(CAPTION)).to_contain_text("Step 1", timeout=30_000)
    expect(line).to_have_count(0)
    expect(page.locator("#lab-root")).to_have_attribute("data-state", "live")


# --- a network that ends, a site that is built anew


def test_offline_the_live_room_stays_and_says_so(open_page: Open, server: SiteServer) -> None:
    watched = open_page()
    page = watched.page
    page.goto(f"{server.origin}/some/where/build/")
    page.wait_for_selector(LIVE, timeout=LONG)
    address = page.url
    page.context.set_offline(True)
    page.locator(".lab-rooms a[data-room=rope]").click()
    said = page.get_by_role("alert").filter(has_text="could not be fetched")
    expect(said).to_be_visible()
    assert page.url == address
    expect(page.locator("#lab-root")).to_have_attribute("data-state", "live")
    slider(page).press("Home")
    expect(page.locator(CAPTION)).to_contain_text("Step 1")
    page.context.set_offline(False)
    page.locator(".lab-rooms a[data-room=rope]").click()
    page.wait_for_selector("#lab-root[data-room=rope]")
    expect(said).to_have_count(0)
    watched.complaints.clear()


def test_an_open_page_of_an_earlier_build_is_told_to_reload(
    open_page: Open, server: SiteServer, manifest: dict[str, Any]
) -> None:
    watched = open_page()
    page = watched.page
    page.add_init_script(NO_PYTHON)
    page.goto(f"{server.origin}/some/where/build/")
    page.wait_for_selector("#lab-root[data-state=waking]")
    later = json.dumps({**manifest, "build": "another"}).encode()
    with server.replacing("*/manifest.json", later, "application/json"):
        page.evaluate(
            "EmbeddingLab.client.dispatchEvent(new CustomEvent('broken', { detail: new Error('404') }))"
        )
        panel = page.locator("#lab-root .lab-failure")
        expect(panel).to_contain_text("updated")
        expect(panel.get_by_role("button")).to_have_text("Reload")
    panel.get_by_role("button").click()
    page.wait_for_selector("#lab-root[data-state=waking]")


def test_a_page_that_the_browser_kept_is_told_to_reload(
    open_page: Open, server: SiteServer, manifest: dict[str, Any]
) -> None:
    page = open_page().page
    later = json.dumps({**manifest, "build": "another"}).encode()
    with server.replacing("*/manifest.json", later, "application/json"):
        page.goto(f"{server.origin}/some/where/build/")
        expect(page.locator("#lab-root .lab-failure")).to_contain_text("updated")
    assert server.count("*/python/*") == 0


def test_the_addresses_of_what_changes_change_with_it(site: Path, manifest: dict[str, Any]) -> None:
    page = (site / "build" / "index.html").read_text(encoding="utf-8")
    ours = re.findall(r'(?:src|href)="\.\./static/([^"]+)"', page)
    stable = {"js/start.js", "js/frame.js"}
    assert stable <= set(ours)
    for address in set(ours) - stable:
        assert address.startswith((f"{manifest['page']}/", "bokeh/3.", "panel/1."))


# --- long walks

NODES = "document.querySelectorAll('*').length"
WATCH_VIEWPORT = """window.listening = 0;
const { addEventListener: add, removeEventListener: remove } = EventTarget.prototype;
EventTarget.prototype.addEventListener = function (...all) {
  if (this === window.visualViewport) listening += 1;
  return add.apply(this, all);
};
EventTarget.prototype.removeEventListener = function (...all) {
  if (this === window.visualViewport) listening -= 1;
  return remove.apply(this, all);
};"""


def counts(page: Page) -> tuple[int, int]:
    """Listeners on the visual viewport, and nodes in memory, detached ones included."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("Performance.enable")
    devtools.send("HeapProfiler.enable")
    devtools.send("HeapProfiler.collectGarbage")
    metrics = {entry["name"]: entry["value"] for entry in devtools.send("Performance.getMetrics")["metrics"]}
    devtools.detach()
    return page.evaluate("listening"), int(metrics["Nodes"])


def test_twenty_walks_leave_no_listeners_and_few_nodes(open_page: Open, server: SiteServer) -> None:
    page = open_page().page
    page.add_init_script(NO_PYTHON)
    page.add_init_script(WATCH_VIEWPORT)
    page.goto(f"{server.origin}/some/where/waves/")
    page.wait_for_selector("#lab-root[data-state=waking]")
    seen = []
    for walk in range(20):
        room = ("build", "waves")[walk % 2]
        page.locator(f".lab-rooms a[data-room={room}]").evaluate("link => link.click()")
        page.wait_for_selector(f"#lab-root[data-room={room}][data-state=waking]")
        if room == "waves":
            seen.append(counts(page))
    listeners, nodes = zip(*seen, strict=True)
    assert listeners[0] > 0
    assert set(listeners) == {listeners[0]}
    # 14 walks; with the listeners in place each left some 5,000 nodes behind. One room of some 2,300
    # nodes may wait for a later collection at either end.
    assert nodes[-1] - nodes[2] < 14 * 200 + 2_300


def test_a_frame_of_the_lab_takes_the_theme_around_it(
    open_page: Open, site: Path, serve: Any, tmp_path: Path
) -> None:
    host = serve({"/lab/": site, "/": tmp_path})
    (tmp_path / "page.html").write_text(
        '<!doctype html><html data-theme="dark"><link rel=icon href=data:,>'
        '<script src="/lab/static/js/frame.js"></script>'
        '<iframe data-embedding-lab style="width:100%" src="/lab/build/?embed=1"></iframe>'
    )
    page = open_page(host.origin).page
    page.add_init_script(NO_PYTHON)
    page.goto(f"{host.origin}/page.html")
    inside = page.frame_locator("iframe").locator("html")
    expect(inside).to_have_attribute("data-theme", "dark")
    page.evaluate("document.documentElement.dataset.theme = 'light'")
    expect(inside).to_have_attribute("data-theme", "light")


def test_settings_that_are_the_first_state_show_its_picture(open_page: Open, server: SiteServer) -> None:
    """On the site too: another state has no picture, and the live room comes in its place."""
    page = open_page().page
    page.add_init_script(NO_PYTHON)
    for query, shown in (("?step=5", True), ("?step=2", False), ("?nonsense=1", True)):
        page.goto(f"{server.origin}/some/where/build/{query}")
        page.wait_for_selector("#lab-root[data-state=waking]")
        expect(page.locator(".lab-shown")).to_have_count(1 if shown else 0)
        expect(page.locator(".lab-blank")).to_have_count(0 if shown else 1)


def test_a_room_that_is_retried_keeps_its_state(open_page: Open, server: SiteServer) -> None:
    page = go_live(open_page, server, "build/?step=4")
    expect(page.locator(CAPTION)).to_contain_text("Step 4")
    page.evaluate("EmbeddingLab.client.restart()")
    page.wait_for_selector(LIVE, timeout=LONG)
    expect(page.locator(CAPTION)).to_contain_text("Step 4")
