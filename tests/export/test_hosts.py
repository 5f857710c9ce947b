"""The host matrix: where the site, its element and its frame start, and what is said where they cannot."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from app.export.site import PROJECT
from tests.export import programs
from tests.export.server import SiteServer
from tests.export.visits import CAPTION, LIVE, Open, slider

pytestmark = [pytest.mark.export, pytest.mark.browser]

Serve = Callable[..., SiteServer]
LONG = 120_000
NOSNIFF = {"X-Content-Type-Options": "nosniff"}
BY_TYPE = {".mjs": "application/octet-stream", ".wasm": "application/octet-stream", ".pack": "text/plain"}


def policy() -> str:
    """The policy that the README gives a host, as one header."""
    text = (PROJECT / "README.md").read_text(encoding="utf-8")
    block = re.search(r"```\nContent-Security-Policy: (.*?)```", text, re.DOTALL)
    assert block is not None
    return " ".join(block[1].split())


def works(page: Page) -> None:
    """A live room answers its slider."""
    page.wait_for_selector(LIVE, timeout=LONG)
    slider(page).press("Home")
    expect(page.locator(CAPTION)).to_contain_text("Step 1")


# --- the site as a whole


@contextmanager
def _simulated(site: Path, work: Path, **options: Any) -> Iterator[str]:
    server = SiteServer({"/": site}, **options)
    try:
        yield server.origin
    finally:
        server.close()


HOSTS: dict[str, Callable[[Path, Path], Any]] = {
    "Debian's nginx": programs.nginx,
    "python -m http.server": lambda site, work: programs.plain_python(site),
    "types unknown, nosniff": lambda site, work: _simulated(site, work, headers=NOSNIFF, types=BY_TYPE),
    "modules as text, nosniff": lambda site, work: _simulated(
        site, work, headers=NOSNIFF, types={".mjs": "text/plain", ".wasm": "text/plain"}
    ),
    "the README's policy": lambda site, work: _simulated(
        site, work, headers={**NOSNIFF, "Content-Security-Policy": policy()}
    ),
    "COEP on every file": lambda site, work: _simulated(
        site, work, headers={"Cross-Origin-Embedder-Policy": "require-corp"}
    ),
}


@pytest.mark.parametrize("host", list(HOSTS))
def test_the_site_starts_on(host: str, browser: Any, open_page: Open, site: Path, tmp_path: Path) -> None:
    if host == "Debian's nginx" and programs.nginx_path() is None:
        pytest.skip("nginx is not installed")
    with HOSTS[host](site, tmp_path) as origin:
        page = open_page(origin).page
        page.goto(f"{origin}/build/")
        works(page)


def test_no_file_of_the_site_needs_a_type_that_servers_do_not_know(site: Path) -> None:
    endings = {path.suffix for path in site.rglob("*") if path.is_file()}
    assert ".mjs" not in endings
    assert ".whl" not in endings


@pytest.mark.parametrize("way", [403, 404, "a page"])
def test_a_host_that_lets_no_wasm_through(open_page: Open, server: SiteServer, way: int | str) -> None:
    watched = open_page()
    with ExitStack() as stack:
        if isinstance(way, int):
            stack.enter_context(server.failing("*.wasm", way))
        else:
            stack.enter_context(server.replacing("*.wasm", b"<h1>Blocked</h1>"))
        watched.page.goto(f"{server.origin}/some/where/build/")
        works(watched.page)
    assert server.count("*/wasm-*.pack") == 1
    watched.complaints.clear()


# --- other people's pages


@dataclass(frozen=True)
class Course:
    """A page of somebody else, on a host of its own, and what the lab's host sends."""

    body: str
    lab: dict[str, str] = field(default_factory=dict)
    own: dict[str, str] = field(default_factory=dict)
    framed: bool = False


