"""The built site in Chromium, in a subfolder, with every other host out of reach."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.export.chromium import Watched
from tests.export.server import SiteServer

pytestmark = [pytest.mark.export, pytest.mark.browser]

LIVE = "#lab-root[data-state=live]"
CAPTION = ".lab-shown .lab-caption p"
OWN_TEXT = "Own text, real table"
Open = Callable[..., Watched]

# what was on the page at the moment that it asked for a worker, and what it sent to it
SPY = """window.workers = []; window.sent = [];
window.Worker = class extends Worker {
  constructor(...all) { super(...all); workers.push(document.querySelectorAll(".lab-shown").length); }
  postMessage(message, ...rest) { sent.push(message.type); super.postMessage(message, ...rest); }
};"""


def visit(open_page: Open, server: SiteServer, path: str = "build/", **options: Any) -> Page:
    page = open_page(**options).page
    page.add_init_script(SPY)
    page.goto(f"{server.origin}/some/where/{path}", wait_until="commit")
    return page


def go_live(open_page: Open, server: SiteServer, path: str = "build/", **options: Any) -> Page:
    page = visit(open_page, server, path, **options)
    page.wait_for_selector(LIVE)
    return page


def slider(page: Page) -> Any:
    return page.locator(".lab-shown .noUi-handle").first


def test_the_first_picture_is_there_before_python_and_marked_as_waking_up(
    open_page: Open, server: SiteServer
) -> None:
    with server.holding("*.wasm"):
        page = visit(open_page, server)
        page.wait_for_selector("#lab-root[data-state=waking]")
        expect(page.locator(CAPTION)).to_contain_text("Step")
        expect(slider(page)).to_be_visible()
        expect(page.locator("#lab-root")).to_have_attribute("aria-busy", "true")
        expect(page.locator(".lab-stack")).to_have_attribute("inert", "")
        expect(page.get_by_role("status").filter(has_text="Python is waking up")).to_be_visible()
        assert page.evaluate("workers") == [1]
    page.wait_for_selector(LIVE)


def test_no_python_is_asked_for_while_the_picture_is_not_drawn(open_page: Open, server: SiteServer) -> None:
    with server.holding("*/bokeh.min.js"):
        page = visit(open_page, server, "build/")
        page.wait_for_function("performance.getEntriesByName('first-paint').length", timeout=20_000)
        assert page.evaluate("workers") == []
        assert server.count("*/python/*") == 0
    page.wait_for_selector(LIVE)


def test_the_bytes_are_counted_while_they_come(open_page: Open, server: SiteServer) -> None:
    with server.holding("*/python-*.pack"):
        page = visit(open_page, server)
        page.wait_for_selector("#lab-root[data-state=waking]")
        line = page.locator("#lab-root .lab-status")
        expect(line).to_contain_text(re.compile(r"\d\.\d of \d+\.\d MB"))
        assert 0 < page.locator("#lab-root progress").evaluate("bar => bar.value") < 1
    page.wait_for_selector(LIVE)


def test_the_live_room_takes_the_pictures_place_without_a_jump(open_page: Open, server: SiteServer) -> None:
    page = open_page().page
    page.add_init_script(
        "window.shifts = []; new PerformanceObserver((list) => { for (const entry of list.getEntries())"
        " shifts.push([entry.value, document.getElementById('lab-root')?.dataset.state]); })"
        ".observe({ type: 'layout-shift', buffered: true });"
    )
    with server.holding("*.wasm"):
        page.goto(f"{server.origin}/some/where/build/")
        page.wait_for_selector("#lab-root[data-state=waking]")
        before = page.locator(".lab-stack").bounding_box()
    page.wait_for_selector(LIVE)
    assert page.locator(".lab-stack").bounding_box() == before
    expect(page.locator(".lab-stack > *")).to_have_count(1)
    expect(page.locator(".lab-stack")).not_to_have_attribute("inert", "")
    expect(page.locator("#lab-root")).to_have_attribute("aria-busy", "false")
    expect(page.locator("#lab-root .lab-status")).to_have_count(0)
    assert sum(value for value, state in page.evaluate("shifts") if state in ("waking", "live")) < 0.02


def test_a_slider_changes_picture_caption_and_address(open_page: Open, server: SiteServer) -> None:
    page = go_live(open_page, server)
    before = page.locator(CAPTION).inner_text()
    picture = page.locator(".lab-shown .lab-main").screenshot()
    slider(page).press("ArrowLeft")
    page.wait_for_url("**/build/?step=*")
    expect(page.locator(CAPTION)).not_to_have_text(before)
    assert page.locator(".lab-shown .lab-main").screenshot() != picture


def test_a_deep_link_restores_its_state_and_keeps_its_address(open_page: Open, server: SiteServer) -> None:
    page = go_live(open_page, server, "build/?step=2")
    expect(page.locator(CAPTION)).to_contain_text("Step 2")
    assert page.url.endswith("/some/where/build/?step=2")


def test_a_bad_address_is_named_in_a_notice(open_page: Open, server: SiteServer) -> None:
    page = go_live(open_page, server, "build/?step=2&scheme=%3Cimg%20src=x%20onerror=alert(1)%3E")
    expect(page.locator(".lab-shown .lab-notices")).to_be_visible()
    expect(page.locator(".lab-shown .lab-notices p").first).to_contain_text("scheme")
    expect(page.locator(CAPTION)).to_contain_text("Step 2")


def test_a_held_key_builds_no_backlog(open_page: Open, server: SiteServer) -> None:
    """Forty values of one slider while Python is at work: the last one counts, the rest is not sent."""
    page = go_live(open_page, server)
    page.evaluate("sent.length = 0")
    slider(page).evaluate(
        """handle => {
          const press = (key) => handle.dispatchEvent(
            new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
          for (let i = 0; i < 40; i++) press(i % 2 ? "ArrowRight" : "ArrowLeft");
          press("Home");
        }"""
    )
    expect(page.locator(CAPTION)).to_contain_text("Step 1")
    assert 1 <= page.evaluate("sent.filter((type) => type === 'patch').length") <= 4


def test_walking_between_pages_keeps_the_running_python(open_page: Open, server: SiteServer) -> None:
    page = go_live(open_page, server)
    slider(page).press("Home")
    page.wait_for_url("**/build/?step=1")
    page.get_by_role("link", name="Embedding Lab").click()
    expect(page.locator(".lab-home h1")).to_be_visible()
    assert page.url.endswith("/some/where/")
    page.locator(".lab-card").first.click()
    page.wait_for_selector(LIVE)
    assert page.url.endswith("/some/where/build/")
    page.go_back()
    expect(page.locator(".lab-home h1")).to_be_visible()
    page.go_back()
    page.wait_for_selector(LIVE)
    expect(page.locator(CAPTION)).to_contain_text("Step 1")
    assert page.url.endswith("/build/?step=1")
    assert page.evaluate("workers.length") == 1
    assert page.evaluate("Bokeh.documents.length") == 1
    assert server.count("*.wasm") == 1


def test_the_start_page_needs_no_python(open_page: Open, server: SiteServer) -> None:
    page = visit(open_page, server, "")
    expect(page.locator(".lab-card").first).to_be_visible()
    page.wait_for_function("window.EmbeddingLab?.started")
    assert page.evaluate("workers") == []
    assert server.count("*/python/*") == 0
    page.locator(".lab-card").first.click()
    page.wait_for_selector(LIVE)


@pytest.mark.parametrize(
    "part",
    [
        "*.wasm",
        "*/pyodide.asm.mjs",
        "*/library-*.pack",
        "*/python-*.pack",
        "*/manifest.json",
        "*/worker.js",
        "*/panel.min.js",
    ],
)
def test_a_part_that_does_not_come_is_named_and_retry_helps(
    open_page: Open, server: SiteServer, part: str
) -> None:
    watched = open_page()
    page = watched.page
    with server.failing(part):
        page.goto(f"{server.origin}/some/where/build/")
        page.wait_for_selector("#lab-root[data-state=failed]")
        panel = page.get_by_role("alert").filter(has_text="could not be made live")
        expect(panel).to_be_visible()
        expect(panel.locator("pre")).not_to_be_empty()
        expect(page.locator(".lab-stack")).to_have_attribute("inert", "")
        # the browser itself says that the file was not found
        assert [said for said in watched.complaints if "404" not in said] == []
        watched.complaints.clear()
    page.get_by_role("button", name="Retry").click()
    page.wait_for_selector(LIVE)
    expect(page.locator("#lab-root .lab-failure")).to_have_count(0)
    slider(page).press("Home")
    expect(page.locator(CAPTION)).to_contain_text("Step 1")


@pytest.mark.parametrize("part", ["*.wasm", "*/python-*.pack"])
def test_a_part_that_comes_in_part_is_noticed(open_page: Open, server: SiteServer, part: str) -> None:
    page = open_page().page
    with server.damaging(part):
        page.goto(f"{server.origin}/some/where/build/")
        page.wait_for_selector("#lab-root[data-state=failed]")
    page.get_by_role("button", name="Retry").click()
    page.wait_for_selector(LIVE)


def test_without_scripts_the_page_says_what_the_picture_would(open_page: Open, server: SiteServer) -> None:
    page = open_page(java_script_enabled=False).page
    page.goto(f"{server.origin}/some/where/build/")
    expect(page.locator("noscript p").first).to_contain_text("Step")


def test_a_host_that_compresses_nothing_sends_the_archive(open_page: Open, server: SiteServer) -> None:
    """By another name than this machine's own the server counts as remote; it sends no Content-Encoding."""
    remote = server.origin.replace("127.0.0.1", "lab.example")
    page = open_page(remote).page
    page.goto(f"{remote}/some/where/build/")
    page.wait_for_selector(LIVE)
    assert server.count("*/wasm-*.pack") == 1


def test_the_dark_theme_of_the_address_holds_from_the_first_picture(
    open_page: Open, server: SiteServer
) -> None:
    with server.holding("*.wasm"):
        page = visit(open_page, server, "build/?theme=dark")
        page.wait_for_selector("#lab-root[data-state=waking]")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 22, 27)"
    page.wait_for_selector(LIVE)
    assert "theme=dark" in page.url


