"""What a reader sees when a part of the site does not come, or Python fails: the cause, and a way on."""

from __future__ import annotations

from contextlib import ExitStack

import pytest
from playwright.sync_api import expect

from tests.export.server import SiteServer
from tests.export.visits import CAPTION, LIVE, OWN_TEXT, Open, go_live, slider

BESIDE = {"*.wasm": ("*/wasm-*.pack",)}
"""What takes the place of a part that does not come; a failure is only one where that fails too."""

pytestmark = [pytest.mark.export, pytest.mark.browser]


@pytest.mark.parametrize(
    "part",
    [
        "*.wasm",
        "*/pyodide.asm.js",
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
    with ExitStack() as stack:
        for pattern in (part, *BESIDE.get(part, ())):
            stack.enter_context(server.failing(pattern))
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
    with ExitStack() as stack:
        for pattern in (part, *BESIDE.get(part, ())):
            stack.enter_context(server.damaging(pattern))
        page.goto(f"{server.origin}/some/where/build/")
        page.wait_for_selector("#lab-root[data-state=failed]")
    page.get_by_role("button", name="Retry").click()
    page.wait_for_selector(LIVE)


def test_a_data_file_that_does_not_come_is_said_in_the_room(open_page: Open, server: SiteServer) -> None:
    watched = open_page()
    page = watched.page
    page.goto(f"{server.origin}/some/where/build/")
    page.wait_for_selector(LIVE)
    with server.failing("*/data/*"):
        page.locator(".lab-shown select").first.select_option(label=OWN_TEXT)
        expect(page.locator(".lab-shown .lab-error")).to_contain_text("minilm_small_int8.npz")
        watched.complaints.clear()
    expect(page.locator("#lab-root")).to_have_attribute("data-state", "live")
    slider(page).press("Home")
    expect(page.locator(CAPTION)).to_contain_text("Step 1")


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
