"""The built examples, served from one root: ``make examples`` builds them and says where they are."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.chromium import Watched, watched_page
from tests.export.server import SiteServer

# without the examples there is nothing to look at
collect_ignore = [] if "EMBEDDING_LAB_EXAMPLES" in os.environ else ["test_examples.py"]


@pytest.fixture(scope="session")
def examples() -> Path:
    """The folder of the built examples."""
    return Path(os.environ["EMBEDDING_LAB_EXAMPLES"])


@pytest.fixture(scope="session")
def host(examples: Path) -> Iterator[SiteServer]:
    """A host that lets pages of any origin read, as frames in a sandbox need."""
    server = SiteServer({"/": examples}, open_to_all=True)
    # browsers ask for it where a page names none
    server.replaced["/favicon.ico"] = ("image/svg+xml", b'<svg xmlns="http://www.w3.org/2000/svg"/>')
    # Material compares a link with the site map, port and all
    sitemap = (examples / "mkdocs" / "sitemap.xml").read_text(encoding="utf-8")
    here = sitemap.replace("http://localhost:8000", server.origin)
    server.replaced["/mkdocs/sitemap.xml"] = ("application/xml", here.encode())
    yield server
    server.close()


@pytest.fixture
def open_example(browser: Any, host: SiteServer) -> Iterator[Callable[..., Watched]]:
    """Opens a page of an example; none may complain or ask another host."""
    with ExitStack() as stack:
        opened: list[Watched] = []

        def start(path: str, script: str = "", **options: Any) -> Watched:
            watched = stack.enter_context(watched_page(browser, host.origin, **options))
            opened.append(watched)
            if script:
                watched.page.add_init_script(script)
            watched.page.goto(f"{host.origin}/{path}")
            return watched

        yield start
        for watched in opened:
            watched.check()
