"""The room `train` through `panel serve`: a run under a reader's hands, and two readers at once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import OpenPage
from tests.serving import served

TEXT = "Shall I compare thee to a summer's day?\nThou art more lovely and more temperate.\n" * 40


@pytest.fixture(scope="module")
def narrow() -> Iterator[str]:
    """A server on which one run trains at once."""
    with served(EMBEDDING_LAB_RUNS="1") as address:
        yield address


def headline(page: Page, words: str | re.Pattern[str]) -> None:
    expect(page.locator(".lab-train-headline .lab-verdict")).to_contain_text(words, timeout=60_000)


def show(page: Page, key: str) -> None:
    """Scroll to a figure: one out of sight does not follow a run."""
    page.locator(f".lab-figure-{key}").scroll_into_view_if_needed()


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def test_a_run_from_start_to_its_result(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=train&steps=300&seed=11")
    headline(page, "Start trains RoPE with seed 11 for 300 steps")
    expect(page.get_by_role("button", name="Stop")).to_be_disabled()
    press(page, "Start")
    headline(page, re.compile(r"2\.\d{3} nats per character on held-out text"))
    expect(page.locator(".lab-train-progress")).to_contain_text("step 300 of 300")
    show(page, "samples")
    expect(page.locator(".lab-train-samples li span")).to_have_text(
        ["after 0", "after 15", "after 60", "after 300"]
    )
    show(page, "comparison")
    expect(page.locator(".lab-train-history li")).to_contain_text("RoPE, seed 11 (300 steps)")
    # training is an action: the address is the one it was
    assert page.url.endswith("?room=train&steps=300&seed=11")


def test_a_run_like_the_stored_ones_joins_their_table(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=train&scheme=none&seed=20")
    show(page, "comparison")
    expect(page.locator(".lab-train-table tbody tr")).to_have_count(6)
    press(page, "Start")
    headline(page, "nats per character on held-out text")
    show(page, "comparison")
    expect(page.locator(".lab-train-table tbody tr").nth(6)).to_contain_text("Yours: No position, seed 20")


def test_pause_resume_and_a_stop_that_is_at_once(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=train&steps=5000&layers=2")
    press(page, "Start")
    headline(page, "training")
    press(page, "Pause")
    headline(page, "paused after")
    progress = page.locator(".lab-train-progress")
    held = progress.inner_text()
    press(page, "Resume")
    headline(page, "training")
    expect(progress).not_to_have_text(held)
    press(page, "Stop")
    headline(page, "stopped after")
    expect(page.get_by_role("button", name="Start", exact=True)).to_be_enabled()
    # the run has ended in the middle: it has no result, and what it had done is listed
    show(page, "comparison")
    expect(page.locator(".lab-train-history li")).to_contain_text("stopped, after")
    expect(progress).not_to_contain_text("step 5,000 of")


def test_a_rate_of_ten_is_reported_as_diverged_and_the_run_kept(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=train&rate=10.0")
    press(page, "Start")
    headline(page, re.compile(r"the run diverged at step \d+: "))
    show(page, "comparison")
    expect(page.locator(".lab-train-history li")).to_contain_text("rate 10")
    expect(page.locator(".lab-train-history ~ p .lab-copy")).to_be_visible()


def test_own_text_by_paste_and_by_file(lab: str, open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(f"{lab}?room=train&steps=100")
    page.get_by_role("radio", name="Your own").check(force=True)
    press(page, "Start")
    headline(page, "there is no text of your own yet")
    field = page.get_by_role("textbox", name=re.compile("Paste at least"))
    field.fill("<b>too short</b>")
    field.blur()
    expect(page.locator(".lab-train-said .lab-error")).to_contain_text(
        "training needs at least 2,000: add more"
    )
    field.fill(TEXT)
    field.blur()
    expect(page.locator(".lab-train-said")).to_contain_text("It is not part of the link")
    press(page, "Start")
    headline(page, "on your text")
    headline(page, "nats per character on held-out text")
    assert page.url.endswith("?room=train&steps=100")
    for name, content, said in (
        ("large.txt", b"ab" * 1_000_001, "large.txt has 2,000,002 bytes; at most 2,000,000 are taken"),
        ("latin.txt", b"\xe9t\xe9" * 1000, "byte 0 of the file (0xe9) is not UTF-8"),
        ("good.txt", TEXT.encode(), "good.txt: "),
    ):
        (tmp_path / name).write_bytes(content)
        with page.expect_file_chooser() as chosen:
            press(page, "Choose a text file")
        chosen.value.set_files(tmp_path / name)
        expect(page.locator(".lab-train-said")).to_contain_text(said)


def test_the_second_reader_waits_and_begins_when_the_first_has_gone(narrow: str, open_page: OpenPage) -> None:
    first = open_page(f"{narrow}?room=train&steps=5000&layers=2")
    second = open_page(f"{narrow}?room=train&steps=20")
    press(first, "Start")
    headline(first, "training")
    press(second, "Start")
    headline(second, re.compile("You wait for a free slot: at most 1 run .* You are next."))
    first.close()
    headline(second, "nats per character on held-out text")


def test_while_one_trains_the_controls_of_another_answer(narrow: str, open_page: OpenPage) -> None:
    first = open_page(f"{narrow}?room=train&steps=5000&layers=2")
    second = open_page(f"{narrow}?room=train")
    expect(second.locator(".lab-caption p").first).to_be_visible()
    press(first, "Start")
    headline(first, "training")
    handle = second.get_by_role("slider", name=re.compile("Moment"))
    handle.focus()
    for moment in (9, 8, 7):
        handle.press("ArrowLeft")
        second.wait_for_url(f"**moment={moment}*")
    # how long an answer takes is a figure of the benchmark; here the other's run must still be going on
    expect(first.locator(".lab-train-headline")).to_contain_text("training")
    press(first, "Stop")


def test_the_moment_moves_the_rows_and_the_address(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=train")
    handle = page.get_by_role("slider", name=re.compile("Moment"))
    handle.focus()
    for _ in range(6):
        handle.press("ArrowLeft")
    page.wait_for_url("**moment=4")
    expect(page.locator(".lab-figure-rows .lab-caption p")).to_contain_text("after 400 steps")


@pytest.mark.parametrize("width", [360, 768, 1100, 1600])
def test_nothing_sticks_out_sideways(lab: str, open_page: OpenPage, width: int) -> None:
    page = open_page(f"{lab}?room=train", viewport={"width": width, "height": 860})
    expect(page.locator(".lab-caption p").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_figure_stands_on_the_first_screen(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=train")
    expect(page.locator(".lab-caption p").first).to_be_visible()
    box = page.locator(".lab-plot").first.bounding_box()
    assert box
    assert box["y"] + box["height"] < 860
    press(page, "Start")
    headline(page, "training")
    # the page does not jump while a run reports
    headline(page, "nats per character on held-out text")
    after = page.locator(".lab-plot").first.bounding_box()
    assert after == box


def test_figures_follow_a_run_when_they_are_in_sight(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=train&steps=300&seed=4")
    show(page, "rows")
    rows = page.locator(".lab-figure-rows .lab-caption p")
    expect(rows).to_contain_text("The stored RoPE run")
    press(page, "Start")
    headline(page, "nats per character on held-out text")
    expect(page.locator(".lab-figure-losses .lab-plot")).to_be_visible()
    show(page, "rows")
    expect(rows).to_contain_text("Your run, RoPE, seed 4")
    show(page, "movement")
    expect(page.locator(".lab-figure-movement .lab-caption p")).to_contain_text("Your run, RoPE, seed 4")


@pytest.mark.parametrize(
    "key", ["losses", "samples", "comparison", "positions", "order", "beyond", "rows", "movement"]
)
def test_each_figure_stands_alone(lab: str, open_page: OpenPage, key: str) -> None:
    page = open_page(f"{lab}?room=train&figure={key}&steps=40")
    expect(page.locator(".lab-caption p")).to_have_count(1)
    expect(page.locator(".lab-caption p")).to_be_visible()
    if key == "order":
        expect(page.get_by_role("button", name="Start", exact=True)).to_have_count(0)
        return
    press(page, "Start")
    headline(page, "nats per character on held-out text")
