"""Files of the reader's on the built site: nothing of them leaves the page, whatever their size."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.checkpoints import write_sparse
from tests.export.server import SiteServer
from tests.export.visits import CAPTION, LIVE, Open
from tests.files_in_a_page import BUTTON, NOTE, choose, expect_sparse

pytestmark = [pytest.mark.export, pytest.mark.browser]

# how large the messages are that the page sends to its worker
SIZES = """window.sizes = [];
window.Worker = class extends Worker {
  postMessage(message, ...rest) {
    sizes.push(JSON.stringify(message).length);
    super.postMessage(message, ...rest);
  }
};"""


def test_checkpoints_of_five_gigabytes_open_in_the_page(
    open_page: Open, server: SiteServer, tmp_path: Path
) -> None:
    page = open_page().page
    page.add_init_script(SIZES)
    page.goto(f"{server.origin}/some/where/geometry/")
    page.wait_for_selector(LIVE, timeout=90_000)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for form in ("safetensors", "gguf"):
        page.evaluate("sizes.length = 0")
        choose(page, *write_sparse(tmp_path, form))
        expect_sparse(page, form, CAPTION)
        sizes = page.evaluate("sizes")
        assert max(sizes) < 1_400_000
        assert sum(sizes) < 3_500_000
    # files of the room's own may come late; of the reader's nothing goes
    assert [url for url in asked if not url.startswith(server.origin)] == []
    # a refused file leaves the room alive
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + bytes(60))
    choose(page, broken)
    expect(page.locator(".lab-shown .lab-error")).to_contain_text("version 0")
    expect(page.locator(CAPTION)).to_contain_text("0.6")
    table = tmp_path / "table.csv"
    table.write_text("cat;0,5;0,25\ndog;0,5;0,75\n")
    choose(page, table)
    expect(page.locator(NOTE)).to_contain_text("2 rows of 2 numbers")
    expect(page.get_by_role("button", name=BUTTON)).to_be_enabled()
