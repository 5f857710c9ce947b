"""Files that stay in the page: what Python asks for, what it is told, and whatever can go wrong between."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from app.kit.upload import MOST_FILES, Files, Upload
from lab.own_table import LARGEST_PART, PAUSE, FileInfo, Part, Reading, stretch
from tests.app.chosen import FilePage

BIG = 2_500_000


class Told:
    """A button that reads its files whole, and what came of it."""

    def __init__(self) -> None:
        self.found: list[bytes] = []
        self.refused: list[str] = []
        self.closed = 0
        self.files: Files[bytes] = Files(
            "Choose",
            accept="*/*",
            several=True,
            reading=self.reading,
            done=self.found.append,
            refused=self.refused.append,
        )
        self.page = FilePage(self.files)

    def reading(self, files: Sequence[FileInfo]) -> Reading[bytes]:
        content = b""
        try:
            for i, file in enumerate(files):
                content += yield from stretch(i, 0, file.size)
            if content == b"bad":
                raise ValueError("the file is bad; choose a good one")
            if content == b"odd":
                raise RuntimeError("nobody expected this")
        finally:
            self.closed += 1
        return content

    @property
    def status(self) -> str:
        return str(self.files._status.pane.object)


@pytest.fixture
def told() -> Told:
    return Told()


def test_files_arrive_in_parts_that_are_asked_for_one_by_one(told: Told) -> None:
    content = bytes(range(256)) * (BIG // 256)
    told.page.choose(("a.bin", content), ("b.bin", b"end"))
    assert told.found == [content + b"end"]
    assert [part["size"] for part in told.page.asked] == [
        LARGEST_PART,
        LARGEST_PART,
        len(content) - 2_000_000,
        3,
    ]
    assert max(len(json.dumps(part)) for part in told.page.asked) < 200
    # a part is not kept, and nothing is shown as under way
    assert told.page.held.value == ""
    assert (told.files._stop.visible, told.files._status.pane.visible) == (False, False)


def test_progress_is_said_and_reading_can_be_stopped(told: Told) -> None:
    told.page.choose(("<b>.bin", bytes(BIG)), answers=1)
    assert "1 MB of 2.5 MB" in told.status
    assert "&lt;b&gt;" in told.status
    assert told.files._stop.visible
    told.files._stop.clicks += 1
    assert told.closed == 1
    assert not told.files._stop.visible
    # the part that was on its way comes to nothing
    told.page.answer()
    assert (told.found, told.refused) == ([], [])
    told.page.choose(("c.bin", b"next"))
    assert told.found == [b"next"]


def test_a_pause_asks_for_nothing_and_goes_on(told: Told) -> None:
    def pausing() -> Reading[bytes]:
        return (yield PAUSE) + (yield Part(0, 0, 3)) + (yield PAUSE)

    told.page.choose(("a.bin", b"abc"))
    told.files.read(pausing())
    told.page.answer()
    assert told.found == [b"abc", b"abc"]
    assert [part["size"] for part in told.page.asked] == [3, 0, 3, 0]


def test_another_choice_takes_the_place_of_the_first(told: Told) -> None:
    told.page.choose(("a.bin", bytes(BIG)), answers=1)
    late = told.page.waiting[0]
    told.page.choose(("b.bin", b"other"), answers=0)
    told.page.turn -= 1
    told.page.say(part=late["part"], content="AAAA")
    told.page.turn += 1
    assert told.found == []
    told.page.answer()
    assert told.found == [b"other"]
    assert told.closed == 2


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"content": "not base64!"}, "could not be read"),
        ({"content": 7}, "could not be read"),
        ({}, "could not be read"),
        ({"content": "AAAA"}, "were asked for and 3 came"),
        ({"error": "NotReadableError"}, "NotReadableError"),
        ({"error": "<img>" * 30}, "any more"),
    ],
)
def test_a_broken_part_ends_the_reading_and_nothing_else(
    told: Told, said: dict[str, Any], words: str
) -> None:
    told.page.choose(("a.bin", b"four"), answers=0)
    told.page.say(part=told.page.waiting.pop()["part"], **said)
    assert words in told.refused[0]
    assert told.closed == 1
    told.page.choose(("b.bin", b"next"))
    assert told.found == [b"next"]


@pytest.mark.parametrize(
    "message", ["no JSON", "[]", "{}", '{"turn": 1}', '{"turn": 1, "files": 3}', '{"turn": 1, "files": [{}]}']
)
def test_what_the_page_never_says_is_refused(told: Told, message: str) -> None:
    told.page.held.value = message
    assert told.found == []
    told.page.choose(("b.bin", b"next"))
    assert told.found == [b"next"]


def test_more_files_than_a_table_has_are_refused(told: Told) -> None:
    told.page.choose(*[(f"{i}.bin", b"x") for i in range(MOST_FILES + 1)])
    assert "9 files" in told.refused[0]
    assert told.page.asked == []


def test_whatever_a_reading_raises_is_said(told: Told, caplog: pytest.LogCaptureFixture) -> None:
    told.page.choose(("a.bin", b"bad"))
    assert told.refused.pop() == "the file is bad; choose a good one."
    assert not caplog.records
    told.page.choose(("a.bin", b"odd"))
    assert "nobody expected this" in told.refused.pop()
    assert len(caplog.records) == 1
    assert not told.files._stop.visible


def test_one_small_file_is_taken_whole_and_a_large_one_not_asked_for() -> None:
    heard: list[Any] = []
    upload = Upload(
        "Choose",
        limit=10,
        accept=".txt",
        taken=lambda name, content: heard.append((name, content)),
        refused=heard.append,
    )
    page = FilePage(upload)
    page.choose(("a.txt", b"abc"))
    page.choose(("empty.txt", b""))
    assert heard == [("a.txt", b"abc"), ("empty.txt", b"")]
    page.choose(("b.txt", bytes(11)))
    assert heard[2] == "b.txt has 11 bytes; at most 10 are taken."
    assert len(page.asked) == 1
