"""What a reader does with files on a page, for the browser tests of both doors."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, expect

SAID = ".lab-own-said"
NOTE = ".lab-controls p.lab-note >> nth=0"
"""What is said of the table that is shown."""
BUTTON = "Choose or drop files"


def choose(page: Page, *paths: Path | str) -> None:
    """Choose files as the browser's dialog does."""
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name=BUTTON).click()
    chooser.value.set_files([str(path) for path in paths])


def expect_sparse(page: Page, form: str, caption: str) -> None:
    """The rows of a sparse checkpoint are in the room: its tensor, its type, its names and its angle."""
    expect(page.locator(SAID)).to_contain_text(f"model.{form} was read")
    said = page.locator(NOTE)
    expect(said).to_contain_text("3,003 rows of 64 numbers")
    expect(said).to_contain_text("float16" if form == "safetensors" else "Q8_0")
    name = "model.embed_tokens.weight" if form == "safetensors" else "token_embd.weight"
    expect(said).to_contain_text(name)
    expect(page.locator(caption)).to_contain_text("␣cat")
    expect(page.locator(caption)).to_contain_text("0.6")