CORS = {"Access-Control-Allow-Origin": "*"}
CLASSIC = '<script src="LAB/static/js/embed.js"></script>'
MODULE = '<script type="module" src="LAB/static/js/embed.js"></script>'
ELEMENT = '<embedding-lab id="it" room="build" load="eager">a fallback</embedding-lab>'
ISOLATED = {"Cross-Origin-Embedder-Policy": "require-corp"}
COURSES = {
    "classic script, CORS": Course(CLASSIC + ELEMENT, CORS),
    "module script, CORS": Course(MODULE + ELEMENT, CORS),
    "classic script, no CORS": Course(CLASSIC + ELEMENT, framed=True),
    "page with COEP": Course(
        CLASSIC.replace("<script", '<script crossorigin="anonymous"') + ELEMENT,
        {**CORS, "Cross-Origin-Resource-Policy": "cross-origin"},
        ISOLATED,
    ),
    "workers forbidden": Course(
        CLASSIC + ELEMENT, CORS, {"Content-Security-Policy": "worker-src 'none'"}, framed=True
    ),
    "eval forbidden": Course(
        CLASSIC + ELEMENT, CORS, {"Content-Security-Policy": "script-src 'self' LAB"}, framed=True
    ),
    "another BokehJS": Course(
        "<script>window.Bokeh = { version: '2.4.3', Models: {}, __bokeh__: true }</script>"
        + CLASSIC
        + ELEMENT,
        CORS,
        framed=True,
    ),
}


@pytest.mark.parametrize("name", list(COURSES))
def test_an_element_lives_in_a_page_of_another_host(
    name: str, open_page: Open, site: Path, serve: Serve, tmp_path: Path
) -> None:
    course = COURSES[name]
    lab = serve({"/": site}, headers=course.lab)
    own = {key: value.replace("LAB", lab.origin) for key, value in course.own.items()}
    host = serve({"/": tmp_path}, headers=own)
    head = "<!doctype html><meta charset=utf-8><title>A course</title><link rel=icon href=data:,>"
    (tmp_path / "page.html").write_text(f"{head}{course.body.replace('LAB', lab.origin)}")
    watched = open_page(lab.origin, host.origin)
    page = watched.page
    page.goto(f"{host.origin}/page.html")
    if course.framed:
        frame = page.frame_locator("#it iframe")
        frame.locator(LIVE).wait_for(timeout=LONG)
        expect(page.locator("#it")).to_have_attribute("data-state", "frame")
        page.wait_for_function("document.querySelector('#it iframe').offsetHeight > 700")
        # what was refused was said in the console
        watched.complaints.clear()
    else:
        expect(page.locator("#it")).to_have_attribute("data-state", "live", timeout=LONG)
        page.locator("#it .noUi-handle").first.press("Home")
        expect(page.locator(f"#it {CAPTION}")).to_contain_text("Step 1")
        assert (
            page.evaluate("document.querySelector('#it').shadowRoot.querySelector('.fallback').offsetHeight")
            == 0
        )


def test_the_other_bokehs_page_keeps_its_own(
    open_page: Open, site: Path, serve: Serve, tmp_path: Path
) -> None:
    course = COURSES["another BokehJS"]
    host = serve({"/lab/": site, "/": tmp_path})
    (tmp_path / "page.html").write_text(
        f"<!doctype html><link rel=icon href=data:,>{course.body.replace('LAB', '/lab')}"
    )
    page = open_page(host.origin).page
    page.goto(f"{host.origin}/page.html")
    page.wait_for_selector("#it iframe")
    assert page.evaluate("[Bokeh.version, Object.keys(Bokeh.Models).length]") == ["2.4.3", 0]


