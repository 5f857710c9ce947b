"""Chromium for tests: nothing but this machine can be reached, and every complaint is kept."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Page, Playwright

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # workers too: no name but this machine's is resolved
    "--host-resolver-rules=MAP lab.example 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)


def launch(playwright: Playwright, profile: str | None = None) -> Any:
    """Start Chromium: a browser, or with a profile folder a context that keeps its cache."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    options: dict[str, Any] = {"executable_path": path, "args": list(FLAGS)}
    if profile is not None:
        return playwright.chromium.launch_persistent_context(profile, **options)
    return playwright.chromium.launch(**options)


@dataclass
class Watched:
    """A page and what went wrong on it, or on others of its context."""

    page: Page
    allowed: tuple[str, ...]
    complaints: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)

    def watch(self) -> None:
        """Keep console errors, uncaught exceptions and requests to other hosts."""
        context = self.page.context
        context.on("console", self._said)
        context.on("weberror", lambda raised: self.complaints.append(str(raised.error)))
        context.on("request", self._asked)

    def check(self) -> None:
        """Fail if anything went wrong.

        Raises
        ------
        AssertionError
            Naming the complaints and the foreign requests.
        """
        if self.complaints or self.foreign:
            raise AssertionError(
                f"complaints of the page: {self.complaints}; requests to other hosts: {self.foreign}"
            )

    def _said(self, message: Any) -> None:
        if message.type == "error":
            self.complaints.append(message.text)

    def _asked(self, request: Any) -> None:
        if not request.url.startswith((*self.allowed, "blob:", "data:")):
            self.foreign.append(request.url)


@contextmanager
def watched_page(browser: Any, *allowed: str, **options: Any) -> Iterator[Watched]:
    """A new page in a context of its own; ``allowed`` are the origins that it may ask."""
    context = browser.new_context(**options)
    context.set_default_timeout(60_000)
    watched = Watched(context.new_page(), allowed)
    watched.watch()
    try:
        yield watched
    finally:
        context.close()
