"""Fixtures of the browser tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, Playwright, sync_playwright

from tests.chromium import Watched, launch, watched_page

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
    with ExitStack() as stack:
        opened: list[Watched] = []

        def start(address: str, **options: Any) -> Page:
            options.setdefault("viewport", {"width": 1100, "height": 860})
            parts = urlsplit(address)
            watched = watched_page(browser, f"{parts.scheme}://{parts.netloc}/", **options)
            opened.append(stack.enter_context(watched))
            opened[-1].page.goto(address)
            return opened[-1].page

        yield start
        for watched in opened:
            watched.check()
