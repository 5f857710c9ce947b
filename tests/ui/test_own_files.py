"""Files of the reader's through `panel serve`: of five gigabytes only what is needed is sent, bit by bit."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.checkpoints import GIGABYTES, write_sparse
from tests.conftest import OpenPage
from tests.files_in_a_page import BUTTON, NOTE, choose, expect_sparse
from tests.golden import HERE as GOLDEN

CAPTION = ".lab-caption p"


def sent_by(page: Page) -> list[int]:
    """Sizes of the messages that the page sends from its next visit on."""
    sizes: list[int] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sizes.append(len(frame))))
    return sizes


@pytest.mark.parametrize("form", ["safetensors", "gguf"])
def test_a_checkpoint_of_five_gigabytes_opens(
    lab: str, open_page: OpenPage, tmp_path: Path, form: str
) -> None:
    files = write_sparse(tmp_path, form)
    assert files[0].stat().st_size == GIGABYTES
    page = open_page(f"{lab}?room=geometry")
    sent = sent_by(page)
    page.reload()
    choose(page, *files)
    expect_sparse(page, form, CAPTION)
    # 384 kB of rows in float16 or 204 kB in blocks, and parts of a header of at most 2 MB, in base64
    assert max(sent) < 1_400_000
    assert sum(sent) < 3_500_000
    # the room goes on, and forgets nothing
    page.get_by_role("radio", name="Nearest rows", exact=True).check(force=True)
    expect(page.locator(f".lab-figure-near {CAPTION}")).to_contain_text("␣cat")


def test_a_file_that_cannot_be_read_leaves_the_room_alive(
    lab: str, open_page: OpenPage, tmp_path: Path
) -> None:
    page = open_page(f"{lab}?room=geometry")
    expect(page.locator(CAPTION)).to_contain_text("cosine")
    before = page.locator(CAPTION).inner_text()
    broken = tmp_path / "model.safetensors"
    broken.write_bytes((2**63).to_bytes(8, "little") + b"{}")
    choose(page, broken)
    expect(page.locator(".lab-error")).to_contain_text("no .safetensors file")
    expect(page.locator(CAPTION)).to_have_text(before)
    # a large one can be given up between two parts
    large = tmp_path / "large.npy"
    large.write_bytes(b"\x93NUMPY" + bytes(40_000_000))
    choose(page, large)
    page.get_by_role("button", name="Stop reading").click()
    expect(page.get_by_text("Stopped; nothing of the file was taken.")).to_be_visible()
    good = tmp_path / "good.csv"
    good.write_text("cat, 0.9, 0.7\ndog, 0.9, 0.6\ncar, -0.2, 0.8\n")
    choose(page, good)
    expect(page.locator(NOTE)).to_contain_text("3 rows of 2 numbers")
    expect(page.locator(".lab-error")).to_have_count(0)


def test_a_file_that_changes_under_the_page_is_no_longer_read(
    lab: str, open_page: OpenPage, tmp_path: Path
) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes((GOLDEN / "checkpoints" / "tiny.safetensors").read_bytes())
    page = open_page(f"{lab}?room=geometry")
    choose(page, path)
    expect(page.locator(NOTE)).to_contain_text("12 rows of 64 numbers")
    path.write_bytes(path.read_bytes()[:1000])
    page.get_by_role("button", name="Read these rows").click()
    expect(page.locator(".lab-error")).to_contain_text("model.safetensors any more")
    expect(page.locator(NOTE)).to_contain_text("12 rows of 64 numbers")


def test_a_text_of_several_parts_is_read(lab: str, open_page: OpenPage, tmp_path: Path) -> None:
    """4.6 MB: five parts, and a pause while its lines are taken."""
    numbers = " ".join(["0.125"] * 17 + ["-0.5"])
    path = tmp_path / "glove.txt"
    path.write_text("".join(f"word{i} {numbers}\n" for i in range(40_000)), encoding="utf-8")
    page = open_page(f"{lab}?room=geometry")
    choose(page, path)
    expect(page.locator(NOTE)).to_contain_text("40,000 rows of 18 numbers", timeout=60_000)
    expect(page.get_by_role("button", name="Stop reading")).to_be_hidden()


def test_files_can_be_dropped_on_the_button(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=geometry")
    button = page.get_by_role("button", name=BUTTON)
    button.wait_for()
    data = page.evaluate_handle(
        """() => {
          const data = new DataTransfer();
          data.items.add(new File(["0.9\\t0.7\\n0.2\\t0.1\\n"], "vectors.tsv"));
          data.items.add(new File(["cat\\ndog\\n"], "metadata.tsv"));
          return data;
        }"""
    )
    button.dispatch_event("dragover", {"dataTransfer": data})
    button.dispatch_event("drop", {"dataTransfer": data})
    expect(page.locator(NOTE)).to_contain_text("2 rows of 2 numbers")
    expect(page.locator(CAPTION)).to_contain_text("cat")


def test_what_belongs_to_an_opened_checkpoint_is_not_seen_before(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=geometry")
    page.get_by_role("button", name="Choose or drop files").wait_for()
    expect(page.get_by_role("button", name="Read these rows")).to_be_hidden()
    expect(page.get_by_label("First row", exact=True)).to_be_hidden()
