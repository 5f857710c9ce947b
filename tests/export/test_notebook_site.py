"""A notebook's figure in a page without a kernel: the built site computes it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from app.notebook import EmbeddingFigure
from tests.export.server import SiteServer
from tests.export.visits import Open
from tests.hosted import Host, tell_all

pytestmark = [pytest.mark.export, pytest.mark.browser]


def test_without_a_kernel_the_built_site_takes_over(
    open_page: Open, site: Path, serve: Callable[..., SiteServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    tell_all(monkeypatch)
    lab, host = serve({"/lab/": site}, open_to_all=True), Host()
    host.show(lambda: EmbeddingFigure("rope", figure="score", m=5, site=f"{lab.origin}/lab"))
    page = open_page(host.origin, lab.origin).page
    page.goto(f"{host.origin}/?deaf")
    element = page.locator("embedding-lab")
    expect(element).to_have_attribute("state", "m=5", timeout=15_000)
    expect(element).to_have_attribute("figure", "score")
    element.get_by_role("button", name="Make it live").click()
    expect(element).to_have_attribute("data-state", "live", timeout=90_000)
    expect(element.locator(".lab-shown .lab-caption p:visible")).to_contain_text("At distance 4")
    host.close()
