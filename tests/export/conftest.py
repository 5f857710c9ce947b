"""Servers of the built site, and pages that keep their complaints."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.chromium import Watched, watched_page
from tests.export.server import SiteServer

PAGES = Path(__file__).with_name("pages")


@pytest.fixture
def serve() -> Iterator[Callable[..., SiteServer]]:
    """Starts servers that stop with the test."""
    started: list[SiteServer] = []

    def start(folders: dict[str, Path], **options: Any) -> SiteServer:
        started.append(SiteServer(folders, **options))
        return started[-1]

    yield start
    for server in started:
        server.close()


@pytest.fixture
def server(site: Path, serve: Callable[..., SiteServer]) -> SiteServer:
    """The site, in a subfolder of a host, and pages of other people beside it."""
    return serve({"/some/where/": site, "/": PAGES})


@pytest.fixture
def open_page(browser: Any, server: SiteServer) -> Iterator[Callable[..., Watched]]:
    """Opens watched pages; at the end none may have complained, or asked another host."""
    with ExitStack() as stack:
        opened: list[Watched] = []

        def start(*more_origins: str, **options: Any) -> Watched:
            opened.append(stack.enter_context(watched_page(browser, server.origin, *more_origins, **options)))
            return opened[-1]

        yield start
        for watched in opened:
            watched.check()
