"""One figure alone: as a page of the built site, and as an element in somebody else's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.export.server import SiteServer
from tests.export.visits import LIVE, Open

pytestmark = [pytest.mark.export, pytest.mark.browser]

PAGE = """<!doctype html><meta charset=utf-8><title>A course</title><link rel=icon href=data:,>
<script src="/lab/static/js/embed.js"></script>
<embedding-lab room="waves" figure="dots" d="4" hide="controls" load="eager"></embedding-lab>
<embedding-lab room="waves" figure="wavelengths" d="4" load="eager"></embedding-lab>"""


def test_a_page_of_one_figure(open_page: Open, server: SiteServer) -> None:
    page = open_page(server.origin).page
    page.goto(f"{server.origin}/some/where/waves/?figure=dots&d=4")
    page.wait_for_selector(LIVE, timeout=60_000)
    shown = page.locator(".lab-shown")
    expect(shown.locator(".lab-caption p")).to_contain_text("PE(7) · PE(10)")
    expect(shown.locator(".lab-figure")).to_have_count(1)
    slider = shown.get_by_role("slider", name="Shift k")
    slider.focus()
    slider.press("ArrowRight")
    expect(shown.locator(".lab-caption p")).to_contain_text("PE(7) · PE(11)")
    page.wait_for_url("**figure=dots*shift=4*")


def test_the_figures_of_a_room_come_into_sight(open_page: Open, server: SiteServer) -> None:
    page = open_page(server.origin).page
    page.goto(f"{server.origin}/some/where/waves/")
    page.wait_for_selector(LIVE, timeout=60_000)
    last = page.locator(".lab-shown .lab-figure-layouts")
    expect(last.locator("h2")).to_have_count(1)
    expect(last.locator(".lab-caption p")).to_have_count(0)
    last.locator("h2").scroll_into_view_if_needed()
    expect(last.locator(".lab-caption p")).to_contain_text("tensor2tensor")


def test_an_address_leads_to_a_figure_of_its_room(open_page: Open, server: SiteServer) -> None:
    page = open_page(server.origin).page
    page.goto(f"{server.origin}/some/where/waves/#dots")
    page.wait_for_selector(LIVE, timeout=60_000)
    expect(page.locator(".lab-shown .lab-figure-dots h2")).to_be_in_viewport()
    page.locator(".lab-rooms a[data-room=order]").click()
    page.wait_for_selector("#lab-root[data-room=order][data-state=live]")
    # as a step of the path does
    page.locator(".lab-rooms a[data-room=waves]").evaluate(
        "link => { link.href += '#layouts'; link.click(); }"
    )
    page.wait_for_selector("#lab-root[data-room=waves][data-state=live]")
    expect(page.locator(".lab-shown .lab-figure-layouts h2")).to_be_in_viewport()
    assert page.url.endswith("/waves/#layouts")


def test_figures_of_one_room_in_a_page_of_somebody_else(
    open_page: Open, site: Path, serve: Callable[..., SiteServer], tmp_path: Path
) -> None:
    (tmp_path / "page.html").write_text(PAGE)
    host = serve({"/lab/": site, "/": tmp_path})
    page = open_page(host.origin).page
    page.goto(f"{host.origin}/page.html")
    expect(page.locator("embedding-lab[data-state=live]")).to_have_count(2, timeout=60_000)
    first, second = (page.locator("embedding-lab").nth(at) for at in (0, 1))
    expect(first.locator(".lab-shown .lab-caption p")).to_contain_text("PE(7) · PE(10)")
    expect(first.get_by_role("slider")).to_have_count(0)
    expect(second.locator(".lab-shown .lab-caption p")).to_contain_text("1 of 2 pairs complete a turn")
    expect(second.locator(".lab-figure")).to_have_count(1)
