"""Half a minute of a reader who does anything at all, in each door; `make play` goes on for longer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.chromium import watched_page
from tests.play.doors import Door, built, served
from tests.play.expected import same_words
from tests.play.player import Player

SECONDS = 30
SEED = 1

pytestmark = pytest.mark.browser


def play(browser: Any, door: Door) -> None:
    with watched_page(browser, f"{door.origin}/") as watched:
        player = Player(watched, door, SEED)
        player.play(SECONDS)
        assert not player.findings, player.report()
        assert player.moves


def test_anything_a_reader_does_in_the_served_lab_is_right(browser: Any) -> None:
    with served() as door:
        play(browser, door)


@pytest.mark.export
def test_anything_a_reader_does_in_the_built_site_is_right(browser: Any, site: Path) -> None:
    with built(site) as door:
        play(browser, door)


# each breaks one thing on a page that is right, by what the page itself can reach
BROKEN = {
    "the caption": """() => {
      for (const pane of play.every(document)) if (pane.matches(".lab-caption")) {
        const said = pane.shadowRoot.querySelector("p");
        if (said) said.textContent = "Step 4 of 6.";
      }
    }""",
    "shows": """() => {
      for (const one of play.every(document)) if (one.matches("select")) one.selectedIndex = 2;
    }""",
    "adds up": """() => {
      for (const model of Bokeh.documents[0]._all_models.values()) {
        if (model.type === "ColumnDataSource" && model.data.x?.length) {
          model.setv({ data: { ...model.data, x: [...model.data.x].map((x) => x + 1) } }, { sync: false });
        }
      }
    }""",
    "complains": "() => { setTimeout(() => { throw new Error('by a test'); }); }",
    "another host": "() => { new Image().src = 'http://lab.example/x.png'; }",
    "wider": "() => { document.body.style.width = '3000px'; }",
    "the room is": "() => { document.querySelector('main').innerHTML = '<p class=lab-failure>x</p>'; }",
}


@pytest.mark.parametrize("word", BROKEN)
def test_what_is_wrong_on_a_page_is_found(browser: Any, lab_for_play: Door, word: str) -> None:
    with watched_page(browser, f"{lab_for_play.origin}/") as watched:
        player = Player(watched, lab_for_play, SEED)
        player.play(0)
        assert not player.findings, player.report()
        watched.page.goto(lab_for_play.address("waves"))
        player.after("waves")
        assert not player.findings, player.report()
        watched.page.evaluate(BROKEN[word])
        player.after("a fault")
        assert any(word in said for said in player.findings), player.report()


def test_numbers_of_two_computers_are_compared_as_numbers() -> None:
    assert same_words("off by 1.1e−17, 2,048 rows", "off by 3e−18, 2048 rows")
    assert same_words("stays to the last digit", "stays, but for 3e−17")
    assert not same_words("stays to the last digit", "stays, but for 3e−7")
    assert not same_words("2,048 rows", "2,049 rows")
    assert not same_words("1.25", "1.26")
    assert not same_words("2 rows", "2 row")