@pytest.mark.parametrize("open_to_all", [True, False])
def test_a_frame_in_a_sandbox(
    open_page: Open, site: Path, serve: Serve, tmp_path: Path, open_to_all: bool
) -> None:
    """It has no origin: with CORS it lives, without it says what the teacher can do."""
    lab = serve({"/": site}, open_to_all=open_to_all)
    host = serve({"/": tmp_path})
    (tmp_path / "page.html").write_text(
        f'<!doctype html><link rel=icon href=data:,><script src="{lab.origin}/static/js/frame.js"></script>'
        f'<iframe data-embedding-lab sandbox="allow-scripts" style="width:100%" '
        f'src="{lab.origin}/build/?embed=1"></iframe>'
    )
    watched = open_page(lab.origin, host.origin)
    page = watched.page
    page.goto(f"{host.origin}/page.html")
    inside = page.frame_locator("iframe")
    if open_to_all:
        inside.locator(LIVE).wait_for(timeout=LONG)
        inside.locator(".lab-shown .noUi-handle").first.press("Home")
        expect(inside.locator(CAPTION)).to_contain_text("Step 1")
        page.wait_for_function("document.querySelector('iframe').offsetHeight > 700")
    else:
        expect(inside.get_by_role("alert")).to_contain_text("allow-same-origin", timeout=LONG)
        watched.complaints.clear()


# --- a sentence instead of an empty room


def sentence(page: Page) -> Any:
    return page.locator("main .lab-sentence[role=alert]")


def test_a_page_opened_as_a_file_says_what_to_do(browser: Any, site: Path) -> None:
    page = browser.new_page()
    try:
        page.goto((site / "build" / "index.html").as_uri())
        expect(sentence(page)).to_contain_text("http.server")
    finally:
        page.close()


@pytest.mark.parametrize("missing", ["light-dark()", "DecompressionStream"])
def test_an_old_browser_is_told_which_ones_do(open_page: Open, server: SiteServer, missing: str) -> None:
    watched = open_page()
    page = watched.page
    page.add_init_script(
        "delete window.DecompressionStream"
        if missing == "DecompressionStream"
        else "CSS.supports = (...asked) => !String(asked).includes('light-dark')"
    )
    page.goto(f"{server.origin}/some/where/build/")
    expect(sentence(page)).to_contain_text("Chrome or Edge 123, Firefox 121, Safari 17.5")
    page.goto(f"{server.origin}/embed.html")
    expect(page.locator("#first [role=alert]")).to_contain_text("Safari 17.5")
    watched.complaints.clear()


BROKEN = {"missing": None, "empty": (b"", "text/javascript"), "a page": (b"<h1>Sign in</h1>", "text/html")}


@pytest.mark.parametrize("way", list(BROKEN))
@pytest.mark.parametrize("part", ["site.js", "client.js", "draw.js"])
def test_a_script_that_does_not_come_is_said_and_reload_helps(
    open_page: Open, server: SiteServer, part: str, way: str
) -> None:
    watched = open_page()
    page = watched.page
    with ExitStack() as stack:
        put = BROKEN[way]
        stack.enter_context(
            server.failing(f"*/{part}") if put is None else server.replacing(f"*/{part}", *put)
        )
        page.goto(f"{server.origin}/some/where/build/")
        expect(sentence(page)).to_be_visible(timeout=LONG)
    watched.complaints.clear()
    sentence(page).get_by_role("button").click()
    page.wait_for_selector("#lab-root[data-state=waking]", timeout=LONG)
    watched.complaints.clear()


@pytest.mark.parametrize(
    "part", ["worker.js", "boot.js", "manifest.json", "pyodide.js", "python-*.pack", "bokeh.min.js"]
)
def test_a_sign_in_page_in_the_place_of_a_part_hangs_nothing(
    open_page: Open, server: SiteServer, part: str
) -> None:
    watched = open_page()
    page = watched.page
    with server.replacing(f"*/{part}", b"<!doctype html><h1>Sign in</h1>"):
        page.goto(f"{server.origin}/some/where/build/")
        page.wait_for_selector("#lab-root[data-state=failed]", timeout=LONG)
        expect(page.locator("#lab-root [role=alert] pre")).to_contain_text(part.split("-")[0].split("*")[0])
    watched.complaints.clear()
