"""The room `train` on the built site: Python trains in the page's worker, and the page stays awake."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.chromium import Watched
from tests.export.heap import heap_after_a_run
from tests.export.server import SiteServer

pytestmark = [pytest.mark.export, pytest.mark.browser]

Open = Callable[..., Watched]
HEADLINE = ".lab-shown .lab-train-headline .lab-verdict"


def live(page: Page, room: str) -> None:
    page.wait_for_selector(f"#lab-root[data-room={room}][data-state=live]", timeout=90_000)


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def test_a_run_trains_in_the_browser_and_ends_with_a_result(open_page: Open, server: SiteServer) -> None:
    page = open_page().page
    page.goto(f"{server.origin}/some/where/train/?steps=100&scheme=none")
    live(page, "train")
    press(page, "Start")
    expect(page.locator(HEADLINE)).to_contain_text(
        re.compile(r"No position, seed 0 \(100 steps\): \d\.\d{3} nats per character"), timeout=60_000
    )
    page.locator(".lab-shown .lab-figure-samples").scroll_into_view_if_needed()
    expect(page.locator(".lab-shown .lab-train-samples li span")).to_have_count(4)
    assert page.url.endswith("/train/?steps=100&scheme=none") or page.url.endswith(
        "/train/?scheme=none&steps=100"
    )


def test_the_page_is_heard_while_it_trains_and_stop_stops(open_page: Open, server: SiteServer) -> None:
    page = open_page().page
    page.goto(f"{server.origin}/some/where/train/?steps=5000")
    live(page, "train")
    press(page, "Start")
    expect(page.locator(HEADLINE)).to_contain_text("training")
    expect(page.locator(".lab-shown .lab-train-progress")).to_contain_text("left", timeout=30_000)
    press(page, "Pause")
    expect(page.locator(HEADLINE)).to_contain_text("paused after")
    press(page, "Resume")
    expect(page.locator(HEADLINE)).to_contain_text("training")
    press(page, "Stop")
    expect(page.locator(HEADLINE)).to_contain_text("stopped after")


def test_a_room_that_is_opened_anew_ends_its_run_and_frees_its_place(
    open_page: Open, server: SiteServer
) -> None:
    """Two runs train at once; were one left behind by each visit, the third would have to wait."""
    page = open_page().page
    page.goto(f"{server.origin}/some/where/train/?steps=5000")
    for _ in range(3):
        live(page, "train")
        press(page, "Start")
        expect(page.locator(HEADLINE)).to_contain_text("training")
        page.locator(".lab-rooms a[data-room=train]").click()
        page.wait_for_url("**/train/")
    live(page, "train")
    expect(page.locator(HEADLINE)).to_contain_text("Start trains RoPE")


def test_a_run_goes_on_while_its_reader_looks_at_another_room(open_page: Open, server: SiteServer) -> None:
    page = open_page().page
    page.goto(f"{server.origin}/some/where/train/?steps=5000")
    live(page, "train")
    press(page, "Start")
    expect(page.locator(HEADLINE)).to_contain_text("training")
    page.locator(".lab-rooms a[data-room=build]").click()
    live(page, "build")
    page.locator(".lab-rooms a[data-room=train]").click()
    live(page, "train")
    expect(page.locator(HEADLINE)).to_contain_text("training")
    press(page, "Stop")
    expect(page.locator(HEADLINE)).to_contain_text("stopped")


def test_runs_in_a_row_do_not_grow_the_heap(open_page: Open, server: SiteServer) -> None:
    """The first two runs fill caches; `python -m tests.bench.train_browser` makes ten more."""
    page = open_page().page
    page.goto(f"{server.origin}/some/where/train/?steps=100")
    live(page, "train")
    heaps = [heap_after_a_run(page, seed) for seed in range(4)]
    before, after = heaps[1], heaps[-1]
    assert after.wasm == before.wasm
    # a run that is kept has some hundred objects: its windows, its moments, its curve
    assert after.objects - before.objects < 60
    assert after.page < before.page * 1.1
