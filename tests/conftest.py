"""Fixtures of the browser tests: one browser and one built site for all of them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from filelock import FileLock
from playwright.sync_api import Browser, Page, Playwright, sync_playwright

from app.export.site import PROJECT
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


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as a person builds it, once for all processes: nobody writes into it.

    EMBEDDING_LAB_SITE names one that is there already.
    """
    if ready := os.environ.get("EMBEDDING_LAB_SITE"):
        return Path(ready)
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # what the processes of one run share
    out = folder / "dist"
    with FileLock(folder / "dist.lock"):
        if not out.exists():
            made = out.with_suffix(".part")
            command = [sys.executable, "-m", "app.export", "--quiet", "--out", str(made)]
            done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            made.rename(out)
    return out


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