def test_a_module_that_no_room_needed_is_fetched_when_it_is_missed(
    open_page: Open, server: SiteServer
) -> None:
    page = go_live(open_page, server)
    assert server.count("*/rest-*.pack") == 0
    (worker,) = page.workers
    told = worker.evaluate("lab.pyodide.runPython('import xmlrpc.client, narwhals; narwhals.__name__')")
    assert told == "narwhals"
    assert server.count("*/rest-*.pack") == 1


def test_pandas_is_not_imported(open_page: Open, server: SiteServer) -> None:
    page = go_live(open_page, server)
    (worker,) = page.workers
    names = "import sys; ' '.join({'pandas', 'tornado', 'PIL', 'narwhals', 'requests'} & set(sys.modules))"
    assert worker.evaluate(f'lab.pyodide.runPython("{names}")') == ""


def test_a_data_file_comes_when_a_state_needs_it(open_page: Open, server: SiteServer) -> None:
    page = go_live(open_page, server)
    assert server.count("*/data/*") == 0
    page.locator(".lab-shown select").first.select_option(label=OWN_TEXT)
    expect(page.locator(".lab-shown .lab-errors")).to_be_empty()
    page.wait_for_url("**example=**")
    expect(page.locator(CAPTION)).to_be_visible()
    assert server.count("*/data/minilm_small_int8.npz") == 1


