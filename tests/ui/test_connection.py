"""A page whose server does not answer says so, holds its room still, and goes on with one click."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, WebSocketRoute, expect

from tests.chromium import watched_page
from tests.proxy import Proxy
from tests.serving import Lab

CAPTION = ".lab-caption p:visible"
LIVE = "document.getElementById('room')?.inert === false"
SECONDS = 20_000
"""Milliseconds: the page waits five or ten before it speaks."""


@pytest.fixture(scope="module")
def server() -> Iterator[Lab]:
    lab = Lab("--origins", "*")
    yield lab
    lab.stop()


@pytest.fixture
def proxy(server: Lab) -> Iterator[Proxy]:
    made = Proxy(server.port)
    yield made
    made.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Any host of this machine may be asked; a lost connection is an error in the console."""
    with watched_page(browser, "http://127.0.0.1", viewport={"width": 1100, "height": 860}) as watched:
        yield watched.page
        assert watched.foreign == []


def held(page: Page) -> bool:
    return bool(page.evaluate("document.getElementById('room').inert"))


def expect_held(page: Page) -> None:
    alert = page.get_by_role("alert").filter(has=page.get_by_role("button", name="Reload"))
    expect(alert).to_be_visible(timeout=SECONDS)
    expect(alert).to_be_in_viewport()
    assert alert.inner_text().strip() != "Reload"
    assert held(page)
    assert float(page.evaluate("getComputedStyle(document.getElementById('room')).opacity")) < 0.6


def reload(page: Page) -> None:
    page.get_by_role("button", name="Reload").click()


def step(page: Page) -> str:
    """What the slider's label says."""
    return str(page.get_by_role("slider", name="Step").get_attribute("aria-valuetext"))


@pytest.mark.parametrize("way", ["refuse", "ignore"])
def test_a_proxy_without_websockets(proxy: Proxy, page: Page, way: str) -> None:
    proxy.websockets = way
    page.goto(f"{proxy.origin}/main?room=build&step=3")
    expect_held(page)
    proxy.websockets = "pass"
    reload(page)
    expect(page.locator(CAPTION)).to_contain_text("Step 3")
    expect(page.get_by_role("alert").get_by_role("button")).to_have_count(0)
    assert not held(page)


def test_a_server_that_is_ended_and_started_again(page: Page) -> None:
    first = Lab()
    try:
        page.goto(f"{first.address}?room=build&step=3")
        slider = page.get_by_role("slider", name="Step")
        slider.focus()
        slider.press("ArrowRight")
        page.wait_for_url("**step=4*")
        expect(page.locator(CAPTION)).to_contain_text("Step 4")
        said, label = page.locator(CAPTION).inner_text(), step(page)
    finally:
        first.kill()
    expect_held(page)
    # the keyboard is at the way out, and nothing that is shown moves
    expect(page.get_by_role("button", name="Reload")).to_be_focused()
    page.keyboard.press("ArrowRight")
    assert (page.locator(CAPTION).inner_text(), step(page)) == (said, label)
    # nobody there: the page stays what it is
    reload(page)
    expect(page.get_by_role("button", name="Reload")).to_be_enabled()
    expect(page.locator(CAPTION)).to_have_text(said)
    again = Lab(port=first.port)
    try:
        reload(page)
        page.wait_for_function(LIVE)
        expect(page.locator(CAPTION)).to_have_text(said)
        page.get_by_role("slider", name="Step").press("ArrowRight")
        expect(page.locator(CAPTION)).to_contain_text("Step 5")
    finally:
        again.stop()


def test_a_network_that_loses_the_connection(proxy: Proxy, page: Page) -> None:
    page.goto(f"{proxy.origin}/main?room=build&step=2")
    expect(page.locator(CAPTION)).to_contain_text("Step 2")
    proxy.cut()
    expect_held(page)
    reload(page)
    page.wait_for_function(LIVE)
    expect(page.locator(CAPTION)).to_contain_text("Step 2")


def test_a_network_that_holds_an_answer_back(proxy: Proxy, page: Page) -> None:
    page.goto(f"{proxy.origin}/main?room=build&step=2")
    expect(page.locator(CAPTION)).to_contain_text("Step 2")
    slider = page.get_by_role("slider", name="Step")
    slider.focus()
    proxy.hold()
    slider.press("ArrowRight")
    expect_held(page)
    expect(page.locator(CAPTION)).to_contain_text("Step 2")
    proxy.let_go()
    # the answer comes after all, and the page goes on where it was
    expect(page.locator(CAPTION)).to_contain_text("Step 3")
    page.wait_for_function(LIVE)
    expect(page.get_by_role("button", name="Reload")).to_have_count(0)
    expect(slider).to_be_focused()


def test_an_answer_to_something_else_is_no_answer(page: Page, server: Lab) -> None:
    """The server goes on saying things, but never that the key has reached it."""
    silent = dropping = False

    def relay(route: WebSocketRoute) -> None:
        behind = route.connect_to_server()

        def pass_on(message: str | bytes) -> None:
            nonlocal dropping
            # a header begins each message; the frames after it belong to it
            if isinstance(message, str) and message.startswith('{"msgid"'):
                dropping = silent and "reqid" in message
            if not dropping:
                route.send(message)

        behind.on_message(pass_on)

    page.route_web_socket("**/main/ws*", relay)
    page.goto(f"{server.address}?room=build&step=2")
    expect(page.locator(CAPTION)).to_contain_text("Step 2")
    page.get_by_role("slider", name="Step").focus()
    silent = True
    page.keyboard.press("ArrowRight")
    expect(page.locator(CAPTION)).to_contain_text("Step 3")
    expect_held(page)


def test_a_page_that_is_left_says_nothing(proxy: Proxy, page: Page) -> None:
    page.goto(f"{proxy.origin}/main?room=build")
    expect(page.locator(CAPTION)).to_be_visible()
    page.evaluate(
        """new MutationObserver(() => {
          if (document.querySelector(".lab-connection")) localStorage.setItem("said", "1");
        }).observe(document.body, { childList: true })"""
    )
    page.goto(f"{proxy.origin}/main?room=rope")
    expect(page.locator(CAPTION).first).to_be_visible()
    assert page.evaluate("localStorage.getItem('said')") is None


def test_a_script_that_does_not_arrive(proxy: Proxy, page: Page) -> None:
    page.route("**/bokeh.min.js*", lambda route: route.abort())
    page.goto(f"{proxy.origin}/main?room=build")
    expect_held(page)
    page.unroute("**/bokeh.min.js*")
    reload(page)
    expect(page.locator(CAPTION)).to_be_visible()


def test_a_browser_without_scripts_is_told(browser: Browser, server: Lab) -> None:
    with watched_page(browser, "http://127.0.0.1", java_script_enabled=False) as watched:
        watched.page.goto(f"{server.address}?room=build")
        assert "JavaScript" in watched.page.locator("main").inner_text()
