"""Fixtures of the browser tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Playwright, sync_playwright

from tests.browser import Troubles
from tests.export.chromium import launch

OpenPage = Callable[..., Page]


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    # one for the whole run: a second one in the same process is refused
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    chromium = launch(playwright)
    yield chromium
    chromium.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[OpenPage]:
    """Open an address in a fresh profile; at the end no error and no foreign request may have happened."""
    contexts, troubles = [], Troubles()

    def opened(address: str, **options: Any) -> Page:
        options.setdefault("viewport", {"width": 1100, "height": 860})
        context = browser.new_context(**options)
        context.set_default_timeout(30_000)
        troubles.watch(context)
        contexts.append(context)
        page = context.new_page()
        page.goto(address)
        return page

    yield opened
    for context in contexts:
        context.close()
    troubles.check()
