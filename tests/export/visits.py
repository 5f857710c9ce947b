"""Ways into a page of the site that several tests take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page

from tests.chromium import Watched
from tests.export.server import SiteServer

LIVE = "#lab-root[data-state=live]"
CAPTION = ".lab-shown .lab-caption p:visible"
OWN_TEXT = "Own text, real table"
Open = Callable[..., Watched]

# pictures that had been on screen for a frame when the page asked for a worker, and what it sent to it
SPY = """window.workers = []; window.sent = []; window.framed = 0;
new MutationObserver((_, observer) => {
  if (!document.querySelector(".lab-shown")) return;
  observer.disconnect();
  requestAnimationFrame(() => (framed += 1));
}).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["class"] });
window.Worker = class extends Worker {
  constructor(...all) { super(...all); workers.push(framed); }
  postMessage(message, ...rest) {
    for (const { attr, msg_type } of message.patch?.events ?? []) sent.push(attr ?? msg_type);
    super.postMessage(message, ...rest);
  }
};"""


def visit(open_page: Open, server: SiteServer, path: str = "build/", **options: Any) -> Page:
    page = open_page(**options).page
    page.add_init_script(SPY)
    page.goto(f"{server.origin}/some/where/{path}", wait_until="commit")
    return page


def go_live(open_page: Open, server: SiteServer, path: str = "build/", **options: Any) -> Page:
    page = visit(open_page, server, path, **options)
    page.wait_for_selector(LIVE)
    return page


def slider(page: Page) -> Any:
    return page.locator(".lab-shown .noUi-handle").first