def test_a_data_file_that_does_not_come_is_said_in_the_room(open_page: Open, server: SiteServer) -> None:
    watched = open_page()
    page = watched.page
    page.goto(f"{server.origin}/some/where/build/")
    page.wait_for_selector(LIVE)
    with server.failing("*/data/*"):
        page.locator(".lab-shown select").first.select_option(label=OWN_TEXT)
        expect(page.locator(".lab-shown .lab-errors")).to_contain_text("minilm_small_int8.npz")
        watched.complaints.clear()
    expect(page.locator("#lab-root")).to_have_attribute("data-state", "live")
    slider(page).press("Home")
    expect(page.locator(CAPTION)).to_contain_text("Step 1")


def test_a_walk_to_another_room_loads_what_that_room_needs_and_no_more(
    open_page: Open, server: SiteServer
) -> None:
    page = go_live(open_page, server)
    others = page.locator(".lab-rooms a[data-room]:not([aria-current])")
    for name in [link.get_attribute("data-room") for link in others.all()[:2]]:
        page.locator(f".lab-rooms a[data-room={name}]").click()
        page.wait_for_selector(f"#lab-root[data-room={name}][data-state=live]")
        assert page.url.endswith(f"/some/where/{name}/")
        expect(page.locator(CAPTION)).to_be_visible()
        expect(page.locator(f".lab-rooms a[data-room={name}]")).to_have_attribute("aria-current", "page")
    packs = [path for path in server.requests if path.endswith(".pack")]
    assert len(packs) == len(set(packs))
    assert server.count("*/rest-*.pack") == 0
    assert page.evaluate("workers.length") == 1


BREAK = """lab.pyodide.runPython(`
import app.export.runtime as runtime
whole = runtime.patch_widget
def broken(*arguments):
    runtime.patch_widget = whole
    raise ZeroDivisionError("on purpose")
runtime.patch_widget = broken
`)"""


def test_an_error_in_python_leaves_nothing_half_alive(open_page: Open, server: SiteServer) -> None:
    """The state that the reader had last is what Retry brings back."""
    page = go_live(open_page, server)
    slider(page).press("Home")
    expect(page.locator(CAPTION)).to_contain_text("Step 1")
    page.workers[0].evaluate(BREAK)
    slider(page).press("End")
    panel = page.locator("#lab-root").get_by_role("alert").filter(has_text="could not be made live")
    expect(panel).to_contain_text("ZeroDivisionError: on purpose")
    expect(page.locator(".lab-stack")).to_have_attribute("inert", "")
    page.get_by_role("button", name="Retry").click()
    page.wait_for_selector(LIVE)
    expect(page.locator(CAPTION)).to_contain_text("Step 1")
    slider(page).press("ArrowRight")
    expect(page.locator(CAPTION)).to_contain_text("Step 2")


def test_a_figure_in_a_hidden_tab_wakes_up_too(open_page: Open, server: SiteServer) -> None:
    page = open_page().page
    page.add_init_script("Object.defineProperty(document, 'hidden', { get: () => true })")
    page.add_init_script("window.requestAnimationFrame = () => 0")
    page.goto(f"{server.origin}/some/where/build/")
    page.wait_for_selector("#lab-root[data-state=live]", state="attached")


def test_hidden_controls_take_no_place_in_the_first_picture(open_page: Open, server: SiteServer) -> None:
    with server.holding("*.wasm"):
        page = visit(open_page, server, "build/?hide=controls")
        page.wait_for_selector("#lab-root[data-state=waking]")
        expect(slider(page)).to_be_hidden()
        before = page.locator(".lab-shown .lab-main").bounding_box()
    page.wait_for_selector(LIVE)
    assert page.locator(".lab-shown .lab-main").bounding_box() == before
