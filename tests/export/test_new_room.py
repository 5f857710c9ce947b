"""Adding a room is adding a folder and an entry: a room of two figures, through all doors."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.chromium import watched_page
from tests.export.server import SiteServer
from tests.export.visits import LIVE
from tests.serving import ROOT, Lab

pytestmark = [pytest.mark.export, pytest.mark.browser]

SMALL = ROOT / "tests" / "app" / "small"
PAGE = """<!doctype html><meta charset=utf-8><title>A course</title><link rel=icon href=data:,>
<script src="/lab/static/js/embed.js"></script>
<embedding-lab room="small" figure="growth" n="4" load="eager"></embedding-lab>"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project with this one room: its folder, and its entry in place of all others."""
    copied = tmp_path_factory.mktemp("project")
    skipped = shutil.ignore_patterns("__pycache__")
    for folder in ("app", "lab", "static"):
        shutil.copytree(ROOT / folder, copied / folder, ignore=skipped)
    shutil.copytree(SMALL, copied / "app" / "rooms" / "small", ignore=skipped)
    registry = copied / "app" / "rooms" / "__init__.py"
    entries = re.compile(r"^NAMES = \{.*?^\}", re.DOTALL | re.MULTILINE)
    written, times = entries.subn('NAMES = {"small": "Small"}', registry.read_text(encoding="utf-8"))
    assert times == 1
    registry.write_text(written, encoding="utf-8")
    return copied


def use(page: Page, within: str = "") -> None:
    """Change the number of numbers, and see both figures follow."""
    expect(page.locator(f"{within} .lab-figure-row .lab-caption p")).to_contain_text("3 numbers, the last 4")
    slider = page.get_by_role("slider", name="Numbers n")
    slider.focus()
    slider.press("ArrowRight")
    expect(page.locator(f"{within} .lab-figure-row .lab-caption p")).to_contain_text("4 numbers, the last 6")
    page.locator(f"{within} .lab-figure-growth h2").scroll_into_view_if_needed()
    expect(page.locator(f"{within} .lab-figure-growth .lab-caption p")).to_contain_text("add up to 12")
    page.wait_for_url("**n=4**")


def test_it_is_served(tree: Path, browser: Browser) -> None:
    lab = Lab(cwd=tree, warm=False)
    try:
        with watched_page(browser, lab.address.removesuffix("/main")) as watched:
            watched.page.goto(f"{lab.address}?room=small")
            use(watched.page)
            watched.page.goto(f"{lab.address}?room=small&figure=growth")
            expect(watched.page.locator(".lab-caption p")).to_contain_text("add up to 6")
            expect(watched.page.locator(".lab-figure")).to_have_count(1)
            watched.check()
    finally:
        lab.stop()


def test_it_is_in_the_built_site_and_in_the_page_of_somebody_else(
    tree: Path, browser: Browser, serve: Callable[..., SiteServer], tmp_path: Path
) -> None:
    out = tmp_path / "dist"
    command = [sys.executable, "-m", "app.export", "--quiet", "--out", str(out)]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    pages = tmp_path / "course"
    pages.mkdir()
    (pages / "page.html").write_text(PAGE, encoding="utf-8")
    host = serve({"/lab/": out, "/": pages})
    with watched_page(browser, host.origin) as watched:
        watched.page.goto(f"{host.origin}/lab/small/")
        watched.page.wait_for_selector(LIVE, timeout=60_000)
        use(watched.page, ".lab-shown")
        watched.page.goto(f"{host.origin}/page.html")
        element = watched.page.locator("embedding-lab[data-state=live]")
        expect(element.locator(".lab-shown .lab-caption p")).to_contain_text("add up to 12", timeout=60_000)
        expect(element.locator(".lab-figure")).to_have_count(1)
        watched.check()
