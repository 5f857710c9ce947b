"""The built site in Chromium, in a subfolder, with every other host out of reach."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.export.server import SiteServer
from tests.export.visits import CAPTION, LIVE, OWN_TEXT, Open, go_live, slider, visit

pytestmark = [pytest.mark.export, pytest.mark.browser]


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
    page.evaluate("sent.length = 0")
    slider(page).press("ArrowLeft")
    page.wait_for_url("**/build/?step=*")
    expect(page.locator(CAPTION)).not_to_have_text(before)
    assert page.locator(".lab-shown .lab-main").screenshot() != picture
    # what Python answered is not sent back to it
    slider(page).press("ArrowRight")
    expect(page.locator(CAPTION)).to_have_text(before)
    assert set(page.evaluate("sent")) == {"value", "value_throttled"}


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
    assert 1 <= page.evaluate("sent.filter((name) => name === 'value').length") <= 4


def test_walking_between_pages_keeps_the_running_python(open_page: Open, server: SiteServer) -> None:
    page = go_live(open_page, server)
    slider(page).press("Home")
    page.wait_for_url("**/build/?step=1")
    page.get_by_role("link", name="Embedding Lab").click()
    expect(page.locator(".lab-home h1")).to_be_visible()
    assert page.url.endswith("/some/where/")
    page.locator(".lab-card").first.click()
    page.wait_for_selector(LIVE)
    # as it was left
    assert page.url.endswith("/some/where/build/?step=1")
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


def test_without_scripts_the_page_says_what_the_picture_would(open_page: Open, server: SiteServer) -> None:
    page = open_page(java_script_enabled=False).page
    page.goto(f"{server.origin}/some/where/build/")
    expect(page.locator("noscript figcaption")).to_contain_text("Step")
    box = page.locator("noscript .lab-card-picture > *").first.bounding_box()
    assert box is not None
    assert box["width"] > 100
    assert box["height"] > 50


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
    page.wait_for_url("**example=**")
    expect(page.locator(".lab-shown .lab-error")).to_have_count(0)
    expect(page.locator(CAPTION)).to_be_visible()
    assert server.count("*/data/minilm_small_int8.npz") == 1


def test_a_walk_to_another_room_loads_what_that_room_needs_and_no_more(
    open_page: Open, server: SiteServer
) -> None:
    page = go_live(open_page, server)
    others = page.locator(".lab-rooms a[data-room]:not([aria-current])")
    for name in [link.get_attribute("data-room") for link in others.all()[:2]]:
        page.locator(f".lab-rooms a[data-room={name}]").click()
        page.wait_for_selector(f"#lab-root[data-room={name}][data-state=live]")
        assert page.url.endswith(f"/some/where/{name}/")
        expect(page.locator(CAPTION).first).to_be_visible()
        expect(page.locator(f".lab-rooms a[data-room={name}]")).to_have_attribute("aria-current", "page")
    asked = page.workers[0].evaluate("performance.getEntriesByType('resource').map((entry) => entry.name)")
    packs = [address for address in asked if address.endswith(".pack")]
    assert len(packs) == len(set(packs))
    assert server.count("*/rest-*.pack") == 0
    assert page.evaluate("workers.length") == 1


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


def test_back_within_one_room_shows_that_state_again(open_page: Open, server: SiteServer) -> None:
    page = go_live(open_page, server, "build/?step=2")
    page.locator(".lab-rooms a[data-room=build]").click()
    page.wait_for_url("**/build/")
    page.wait_for_selector(LIVE)
    expect(page.locator(CAPTION)).to_contain_text("Step 5")
    page.go_back()
    expect(page.locator(CAPTION)).to_contain_text("Step 2")
    page.wait_for_selector(LIVE)
    slider(page).press("Home")
    page.wait_for_url("**/build/?step=1")
    # an anchor of the page itself opens nothing anew
    page.evaluate("document.querySelector('.lab-stack').marked = true; location.hash = 'room'")
    page.go_back()
    page.wait_for_url("**/build/?step=1")
    expect(page.locator(CAPTION)).to_contain_text("Step 1")
    assert page.evaluate("document.querySelector('.lab-stack').marked")


def test_a_reader_who_comes_back_stands_where_they_stood(open_page: Open, server: SiteServer) -> None:
    page = go_live(open_page, server, "gradient/")
    page.mouse.wheel(0, 500)
    page.wait_for_function("history.state?.top === 500")
    page.locator(".lab-rooms a[data-room=rope]").evaluate("link => link.click()")
    page.wait_for_selector("#lab-root[data-room=rope][data-state=live]")
    assert page.evaluate("scrollY") == 0
    page.go_back()
    page.wait_for_selector("#lab-root[data-room=gradient][data-state=live]")
    page.wait_for_function("scrollY === 500")
    page.reload()
    page.wait_for_selector(LIVE)
    page.wait_for_function("scrollY === 500")


def test_a_room_that_was_left_is_there_as_it_was(open_page: Open, server: SiteServer) -> None:
    page = go_live(open_page, server)
    slider(page).press("Home")
    page.wait_for_url("**/build/?step=1")
    walk(page, "order")
    fetched = server.count("*/build/*")
    walk(page, "build")
    assert page.url.endswith("/build/?step=1")
    expect(page.locator(CAPTION)).to_contain_text("Step 1")
    expect(page.locator(".lab-rooms a[data-room=build]")).to_have_attribute("aria-current", "page")
    assert server.count("*/build/*") == fetched
    # it goes on answering, and the address is its own
    slider(page).press("ArrowRight")
    page.wait_for_url("**/build/?step=2")
    expect(page.locator(CAPTION)).to_contain_text("Step 2")
    # Back means the states that the reader saw, not the last one
    page.go_back()
    page.wait_for_selector("#lab-root[data-room=order][data-state=live]")
    page.go_back()
    page.wait_for_selector("#lab-root[data-room=build][data-state=live]")
    expect(page.locator(CAPTION)).to_contain_text("Step 1")


def test_of_the_rooms_that_were_left_a_small_machine_keeps_few(open_page: Open, server: SiteServer) -> None:
    page = open_page().page
    page.add_init_script("Object.defineProperty(navigator, 'deviceMemory', { get: () => 2 })")
    page.goto(f"{server.origin}/some/where/build/")
    page.wait_for_selector(LIVE)
    for room in ("order", "waves", "count", "order"):
        walk(page, room)
    assert page.workers[0].evaluate("self.lab.runtime._widgets.length") == 3
    assert page.evaluate("Bokeh.documents.length") == 3


def test_a_python_that_is_started_again_keeps_no_room_of_the_one_before(
    open_page: Open, server: SiteServer
) -> None:
    page = go_live(open_page, server)
    walk(page, "order")
    page.evaluate("window.EmbeddingLab.client.restart()")
    page.wait_for_selector("#lab-root[data-room=order][data-state=waking]")
    page.wait_for_selector("#lab-root[data-room=order][data-state=live]")
    assert page.evaluate("Bokeh.documents.length") == 1
    walk(page, "build")
    expect(page.locator(CAPTION)).to_be_visible()


def walk(page: Page, room: str) -> None:
    page.locator(f".lab-rooms a[data-room={room}]").click()
    page.wait_for_selector(f"#lab-root[data-room={room}][data-state=live]")
